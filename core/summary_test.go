package core_test

import (
	"context"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// counting ranks as the posterior does and keeps the number of outcomes heard in
// the records' summaries. seen holds what the last ranking was given.
type counting struct {
	reputation.Posterior
	name string
	seen map[string]int
}

func (c *counting) Name() string { return c.name }

func (c *counting) Fold(summary []byte, _ reputation.Event) []byte {
	if len(summary) == 0 {
		return []byte{1}
	}
	return []byte{summary[0] + 1}
}

func (c *counting) Rank(q reputation.Query, cands []reputation.Candidate, s *reputation.Statistics) reputation.Ranking {
	c.seen = map[string]int{}
	for _, cand := range cands {
		if r := cand.Record; !r.Empty() && r.Ranker == c.name {
			c.seen[cand.ID] = int(r.Summary[0])
		}
	}
	return c.Posterior.Rank(q, cands, s)
}

// A ranker's own numbers are kept with the outcomes, follow a changed text, and are
// made anew where another ranker was in charge.
func TestRankersKeepSummaries(t *testing.T) {
	st := store.NewMemory()
	defer st.Close()
	first, second := &counting{name: "first"}, &counting{name: "second"}
	one := newEngine(t, core.Options{Store: st, Gate: gate.Off{}, Ranker: first})
	two := newEngine(t, core.Options{Store: st, Gate: gate.Off{}, Ranker: second})
	src := fixed(letters(2)...)
	q := core.Query{Text: "the question"}
	for range 3 {
		feed(t, one, retrieve(t, one, src, q).Receipt, core.Verified(true).On("a"))
	}
	retrieve(t, one, src, q)
	retrieve(t, two, src, q)
	if first.seen["a"] != 3 || second.seen["a"] != 3 || len(first.seen) != 1 {
		t.Errorf("one counts %v, the other %v", first.seen, second.seen)
	}
	feed(t, two, retrieve(t, two, src, q).Receipt, core.Verified(false).On("a"))
	retrieve(t, two, src, q)
	changed := letters(1)
	changed[0].Text = "another text"
	if _, err := one.Rank(context.Background(), q, core.Hits{Source: "fixed", Candidates: changed}); err != nil {
		t.Fatal(err)
	}
	if first.seen["a"] != 4 || second.seen["a"] != 4 {
		t.Errorf("one counts %v, the other %v", first.seen, second.seen)
	}
}
