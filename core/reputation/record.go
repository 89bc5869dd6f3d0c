package reputation

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
)

const (
	// RingSize is the number of events a record keeps.
	RingSize = 64
	// MaxSummary is the longest summary a ranker may keep in a record, in bytes,
	// its name included.
	MaxSummary = 128
	// MaxRecord is the longest encoded [Record], in bytes: the ring and a header.
	MaxRecord = RingSize*EventSize + maxHeader

	maxChecks     = 8
	maxHeader     = 1 + 8 + 8 + 1 + 1 + maxChecks*checkSize + 2 + MaxSummary + 2 + 2
	checkSize     = 2 + 4 + 4
	recordVersion = 1
)

// Record is the evidence about one text, kept by content hash. It is immutable
// once handed out: every change makes a new record. The nil record and the zero
// value are "no evidence".
type Record struct {
	// Space is that of the newest event with a signature.
	Space Space
	// Events are ordered by receipt time, then receipt tag; at most [RingSize].
	Events []Event
	// Local has bit i set if the signature of Events[i] belongs to Space.
	Local uint64
	// Checks say, for each class of raters, how often it was fooled by this
	// document; at most 8 classes.
	Checks []Check
	// Carried is set if the record took over a share of the evidence of an earlier
	// text of the same document.
	Carried bool
	// Ranker names the ranker that Summary belongs to.
	Ranker string
	// Summary is what that ranker keeps besides the events. Ranker and Summary
	// together have at most [MaxSummary] bytes.
	Summary []byte
}

// Check counts how often raters of one class accepted a document's failed
// answers (Fooled) and how often they rejected them (Caught), as seen by a
// verifier. Both are >= 0.
type Check struct {
	Class          uint16 // ClassTag of the class
	Fooled, Caught float32
}

// Empty reports whether the record holds no evidence.
func (r *Record) Empty() bool { return r == nil || len(r.Events) == 0 }

// clone copies the record so that its fields and events can be changed; the summary
// is shared. The clone of nil is empty.
func (r *Record) clone() *Record {
	c := r.shallow()
	c.Events = slices.Clone(c.Events)
	return c
}

// shallow is clone but for the events, which are still those of r.
func (r *Record) shallow() *Record {
	if r == nil {
		return &Record{}
	}
	c := *r
	c.Checks = slices.Clone(r.Checks)
	return &c
}

// local reports whether event i has a signature of the record's space.
func (r *Record) local(i int) bool { return r.Local>>uint(i)&1 == 1 }

// find returns the index of the receipt's event, or -1.
func (r *Record) find(receipt uint64) int {
	return slices.IndexFunc(r.Events, func(e Event) bool { return e.Receipt == receipt })
}

// remove deletes event i.
func (r *Record) remove(i int) {
	r.Events = slices.Delete(r.Events, i, i+1)
	low := uint64(1)<<uint(i) - 1
	r.Local = r.Local&low | r.Local>>1&^low
}

// Erase returns the record without every event the actor with this tag took part
// in, and how many events that removed. Without any, it returns r itself.
// A ranker's summary goes too, since it may hold the actor's share: the ranker
// replays the ring.
func (r *Record) Erase(tag uint16) (*Record, int) {
	if r == nil || !slices.ContainsFunc(r.Events, func(e Event) bool { return e.Actors.Has(tag) }) {
		return r, 0
	}
	c := r.clone()
	for i := len(c.Events) - 1; i >= 0; i-- {
		if c.Events[i].Actors.Has(tag) {
			c.remove(i)
		}
	}
	c.Ranker, c.Summary = "", nil
	return c, len(r.Events) - len(c.Events)
}

// Carry is the evidence that a changed text takes over from its predecessor: the
// same events, every amount multiplied by share, which is clamped to [0,1].
// A share of 0, or no evidence, gives nil.
func Carry(r *Record, share float64) *Record {
	if r.Empty() || !(share > 0) {
		return nil
	}
	c := r.clone()
	by := float32(min(share, 1))
	for i := range c.Events {
		c.Events[i].scale(by)
	}
	for i := range c.Checks {
		c.Checks[i].Fooled *= by
		c.Checks[i].Caught *= by
	}
	c.Carried, c.Ranker, c.Summary = true, "", nil
	return c
}

// AppendBinary appends the record to b: a version byte, a header and 64 bytes an
// event, little endian, [MaxRecord] bytes at most. It implements
// [encoding.BinaryAppender]. A record with more than the stated numbers of events,
// checks or summary bytes, which this package does not make, gives [ErrCorrupt].
func (r *Record) AppendBinary(b []byte) ([]byte, error) {
	if len(r.Events) > RingSize || len(r.Checks) > maxChecks || len(r.Ranker)+len(r.Summary) > MaxSummary {
		return b, fmt.Errorf("%w: %d events, %d checks, %d bytes of summary", ErrCorrupt, len(r.Events), len(r.Checks), len(r.Summary))
	}
	le := binary.LittleEndian
	b = append(b, recordVersion)
	b = le.AppendUint64(b, uint64(r.Space))
	b = le.AppendUint64(b, r.Local)
	b = append(b, boolByte(r.Carried), byte(len(r.Checks)))
	for _, c := range r.Checks {
		b = le.AppendUint16(b, c.Class)
		b = appendF32(b, c.Fooled)
		b = appendF32(b, c.Caught)
	}
	b = appendText(b, r.Ranker)
	b = appendText(b, string(r.Summary))
	b = le.AppendUint16(b, uint16(len(r.Events)))
	for i := range r.Events {
		b = r.Events[i].appendTo(b)
	}
	return b, nil
}

// UnmarshalBinary decodes what AppendBinary wrote. It returns [ErrVersion] for a
// newer version and [ErrCorrupt] for anything else it cannot have written, and
// then leaves r as it was.
func (r *Record) UnmarshalBinary(b []byte) error {
	in := reader{b: b}
	in.version(recordVersion)
	c := Record{Space: Space(in.u64()), Local: in.u64(), Carried: in.u8() != 0}
	checks := int(in.u8())
	if checks > maxChecks {
		in.fail()
		checks = 0
	}
	for range checks {
		c.Checks = append(c.Checks, Check{Class: in.u16(), Fooled: in.amount(), Caught: in.amount()})
	}
	c.Ranker = in.text(MaxSummary)
	c.Summary = slices.Clone(in.take(in.count(MaxSummary, 1)))
	n := in.count(RingSize, EventSize)
	if n > 0 {
		c.Events = make([]Event, n)
	}
	for i := range c.Events {
		c.Events[i].decode(&in)
	}
	if err := c.check(&in); err != nil {
		return err
	}
	*r = c
	return nil
}

// check verifies what the rest of the package relies on.
func (r *Record) check(in *reader) error {
	n := len(r.Events)
	ordered := true
	for i := 1; i < n; i++ {
		ordered = ordered && r.Events[i-1].older(&r.Events[i])
	}
	stray := n < RingSize && r.Local>>uint(n) != 0
	if !ordered || stray || len(r.Ranker)+len(r.Summary) > MaxSummary {
		in.fail()
	}
	return in.done()
}

// WithSummary returns a copy of the record with the ranker's summary. A summary
// that is too long is not kept.
func (r *Record) WithSummary(ranker string, summary []byte) *Record {
	c := r.clone()
	c.Ranker, c.Summary = ranker, slices.Clone(summary)
	if len(ranker)+len(summary) > MaxSummary {
		c.Ranker, c.Summary = "", nil
	}
	return c
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

var nan32 = float32(math.NaN())
