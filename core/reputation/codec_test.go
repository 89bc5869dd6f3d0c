package reputation_test

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// codec is what records, receipts and statistics share.
type codec interface {
	AppendBinary([]byte) ([]byte, error)
	UnmarshalBinary([]byte) error
}

// encoded are valid encodings to start from.
func encoded(tb testing.TB) map[string][]byte {
	rc := &reputation.Receipt{Tag: 3, Time: 5, User: 9, Signature: reputation.Signature{1, 2}, Space: 4, Shown: make([]reputation.Shown, 2)}
	f, err := reputation.Fold(rc, []reputation.Opinion{
		{Rater: "user:u1", Value: 1, Used: []float32{1, float32(math.NaN())}},
		{Rater: "verifier:tests", Verified: true, Value: 0},
		{Rater: "judge:g", Value: .5, On: []int{1}},
	}, make([]*reputation.Record, 2), reputation.Raters{Classes: map[string]reputation.Table{"judge": {YesTrue: 3}, "user": {NoFalse: 1}}}, reputation.Constants{})
	if err != nil {
		tb.Fatal(err)
	}
	var s reputation.Statistics
	s.Apply(f.Stats)
	out := map[string][]byte{}
	for name, c := range map[string]codec{
		"record": f.Records[0].WithSummary("linear", []byte{1, 2, 3}), "receipt": f.Receipt, "statistics": &s,
	} {
		if out[name], err = c.AppendBinary(nil); err != nil {
			tb.Fatal(err)
		}
	}
	return out
}

func blank() map[string]codec {
	return map[string]codec{"record": &reputation.Record{}, "receipt": &reputation.Receipt{}, "statistics": &reputation.Statistics{}}
}

func TestCodecRoundTrip(t *testing.T) {
	for name, b := range encoded(t) {
		c := blank()[name]
		if err := c.UnmarshalBinary(b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if again, _ := c.AppendBinary(nil); !bytes.Equal(b, again) {
			t.Errorf("%s: changed on the way", name)
		}
	}
}

// What cannot be read is refused, and the value stays as it was.
func TestCodecRefuses(t *testing.T) {
	for name, b := range encoded(t) {
		newer := bytes.Clone(b)
		newer[0]++
		c := blank()[name]
		if err := c.UnmarshalBinary(newer); !errors.Is(err, reputation.ErrVersion) {
			t.Errorf("%s by a newer version: %v", name, err)
		}
		for n := range len(b) {
			if err := c.UnmarshalBinary(b[:n]); !errors.Is(err, reputation.ErrCorrupt) {
				t.Fatalf("%s cut to %d bytes: %v", name, n, err)
			}
		}
		if err := c.UnmarshalBinary(append(bytes.Clone(b), 0)); !errors.Is(err, reputation.ErrCorrupt) {
			t.Errorf("%s with a byte too many: %v", name, err)
		}
		was, _ := blank()[name].AppendBinary(nil)
		if got, _ := c.AppendBinary(nil); !bytes.Equal(was, got) {
			t.Errorf("%s: a refused encoding changed the value", name)
		}
	}
}

func TestRecordSizeIsBounded(t *testing.T) {
	r := &reputation.Record{Space: 1, Local: math.MaxUint64, Ranker: "a", Summary: make([]byte, reputation.MaxSummary-1)}
	for i := range reputation.RingSize {
		r.Events = append(r.Events, reputation.Event{Time: int64(i)})
	}
	for i := range 8 {
		r.Checks = append(r.Checks, reputation.Check{Class: uint16(i + 1)})
	}
	b, err := r.AppendBinary(nil)
	if err != nil || len(b) > reputation.MaxRecord {
		t.Errorf("%d bytes of %d, %v", len(b), reputation.MaxRecord, err)
	}
	if err := new(reputation.Record).UnmarshalBinary(b); err != nil {
		t.Error(err)
	}
	r.Events = append(r.Events, reputation.Event{Time: 99})
	if _, err := r.AppendBinary(nil); !errors.Is(err, reputation.ErrCorrupt) {
		t.Errorf("65 events: %v", err)
	}
	if long := r.WithSummary("a", make([]byte, reputation.MaxSummary)); long.Summary != nil {
		t.Error("a summary that is too long was kept")
	}
}

// Rows of bytes are decoded without a panic, and what is accepted survives another
// round and can be ranked and folded.
func FuzzRecord(f *testing.F) {
	f.Add(encoded(f)["record"])
	f.Fuzz(func(t *testing.T, b []byte) {
		var r reputation.Record
		if r.UnmarshalBinary(b) != nil {
			return
		}
		survives(t, &r, &reputation.Record{})
		cands := []reputation.Candidate{{ID: "d", Record: &r}}
		q := reputation.Query{Space: r.Space, K: 1, Time: 1}
		ranking := reputation.Posterior{}.Rank(q, cands, nil)
		if s := ranking.Scores[0]; math.IsNaN(s.Value) || math.IsInf(s.Value, 0) {
			t.Fatalf("%+v", s)
		}
		rc := reputation.NewReceipt(q, ranking, []int{0})
		if _, err := reputation.Fold(rc, []reputation.Opinion{{Rater: "user:u", Value: 1}}, []*reputation.Record{&r}, reputation.Raters{}, reputation.Constants{}); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzReceipt(f *testing.F) {
	f.Add(encoded(f)["receipt"])
	f.Fuzz(func(t *testing.T, b []byte) {
		var r reputation.Receipt
		if r.UnmarshalBinary(b) != nil {
			return
		}
		survives(t, &r, &reputation.Receipt{})
		if _, err := reputation.Fold(&r, []reputation.Opinion{{Verified: true, Value: 1}}, make([]*reputation.Record, len(r.Shown)), reputation.Raters{}, reputation.Constants{}); err != nil && !errors.Is(err, reputation.ErrTooManyOpinions) {
			t.Fatal(err)
		}
	})
}

func FuzzStatistics(f *testing.F) {
	f.Add(encoded(f)["statistics"])
	f.Fuzz(func(t *testing.T, b []byte) {
		var s reputation.Statistics
		if s.UnmarshalBinary(b) != nil {
			return
		}
		survives(t, &s, &reputation.Statistics{})
		if h := s.Health(reputation.Constants{}); math.IsNaN(h.ColdRate + h.CitedRate + h.FirstShare + h.Weights[0]) {
			t.Fatalf("%+v", h)
		}
		_, cands := full(2, 0)
		for _, x := range (reputation.Posterior{}).Rank(reputation.Query{K: 2}, cands, &s).Scores {
			if math.IsNaN(x.Value) || math.IsInf(x.Value, 0) {
				t.Fatalf("%+v", x)
			}
		}
	})
}

func survives(t *testing.T, was, is codec) {
	t.Helper()
	b, err := was.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := is.UnmarshalBinary(b); err != nil {
		t.Fatalf("%v: %x", err, b)
	}
	if again, _ := is.AppendBinary(nil); !bytes.Equal(b, again) {
		t.Fatalf("%x became %x", b, again)
	}
}

// Receipts that an older version wrote are read, and written anew from then on.
func TestReceiptsOfOlderVersions(t *testing.T) {
	rc := &reputation.Receipt{Tag: 3, Time: 5, Shown: make([]reputation.Shown, 2)}
	b, err := rc.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	older := bytes.Clone(b)
	older[0] = 1
	var got reputation.Receipt
	if err := got.UnmarshalBinary(older); err != nil {
		t.Fatal(err)
	}
	if again, _ := got.AppendBinary(nil); !bytes.Equal(again, b) {
		t.Errorf("%x became %x", older, again)
	}
}
