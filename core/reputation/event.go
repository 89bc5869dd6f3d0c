package reputation

import (
	"encoding/binary"
	"math"
)

// EventSize is the size of an [Event], in memory and encoded, in bytes.
const EventSize = 64

// Event is what one outcome said about one document: 64 bytes. There is one
// event for each receipt and document shown.
type Event struct {
	Signature Signature // of the receipt's query
	Receipt   uint64    // tag of the receipt
	Actors    Actors    // who took part
	Time      int64     // of the receipt, Unix nanoseconds
	Pos, Neg  float32   // evidence that it helped, that it did not, for queries like this one; >= 0
	// GlobalPos and GlobalNeg are the same for the document as a whole: credit is
	// split between the documents shown. >= 0.
	GlobalPos, GlobalNeg float32
	// Attribution is the share of the answer that came from the document, in
	// [0,1]; NaN = not known.
	Attribution float32
	// Position is the document's share of the attention paid to the list, in units
	// of 1/65535.
	Position uint16
	// Class is the [ClassTag] of the raters behind an unverified outcome, 0 for a
	// verified one.
	Class uint16
}

// Mass is the amount of local evidence in the event, Pos + Neg.
func (e *Event) Mass() float64 { return float64(e.Pos) + float64(e.Neg) }

// older orders events by receipt time, then receipt tag.
func (e *Event) older(other *Event) bool {
	if e.Time != other.Time {
		return e.Time < other.Time
	}
	return e.Receipt < other.Receipt
}

// scale multiplies the amounts of evidence.
func (e *Event) scale(by float32) {
	e.Pos *= by
	e.Neg *= by
	e.GlobalPos *= by
	e.GlobalNeg *= by
}

// add adds the amounts of another event and keeps every amount at 0 or above.
func (e *Event) add(d *Event) {
	e.Pos = max(0, e.Pos+d.Pos)
	e.Neg = max(0, e.Neg+d.Neg)
	e.GlobalPos = max(0, e.GlobalPos+d.GlobalPos)
	e.GlobalNeg = max(0, e.GlobalNeg+d.GlobalNeg)
}

// minus is the difference of the amounts, with the rest of e.
func (e Event) minus(old *Event) Event {
	e.Pos -= old.Pos
	e.Neg -= old.Neg
	e.GlobalPos -= old.GlobalPos
	e.GlobalNeg -= old.GlobalNeg
	return e
}

// setAmounts takes over the amounts of another event.
func (e *Event) setAmounts(o *Event) {
	e.Pos, e.Neg, e.GlobalPos, e.GlobalNeg = o.Pos, o.Neg, o.GlobalPos, o.GlobalNeg
}

// equals reports whether all amounts are those of the other event.
func (e *Event) equals(o *Event) bool {
	return e.Pos == o.Pos && e.Neg == o.Neg && e.GlobalPos == o.GlobalPos && e.GlobalNeg == o.GlobalNeg
}

// bare is the event without what its receipt knows anyway.
func (e *Event) bare() Event {
	return Event{Pos: e.Pos, Neg: e.Neg, GlobalPos: e.GlobalPos, GlobalNeg: e.GlobalNeg,
		Attribution: e.Attribution, Class: e.Class, Actors: e.Actors}
}

// none reports whether all amounts are 0.
func (e *Event) none() bool {
	return e.Pos == 0 && e.Neg == 0 && e.GlobalPos == 0 && e.GlobalNeg == 0
}

func (e *Event) amounts() [4]*float32 {
	return [4]*float32{&e.Pos, &e.Neg, &e.GlobalPos, &e.GlobalNeg}
}

// appendTo encodes the event, little endian.
func (e *Event) appendTo(b []byte) []byte {
	le := binary.LittleEndian
	b = le.AppendUint64(b, e.Signature[0])
	b = le.AppendUint64(b, e.Signature[1])
	b = le.AppendUint64(b, e.Receipt)
	for _, a := range e.Actors {
		b = le.AppendUint16(b, a)
	}
	b = le.AppendUint64(b, uint64(e.Time))
	for _, x := range e.amounts() {
		b = le.AppendUint32(b, math.Float32bits(*x))
	}
	b = le.AppendUint32(b, math.Float32bits(e.Attribution))
	b = le.AppendUint16(b, e.Position)
	return le.AppendUint16(b, e.Class)
}

// decode reads an event and reports whether its numbers are possible.
func (e *Event) decode(r *reader) {
	b := r.take(EventSize)
	if b == nil {
		return
	}
	le := binary.LittleEndian
	e.Signature = Signature{le.Uint64(b), le.Uint64(b[8:])}
	e.Receipt = le.Uint64(b[16:])
	for i := range e.Actors {
		e.Actors[i] = le.Uint16(b[24+2*i:])
	}
	e.Time = int64(le.Uint64(b[32:]))
	for i, x := range e.amounts() {
		*x = math.Float32frombits(le.Uint32(b[40+4*i:]))
		if !(*x >= 0 && *x <= math.MaxFloat32) {
			r.fail()
		}
	}
	e.Attribution = math.Float32frombits(le.Uint32(b[56:]))
	if c := e.Attribution; c < 0 || c > 1 {
		r.fail()
	}
	e.Position = le.Uint16(b[60:])
	e.Class = le.Uint16(b[62:])
}
