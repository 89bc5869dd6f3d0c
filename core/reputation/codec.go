package reputation

import (
	"encoding/binary"
	"errors"
	"math"
)

var (
	// ErrVersion is returned for bytes written by a newer version of the library:
	// leave them alone.
	ErrVersion = errors.New("reputation: written by a newer version")
	// ErrCorrupt is returned for bytes that no version has written.
	ErrCorrupt = errors.New("reputation: corrupt encoding")
)

// reader decodes little-endian fields. After the first field that is missing or
// impossible every field reads as zero and err is set.
type reader struct {
	b   []byte
	err error
}

func (r *reader) fail() {
	if r.err == nil {
		r.err = ErrCorrupt
	}
	r.b = nil
}

// take returns the next n bytes, or nil.
func (r *reader) take(n int) []byte {
	if r.err != nil || n < 0 || n > len(r.b) {
		r.fail()
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// version reads the leading version byte.
func (r *reader) version(newest byte) {
	switch v := r.u8(); {
	case r.err == nil && v > newest:
		r.fail()
		r.err = ErrVersion
	case v == 0:
		r.fail()
	}
}

func (r *reader) u8() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

func (r *reader) u64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (r *reader) f32() float32 {
	if b := r.take(4); b != nil {
		return math.Float32frombits(binary.LittleEndian.Uint32(b))
	}
	return 0
}

func (r *reader) f64() float64 { return math.Float64frombits(r.u64()) }

// maxAmount is more evidence than an event can hold.
const maxAmount = 1e6

// amount reads an amount of evidence.
func (r *reader) amount() float32 {
	x := r.f32()
	if !(x >= 0 && x <= maxAmount) {
		r.fail()
		return 0
	}
	return x
}

// finite reads a finite number.
func (r *reader) finite() float64 {
	x := r.f64()
	if math.IsNaN(x) || math.IsInf(x, 0) {
		r.fail()
		return 0
	}
	return x
}

// count reads a length and fails if it exceeds limit or what is left, given the
// least size of one element in bytes.
func (r *reader) count(limit, size int) int {
	n := int(r.u16())
	if n > limit || n*size > len(r.b) {
		r.fail()
		return 0
	}
	return n
}

// text reads a string of at most limit bytes.
func (r *reader) text(limit int) string { return string(r.take(r.count(limit, 1))) }

// done returns the error, or ErrCorrupt if bytes are left over.
func (r *reader) done() error {
	if r.err == nil && len(r.b) > 0 {
		r.fail()
	}
	return r.err
}

func appendF32(b []byte, x float32) []byte {
	return binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
}

func appendF64(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

func appendText(b []byte, s string) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(s)))
	return append(b, s...)
}
