package lifecycle_test

import (
	"math"
	"testing"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func TestStamp(t *testing.T) {
	for _, v := range []struct {
		in   time.Time
		want lc.Stamp
		text string
	}{
		{time.Time{}, 0, ""},
		{time.UnixMilli(1), 1, "1970-01-01T00:00:00.001Z"},
		{time.Unix(-5, 0), 1, "1970-01-01T00:00:00.001Z"},
		{time.Unix(math.MinInt64/4, 0), 1, "1970-01-01T00:00:00.001Z"},
		{start, 1772366400000, "2026-03-01T12:00:00.000Z"},
		{time.Unix(math.MaxInt64/4, 0), 253402300799999, "9999-12-31T23:59:59.999Z"},
	} {
		s := lc.StampOf(v.in)
		b, err := s.MarshalText()
		if s != v.want || string(b) != v.text || err != nil {
			t.Errorf("%v: %d %q %v", v.in, s, b, err)
		}
		var back lc.Stamp
		if err := back.UnmarshalText(b); err != nil || back != s || lc.StampOf(s.Time()) != s {
			t.Errorf("%v came back as %v, %v", s, back, err)
		}
	}
	var s lc.Stamp
	if err := s.UnmarshalText([]byte("yesterday")); err == nil {
		t.Error("yesterday was read")
	}
	if s.String() != "never" || !s.IsZero() || !s.Time().IsZero() {
		t.Error("zero is not never")
	}
}
