package lifecycle

import (
	"fmt"
	"time"
)

// Stamp is a point in time in milliseconds since the Unix epoch. Zero means
// never. Milliseconds keep a record compact and make the moment at which a decaying
// score crosses a threshold a number that does not depend on rounding.
type Stamp int64

// maxStamp is the last millisecond of the year 9999, the largest time that RFC
// 3339 can write.
const maxStamp Stamp = 253402300799999

// StampOf converts a time. The zero time is never (0); times before 1970 become
// 1 and times after the year 9999 the last millisecond of that year, so that no
// broken clock produces a negative or overflowing stamp.
func StampOf(t time.Time) Stamp {
	switch {
	case t.IsZero():
		return 0
	case t.Year() < 1970:
		return 1
	case t.Year() > 9999:
		return maxStamp
	}
	return min(max(Stamp(t.UnixMilli()), 1), maxStamp)
}

// Time returns the stamp in UTC, and the zero time for never.
func (s Stamp) Time() time.Time {
	if s == 0 {
		return time.Time{}
	}
	return time.UnixMilli(int64(s)).UTC()
}

// IsZero reports whether the stamp means never.
func (s Stamp) IsZero() bool { return s == 0 }

// String returns RFC 3339 in UTC with milliseconds, or "never".
func (s Stamp) String() string {
	if s == 0 {
		return "never"
	}
	return s.Time().Format(stampLayout)
}

// MarshalText implements [encoding.TextMarshaler]; never is the empty text.
func (s Stamp) MarshalText() ([]byte, error) {
	if s == 0 {
		return nil, nil
	}
	return s.Time().AppendFormat(nil, stampLayout), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler] for RFC 3339 and the empty
// text.
func (s *Stamp) UnmarshalText(b []byte) error {
	if len(b) == 0 {
		*s = 0
		return nil
	}
	t, err := time.Parse(time.RFC3339, string(b))
	if err != nil {
		return fmt.Errorf("lifecycle: %w", err)
	}
	*s = StampOf(t)
	return nil
}

const stampLayout = "2006-01-02T15:04:05.000Z07:00"

// add saturates at the largest stamp.
func (s Stamp) add(d time.Duration) Stamp {
	return min(s+Stamp(d.Milliseconds()), maxStamp)
}

// daysSince is the age of then at s in days, never negative: a time in the
// future is read as now.
func (s Stamp) daysSince(then Stamp) float64 {
	return float64(max(s-then, 0)) / float64(24*time.Hour/time.Millisecond)
}
