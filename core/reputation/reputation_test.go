package reputation_test

import (
	"math"
	"reflect"
	"testing"
	"unsafe"

	"github.com/repute-go/repute/core/reputation"
)

func TestEventSize(t *testing.T) {
	if n := unsafe.Sizeof(reputation.Event{}); n != reputation.EventSize {
		t.Fatalf("an event takes %d bytes", n)
	}
}

// show ranks and shows the first k.
func show(r reputation.Ranker, q reputation.Query, c []reputation.Candidate, s *reputation.Statistics, tag uint64) (*reputation.Receipt, []int) {
	ranking := r.Rank(q, c, s)
	shown := ranking.Order[:q.K]
	rc := reputation.NewReceipt(q, ranking, shown)
	rc.Tag = tag
	return rc, shown
}

func TestMeanLearns(t *testing.T) {
	cands := []reputation.Candidate{{ID: "a", Relevance: .9}, {ID: "b", Relevance: .8, Base: 1}, {ID: "c", Relevance: .1, Base: 2}}
	q := reputation.Query{K: 2, Time: 1, Space: 7}
	rc, shown := show(reputation.Mean{}, q, cands, nil, 1)
	if shown[0] != 0 || shown[1] != 1 {
		t.Fatalf("base order expected, got %v", shown)
	}
	records := make([]*reputation.Record, 2)
	f, err := reputation.Fold(rc, []reputation.Opinion{{Verified: true, Value: 0, On: []int{0}}, {Verified: true, Value: 1, On: []int{1}}}, records, reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	cands[0].Record, cands[1].Record = f.Records[0], f.Records[1]
	if got := (reputation.Mean{}).Rank(q, cands, nil).Order[0]; got != 1 {
		t.Fatalf("the document that helped should lead, got %d", got)
	}
	again, err := reputation.Fold(f.Receipt, []reputation.Opinion{{Verified: true, Value: 0, On: []int{0}}}, f.Records, reputation.Raters{}, reputation.Constants{})
	if err != nil || !again.Duplicate {
		t.Fatalf("duplicate expected: %v %v", again.Duplicate, err)
	}
}

func TestReceiptRoundTrip(t *testing.T) {
	rc := &reputation.Receipt{Tag: 3, Time: 5, User: 9, Signature: reputation.Signature{1, 2}, Space: 4, Shown: make([]reputation.Shown, 2)}
	f, err := reputation.Fold(rc, []reputation.Opinion{
		{Rater: "user:u1", Value: 1, Used: []float32{1, .25}},
		{Rater: "verifier:tests", Verified: true, Value: 1},
		{Rater: "judge:g", Value: .5, On: []int{1}},
	}, make([]*reputation.Record, 2), reputation.Raters{}, reputation.Constants{})
	if err != nil {
		t.Fatal(err)
	}
	b, _ := f.Receipt.AppendBinary(nil)
	var got reputation.Receipt
	if err := got.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	c, _ := got.AppendBinary(nil)
	if !reflect.DeepEqual(b, c) {
		t.Fatalf("\n%+v\n%+v", *f.Receipt, got)
	}
	for _, rec := range f.Records {
		b, _ := rec.AppendBinary(nil)
		var got reputation.Record
		if err := got.UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		if len(got.Events) != 1 || got.Local != 1 || got.Space != 4 || math.IsNaN(float64(got.Events[0].Pos)) {
			t.Fatalf("%+v", got)
		}
	}
}
