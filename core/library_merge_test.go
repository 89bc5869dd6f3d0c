package core_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"pgregory.net/rapid"
)

// overHalf is a gate that lets scores over one half pass.
type overHalf struct{ gate.Off }

func (overHalf) Decide(_ gate.Query, cands []gate.Candidate, _ *gate.Model) gate.Decision {
	d := gate.Decision{Verdict: gate.VerdictNoEvidence}
	for _, c := range cands {
		d.Judgements = append(d.Judgements, gate.Judgement{Pass: c.Score > .5, Margin: c.Score - .5})
		if c.Score > .5 {
			d.Verdict = gate.VerdictEvidence
		}
	}
	return d
}

// drawLibrary draws chunks of a few documents, and what a user does with these.
func drawLibrary(rt *rapid.T, eng *core.Engine, src core.Source, user string, docs []string) (blocked map[string]bool) {
	ctx, lib := context.Background(), eng.Library(user).In(src)
	blocked = map[string]bool{}
	for range rapid.IntRange(0, 8).Draw(rt, "actions") {
		doc := rapid.SampledFrom(docs).Draw(rt, "doc")
		offer := core.Suggestion{Suggestion: lifecycle.Suggestion{Doc: doc}}
		if resp, err := eng.Retrieve(ctx, src, core.Query{Text: "words", User: user, K: 20}); err == nil && len(resp.Items) > 0 {
			if o, ok := resp.Offer(doc); ok {
				offer = o
			}
		}
		var err error
		switch rapid.IntRange(0, 6).Draw(rt, "action") {
		case 0:
			_, err = lib.Accept(ctx, offer)
		case 1:
			_, err = lib.AddText(ctx, doc, rapid.SampledFrom(append(chunkTexts, "my own words on "+doc)).Draw(rt, "text"))
		case 2:
			_, err = lib.PinShown(ctx, offer)
		case 3:
			_, err = lib.Block(ctx, doc)
		case 4:
			_, err = lib.Unblock(ctx, doc)
		case 5:
			_, err = lib.Remove(ctx, doc)
		case 6:
			err = lib.Down(ctx, doc)
		}
		_ = err // refused actions change nothing
	}
	for _, doc := range append(docs, "elsewhere") {
		if e, _, err := lib.Get(ctx, doc); err == nil && e.Blocked {
			blocked[doc] = true
		}
	}
	return blocked
}

// Whatever a user has in the library: what would be shown without a user is shown,
// or a text that holds it, unless blocked; nothing is there twice; nothing blocked
// is there at all; and signals reach everything that is shown.
func TestTheLibraryTakesNothingAway(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		eng, err := core.New(core.Options{Gate: overHalf{}, Library: core.LibraryOptions{
			Items:  rapid.IntRange(-1, 3).Draw(rt, "items"),
			Tokens: rapid.SampledFrom([]int{-1, 0, 5, 40}).Draw(rt, "tokens"),
		}})
		if err != nil {
			rt.Fatal(err)
		}
		defer eng.Close()
		var hits []core.Candidate
		docs := []string{"d0", "d1", "d2", "d3"}
		ids := []string{"library:d0", "d1", "library:library:d0"}
		for i := range rapid.IntRange(0, 10).Draw(rt, "n") {
			hits = append(hits, core.Candidate{
				ID: append(ids, fmt.Sprint("c", i))[min(i, 3)], DocID: rapid.SampledFrom(docs).Draw(rt, "doc"),
				Text:  rapid.SampledFrom(append(chunkTexts, fmt.Sprint("words of chunk ", i))).Draw(rt, "text"),
				Score: float64(rapid.IntRange(30, 90).Draw(rt, "score")) / 100, ChunkIndex: i, TotalChunks: 11,
			})
		}
		src := &talkative{Source: core.SourceFunc{
			Description: core.SourceInfo{Name: "s", Kind: core.CosineSimilarity},
			Func: func(context.Context, core.Query, int) (core.Hits, error) {
				return core.Hits{Candidates: slices.Clone(hits)}, nil
			},
		}, chunks: hits, says: map[string]int{}}
		for _, doc := range docs {
			src.says[doc] = rapid.IntRange(0, 4).Draw(rt, "what the source says of "+doc)
		}
		blocked := drawLibrary(rt, eng, src, "u1", docs)
		q := core.Query{Text: "words of chunk", K: rapid.IntRange(1, 6).Draw(rt, "k")}
		plain, err := eng.Retrieve(context.Background(), src, q)
		if err != nil {
			rt.Fatal(err)
		}
		q.User = "u1"
		mine, err := eng.Retrieve(context.Background(), src, q)
		if err != nil || mine.Unlearned != nil {
			rt.Fatal(err, mine.Unlearned)
		}
		checkMerged(rt, plain, mine, blocked)
		checkPrompt(rt, plain, mine, blocked)
		checkSignals(rt, eng, mine)
	})
}

// chunkTexts are texts that chunks and users share, one of them part of another.
var chunkTexts = []string{"words of chunk", "words of chunk nine and more", "other words", "words\nof chunk  nine"}

// talkative is a source that says of each document something of another kind:
// nothing, its chunks, an abstract, that it may be read, or always something new.
type talkative struct {
	core.Source
	chunks []core.Candidate
	says   map[string]int
	calls  atomic.Int64
}

func (s *talkative) LoadDocument(_ context.Context, _, doc string) (core.Loaded, error) {
	said := core.Loaded{Exists: true, Allowed: true}
	switch s.says[doc] {
	case 0:
		return said, core.ErrUnsupported
	case 1:
		for _, c := range s.chunks {
			if c.DocID == doc {
				said.Text += c.Text + "\n"
			}
		}
	case 2:
		said.Text = "an abstract of words"
	case 4:
		said.Text = fmt.Sprint("words at ", s.calls.Add(1))
	}
	return said, nil
}

// checkPrompt looks for what would be in the prompt without a user, where there is
// room for that and hardly more.
func checkPrompt(rt *rapid.T, plain, mine *core.Response, blocked map[string]bool) {
	if len(blocked) > 0 {
		return // others took the places of those blocked
	}
	prompt := strings.Join(strings.Fields(mine.Context(core.EstimateTokens(plain.Context(0))+2*len(plain.Items))), " ")
	for _, it := range plain.Items {
		if text := strings.Join(strings.Fields(it.Text), " "); plain.HasEvidence() && !strings.Contains(prompt, text) {
			rt.Fatalf("%q is not in the prompt %s of %+v", text, prompt, mine.Items)
		}
	}
}

// checkTexts looks for texts and ids that are there twice.
func checkTexts(rt *rapid.T, items []core.Item) {
	for i, it := range items {
		for j, other := range items {
			if i != j && (it.ID == other.ID || it.Text == other.Text) {
				rt.Fatalf("%q says %q, %q says %q", it.ID, it.Text, other.ID, other.Text)
			}
			if it.FromLibrary && it.Origin != lifecycle.FromCaller && it.DocID == other.DocID && i != j && strings.Contains(it.Text, other.Text) {
				rt.Fatalf("%q is in %q too", other.Text, it.Text)
			}
		}
	}
}

func checkMerged(rt *rapid.T, plain, mine *core.Response, blocked map[string]bool) {
	checkTexts(rt, mine.Items)
	shown := map[string]int{}
	texts := map[string]int{}
	for i, it := range mine.Items {
		if it.Rank != i || blocked[it.DocID] || math.IsNaN(it.Final) || math.IsNaN(it.Relevance) || it.Reason == "" {
			rt.Fatalf("item %d: %+v", i, it)
		}
		if it.FromLibrary {
			texts[it.DocID]++
		}
		if !it.Pinned && i > 0 && !it.FromLibrary && plain.Verdict == core.NoEvidence {
			rt.Fatalf("past the gate: %+v", it)
		}
		for _, id := range it.Holds {
			shown[id]++
		}
		if len(it.Holds) == 0 {
			shown[it.ID]++
		}
	}
	for id, n := range shown {
		if n > 1 {
			rt.Fatalf("%q is there %d times: %+v", id, n, mine.Items)
		}
	}
	for doc, n := range texts {
		if n > 1 {
			rt.Fatalf("%d library texts of %q", n, doc)
		}
	}
	for _, it := range plain.Items {
		if shown[it.ID] == 0 && !blocked[it.DocID] {
			rt.Fatalf("%q (%s) is lost: %+v", it.ID, it.DocID, mine.Items)
		}
	}
}

func checkSignals(rt *rapid.T, eng *core.Engine, resp *core.Response) {
	for _, it := range resp.Items {
		for _, id := range append([]string{it.ID, it.DocID}, it.Holds...) {
			if _, err := eng.Feedback(context.Background(), resp.Receipt, core.Verified(true).On(id)); err != nil {
				rt.Fatalf("signal on %q: %v", id, err)
			}
		}
	}
}

// What the engine does for a user changes nothing for others, nor in the modes
// that promise the retriever's own results.
func TestModesAndUsersApart(t *testing.T) {
	l := newLibrary(t, core.Options{}, policies)
	l.claimed("u1", "leave")
	if _, err := l.Library("u1").In(l.shelf).Pin(context.Background(), "oncall"); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Library("u1").In(l.shelf).Block(context.Background(), "travel"); err != nil {
		t.Fatal(err)
	}
	want := l.ask("", "annual travel is").IDs()
	for _, user := range []string{"", "u2"} {
		for _, mode := range []core.Mode{core.On, core.Shadow, core.Off} {
			resp := retrieve(t, l.Engine, l.shelf, core.Query{Text: "annual travel is", K: 3, User: user, Mode: mode})
			if !slices.Equal(resp.IDs(), want) || len(resp.Suggestions)+len(resp.Library) > 0 {
				t.Errorf("user %q, mode %v: %v, want %v", user, mode, resp.IDs(), want)
			}
		}
	}
	for _, mode := range []core.Mode{core.Shadow, core.Off} {
		resp := retrieve(t, l.Engine, l.shelf, core.Query{Text: "annual travel is", K: 3, User: "u1", Mode: mode})
		if !slices.Equal(resp.IDs(), want) {
			t.Errorf("mode %v: %v, want %v", mode, resp.IDs(), want)
		}
		if mode == core.Shadow && (len(resp.Proposed) != 2 || !resp.Proposed[0].Pinned || !resp.Proposed[1].FromLibrary) {
			t.Errorf("proposed: %+v", resp.Proposed)
		}
	}
	resp := l.ask("u1", "annual travel is")
	if len(resp.Items) != 2 || resp.Items[0].DocID != "oncall" || resp.Items[1].DocID != "leave" {
		t.Errorf("mode on: %+v", resp.Items)
	}
	if len(resp.Rejected) != 1 || resp.Rejected[0].Reason != "blocked by the user" {
		t.Errorf("rejected: %+v", resp.Rejected)
	}
}

// The gate's refusal stands, pins or not.
func TestAPinIsNoEvidence(t *testing.T) {
	l := newLibrary(t, core.Options{Gate: overHalf{}}, policies)
	if _, err := l.Library("u1").In(l.shelf).Pin(context.Background(), "oncall"); err != nil {
		t.Fatal(err)
	}
	l.claimed("u1", "leave")
	for _, question := range []string{"annual leave", "nothing here matches"} {
		resp := l.ask("u1", question)
		if len(resp.Items) != 1 || !resp.Items[0].Pinned || resp.HasEvidence() || resp.Context(0) != "" {
			t.Errorf("%s: verdict %v, items %+v", question, resp.Verdict, resp.Items)
		}
		if resp.Receipt.IsZero() {
			t.Errorf("%s: no receipt", question)
		}
	}
}
