package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// panel ranks as Posterior does and asks another ranker for comparison. It keeps
// all answers.
type panel struct{ rankings *[]reputation.Ranking }

func (panel) Name() string { return "panel" }

func (p panel) Rank(q reputation.Query, c []reputation.Candidate, s *reputation.Statistics) reputation.Ranking {
	first := reputation.Posterior{}.Rank(q, c, s)
	*p.rankings = append(*p.rankings, first, reputation.Posterior{Constants: reputation.Constants{HalfLife: 1}}.Rank(q, c, s))
	return first
}

// memo is a gate that judges a question once.
type memo struct {
	gate.Evidence
	seen map[string]gate.Decision
}

func (m memo) Decide(q gate.Query, c []gate.Candidate, model *gate.Model) gate.Decision {
	key := fmt.Sprint(q.Terms)
	if _, ok := m.seen[key]; !ok {
		m.seen[key] = m.Evidence.Decide(q, c, model)
	}
	return m.seen[key]
}

// What a ranker or gate of somebody's own returned stays as it is: they may keep it,
// and may ask ours in between.
func TestForeignRankersAndGatesMayKeepTheirAnswers(t *testing.T) {
	var kept []reputation.Ranking
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Ranker: panel{&kept}})
	plain := newEngine(t, core.Options{Gate: gate.Off{}})
	var texts []string
	for i := range 4 {
		q := core.Query{Text: fmt.Sprint("question ", i%2)}
		src := fixed(letters(3 + i)...)
		got, want := retrieve(t, eng, src, q), retrieve(t, plain, src, q)
		if !reflect.DeepEqual(got.IDs(), want.IDs()) || got.Items[0].Final != want.Items[0].Final {
			t.Errorf("%v, Posterior alone %v", got.IDs(), want.IDs())
		}
		feed(t, eng, got.Receipt, core.Verified(false).On("a"))
		feed(t, plain, want.Receipt, core.Verified(false).On("a"))
		texts = append(texts, fmt.Sprint(kept[2*i:]))
		for j := range texts {
			if now := fmt.Sprint(kept[2*j : 2*j+2]); now != texts[j] {
				t.Errorf("after retrieval %d, the rankings of %d have changed", i, j)
			}
		}
	}

	shelf := newShelf(prose(200)...)
	judged := calibrated(t, core.Options{Gate: memo{gate.Evidence{}, map[string]gate.Decision{}}}, shelf)
	before := retrieve(t, judged, shelf, core.Query{Text: answerable})
	retrieve(t, judged, shelf, core.Query{Text: foreign})
	after := retrieve(t, judged, shelf, core.Query{Text: answerable})
	if before.Verdict != core.Evidence || !reflect.DeepEqual(before.IDs(), after.IDs()) {
		t.Errorf("%v with %v, then %v with %v", before.Verdict, before.IDs(), after.Verdict, after.IDs())
	}
}

// leaving is a store that gives up on its second load, with somebody left behind
// who still works on it.
type leaving struct {
	store.Store
	loads  int
	behind store.LoadRequest
	t      *testing.T
}

func (l *leaving) Load(ctx context.Context, req store.LoadRequest) (*store.Loaded, error) {
	l.loads++
	if l.loads == 2 {
		l.behind = req
		return nil, context.DeadlineExceeded
	}
	if b := l.behind; b.IDs != nil && (req.Into != nil && req.Into == b.Into || &req.IDs[0] == &b.IDs[0] || &req.Hashes[0] == &b.Hashes[0]) {
		l.t.Errorf("load %d was lent what the failed one may still use", l.loads)
	}
	return l.Store.Load(ctx, req)
}

func TestAFailedLoadKeepsWhatItWasLent(t *testing.T) {
	eng := newEngine(t, core.Options{Store: &leaving{Store: store.NewMemory(), t: t}, Gate: gate.Off{}})
	src := fixed(letters(6)...)
	for i := range 5 {
		resp, err := eng.Retrieve(context.Background(), src, core.Query{Text: "q"})
		if err != nil || (resp.Unlearned != nil) != (i == 1) {
			t.Errorf("retrieval %d: %v %+v", i, err, resp)
		}
	}
}

// Responses share no memory with later retrievals, whatever their sizes, and
// retrievals do not see what earlier ones left behind.
func TestResponsesOutliveTheirRetrieval(t *testing.T) {
	for _, fed := range []bool{true, false} {
		r := rand.New(rand.NewPCG(1, 2))
		st := store.NewMemory()
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Store: st})
		var kept []*core.Response
		var texts []string
		for range 200 {
			hits := core.Hits{Source: "s", Kind: core.CosineSimilarity}
			for range r.IntN(80) {
				k := r.IntN(60)
				hits.Candidates = append(hits.Candidates, core.Candidate{
					ID: fmt.Sprint("id", k), Text: fmt.Sprint("text ", r.IntN(60)), Score: r.Float64(), Metadata: map[string]any{"k": k},
				})
			}
			q := core.Query{Text: fmt.Sprint("question ", r.IntN(9)), K: 1 + r.IntN(20), Mode: []core.Mode{core.On, core.Shadow}[r.IntN(2)]}
			resp := ranked(t, eng, q, hits)
			if fresh := newEngine(t, core.Options{Gate: gate.Off{}, Store: st}); !fed {
				if other := ranked(t, fresh, q, hits); !reflect.DeepEqual(resp.Items, other.Items) || len(resp.Rejected) != len(other.Rejected) {
					t.Fatalf("%+v, of a new engine %+v", resp.Items, other.Items)
				}
			}
			if fed && len(resp.Items) > 0 {
				feed(t, eng, resp.Receipt, core.VerifiedBy("v", r.Float64()).On(resp.Items[r.IntN(len(resp.Items))].ID))
			}
			text, err := json.Marshal(resp)
			if err != nil {
				t.Fatal(err)
			}
			kept, texts = append(kept, resp), append(texts, string(text))
		}
		for i, resp := range kept {
			if text, err := json.Marshal(resp); err != nil || string(text) != texts[i] {
				t.Fatalf("response %d changed later: %v", i, err)
			}
		}
	}
}

func ranked(t *testing.T, eng *core.Engine, q core.Query, hits core.Hits) *core.Response {
	t.Helper()
	resp, err := eng.Rank(context.Background(), q, hits)
	if err != nil || resp.Unlearned != nil {
		t.Fatal(err, resp)
	}
	return resp
}
