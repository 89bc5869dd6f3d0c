package lifecycle

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// codecVersion is the first byte of an encoded record. Version 1, little-endian:
//
//	version, learned, choice, origin, misses      5 x uint8
//	declines                                      uint16
//	wait, suggestion ID, answered, text size      4 x uint32
//	query                                         int64
//	uses, up, down, posterior mean, mass, base    6 x float64
//	times in the order of Record.stamps           13 x int64
//	number of moves, moves                        uint8, then 3 x uint8 and int64 each
//	title, path, hash, source, model              uint16 length and bytes each
//	chunks                                        uint16 number, then uint16 length and bytes each
//	vector                                        uint16 number, then float32 each
//	text                                          the rest: text size bytes, or none if kept apart
const codecVersion = 1

// MaxRecordSize bounds the length of an encoded record in bytes.
const MaxRecordSize = 1024 + MaxText + MaxTitle + MaxPath + 3*MaxName + MaxChunks*(MaxName+2) + 4*MaxVector

// MarshalBinary encodes the record, with its text if the record holds it (see
// [Record.Detach]); equal records give equal bytes. It fails with [ErrCorrupt] on
// values no record can have, and with [ErrTooLarge] beyond the bounds.
func (r Record) MarshalBinary() ([]byte, error) { return r.AppendBinary(nil) }

// AppendBinary implements [encoding.BinaryAppender]; see [Record.MarshalBinary].
func (r Record) AppendBinary(b []byte) ([]byte, error) {
	if err := r.check(); err != nil {
		return b, err
	}
	le := binary.LittleEndian
	b = append(b, codecVersion, byte(r.Learned), byte(r.Intent.Choice), byte(r.Claim.Origin), r.Misses)
	b = le.AppendUint16(b, r.Intent.Declines)
	for _, x := range r.words() {
		b = le.AppendUint32(b, *x)
	}
	b = le.AppendUint32(b, uint32(r.Claim.Size))
	b = le.AppendUint64(b, uint64(r.Query))
	for _, x := range r.floats() {
		b = le.AppendUint64(b, math.Float64bits(*x))
	}
	for _, s := range r.stamps() {
		b = le.AppendUint64(b, uint64(*s))
	}
	b = append(b, byte(len(r.Moves)))
	for _, m := range r.Moves {
		b = append(b, byte(m.From), byte(m.To), byte(m.Cause))
		b = le.AppendUint64(b, uint64(m.At))
	}
	for _, s := range r.names() {
		b = appendString(b, *s)
	}
	b = le.AppendUint16(b, uint16(len(r.Claim.Chunks)))
	for _, s := range r.Claim.Chunks {
		b = appendString(b, s)
	}
	b = le.AppendUint16(b, uint16(len(r.Claim.Vector)))
	for _, x := range r.Claim.Vector {
		b = le.AppendUint32(b, math.Float32bits(x))
	}
	return append(b, r.Claim.Text...), nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(s))), s...)
}

// UnmarshalBinary decodes a record. It keeps no reference to b and changes nothing
// on an error: [ErrVersion] for bytes of a newer version, else [ErrCorrupt].
func (r *Record) UnmarshalBinary(b []byte) error {
	if len(b) > 0 && b[0] > codecVersion {
		return fmt.Errorf("%w: version %d, this one is %d", ErrVersion, b[0], codecVersion)
	}
	d := reader{b: b}
	got := d.record()
	if d.failed || b[0] != codecVersion {
		return fmt.Errorf("%w: wrong length or version", ErrCorrupt)
	}
	if err := got.check(); err != nil {
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	*r = got
	return nil
}

// record reads everything. The text ends with the bytes.
func (d *reader) record() (r Record) {
	d.u8() // the version
	r.Learned, r.Intent.Choice, r.Claim.Origin, r.Misses = State(d.u8()), Choice(d.u8()), Origin(d.u8()), d.u8()
	r.Intent.Declines = d.u16()
	for _, x := range r.words() {
		*x = d.u32()
	}
	r.Claim.Size = int(d.u32())
	r.Query = int64(d.u64())
	for _, x := range r.floats() {
		*x = math.Float64frombits(d.u64())
	}
	for _, s := range r.stamps() {
		*s = Stamp(d.u64())
	}
	r.Moves = readList(d, int(d.u8()), 11, (*reader).move)
	for _, s := range r.names() {
		*s = d.str()
	}
	r.Claim.Chunks = readList(d, int(d.u16()), 2, (*reader).str)
	r.Claim.Vector = readList(d, int(d.u16()), 4, func(d *reader) float32 { return math.Float32frombits(d.u32()) })
	if len(d.b) <= MaxText {
		r.Claim.Text = string(d.b)
	} else {
		d.failed = true
	}
	return r
}

func (r *Record) words() [3]*uint32 {
	return [...]*uint32{&r.Intent.Wait, &r.Suggestion.ID, &r.Suggestion.Answered}
}

func (r *Record) floats() [6]*float64 {
	p := &r.Opinion.Posterior
	return [...]*float64{&r.Uses.Value, &r.Opinion.Up, &r.Opinion.Down, &p.Mean, &p.Mass, &p.Base}
}

func (r *Record) names() [5]*string {
	return [...]*string{&r.Title, &r.Path, &r.Claim.Hash, &r.Claim.Source, &r.Claim.Model}
}

// check refuses what no sequence of events can produce, whether it comes from
// bytes or from a caller.
func (r *Record) check() error {
	if int(r.Learned) >= len(stateNames) || int(r.Intent.Choice) >= len(choiceNames) || len(r.Moves) > AuditLength {
		return fmt.Errorf("%w: state %v, %v, %d moves", ErrCorrupt, r.Learned, r.Intent.Choice, len(r.Moves))
	}
	for _, x := range r.floats() {
		if !(*x >= 0) || math.IsInf(*x, 0) {
			return fmt.Errorf("%w: number %v", ErrCorrupt, *x)
		}
	}
	for _, s := range r.stamps() {
		if *s < 0 || *s > maxStamp {
			return fmt.Errorf("%w: time %d", ErrCorrupt, int64(*s))
		}
	}
	for _, m := range r.Moves {
		if int(m.From) >= len(stateNames) || int(m.To) >= len(stateNames) || int(m.Cause) >= len(causeNames) || m.At < 0 || m.At > maxStamp {
			return fmt.Errorf("%w: move %+v", ErrCorrupt, m)
		}
	}
	if !r.Opinion.Posterior.valid() || r.Query < 0 || r.Claim.Text != "" && len(r.Claim.Text) != r.Claim.Size {
		return fmt.Errorf("%w: posterior %+v, query %d, size %d", ErrCorrupt, r.Opinion.Posterior, r.Query, r.Claim.Size)
	}
	return r.checkTexts()
}

func (r *Record) checkTexts() error {
	if len(r.Title) > MaxTitle || len(r.Path) > MaxPath || r.Claim.Size > MaxText || r.Claim.Size < 0 {
		return fmt.Errorf("record: %w", ErrTooLarge)
	}
	if !utf8.ValidString(r.Title) || !utf8.ValidString(r.Path) {
		return fmt.Errorf("%w: title or path is not UTF-8", ErrCorrupt)
	}
	return r.Claim.check()
}

// reader takes values off a byte slice. After the first failure all are zero.
type reader struct {
	b      []byte
	failed bool
}

var zeros [8]byte

func (d *reader) take(n int) []byte {
	if d.failed || len(d.b) < n {
		d.failed = true
		return zeros[:min(n, len(zeros))]
	}
	head := d.b[:n]
	d.b = d.b[n:]
	return head
}

func (d *reader) u8() uint8   { return d.take(1)[0] }
func (d *reader) u16() uint16 { return binary.LittleEndian.Uint16(d.take(2)) }
func (d *reader) u32() uint32 { return binary.LittleEndian.Uint32(d.take(4)) }
func (d *reader) u64() uint64 { return binary.LittleEndian.Uint64(d.take(8)) }

func (d *reader) str() string {
	n := int(d.u16())
	if len(d.b) < n {
		d.failed = true
		return ""
	}
	return string(d.take(n))
}

func (d *reader) move() Move {
	return Move{From: State(d.u8()), To: State(d.u8()), Cause: Cause(d.u8()), At: Stamp(d.u64())}
}

// readList reads n elements of at least size bytes each, and reserves no memory
// for elements that cannot be there.
func readList[T any](d *reader, n, size int, read func(*reader) T) []T {
	if d.failed || n == 0 {
		return nil
	}
	if len(d.b) < n*size {
		d.failed = true
		return nil
	}
	list := make([]T, n)
	for i := range list {
		list[i] = read(d)
	}
	return list
}
