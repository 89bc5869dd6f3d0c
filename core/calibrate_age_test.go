package core_test

import (
	"context"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// unlisted can be neither listed nor embedded for, but it announces its writes.
type unlisted struct {
	blind
	core.Observable
}

// bareShelf is a shelf with a chunk that has no usable vector, so that the bank's scores
// over it have to be asked for.
func bareShelf(texts ...string) *shelf {
	s := newShelf(texts...)
	bare := s.chunks["chunk-0007"]
	bare.Vector = make([]float32, 32)
	s.chunks["chunk-0007"] = bare
	return s
}

func standardised(t *testing.T, eng *core.Engine, src core.Source, text string) float64 {
	t.Helper()
	r := retrieve(t, eng, src, core.Query{Text: text})
	if len(r.Items) > 0 {
		return r.Items[0].Judgement.Standardised
	}
	return r.Rejected[0].Judgement.Standardised
}

// A collection that is measured while it is empty gets its scores all the same.
func TestMeasuredWhileEmpty(t *testing.T) {
	for name, box := range map[string]func(*shelf) core.Source{
		"white box":   func(s *shelf) core.Source { return s },
		"listed only": func(s *shelf) core.Source { return silent{s, s, s} },
		"black box":   func(s *shelf) core.Source { return blind{s} },
		"announcing":  func(s *shelf) core.Source { return unlisted{blind{s}, s} },
	} {
		for _, g := range []gate.Evidence{{}, {BankGuard: true}} {
			now, st, s := newClock(time.Unix(1e9, 0)), store.NewMemory(), newShelf()
			src := box(s)
			eng := calibrated(t, core.Options{Store: st, Clock: now.time, Gate: g}, src)
			for i, text := range prose(200) {
				s.put(fmt.Sprintf("chunk-%04d", i), text)
			}
			now.set(now.time().Add(2 * time.Minute))
			eventually(t, name+" has scores", func() bool {
				for i := range 40 { // a black box learns of what it is asked for
					verdict(t, eng, src, fmt.Sprintf("number%d detail%d remark%d", i*7, i*11, i*5))
				}
				c, _ := eng.Calibration("shelf")
				return c.Scores && c.Chunks >= 100 && !c.Running
			})
			want(t, eng, src, foreign, core.NoEvidence)
			if err := eng.Close(); err != nil {
				t.Fatal(err)
			}
			again := calibrated(t, core.Options{Store: st, Gate: g}, src)
			if c, _ := again.Calibration("shelf"); !c.Scores {
				t.Errorf("%s after a restart: %+v", name, c)
			}
		}
	}
}

// Bank scores that had to be asked for are asked for again when the collection
// has doubled, and what its best chunks score is then no longer mistaken for
// evidence.
func TestBankScoresFollowGrowth(t *testing.T) {
	for name, box := range map[string]func(*shelf) core.Source{
		"listed without a vector": func(s *shelf) core.Source { return s },
		"black box":               func(s *shelf) core.Source { return blind{s} },
	} {
		s := bareShelf(prose(120)...)
		src := box(s)
		eng := calibrated(t, core.Options{}, src)
		for i, text := range prose(800) {
			s.put(fmt.Sprintf("more-%d", i), text)
		}
		searches := s.searches.Load()
		for i := range 100 {
			verdict(t, eng, src, fmt.Sprintf("detail%d remark%d number%d", i*7, i*13, i*3))
		}
		eventually(t, name+" settled", func() bool { c, _ := eng.Calibration("shelf"); return !c.Running })
		if n := s.searches.Load() - searches - 100; n < gate.BankSize || n > 5*256 {
			t.Errorf("%s: asked %d more questions", name, n)
		}
		got := standardised(t, eng, src, foreign)
		if err := eng.Recalibrate(context.Background(), src); err != nil {
			t.Fatal(err)
		}
		if right := standardised(t, eng, src, foreign); math.Abs(got-right) > .15 {
			t.Errorf("%s: a foreign question scores %.3f, measured anew %.3f", name, got, right)
		}
	}
}

// The evidence of the bank's own questions ages as well.
func TestGuardFollowsGrowth(t *testing.T) {
	s := newShelf(prose(120)...)
	eng := calibrated(t, core.Options{Gate: gate.Evidence{BankGuard: true}}, s)
	for i, text := range prose(200) {
		s.put(fmt.Sprintf("more-%d", i), text)
	}
	searches := s.searches.Load()
	for range 3 {
		verdict(t, eng, s, foreign)
		eventually(t, "settled", func() bool { c, _ := eng.Calibration("shelf"); return !c.Running })
	}
	if n := s.searches.Load() - searches - 3; n != int64(len(gate.Bank())) {
		t.Errorf("asked %d questions", n)
	}
}

// A source written to past its announcements is measured again, at most once a
// minute, and the bank is not embedded again.
func TestRebuildsAreFewAndCheap(t *testing.T) {
	now, s := newClock(time.Unix(1e9, 0)), newShelf(prose(200)...)
	eng := calibrated(t, core.Options{Clock: now.time}, s)
	embeds, listed := s.embeds.Load(), s.listed.Load()
	chunks := func(n int) func() bool {
		return func() bool { c, _ := eng.Calibration("shelf"); return c.Chunks == n && !c.Running }
	}
	for i := range 5 {
		now.set(now.time().Add(2 * time.Minute))
		s.smuggle(fmt.Sprintf("smuggled-%d", i), "The zebra won the quidditch tournament.")
		verdict(t, eng, s, foreign)
		eventually(t, "counted", chunks(201+i))
	}
	if n := s.embeds.Load() - embeds; n != 5*int64(len(gate.ProbeTexts())) {
		t.Errorf("%d embeddings for 5 rebuilds", n)
	}
	if n := s.listed.Load() - listed; n > 5*(205+10) {
		t.Errorf("%d chunks listed", n)
	}
	listed = s.listed.Load()
	for i := range 20 {
		s.smuggle(fmt.Sprintf("at-once-%d", i), "More of the same.")
		s.miss()
		verdict(t, eng, s, foreign)
	}
	time.Sleep(200 * time.Millisecond)
	if n := s.listed.Load() - listed; n != 0 {
		t.Errorf("%d chunks listed within a minute of the last time", n)
	}
	now.set(now.time().Add(2 * time.Minute))
	verdict(t, eng, s, foreign)
	eventually(t, "all counted", chunks(225))
}

// A killed process costs the next one a listing, not the bank.
func TestKilledAfterAWrite(t *testing.T) {
	st, s := store.NewMemory(), newShelf(prose(200)...)
	calibrated(t, core.Options{Store: st}, s)
	s.put("late", "The zebra won the quidditch tournament.")
	embeds := s.embeds.Load()
	next := calibrated(t, core.Options{Store: st}, s)
	if n := s.embeds.Load() - embeds; n > 10 {
		t.Errorf("%d embeddings", n)
	}
	want(t, next, s, foreign, core.Evidence)
}

// Another embedder or kind of score under the same name is noticed by Calibrate,
// also where the texts are the same.
func TestCalibrateNoticesAnotherEmbedder(t *testing.T) {
	s, other := newShelf(prose(200)...), newShelf()
	other.salt = "other"
	for i, text := range prose(200) {
		other.put(fmt.Sprintf("chunk-%04d", i), text)
	}
	eng := calibrated(t, core.Options{}, s)
	before := standardised(t, eng, s, answerable)
	for _, src := range []*shelf{other, s} {
		listed := src.listed.Load()
		if err := eng.Calibrate(context.Background(), src); err != nil {
			t.Fatal(err)
		}
		if n := src.listed.Load() - listed; n < 200 {
			t.Errorf("salt %q: %d chunks listed", src.salt, n)
		}
	}
	if got := standardised(t, eng, s, answerable); got != before {
		t.Errorf("standardised to %v, at first %v", got, before)
	}
	listed := s.listed.Load()
	if err := eng.Calibrate(context.Background(), s); err != nil || s.listed.Load() != listed {
		t.Errorf("measured again for nothing: %d chunks listed, %v", s.listed.Load()-listed, err)
	}
}

// otherwise gives a shelf's scores another kind.
type otherwise struct {
	blind
	kind core.ScoreKind
}

func (o otherwise) Embed(ctx context.Context, text string) ([]float32, error) {
	return o.s.Embed(ctx, text)
}

func (o otherwise) Info() core.SourceInfo { i := o.s.Info(); i.Kind = o.kind; return i }

func TestOtherScoresAreNoticed(t *testing.T) {
	st, s := store.NewMemory(), newShelf(prose(300)...)
	first := otherwise{blind{s}, core.CosineSimilarity}
	eng := calibrated(t, core.Options{Store: st}, first)
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	second := otherwise{blind{s}, core.Opaque}
	for _, src := range []core.Source{second, first} {
		searches := s.searches.Load()
		again := calibrated(t, core.Options{Store: st}, src)
		if n := s.searches.Load() - searches; n < int64(len(gate.Bank())) {
			t.Errorf("%v after a restart: %d searches", src.Info().Kind, n)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Gates that need different things keep them apart in the store.
func TestGatesShareAStore(t *testing.T) {
	st, s := store.NewMemory(), newShelf(prose(200)...)
	gates := []gate.Gate{gate.Evidence{}, gate.Evidence{BankGuard: true}, gate.Fixed{}}
	for round := range 2 {
		for _, g := range gates {
			searches, listed := s.searches.Load(), s.listed.Load()
			if err := calibrated(t, core.Options{Store: st, Gate: g}, s).Close(); err != nil {
				t.Fatal(err)
			}
			n, m := s.searches.Load()-searches, s.listed.Load()-listed
			if round == 1 && (n > 0 || m > 210) { // its chunks are compared with those stored
				t.Errorf("%+v measured again: %d searches, %d chunks listed", g, n, m)
			}
		}
	}
}
