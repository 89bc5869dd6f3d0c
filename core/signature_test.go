package core_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

// local is how many outcomes of a response's first item count as being about
// questions like this one.
func local(t testing.TB, resp *core.Response) string {
	t.Helper()
	before, _, ok := strings.Cut(resp.Items[0].Reason, " of them for questions like this")
	if !ok {
		return "none"
	}
	return before[strings.LastIndex(before, " ")+1:]
}

// learnOnce asks, reports a success of what comes first and asks again.
func learnOnce(t testing.TB, eng *core.Engine, src core.Source, text string) *core.Response {
	t.Helper()
	q := core.Query{Text: text, K: 1}
	feed(t, eng, retrieve(t, eng, src, q).Receipt, core.Verified(true))
	return retrieve(t, eng, src, q)
}

func TestQuestionsAreSignedFromTheFirstOn(t *testing.T) {
	large, small := newShelf(prose(120)...), newShelf(prose(5)...)
	for name, tt := range map[string]struct {
		src  core.Source
		opts core.Options
		text string
	}{
		"by a sample of the chunks": {large, core.Options{Gate: gate.Off{}}, answerable},
		"by questions, calibrated":  {small, core.Options{}, answerable},
		"without an embedder":       {struct{ core.Source }{small}, core.Options{Gate: gate.Off{}}, answerable},
		"by words":                  {fixed(letters(2)...), core.Options{Gate: gate.Off{}}, "a question in words"},
	} {
		eng := newEngine(t, tt.opts)
		if err := eng.Calibrate(context.Background(), tt.src); err != nil {
			t.Fatal(err)
		}
		if got := local(t, learnOnce(t, eng, tt.src, tt.text)); got != "1.0" {
			t.Errorf("%s: %s outcomes for questions like this, want 1.0", name, got)
		}
	}
}

// Without Calibrate the mean is found in the background. What comes before is signed
// by its words, which are never compared with vectors.
func TestTheMeanIsFoundInTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(prose(5)...)
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		first := retrieve(t, eng, s, core.Query{Text: answerable, K: 1})
		synctest.Wait()
		time.Sleep(time.Second)
		feed(t, eng, first.Receipt, core.Verified(true))
		if got := local(t, retrieve(t, eng, s, core.Query{Text: answerable, K: 1})); got != "0.0" {
			t.Errorf("signed by words: %s", got)
		}
		if last := learnOnce(t, eng, s, answerable); local(t, last) != "1.0" {
			t.Errorf("signed: %+v", last.Items[0].Reason)
		}
	})
}

// An embedder that fails is asked again after a while, not with every question.
func TestAFailingEmbedderIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf(prose(5)...)
		s.fail.Store(true)
		src := onlyEmbeds{s}
		eng := newEngine(t, core.Options{Gate: gate.Off{}})
		for range 50 {
			retrieve(t, eng, src, core.Query{Text: answerable, K: 1})
			synctest.Wait()
		}
		if n := s.embeds.Load(); n > 10 {
			t.Errorf("asked %d times in no time", n)
		}
		s.fail.Store(false)
		time.Sleep(time.Minute)
		retrieve(t, eng, src, core.Query{Text: answerable, K: 1})
		synctest.Wait()
		if got := local(t, learnOnce(t, eng, src, answerable)); got != "1.0" {
			t.Errorf("back again: %s", got)
		}
	})
}

// onlyEmbeds is a source with vectors that searches even while its embedder fails.
type onlyEmbeds struct{ shelf *shelf }

func (s onlyEmbeds) Info() core.SourceInfo { return s.shelf.Info() }

func (s onlyEmbeds) Search(context.Context, core.Query, int) (core.Hits, error) {
	return core.Hits{QueryVector: s.shelf.vector(answerable), Candidates: letters(1)}, nil
}

func (s onlyEmbeds) Embed(ctx context.Context, text string) ([]float32, error) {
	return s.shelf.Embed(ctx, text)
}

// wobbly embeds a little differently every time, as remote models do.
type wobbly struct{ onlyEmbeds }

var wobbles atomic.Int64

func (s wobbly) Embed(ctx context.Context, text string) ([]float32, error) {
	v, err := s.onlyEmbeds.Embed(ctx, text)
	if err == nil {
		v[0] += float32(wobbles.Add(1)) * 1e-7
	}
	return v, err
}

// Engines that start together choose a mean each, and agree on one before long:
// otherwise neither would ever know the other's questions.
func TestEnginesAgreeOnAMean(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		defer st.Close()
		src := wobbly{onlyEmbeds{newShelf(prose(5)...)}}
		a, b := join(t, st), join(t, st)
		q := core.Query{Text: answerable, K: 1}
		for _, eng := range []*core.Engine{a, b} {
			retrieve(t, eng, src, q)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		learnOnce(t, a, src, answerable)
		retrieve(t, b, src, q)
		if got := local(t, retrieve(t, b, src, q)); got != "1.0" {
			t.Errorf("%s of the other's outcomes are about questions like this", got)
		}
	})
}

// asked counts what a store is asked for blobs, but for the time of the last upkeep,
// which is looked up once in the background.
type asked struct {
	store.Store
	blobs atomic.Int64
}

func (s *asked) Blob(ctx context.Context, namespace, name string) (store.Blob, bool, error) {
	if name != "upkeep" {
		s.blobs.Add(1)
	}
	return s.Store.Blob(ctx, namespace, name)
}

// A retrieval is two round trips to the store: looking for a mean must not add to
// each.
func TestLookingForAMeanCostsNoRoundTrips(t *testing.T) {
	st := &asked{Store: store.NewMemory()}
	defer st.Close()
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Store: st})
	for range 20 {
		h := core.Hits{Source: "s", Model: "m", QueryVector: []float32{1, 2}, Candidates: letters(1)}
		if _, err := eng.Rank(context.Background(), core.Query{Text: "q"}, h); err != nil {
			t.Fatal(err)
		}
	}
	if n := st.blobs.Load(); n > 1 {
		t.Errorf("%d round trips more for 20 retrievals", n)
	}
}

// A mean that the store garbled is no reason to fail.
func TestAGarbledMeanIsPassedOver(t *testing.T) {
	down := errors.New("down")
	for _, st := range []store.Store{&garbled{Store: store.NewMemory()}, &garbled{Store: store.NewMemory(), err: down}} {
		eng := newEngine(t, core.Options{Gate: gate.Off{}, Store: st})
		h := core.Hits{Source: "s", Model: "m", QueryVector: []float32{1, 2}, Candidates: letters(1)}
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q"}, h)
		if err != nil || resp.Unlearned != nil {
			t.Fatal(err, resp)
		}
		feed(t, eng, resp.Receipt, core.Verified(true))
	}
}

type garbled struct {
	store.Store
	err error
}

func (s *garbled) Blob(context.Context, string, string) (store.Blob, bool, error) {
	return store.Blob{Data: []byte{1, 2, 3}}, true, s.err
}
