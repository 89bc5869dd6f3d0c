package store

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
)

func appendInts(b []byte, xs ...int64) []byte {
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, uint64(x))
	}
	return b
}

func appendText[T string | []byte](b []byte, s T) []byte {
	b = binary.LittleEndian.AppendUint32(b, uint32(len(s)))
	return append(b, s...)
}

// appendNested appends a record of another package, its length first.
func appendNested(b []byte, r encoding.BinaryAppender) ([]byte, error) {
	at := len(b)
	b, err := r.AppendBinary(append(b, 0, 0, 0, 0))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	binary.LittleEndian.PutUint32(b[at:], uint32(len(b)-at-4))
	return b, nil
}

// rowReader decodes little-endian fields. After the first one that is missing
// or impossible every field reads as zero and err is set.
type rowReader struct {
	b   []byte
	err error
}

func newReader(b []byte) *rowReader {
	in := &rowReader{b: b}
	version := in.take(1)
	switch {
	case version == nil:
	case version[0] > rowVersion:
		in.fail(ErrVersion)
	case version[0] == 0:
		in.fail(errors.New("version 0"))
	}
	return in
}

func (in *rowReader) fail(err error) {
	if in.err == nil {
		in.err = err
	}
	in.b = nil
}

// take returns the next n bytes of the input, nil if there are not so many.
func (in *rowReader) take(n int) []byte {
	if in.err != nil || n > len(in.b) {
		in.fail(errors.New("too short"))
		return nil
	}
	b := in.b[:n:n]
	in.b = in.b[n:]
	return b
}

func (in *rowReader) int() int64 {
	if b := in.take(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

func (in *rowReader) bool() bool {
	x := in.int()
	if x != 0 && x != 1 {
		in.fail(errors.New("a truth value that is neither"))
	}
	return x == 1
}

func (in *rowReader) key() (k [16]byte) {
	copy(k[:], in.take(16))
	return k
}

// count reads the number of elements of at least size bytes each.
func (in *rowReader) count(size int) int {
	n := in.int()
	if n < 0 || n > int64(len(in.b)/size) {
		in.fail(errors.New("an impossible number of elements"))
		return 0
	}
	return int(n)
}

// raw reads a length and so many bytes of the input.
func (in *rowReader) raw() []byte {
	b := in.take(4)
	if b == nil {
		return nil
	}
	n := binary.LittleEndian.Uint32(b)
	if uint64(n) > uint64(len(in.b)) {
		in.fail(errors.New("too short"))
		return nil
	}
	return in.take(int(n))
}

func (in *rowReader) text() string { return string(in.raw()) }

// bytes reads a copy, nil if it is empty.
func (in *rowReader) bytes() []byte {
	if b := in.raw(); len(b) > 0 {
		return bytes.Clone(b)
	}
	return nil
}

// nested reads a record of another package, nil for none.
func nested[R any, P interface {
	*R
	encoding.BinaryUnmarshaler
}](in *rowReader) *R {
	b := in.raw()
	if len(b) == 0 {
		return nil
	}
	r := new(R)
	if err := P(r).UnmarshalBinary(b); err != nil {
		in.fail(err)
		return nil
	}
	return r
}

// into calls assign if all was read and nothing is left over.
func (in *rowReader) into(assign func()) error {
	if in.err == nil && len(in.b) > 0 {
		in.fail(errors.New("too long"))
	}
	if in.err != nil {
		return DecodeError(in.err)
	}
	assign()
	return nil
}

// DecodeError turns the error of a decoder of this package, reputation or lifecycle
// into [ErrVersion] or [ErrInvalid], for stores that keep records in columns of
// their own.
func DecodeError(err error) error {
	switch {
	case errors.Is(err, ErrVersion), errors.Is(err, ErrInvalid):
		return err
	case errors.Is(err, reputation.ErrVersion), errors.Is(err, lifecycle.ErrVersion):
		return fmt.Errorf("%w: %w", ErrVersion, err)
	default:
		return fmt.Errorf("%w: %w", ErrInvalid, err)
	}
}
