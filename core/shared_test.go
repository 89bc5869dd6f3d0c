package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// join makes another engine on a store.
func join(t testing.TB, st store.Store) *core.Engine {
	return newEngine(t, core.Options{Store: st, Gate: gate.Off{}})
}

// prior is what an engine believes of a document that nobody has spoken of. It
// moves with the statistics of the namespace.
func prior(t testing.TB, eng *core.Engine) float64 {
	t.Helper()
	resp, err := eng.Rank(context.Background(), core.Query{Text: "an unheard-of question"}, core.Hits{
		Source: "s", Kind: core.NoScore, Candidates: []core.Candidate{{ID: "unknown"}},
	})
	if err != nil || resp.Unlearned != nil {
		t.Fatal(err, resp)
	}
	return resp.Items[0].Posterior.Mean
}

// fail reports failures of so many different documents.
func fail(t testing.TB, eng *core.Engine, times int) { report(t, eng, times, false) }

var reported atomic.Int64

func report(t testing.TB, eng *core.Engine, times int, ok bool) {
	t.Helper()
	for range times {
		resp, err := eng.Rank(context.Background(), core.Query{}, core.Hits{
			Source: "s", Kind: core.NoScore, Candidates: []core.Candidate{{ID: fmt.Sprint("doc ", reported.Add(1))}},
		})
		if err != nil {
			t.Fatal(err)
		}
		feed(t, eng, resp.Receipt, core.Verified(ok))
	}
}

func TestEnginesLearnFromEachOthersDocumentsAtOnce(t *testing.T) {
	st := store.NewMemory()
	defer st.Close()
	a, b := join(t, st), join(t, st)
	src := fixed(letters(3)...)
	q := core.Query{Text: "the question"}
	retrieve(t, b, src, q)
	feed(t, a, retrieve(t, a, src, q).Receipt, core.Verified(true).On("a"))
	wantOutcomes(t, b, src, "a", "1.0 good")
	// And a receipt of one is a receipt of the other.
	feed(t, b, retrieve(t, a, src, q).Receipt, core.Verified(true).On("a"))
	wantOutcomes(t, a, src, "a", "2.0 good")
}

func TestEnginesLearnFromEachOthersStatisticsWithinAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		defer st.Close()
		a, b := join(t, st), join(t, st)
		before := prior(t, b)
		fail(t, a, 30)
		if prior(t, a) >= before-.1 {
			t.Fatalf("30 failures moved the prior from %v to %v", before, prior(t, a))
		}
		// The engine in use looks around by itself.
		for range 6 {
			time.Sleep(10 * time.Second)
			prior(t, b)
			synctest.Wait()
		}
		if got, want := prior(t, b), prior(t, a); math.Abs(got-want) > 1e-9 {
			t.Errorf("after a minute one believes %v, the other %v; before %v", got, want, before)
		}
		if c := join(t, st); math.Abs(prior(t, c)-prior(t, a)) > 1e-9 {
			t.Errorf("a new engine believes %v", prior(t, c))
		}
	})
}

// So many outcomes are not left in memory for long.
func TestAHundredOutcomesAreSavedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		defer st.Close()
		a := join(t, st)
		fail(t, a, 99)
		synctest.Wait()
		if blobs := statistics(t, st); len(blobs) != 0 {
			t.Fatalf("%d blobs after 99 outcomes", len(blobs))
		}
		fail(t, a, 1)
		synctest.Wait()
		if blobs := statistics(t, st); len(blobs) != 1 || blobs[0] != 100 {
			t.Errorf("saved outcomes %v, want [100]", blobs)
		}
	})
}

// statistics returns the outcomes in each blob of statistics that counts.
func statistics(t testing.TB, st store.Store) (outcomes []float64) {
	t.Helper()
	blobs, err := st.Blobs(context.Background(), "", "statistics/", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	replaced, data := map[string]bool{}, map[string][]byte{}
	for _, b := range blobs {
		data[b.Name] = b.Data
		if b.Data[0] != '{' {
			continue
		}
		var merged struct {
			Replaces   []string
			Statistics []byte
		}
		if err := json.Unmarshal(b.Data, &merged); err != nil {
			t.Fatal(err)
		}
		data[b.Name] = merged.Statistics
		for _, name := range merged.Replaces {
			replaced[name] = true
		}
	}
	for _, b := range blobs {
		var s reputation.Statistics
		if replaced[b.Name] {
			continue
		}
		if err := s.UnmarshalBinary(data[b.Name]); err != nil {
			t.Fatal(err)
		}
		outcomes = append(outcomes, s.Outcomes())
	}
	return outcomes
}

func total(xs []float64) (sum float64) {
	for _, x := range xs {
		sum += x
	}
	return sum
}

// Every process leaves a blob behind; they do not pile up, and nothing in them is
// lost or counted twice, though one of the engines was only resting.
func TestStatisticsOfManyEnginesAreMerged(t *testing.T) {
	st := store.NewMemory()
	defer st.Close()
	c := newClock(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	open := func() *core.Engine {
		eng, err := core.New(core.Options{Store: st, Gate: gate.Off{}, Clock: c.time})
		if err != nil {
			t.Fatal(err)
		}
		return eng
	}
	resting := open()
	defer resting.Close()
	report(t, resting, 100, true)
	eventually(t, "the resting engine has saved", func() bool { return len(statistics(t, st)) == 1 })
	for range 30 {
		eng := open()
		fail(t, eng, 2)
		if err := eng.Close(); err != nil {
			t.Fatal(err)
		}
	}
	high := prior(t, resting)
	c.set(c.time().Add(time.Hour)) // from here on it may notice, in the background, that it was taken for gone
	last := open()
	defer last.Close()
	mixed := prior(t, last)
	if got := statistics(t, st); len(got) > 17 || math.Abs(total(got)-160) > 1e-9 {
		t.Errorf("outcomes %v, want 160 in few", got)
	}
	if high < mixed+.1 {
		t.Fatalf("priors %v and %v", high, mixed)
	}
	report(t, resting, 3, true)
	eventually(t, "the resting engine has read", func() bool { return math.Abs(prior(t, resting)-mixed) < .02 })
	fail(t, resting, 97)
	eventually(t, "it has saved again", func() bool { return total(statistics(t, st)) > 200 })
	if got := statistics(t, st); math.Abs(total(got)-260) > 1e-9 {
		t.Errorf("outcomes %v, want 260", got)
	}
}

// Of many engines that rest each finds out that its part was merged with those of
// the others, also the one whose name comes first: nobody takes the sum for its own.
func TestEveryRestingEngineLearnsThatItsStatisticsWereMerged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := store.NewMemory()
		defer st.Close()
		var resting []*core.Engine
		for range 20 {
			eng := join(t, st)
			report(t, eng, 1, len(resting)%2 == 0)
			resting = append(resting, eng)
		}
		time.Sleep(time.Hour) // all have saved, and are taken for gone
		synctest.Wait()
		mixed := prior(t, join(t, st))
		for i, eng := range resting {
			prior(t, eng)
			synctest.Wait()
			if got := prior(t, eng); math.Abs(got-mixed) > 1e-9 {
				t.Errorf("engine %d believes %v, not %v", i, got, mixed)
			}
		}
		for _, eng := range resting {
			fail(t, eng, 1)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := statistics(t, st); math.Abs(total(got)-40) > 1e-9 {
			t.Errorf("outcomes %v, want 40", got)
		}
	})
}

func TestBrokenStatisticsArePassedOver(t *testing.T) {
	st := store.NewMemory()
	defer st.Close()
	for name, data := range map[string][]byte{"empty": nil, "newer": {99, 1, 2}, "cut": {1, 18, 0, 0}} {
		if err := st.PutBlob(context.Background(), "", store.Blob{Name: "statistics/" + name, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	eng := join(t, st)
	before := prior(t, eng)
	fail(t, eng, 5)
	if after := prior(t, eng); !(after < before) || after <= 0 {
		t.Errorf("prior %v, then %v", before, after)
	}
}

// A signal that revises an outcome which a document has forgotten is said to be
// too late, and the rest of the receipt is not.
func TestARevisionMayComeTooLate(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	r := rand.New(rand.NewPCG(1, 2))
	ask := func() *core.Response {
		v := make([]float32, 64) // no two questions alike
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q"}, core.Hits{Source: "s", Kind: core.NoScore, QueryVector: v, Candidates: letters(1)})
		if err != nil || resp.Unlearned != nil {
			t.Fatal(err, resp)
		}
		return resp
	}
	first := ask()
	feed(t, eng, first.Receipt, core.Verified(true))
	if u := feed(t, eng, first.Receipt, core.Verified(false)); u.TooLate || len(u.Documents) != 1 || u.Documents[0].Pos >= 0 {
		t.Errorf("revised in time: %+v", u)
	}
	for range reputation.RingSize + 2 {
		feed(t, eng, ask().Receipt, core.Verified(true))
	}
	before := ask().Items[0].Reason
	u := feed(t, eng, first.Receipt, core.Verified(true))
	if !u.TooLate || u.Duplicate || len(u.Documents) != 0 {
		t.Errorf("revised too late: %+v", u)
	}
	if after := ask().Items[0].Reason; strings.SplitN(after, ",", 2)[0] != strings.SplitN(before, ",", 2)[0] {
		t.Errorf("%q became %q", before, after)
	}
}

// A clock that jumps ahead expires nothing for good.
func TestReceiptsSurviveAClockThatJumps(t *testing.T) {
	start := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c := newClock(start)
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: c.time})
	src, ctx := fixed(letters(3)...), context.Background()
	r := retrieve(t, eng, src, core.Query{Text: "the question"})
	c.set(start.AddDate(80, 0, 0))
	if _, err := eng.Feedback(ctx, r.Receipt, core.Verified(true)); !strings.Contains(fmt.Sprint(err), "expired") {
		t.Errorf("in eighty years: %v", err)
	}
	retrieve(t, eng, src, core.Query{Text: "the question"}) // upkeep is due
	c.set(start.Add(time.Minute))
	retrieve(t, eng, src, core.Query{Text: "the question"})
	time.Sleep(20 * time.Millisecond) // for the upkeep in the background, were it to remove anything
	if u, err := eng.Feedback(ctx, r.Receipt, core.Verified(true)); err != nil || len(u.Documents) != 3 {
		t.Errorf("back in time: %+v, %v", u, err)
	}
	c.set(start.Add(core.DefaultReceiptTTL + time.Minute))
	if n, err := eng.Upkeep(ctx); err != nil || n == 0 {
		t.Errorf("upkeep removed %d rows, %v", n, err)
	}
}

func TestReceiptsAreBounded(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}, MaxReceipts: 5})
	src, ctx := fixed(letters(2)...), context.Background()
	var all []*core.Response
	for range 9 {
		all = append(all, retrieve(t, eng, src, core.Query{Text: "q"}))
	}
	for i, r := range all {
		_, err := eng.Feedback(ctx, r.Receipt, core.Verified(true))
		if known := err == nil; known != (i >= 4) || !known && !errors.Is(err, core.ErrUnknownReceipt) {
			t.Errorf("receipt %d: %v", i, err)
		}
	}
}

// Of the models and dimensions that queries come in, only so many are remembered;
// the others learn for the documents as a whole.
func TestModelsAreBounded(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	for dim := 1; dim < 150; dim++ {
		v := make([]float32, dim)
		v[0] = 1
		h := core.Hits{Source: "s", QueryVector: v, Candidates: letters(1)}
		resp, err := eng.Rank(context.Background(), core.Query{Text: "q"}, h)
		if err != nil || resp.Unlearned != nil {
			t.Fatal(dim, err, resp)
		}
		feed(t, eng, resp.Receipt, core.Verified(true))
	}
}

// Close ends work that waits for somebody else.
func TestCloseWhileMuchIsUnderWay(t *testing.T) {
	s := newShelf(prose(150)...)
	s.hold = make(chan struct{}, 1)
	s.hold <- struct{}{}
	eng, err := core.New(core.Options{})
	if err != nil {
		t.Fatal(err)
	}
	resp, err := eng.Retrieve(context.Background(), blind{s}, core.Query{Text: answerable}) // calibrates in the background
	if err != nil {
		t.Fatal(err)
	}
	feed(t, eng, resp.Receipt, core.Verified(true)) // waits to be saved
	done := make(chan error)
	go func() { done <- eng.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("Close hangs")
	}
}
