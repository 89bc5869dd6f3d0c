package lifecycle_test

import (
	"errors"
	"math"
	"testing"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

// A user who changes their mind about one occasion leaves what the last word alone
// would have left, whenever it arrives.
func TestARevisedThumbReplacesTheFirst(t *testing.T) {
	start := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	apply := func(r lc.Record, now time.Time, e lc.Event) lc.Record {
		t.Helper()
		r, _, err := lc.Apply(r, e, now, lc.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	base := apply(lc.Record{}, start, lc.Event{Kind: lc.Fetched})
	base = apply(base, start.AddDate(0, 0, 2), lc.Event{Kind: lc.Up})
	late := start.AddDate(0, 0, 9)
	want := apply(base, late, lc.Event{Kind: lc.Down, At: start})
	got := apply(base, start.AddDate(0, 0, 3), lc.Event{Kind: lc.Up, At: start})
	got = apply(got, late, lc.Event{Kind: lc.Down, At: start, Instead: lc.Up})
	if math.Abs(got.Opinion.Up-want.Opinion.Up) > 1e-9 || math.Abs(got.Opinion.Down-want.Opinion.Down) > 1e-9 {
		t.Errorf("opinion %+v, want %+v", got.Opinion, want.Opinion)
	}
	for _, e := range []lc.Event{{Kind: lc.Up, Instead: lc.Fetched}, {Kind: lc.Fetched, Instead: lc.Up}} {
		if _, _, err := lc.Apply(base, e, late, lc.Options{}); !errors.Is(err, lc.ErrEvent) {
			t.Errorf("%v instead of %v: error %v", e.Kind, e.Instead, err)
		}
	}
}
