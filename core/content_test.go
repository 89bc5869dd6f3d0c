package core_test

import (
	"context"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

// page is a document that changes, beside one that nobody ever speaks of.
type page struct {
	*core.Engine
	t *testing.T
}

func newPage(t *testing.T) page {
	return page{newEngine(t, core.Options{Gate: gate.Off{}}), t}
}

func (p page) show(id, text string) *core.Response {
	p.t.Helper()
	resp, err := p.Rank(context.Background(), core.Query{Text: "opening hours of the library"}, core.Hits{
		Source: "s", Kind: core.CosineSimilarity,
		Candidates: []core.Candidate{{ID: id, Text: text, Score: .9}, {ID: "stranger", Text: "never spoken of", Score: .8}},
	})
	if err != nil || resp.Unlearned != nil {
		p.t.Fatal(err, resp)
	}
	return resp
}

// speak reports so many successes of a text.
func (p page) speak(id, text string, times int) {
	p.t.Helper()
	for range times {
		feed(p.t, p.Engine, p.show(id, text).Receipt, core.Verified(true).On(id))
	}
}

// evidence is the number of successes that count for a text, as its item says.
func (p page) evidence(id, text string) float64 {
	p.t.Helper()
	for _, it := range p.show(id, text).Items {
		before, _, ok := strings.Cut(it.Reason, " good and ")
		if it.ID != id || !ok {
			continue
		}
		n, err := strconv.ParseFloat(before[strings.LastIndex(before, " ")+1:], 64)
		if err != nil {
			p.t.Fatal(it.Reason)
		}
		return n
	}
	return 0
}

func (p page) want(what, id, text string, evidence float64) {
	p.t.Helper()
	if got := p.evidence(id, text); math.Abs(got-evidence) > .051 { // it is said to one decimal
		p.t.Errorf("%s: %v successes, want %v", what, got, evidence)
	}
}

func TestAMovedTextKeepsAllItsEvidence(t *testing.T) {
	p := newPage(t)
	p.speak("old.md", "open from nine to five", 3)
	all := p.evidence("old.md", "open from nine to five")
	if all != 3 {
		t.Fatalf("three successes count as %v", all)
	}
	p.want("moved", "new.md", "open from nine to five", all)
	p.want("and back", "old.md", "open from nine to five", all)
}

func TestAChangedTextKeepsAQuarter(t *testing.T) {
	p := newPage(t)
	p.speak("a", "open from nine to five", 4)
	p.want("changed", "a", "open from ten to five", 4*core.CarryShare)
	p.want("shown again", "a", "open from ten to five", 4*core.CarryShare)
	p.want("changed again before anybody spoke", "a", "open from ten to six", 4*core.CarryShare)
	p.want("and once more", "a", "open from ten to seven", 4*core.CarryShare)
	p.want("changed back", "a", "open from nine to five", 4)
	p.want("another document with a text that was nobody's", "b", "open from ten to six", 0)
}

func TestEvidenceOfAChangedTextIsItsOwn(t *testing.T) {
	p := newPage(t)
	p.speak("a", "first", 4)
	p.want("changed", "a", "second", 1)
	p.speak("a", "second", 3)
	p.want("a quarter and what it earned", "a", "second", 4)
	p.want("changed again", "a", "third", 1)
	p.want("what the first text earned", "a", "first", 4)
}

// What is said late about a text that has changed meanwhile is said about the old
// text, and reaches the new one as a share.
func TestALateSignalBelongsToTheTextShown(t *testing.T) {
	p := newPage(t)
	shown := p.show("a", "first")
	p.want("changed before anybody spoke", "a", "second", 0)
	feed(t, p.Engine, shown.Receipt, core.Verified(true).On("a"))
	p.want("the text shown", "other", "first", 1)
	p.want("the text it has now", "a", "second", core.CarryShare)
}
