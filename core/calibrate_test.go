package core_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
)

const (
	answerable = "copper smelting furnace number21"
	foreign    = "zebra quidditch tournament schedule"
)

func calibrated(t testing.TB, opts core.Options, src core.Source) *core.Engine {
	t.Helper()
	eng := newEngine(t, opts)
	if err := eng.Calibrate(context.Background(), src); err != nil {
		t.Fatal(err)
	}
	return eng
}

func verdict(t testing.TB, eng *core.Engine, src core.Source, text string) core.Verdict {
	t.Helper()
	resp, err := eng.Retrieve(context.Background(), src, core.Query{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if resp.HasEvidence() != (len(resp.Items) > 0) {
		t.Errorf("%q: %v with %d items", text, resp.Verdict, len(resp.Items))
	}
	return resp.Verdict
}

func want(t testing.TB, eng *core.Engine, src core.Source, text string, v core.Verdict) {
	t.Helper()
	if got := verdict(t, eng, src, text); got != v {
		t.Errorf("%q: %v, want %v", text, got, v)
	}
}

// eventually waits for background work.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	for range 500 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("never: ", what)
}

func TestGateRefusesForeignQuestions(t *testing.T) {
	s := newShelf(prose(200)...)
	for name, src := range map[string]core.Source{"white box": s, "listed only": silent{s, s, s}} {
		eng := calibrated(t, core.Options{}, src)
		want(t, eng, src, answerable, core.Evidence)
		want(t, eng, src, foreign, core.NoEvidence)
		st, ok := eng.Calibration("shelf")
		if !ok || !st.Ready || st.Chunks != 200 || st.Sampled || !st.Scores || st.Running || st.Err != nil {
			t.Errorf("%s: %+v", name, st)
		}
	}
}

func TestGateOverBlackBox(t *testing.T) {
	s := newShelf(prose(400)...)
	src := blind{s}
	eng := calibrated(t, core.Options{}, src)
	want(t, eng, src, answerable, core.Evidence)
	want(t, eng, src, foreign, core.NoEvidence)
	st, _ := eng.Calibration("shelf")
	if !st.Sampled || !st.Scores || st.Chunks < 100 {
		t.Errorf("%+v", st)
	}
	if s.most.Load() > 4 {
		t.Errorf("%d searches at once", s.most.Load())
	}
}

// Texts that live queries bring up are counted too.
func TestBlackBoxKeepsLearning(t *testing.T) {
	s := newShelf(prose(150)...)
	src := blind{s}
	eng := calibrated(t, core.Options{}, src)
	before, _ := eng.Calibration("shelf")
	for i := range 30 {
		s.put(fmt.Sprintf("new-%d", i), fmt.Sprintf("unicorn%d grazes beside meadow%d", i, i))
		verdict(t, eng, src, fmt.Sprintf("unicorn%d meadow%d", i, i))
	}
	if after, _ := eng.Calibration("shelf"); after.Chunks < before.Chunks+20 {
		t.Errorf("%d texts, then %d", before.Chunks, after.Chunks)
	}
}

// Without Calibrate the first retrieval starts it; until it is done nothing is
// refused.
func TestCalibratesInTheBackground(t *testing.T) {
	s := newShelf(prose(200)...)
	src := blind{s}
	eng := newEngine(t, core.Options{})
	s.hold = make(chan struct{}, 1)
	s.hold <- struct{}{} // for the retrieval's own search
	want(t, eng, src, foreign, core.Uncalibrated)
	close(s.hold)
	eventually(t, "ready", func() bool { st, _ := eng.Calibration("shelf"); return st.Ready })
	want(t, eng, src, foreign, core.NoEvidence)
}

func TestGateFollowsWrites(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{}, s)
	searches := s.searches.Load()
	s.put("late", "The zebra won the quidditch tournament.")
	want(t, eng, s, foreign, core.Evidence)
	s.put("late", "Nothing of the kind.")
	want(t, eng, s, foreign, core.NoEvidence)
	s.remove("late")
	want(t, eng, s, foreign, core.NoEvidence)
	for i := range 100 {
		s.remove(fmt.Sprintf("chunk-%04d", i))
	}
	eventually(t, "100 chunks", func() bool { st, _ := eng.Calibration("shelf"); return st.Chunks == 100 && !st.Running })
	if n := s.searches.Load() - searches; n > 3+64 {
		t.Errorf("%d searches: writes must not have the source measured again", n)
	}
}

func TestGateNoticesUnannouncedWrites(t *testing.T) {
	s := newShelf(prose(200)...)
	now := newClock(time.Unix(1e9, 0))
	for name, src := range map[string]core.Source{"announcing": s, "silent": silent{s, s, s}} {
		eng := calibrated(t, core.Options{Clock: now.time}, src)
		s.smuggle("smuggled", "The zebra won the quidditch tournament.")
		now.set(now.time().Add(2 * time.Minute))
		verdict(t, eng, src, foreign)
		eventually(t, name, func() bool { st, _ := eng.Calibration("shelf"); return st.Chunks == 201 && !st.Running })
		want(t, eng, src, foreign, core.Evidence)
		s.remove("smuggled")
		if err := eng.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// What is written while the source is being measured is counted once.
func TestWritesDuringCalibration(t *testing.T) {
	s := newShelf(prose(300)...)
	eng := newEngine(t, core.Options{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := range 150 {
				id := fmt.Sprintf("w%d-%d", w, i%50)
				s.put(id, fmt.Sprintf("written%d by%d", i, w))
				if i%3 == 0 {
					s.remove(id)
				}
				if i%40 == 0 {
					s.remove(fmt.Sprintf("chunk-%04d", w*100+i))
				}
			}
		})
	}
	for range 3 {
		if err := eng.Recalibrate(context.Background(), s); err != nil {
			t.Error(err)
		}
	}
	writers.Wait()
	if st, _ := eng.Calibration("shelf"); st.Chunks != s.Count() {
		t.Errorf("%d counted of %d", st.Chunks, s.Count())
	}
	if s.listeners() != 1 {
		t.Errorf("%d listeners", s.listeners())
	}
}

func TestCalibrateFails(t *testing.T) {
	now := newClock(time.Unix(1e9, 0))
	s := newShelf(prose(200)...)
	src := blind{s}
	eng := newEngine(t, core.Options{Clock: now.time})
	s.fail.Store(true)
	if err := eng.Calibrate(context.Background(), src); !errors.Is(err, errShelf) {
		t.Errorf("%v", err)
	}
	if st, _ := eng.Calibration("shelf"); st.Ready || !errors.Is(st.Err, errShelf) {
		t.Errorf("%+v", st)
	}
	s.fail.Store(false)
	searches := s.searches.Load()
	want(t, eng, src, foreign, core.Uncalibrated)
	time.Sleep(20 * time.Millisecond)
	if s.searches.Load() != searches+1 {
		t.Error("tried again at once")
	}
	now.set(now.time().Add(2 * time.Minute))
	verdict(t, eng, src, foreign)
	eventually(t, "ready", func() bool { st, _ := eng.Calibration("shelf"); return st.Ready })
	want(t, eng, src, foreign, core.NoEvidence)
}

func TestCalibrateEnds(t *testing.T) {
	s := newShelf(prose(200)...)
	s.hold = make(chan struct{})
	eng := newEngine(t, core.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if err := eng.Calibrate(ctx, blind{s}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	result := make(chan error)
	go func() { result <- eng.Calibrate(context.Background(), blind{s}) }()
	eventually(t, "running", func() bool { st, _ := eng.Calibration("shelf"); return st.Running })
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-result; err == nil {
		t.Error("closed, and no error")
	}
	if err := eng.Calibrate(context.Background(), s); !errors.Is(err, core.ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestCalibrateRefuses(t *testing.T) {
	eng := newEngine(t, core.Options{})
	for _, src := range []core.Source{nil, (*shelf)(nil), core.SourceFunc{}} {
		if err := eng.Calibrate(context.Background(), src); !errors.Is(err, core.ErrInvalidSource) {
			t.Errorf("%v: %v", src, err)
		}
	}
	if _, ok := eng.Calibration("nobody"); ok {
		t.Error("knows nobody")
	}
}

func TestOffNeedsNoCalibration(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{Gate: gate.Off{}}, s)
	want(t, eng, s, foreign, core.Uncalibrated)
	if s.searches.Load() != 1 || s.embeds.Load() != 0 {
		t.Errorf("%d searches, %d embeddings", s.searches.Load(), s.embeds.Load())
	}
}

func TestFixedGateMeasuresTheFloor(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{Gate: gate.Fixed{}}, s)
	want(t, eng, s, "copper smelting furnace", core.Evidence)
	lister := silent{s, s, s}
	eng = calibrated(t, core.Options{Gate: gate.Fixed{Sigma: 8}}, lister)
	want(t, eng, lister, "copper smelting furnace", core.NoEvidence)
	few := newShelf(prose(5)...)
	few.name = "few"
	eng = calibrated(t, core.Options{Gate: gate.Fixed{}}, few)
	want(t, eng, few, foreign, core.Uncalibrated)
	src := blind{newShelf(prose(200)...)}
	eng = calibrated(t, core.Options{Gate: gate.Fixed{}}, src)
	want(t, eng, src, foreign, core.Uncalibrated)
}

// The guard and the recall profile need the evidence of the bank's questions.
func TestGuardAsksTheBank(t *testing.T) {
	for _, g := range []gate.Gate{gate.Evidence{BankGuard: true}, gate.Evidence{Profile: gate.Recall}} {
		s := newShelf(prose(200)...)
		eng := calibrated(t, core.Options{Gate: g}, s)
		if n := s.searches.Load(); n != int64(len(gate.Bank())) {
			t.Errorf("%d searches", n)
		}
		want(t, eng, s, answerable, core.Evidence)
		want(t, eng, s, foreign, core.NoEvidence)
	}
}

func TestSmallCollectionRefusesNothing(t *testing.T) {
	s := newShelf(prose(50)...)
	eng := calibrated(t, core.Options{}, s)
	resp := retrieve(t, eng, s, core.Query{Text: foreign})
	if resp.Verdict != core.Uncalibrated || resp.Decision.Reason != gate.ReasonSmallCorpus || resp.Decision.P < .5 {
		t.Errorf("%+v", resp.Decision)
	}
}

// A chunk without a usable vector costs the collection its running bank scores,
// not its gate.
func TestListingWithoutVectors(t *testing.T) {
	s := newShelf(prose(200)...)
	bare := s.chunks["chunk-0007"]
	bare.Vector = make([]float32, 32)
	s.chunks["chunk-0007"] = bare
	eng := calibrated(t, core.Options{}, s)
	want(t, eng, s, answerable, core.Evidence)
	want(t, eng, s, foreign, core.NoEvidence)
	if st, _ := eng.Calibration("shelf"); st.Chunks != 200 || !st.Scores {
		t.Errorf("%+v", st)
	}
}

// What has proven right passes the gate whatever its words.
func TestProvenPassesTheGate(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	ctx := context.Background()
	for range 4 {
		resp := retrieve(t, eng, s, core.Query{Text: foreign, K: 1})
		feed(t, eng, resp.Receipt, core.Verified(true))
	}
	gated := newEngine(t, core.Options{Store: eng.Store()})
	if err := gated.Calibrate(ctx, s); err != nil {
		t.Fatal(err)
	}
	resp := retrieve(t, gated, s, core.Query{Text: foreign})
	if resp.Verdict != core.Evidence || !resp.Decision.ByReputation || len(resp.Items) != 1 || !resp.Items[0].Judgement.ByReputation {
		t.Errorf("%v, %d items, %+v", resp.Verdict, len(resp.Items), resp.Decision)
	}
}

// Rank knows a source by its name only.
func TestRankUsesTheCalibrationOfItsSource(t *testing.T) {
	s := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{}, s)
	hits, err := s.Search(context.Background(), core.Query{Text: foreign}, 10)
	if err != nil {
		t.Fatal(err)
	}
	hits.Kind = core.CosineSimilarity
	for source, want := range map[string]core.Verdict{"shelf": core.NoEvidence, "another": core.Uncalibrated} {
		hits.Source = source
		resp, err := eng.Rank(context.Background(), core.Query{Text: foreign}, hits)
		if err != nil || resp.Verdict != want {
			t.Errorf("%s: %v %v", source, resp.Verdict, err)
		}
	}
}

func BenchmarkGateStep(b *testing.B) {
	s := newShelf(prose(2000)...)
	hits, err := s.Search(context.Background(), core.Query{Text: answerable}, 50)
	if err != nil {
		b.Fatal(err)
	}
	hits.Kind, hits.Source = core.CosineSimilarity, "shelf"
	for name, g := range map[string]gate.Gate{"off": gate.Off{}, "evidence": gate.Evidence{}} {
		eng := calibrated(b, core.Options{Gate: g}, s)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := eng.Rank(context.Background(), core.Query{Text: answerable, Depth: 50}, hits); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Beyond the bound, sources are served without a gate.
func TestSourcesAreBounded(t *testing.T) {
	eng := newEngine(t, core.Options{})
	for i := range 1005 {
		s := fixed(letters(2)...).(core.SourceFunc)
		s.Description.Name = fmt.Sprint("source ", i)
		answer := s.Func
		s.Func = func(ctx context.Context, q core.Query, n int) (core.Hits, error) {
			if q.K > core.DefaultK { // a calibration's, which would take its time
				return core.Hits{}, errShelf
			}
			return answer(ctx, q, n)
		}
		resp := retrieve(t, eng, s, core.Query{Text: "a letter"})
		if resp.Verdict != core.Uncalibrated || len(resp.Items) != 2 {
			t.Fatal(i, resp.Verdict)
		}
		if _, known := eng.Calibration(s.Description.Name); known != (i < 1000) {
			t.Fatalf("source %d: known %v", i, known)
		}
		if _, err := eng.Compare(context.Background(), s, core.Query{Text: "a letter"}); err != nil {
			t.Fatal(err)
		}
	}
}
