package store

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"io"
)

// The form of an export: a header of 8 bytes, then frames. A frame is the kind of
// the row (1 byte), the length of the row (4 bytes, little endian) and the row.
// The last frame has kind 0 and 12 bytes: the number of rows, and the CRC-32
// (IEEE) of everything before the frame. Without it the export was cut off.
const (
	exportMagic   = "REPUTE\x00"
	exportVersion = 1
)

// MaxRow is the longest row of an export, in bytes.
const MaxRow = 1 << 28

// Writer writes an export row by row. It is for stores; it is not safe for
// concurrent use.
type Writer struct {
	w     *bufio.Writer
	sum   hash.Hash32
	rows  uint64
	frame []byte
	err   error
}

// NewWriter starts an export to w. Call Close at the end.
func NewWriter(w io.Writer) *Writer {
	out := &Writer{w: bufio.NewWriter(w), sum: crc32.NewIEEE()}
	out.emit(append([]byte(exportMagic), exportVersion))
	return out
}

// Write appends a row. After an error every call returns it again.
func (w *Writer) Write(r Row) error {
	if w.err != nil {
		return w.err
	}
	b, err := r.AppendBinary(append(w.frame[:0], r.kind(), 0, 0, 0, 0))
	if err == nil && len(b)-5 > MaxRow {
		err = fmt.Errorf("%w: a row of %d bytes", ErrInvalid, len(b)-5)
	}
	if err != nil {
		w.err = err
		return err
	}
	w.frame = b
	binary.LittleEndian.PutUint32(b[1:], uint32(len(b)-5))
	w.emit(b)
	w.rows++
	return w.err
}

// Close writes the end of the export. It does not close the underlying writer.
func (w *Writer) Close() error {
	end := append(w.frame[:0], kindEnd, 12, 0, 0, 0)
	end = binary.LittleEndian.AppendUint64(end, w.rows)
	end = binary.LittleEndian.AppendUint32(end, w.sum.Sum32())
	w.emit(end)
	if w.err == nil {
		w.err = w.w.Flush()
	}
	return w.err
}

func (w *Writer) emit(b []byte) {
	if w.err != nil {
		return
	}
	w.sum.Write(b)
	_, w.err = w.w.Write(b)
}

// Reader reads an export row by row, holding one row at a time. It is for
// stores; it is not safe for concurrent use.
type Reader struct {
	r    *bufio.Reader
	sum  hash.Hash32
	rows uint64
	read int64
	buf  bytes.Buffer
}

// Offset returns the number of bytes read so far.
func (in *Reader) Offset() int64 { return in.read }

// NewReader starts reading an export. Errors: [ErrInvalid] if r is none,
// [ErrVersion] if it was written by a newer version.
func NewReader(r io.Reader) (*Reader, error) {
	in := &Reader{r: bufio.NewReader(r), sum: crc32.NewIEEE()}
	header := make([]byte, len(exportMagic)+1)
	if err := in.fill(header); err != nil {
		return nil, err
	}
	switch version := header[len(exportMagic)]; {
	case string(header[:len(exportMagic)]) != exportMagic || version == 0:
		return nil, fmt.Errorf("%w: not an export", ErrInvalid)
	case version > exportVersion:
		return nil, fmt.Errorf("%w: export version %d", ErrVersion, version)
	}
	in.sum.Write(header)
	in.read = int64(len(header))
	return in, nil
}

// Next returns the next row, and io.EOF after the last if all of the export was
// read. An export that was cut off or damaged is [ErrInvalid].
func (in *Reader) Next() (Row, error) {
	var head [5]byte
	if err := in.fill(head[:]); err != nil {
		return nil, err
	}
	kind, length := head[0], binary.LittleEndian.Uint32(head[1:])
	if length > MaxRow {
		return nil, fmt.Errorf("%w: a row of %d bytes", ErrInvalid, length)
	}
	// The buffer grows with what is really there, not with what length promises.
	in.buf.Reset()
	if _, err := io.CopyN(&in.buf, in.r, int64(length)); err != nil {
		return nil, cutOff(err)
	}
	if kind == kindEnd {
		return nil, in.end(in.buf.Bytes())
	}
	in.sum.Write(head[:])
	in.sum.Write(in.buf.Bytes())
	in.rows++
	in.read += int64(len(head)) + int64(length)
	return decodeRow(kind, in.buf.Bytes())
}

func (in *Reader) end(b []byte) error {
	if len(b) != 12 || binary.LittleEndian.Uint64(b) != in.rows || binary.LittleEndian.Uint32(b[8:]) != in.sum.Sum32() {
		return fmt.Errorf("%w: damaged export", ErrInvalid)
	}
	return io.EOF
}

func (in *Reader) fill(b []byte) error {
	if _, err := io.ReadFull(in.r, b); err != nil {
		return cutOff(err)
	}
	return nil
}

// cutOff tells the end of the input from an error of the reader.
func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: the export is cut off", ErrInvalid)
	}
	return err
}
