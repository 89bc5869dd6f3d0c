package core_test

import (
	"context"
	"iter"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// A restart needs no calibration: the first retrieval is judged, and the source
// is only asked who its embedder is.
func TestRestartNeedsNoCalibration(t *testing.T) {
	for name, box := range map[string]func(*shelf) core.Source{
		"white box": func(s *shelf) core.Source { return s },
		"black box": func(s *shelf) core.Source { return blind{s} },
	} {
		st := store.NewMemory()
		s := newShelf(prose(200)...)
		eng := calibrated(t, core.Options{Store: st}, box(s))
		s.put("late", "The zebra won the quidditch tournament.")
		if err := eng.Close(); err != nil {
			t.Fatal(err)
		}
		if s.listeners() != 0 {
			t.Errorf("%s: still listening after Close", name)
		}
		searches, embeds := s.searches.Load(), s.embeds.Load()
		again := newEngine(t, core.Options{Store: st})
		want(t, again, box(s), "violin varnish recipe number12", core.Evidence)
		want(t, again, box(s), "parliament sausage telescope", core.NoEvidence)
		if n, m := s.searches.Load()-searches, s.embeds.Load()-embeds; n != 2 || m > 3 {
			t.Errorf("%s: %d searches and %d embeddings after the restart", name, n, m)
		}
	}
}

// State that no longer fits is measured again: another embedder, other texts.
func TestRestartWithOtherSource(t *testing.T) {
	for name, change := range map[string]func(*shelf){
		"embedder": func(s *shelf) {
			s.salt = "other"
			for _, id := range []string{"chunk-0000", "chunk-0001"} {
				s.put(id, s.chunks[id].Text)
			}
		},
		"one text of equal count": func(s *shelf) { s.put("chunk-0003", "The zebra won the quidditch tournament.") },
		"fewer":                   func(s *shelf) { s.remove("chunk-0003") },
	} {
		st := store.NewMemory()
		s := newShelf(prose(200)...)
		eng := calibrated(t, core.Options{Store: st}, s)
		if err := eng.Close(); err != nil {
			t.Fatal(err)
		}
		change(s)
		embeds := s.embeds.Load()
		again := calibrated(t, core.Options{Store: st}, s)
		if n := s.embeds.Load() - embeds; (n >= gate.BankSize) != (name == "embedder") {
			t.Errorf("%s: %d embeddings; the bank is embedded once by every embedder", name, n)
		}
		want(t, again, s, "zebra", map[bool]core.Verdict{true: core.Evidence, false: core.NoEvidence}[name == "one text of equal count"])
		if got, _ := again.Calibration("shelf"); got.Chunks != s.Count() {
			t.Errorf("%s: %d of %d chunks", name, got.Chunks, s.Count())
		}
	}
}

// A newer version's state is neither read nor overwritten.
func TestNewerGateStateIsLeftAlone(t *testing.T) {
	ctx, st := context.Background(), store.NewMemory()
	s := newShelf(prose(150)...)
	if err := calibrated(t, core.Options{Store: st}, s).Close(); err != nil {
		t.Fatal(err)
	}
	blobs, err := st.Blobs(ctx, "", "gate/", store.Page{})
	if err != nil || len(blobs) != 1 {
		t.Fatal(len(blobs), err)
	}
	newer := append([]byte(nil), blobs[0].Data...)
	newer[3] = 250
	blobs[0].Data = newer
	if err := st.PutBlob(ctx, "", blobs[0]); err != nil {
		t.Fatal(err)
	}
	eng := calibrated(t, core.Options{Store: st}, s)
	want(t, eng, s, foreign, core.NoEvidence)
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	if b, _, _ := st.Blob(ctx, "", blobs[0].Name); b.Data[3] != 250 {
		t.Error("overwritten")
	}
}

// refusing has every seam in principle, and none as it is set up.
type refusing struct{ blind }

func (refusing) Embed(context.Context, string) ([]float32, error) { return nil, core.ErrUnsupported }

func (refusing) Sample(context.Context, int, uint64) ([]core.Candidate, error) {
	return nil, core.ErrUnsupported
}

func (refusing) Count() int { return 0 }

func (refusing) Chunks(context.Context) iter.Seq2[core.Candidate, error] {
	return func(yield func(core.Candidate, error) bool) { yield(core.Candidate{}, core.ErrUnsupported) }
}

// A seam that a source refuses counts as one it lacks, before and after a restart.
func TestRefusedSeamsCountAsMissing(t *testing.T) {
	st := store.NewMemory()
	s := newShelf(prose(300)...)
	src := refusing{blind{s}}
	eng := calibrated(t, core.Options{Store: st}, src)
	want(t, eng, src, answerable, core.Evidence)
	want(t, eng, src, foreign, core.NoEvidence)
	if c, _ := eng.Calibration("shelf"); !c.Sampled {
		t.Errorf("%+v", c)
	}
	if cmp, err := eng.Compare(context.Background(), src, core.Query{Text: foreign}); err != nil || cmp.Sigma.Verdict != core.Uncalibrated {
		t.Errorf("%+v %v", cmp, err)
	}
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	searches := s.searches.Load()
	again := newEngine(t, core.Options{Store: st})
	want(t, again, src, foreign, core.NoEvidence)
	if n := s.searches.Load() - searches; n != 1 {
		t.Errorf("%d searches after the restart", n)
	}
	fixed := calibrated(t, core.Options{Gate: gate.Fixed{}}, src)
	want(t, fixed, src, foreign, core.Uncalibrated)
}
