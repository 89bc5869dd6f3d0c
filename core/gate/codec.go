package gate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
)

var (
	// ErrVersion is returned for a model that a newer version of this package wrote.
	ErrVersion = errors.New("gate: model of a newer version")
	// ErrCorrupt is returned for bytes that are no model.
	ErrCorrupt = errors.New("gate: corrupt model")
)

const (
	codecMagic   = "RGM" // followed by the version
	codecVersion = 2
	checksumSize = 4
	maxDimension = 1 << 16
)

// Flags in the order of the encoding; a part is there only if its flag is set.
const (
	hasSample = 1 << iota
	hasBoard
	hasMoments
	hasFloor
	hasGuard
	hasFingerprint
	allFlags = 1<<iota - 1
)

// MarshalBinary encodes the whole model, so that a restart needs no calibration:
// little-endian, versioned, with a checksum; about 12 bytes a term, 8 a passage,
// and the bank's vectors. Equal models give equal bytes.
func (m *Model) MarshalBinary() ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	w := writer{append([]byte(codecMagic), codecVersion)}
	w.b = append(w.b, m.flags())
	w.words(m)
	w.keys(m.keys)
	w.uint(uint64(m.sized.Load()))
	if m.board != nil {
		w.board(m.board)
	}
	if p := m.moments.Load(); p != nil {
		w.b = append(w.b, byte(p.Scale))
		w.floats(p.Mean, p.SD)
	}
	if f := m.floor.Load(); f != nil {
		w.floor(*f)
	}
	if g := m.guard.Load(); g != nil {
		w.uint(uint64(len(*g)))
		w.floats(*g...)
	}
	if !m.fingerprint.IsZero() {
		w.vectors(m.fingerprint.vectors)
	}
	return binary.LittleEndian.AppendUint32(w.b, crc32.ChecksumIEEE(w.b)), nil
}

func (m *Model) flags() (f byte) {
	for _, part := range []struct {
		there bool
		flag  byte
	}{
		{m.sampled, hasSample}, {m.board != nil, hasBoard}, {m.moments.Load() != nil, hasMoments},
		{m.floor.Load() != nil, hasFloor}, {m.guard.Load() != nil, hasGuard}, {!m.fingerprint.IsZero(), hasFingerprint},
	} {
		if part.there {
			f |= part.flag
		}
	}
	return f
}

// Decode reads a model that MarshalBinary wrote. Anything else is ErrCorrupt, also
// what an older version wrote, and the work of a newer version ErrVersion. It never allocates more than a small
// multiple of the data's length.
func Decode(data []byte) (*Model, error) {
	if len(data) < len(codecMagic)+2+checksumSize || string(data[:len(codecMagic)]) != codecMagic {
		return nil, fmt.Errorf("%w: no header", ErrCorrupt)
	}
	switch v := data[len(codecMagic)]; {
	case v > codecVersion:
		return nil, fmt.Errorf("%w: version %d, this package reads version %d", ErrVersion, v, codecVersion)
	case v < codecVersion: // a model can always be measured again
		return nil, fmt.Errorf("%w: version %d is no longer read", ErrCorrupt, v)
	}
	body := data[:len(data)-checksumSize]
	if crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, fmt.Errorf("%w: checksum", ErrCorrupt)
	}
	r := reader{b: body[len(codecMagic)+1:]}
	m := r.model()
	if r.bad || len(r.b) != 0 {
		return nil, fmt.Errorf("%w: malformed", ErrCorrupt)
	}
	return m, nil
}

// writer appends the parts of a model.
type writer struct{ b []byte }

func (w *writer) uint(x uint64) { w.b = binary.AppendUvarint(w.b, x) }

func (w *writer) word(x uint64) { w.b = binary.LittleEndian.AppendUint64(w.b, x) }

func (w *writer) floats(xs ...float64) {
	for _, x := range xs {
		w.word(math.Float64bits(x))
	}
}

func (w *writer) words(m *Model) {
	frequency := make(map[uint64]uint32)
	m.words.each(func(hash uint64, n uint32) { frequency[hash] = n })
	w.word(uint64(m.tokens.Load()))
	w.uint(uint64(len(frequency)))
	for _, hash := range slices.Sorted(maps.Keys(frequency)) {
		w.word(hash)
		w.uint(uint64(frequency[hash]))
	}
}

func (w *writer) keys(keys map[uint64]struct{}) {
	w.uint(uint64(len(keys)))
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		w.word(key)
	}
}

func (w *writer) vectors(vectors [][]float32) {
	w.uint(uint64(len(vectors[0])))
	for _, v := range vectors {
		for _, x := range v {
			w.b = binary.LittleEndian.AppendUint32(w.b, math.Float32bits(x))
		}
	}
}

func (w *writer) board(s *scoreboard) {
	w.vectors(s.vectors)
	for j := range s.leaders {
		l := &s.leaders[j]
		more := byte(0)
		if l.more {
			more = 1
		}
		w.b = append(w.b, byte(l.n), more)
		w.floats(l.bound)
		for _, h := range l.hits[:l.n] {
			w.word(h.key)
			w.floats(h.score)
		}
	}
}

func (w *writer) floor(f Floor) {
	same := byte(0)
	if f.SameDocument {
		same = 1
	}
	w.floats(f.Mean, f.SD, f.KS, f.KSP)
	w.uint(uint64(f.Chunks))
	w.uint(uint64(f.Pairs))
	w.b = append(w.b, same)
}
