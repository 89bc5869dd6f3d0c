package reputation_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"pgregory.net/rapid"
)

// folded is what a sequence of folds comes to.
type folded struct {
	receipt *reputation.Receipt
	records []*reputation.Record
	stats   reputation.Statistics
	tallies map[string][]float64
}

func start(k int) *folded {
	q := reputation.Query{Space: 1, Signature: reputation.Signature{1, 2}, K: k, Time: 1000}
	cands := make([]reputation.Candidate, k)
	for i := range cands {
		cands[i] = reputation.Candidate{ID: fmt.Sprint(i), Base: i, Relevance: 1 - float64(i)/10}
	}
	r := reputation.Posterior{}.Rank(q, cands, nil)
	rc := reputation.NewReceipt(q, r, r.Order)
	rc.Tag, rc.User = 77, reputation.ActorTag("user:owner")
	return &folded{receipt: rc, records: make([]*reputation.Record, k), tallies: map[string][]float64{}}
}

func (f *folded) fold(t *rapid.T, o ...reputation.Opinion) {
	out, err := reputation.Fold(f.receipt, o, f.records, reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	f.receipt, f.records = recode(t, out.Receipt), out.Records
	f.stats.Apply(out.Stats)
	for _, d := range out.Tallies {
		if f.tallies[d.Name] == nil {
			f.tallies[d.Name] = make([]float64, 4)
		}
		for i, x := range d.Values {
			f.tallies[d.Name][i] += x
		}
	}
}

// recode sends a receipt through its encoding, as a store would.
func recode(t *rapid.T, r *reputation.Receipt) *reputation.Receipt {
	b, err := r.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	var c reputation.Receipt
	if err := c.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return &c
}

// same compares two outcomes up to rounding.
func (f *folded) same(t *rapid.T, g *folded) {
	for i := range f.records {
		a, b := f.records[i], g.records[i]
		if a.Empty() != b.Empty() {
			t.Fatalf("document %d: %+v and %+v", i, a, b)
		}
		if a.Empty() {
			continue
		}
		x, y := a.Events[0], b.Events[0]
		for _, d := range []float32{x.Pos - y.Pos, x.Neg - y.Neg, x.GlobalPos - y.GlobalPos, x.GlobalNeg - y.GlobalNeg} {
			if math.Abs(float64(d)) > 1e-5 {
				t.Fatalf("document %d: %+v and %+v", i, x, y)
			}
		}
		x.Pos, x.Neg, x.GlobalPos, x.GlobalNeg = y.Pos, y.Neg, y.GlobalPos, y.GlobalNeg
		if fmt.Sprint(x) != fmt.Sprint(y) || len(a.Events) != 1 || len(b.Events) != 1 {
			t.Fatalf("document %d: %+v and %+v", i, a, b)
		}
		sameChecks(t, a.Checks, b.Checks)
	}
	x, y := f.stats.Health(reputation.Constants{}), g.stats.Health(reputation.Constants{})
	if math.Abs(x.ColdRate-y.ColdRate) > 1e-5 || math.Abs(x.CitedRate-y.CitedRate) > 1e-5 || math.Abs(x.FirstShare-y.FirstShare) > 1e-5 || x.Outcomes != y.Outcomes {
		t.Fatalf("statistics %+v and %+v", x, y)
	}
	for name := range merge(f.tallies, g.tallies) {
		a, b := f.tallies[name], g.tallies[name]
		for i := range 4 {
			if d := at(a, i) - at(b, i); math.Abs(d) > 1e-9 {
				t.Fatalf("tally %s: %v and %v", name, a, b)
			}
		}
	}
}

func sameChecks(t *rapid.T, a, b []reputation.Check) {
	sum := map[uint16][2]float64{}
	for i, side := range [][]reputation.Check{a, b} {
		for _, c := range side {
			s := sum[c.Class]
			sign := float64(1 - 2*i)
			s[0] += sign * float64(c.Fooled)
			s[1] += sign * float64(c.Caught)
			sum[c.Class] = s
		}
	}
	for class, s := range sum {
		if math.Abs(s[0]) > 1e-5 || math.Abs(s[1]) > 1e-5 {
			t.Fatalf("checks of class %d differ: %v and %v", class, a, b)
		}
	}
}

func at(v []float64, i int) float64 {
	if v == nil {
		return 0
	}
	return v[i]
}

func merge(a, b map[string][]float64) map[string]bool {
	all := map[string]bool{}
	for k := range a {
		all[k] = true
	}
	for k := range b {
		all[k] = true
	}
	return all
}

// drawOpinions draws opinions by different raters on a receipt of k documents, each
// on one thing.
func drawOpinions(t *rapid.T, k int) []reputation.Opinion {
	var all []reputation.Opinion
	for i := range rapid.IntRange(1, 6).Draw(t, "opinions") {
		o := reputation.Opinion{Value: rapid.SampledFrom([]float64{0, 1, .25, .9}).Draw(t, "value")}
		o.Rater = rapid.SampledFrom([]string{"user:owner", "user:u", "judge:j"}).Draw(t, "class") + fmt.Sprint(i)
		if rapid.IntRange(0, 3).Draw(t, "verified") == 0 {
			o.Rater, o.Verified = fmt.Sprint("verifier:", i), true
		}
		switch rapid.IntRange(0, 2).Draw(t, "about") {
		case 0:
			o.On = []int{rapid.IntRange(0, k-1).Draw(t, "on")}
		case 1:
			o.Used = make([]float32, k)
			for j := range o.Used {
				o.Used[j] = rapid.SampledFrom([]float32{0, .5, 1, float32(math.NaN())}).Draw(t, "used")
			}
		}
		all = append(all, o)
	}
	return all
}

// Signals of one receipt commute, repeat harmlessly and may be revised.
func TestSignalsCommuteRepeatAndRevise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 4).Draw(t, "k")
		opinions := drawOpinions(t, k)
		plain := start(k)
		plain.fold(t, opinions...)

		shuffled := slices.Clone(opinions)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 0))
		rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		other := start(k)
		for _, o := range shuffled { // first something else, then the truth, twice
			was := o
			was.Value = rapid.SampledFrom([]float64{0, .5, 1}).Draw(t, "was")
			other.fold(t, was)
		}
		for _, o := range append(shuffled, opinions...) {
			other.fold(t, o)
		}
		plain.same(t, other)
	})
}

// Events are ordered by receipt time, not by arrival.
func TestArrivalDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 20).Draw(t, "receipts")
		order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 0)).Perm(n)
		fold := func(order []int) *reputation.Record {
			rec := []*reputation.Record{nil}
			for _, i := range order {
				rc := &reputation.Receipt{Tag: uint64(i + 1), Time: int64(i % 7), Space: 1, Shown: make([]reputation.Shown, 1)}
				f, err := reputation.Fold(rc, []reputation.Opinion{{Verified: true, Value: float64(i) / float64(n)}}, rec, reputation.Raters{}, reputation.Constants{})
				if err != nil {
					t.Fatal(err)
				}
				rec = f.Records
			}
			return rec[0]
		}
		sorted := slices.Sorted(slices.Values(order))
		if a, b := fold(sorted), fold(order); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("%v\n%v", a, b)
		}
	})
}

// Folding never changes what it was given, and says the same when it runs again.
func TestFoldIsPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := start(3)
		f.fold(t, drawOpinions(t, 3)...)
		before, _ := f.receipt.AppendBinary(nil)
		records := fmt.Sprint(f.records[0], f.records[1], f.records[2])
		more := drawOpinions(t, 3)
		run := func() string {
			out, err := reputation.Fold(f.receipt, more, f.records, reputation.Raters{}, reputation.Constants{})
			if err != nil {
				t.Fatal(err)
			}
			b, _ := out.Receipt.AppendBinary(nil)
			return fmt.Sprint(b, out.Records[0], out.Records[1], out.Records[2], out.Stats, out.Tallies)
		}
		if first, second := run(), run(); first != second {
			t.Fatal("the second run differs")
		}
		after, _ := f.receipt.AppendBinary(nil)
		if !slices.Equal(before, after) || records != fmt.Sprint(f.records[0], f.records[1], f.records[2]) {
			t.Fatal("folding changed its arguments")
		}
	})
}

// Erasing an actor removes every event the actor took part in.
func TestEraseMissesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := []*reputation.Record{nil}
		for i := range rapid.IntRange(1, 100).Draw(t, "receipts") {
			rc := &reputation.Receipt{Tag: uint64(i + 1), Time: int64(i), Space: 1, Shown: make([]reputation.Shown, 1),
				User: reputation.ActorTag(fmt.Sprint("user:", i%7))}
			var o []reputation.Opinion
			for range rapid.IntRange(1, 6).Draw(t, "raters") {
				o = append(o, reputation.Opinion{Rater: fmt.Sprint("judge:", rapid.IntRange(0, 9).Draw(t, "judge")), Value: 1})
			}
			f, err := reputation.Fold(rc, o, rec, reputation.Raters{}, reputation.Constants{})
			if err != nil {
				t.Fatal(err)
			}
			rec = f.Records
		}
		for _, name := range []string{"user:3", "judge:4"} {
			tag := reputation.ActorTag(name)
			left, n := rec[0].Erase(tag)
			if len(rec[0].Events)-n != len(left.Events) {
				t.Fatalf("%d of %d events erased, %d left", n, len(rec[0].Events), len(left.Events))
			}
			for _, e := range left.Events {
				if e.Actors.Has(tag) {
					t.Fatalf("%s still in %+v", name, e)
				}
			}
		}
	})
}

// Whatever the clocks do, nothing panics and no event lies in the future.
func TestClocksJump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := []*reputation.Record{nil}
		for i := range rapid.IntRange(1, 70).Draw(t, "receipts") {
			now := oddTimes.Draw(t, "now")
			q := reputation.Query{Space: 1, K: 1, Time: oddTimes.Draw(t, "asked"), Signature: drawSignature(t)}
			cands := []reputation.Candidate{{ID: "d", Relevance: .5, Record: rec[0]}}
			rc := reputation.NewReceipt(q, reputation.Posterior{}.Rank(q, cands, nil), []int{0})
			rc.Tag = uint64(i + 1)
			f, err := reputation.Fold(rc, []reputation.Opinion{{Rater: "user:u", Value: 1}, {Verified: true, Value: 1}}, rec, reputation.Raters{At: now}, reputation.Constants{})
			if err != nil {
				t.Fatal(err)
			}
			if now != 0 && f.Receipt.Time > now {
				t.Fatalf("receipt at %d, folded at %d", f.Receipt.Time, now)
			}
			for _, d := range f.Tallies {
				for _, x := range d.Values {
					if math.IsNaN(x) || math.IsInf(x, 0) {
						t.Fatalf("tally %v", d)
					}
				}
			}
			rec = f.Records
			if len(rec[0].Events) > reputation.RingSize {
				t.Fatalf("%d events", len(rec[0].Events))
			}
		}
	})
}

func TestFoldRefuses(t *testing.T) {
	f := start(2)
	for _, o := range []reputation.Opinion{
		{Verified: true, Value: -.1}, {Verified: true, Value: 1.1}, {Verified: true, Value: math.NaN()}, {Verified: true, Value: math.Inf(1)},
		{Value: 1}, {Rater: ":x", Value: 1}, {Rater: "user:\xff", Value: 1}, {Rater: string(make([]byte, 300)), Value: 1},
		{Verified: true, On: []int{}}, {Verified: true, On: []int{2}}, {Verified: true, On: []int{-1}},
		{Verified: true, Used: []float32{1}}, {Verified: true, Used: []float32{1, 2}}, {Verified: true, Used: []float32{1, float32(math.Inf(1))}},
		{Verified: true, On: []int{0}, Used: []float32{1, 1}},
	} {
		good := reputation.Opinion{Rater: "user:u", Value: 1}
		if _, err := reputation.Fold(f.receipt, []reputation.Opinion{good, o}, f.records, reputation.Raters{}, reputation.Constants{}); !errors.Is(err, reputation.ErrOpinion) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if len(f.receipt.Opinions) != 0 {
		t.Error("a refused opinion left something behind")
	}
	if _, err := reputation.Fold(f.receipt, nil, nil, reputation.Raters{}, reputation.Constants{}); !errors.Is(err, reputation.ErrOpinion) {
		t.Errorf("no records: %v", err)
	}
}

func TestAThousandRaters(t *testing.T) {
	f := start(2)
	var o []reputation.Opinion
	for i := range 1000 {
		o = append(o, reputation.Opinion{Rater: fmt.Sprint("user:", i), Value: 1})
	}
	out, err := reputation.Fold(f.receipt, o, f.records, reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	if m := out.Records[0].Events[0].Mass(); m > 1 {
		t.Errorf("a thousand raters weigh %v, more than a verifier", m)
	}
	for i := range 100 {
		o = append(o, reputation.Opinion{Rater: fmt.Sprint("judge:", i), Value: 1})
	}
	if _, err := reputation.Fold(f.receipt, o, f.records, reputation.Raters{}, reputation.Constants{}); !errors.Is(err, reputation.ErrTooManyOpinions) {
		t.Errorf("1,100 opinions: %v", err)
	}
}
