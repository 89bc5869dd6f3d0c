package chromem

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/repute-go/repute/internal/lexical"
)

// ErrLocalState means that bytes are no saved local embedder of a known version,
// or are damaged.
var ErrLocalState = errors.New("chromem: bad saved state of a local embedder")

const (
	localMagic   = "RLOC"
	localVersion = 1 // of the layout and of the recipe
)

// MarshalBinary returns what the embedder is, for [LoadLocal]: a few bytes if it
// has learned nothing, else about 3 bytes for each word and run of characters that
// more than one text held, at most 2 MiB. The error is always nil.
//
// Layout: "RLOC", version; then as varints dimensions, texts of the sample, number
// of features, and for each the distance to the key before and df-2; at last the
// CRC-32 (IEEE) of all before it, little-endian.
func (e *LocalEmbedder) MarshalBinary() ([]byte, error) {
	b := append([]byte(localMagic), localVersion)
	b = binary.AppendUvarint(b, uint64(e.dimensions))
	texts, list := 0, []termCount(nil)
	if e.idf != nil {
		texts, list = e.idf.texts, e.idf.counts
	}
	b = binary.AppendUvarint(b, uint64(texts))
	b = binary.AppendUvarint(b, uint64(len(list)))
	last := uint32(0)
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(s.key-last))
		b = binary.AppendUvarint(b, uint64(s.df-2))
		last = s.key
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b)), nil
}

// LoadLocal returns the embedder that [LocalEmbedder.MarshalBinary] saved; its
// vectors and its fingerprint are the same. Anything else is [ErrLocalState].
func LoadLocal(data []byte) (*LocalEmbedder, error) {
	body, err := checkedBody(data)
	if err != nil {
		return nil, err
	}
	r := bytes.NewReader(body)
	head := [3]uint64{}
	for i := range head {
		if head[i], err = binary.ReadUvarint(r); err != nil {
			return nil, fmt.Errorf("%w: cut off", ErrLocalState)
		}
	}
	dimensions, texts, n := head[0], head[1], head[2]
	if dimensions < DefaultDimensions || dimensions > MaxDimensions {
		return nil, fmt.Errorf("%w: %d dimensions", ErrLocalState, dimensions)
	}
	if texts > 1<<31-1 || n > maxFrequencies || n > uint64(len(body)) || texts == 0 && n > 0 {
		return nil, fmt.Errorf("%w: %d features of %d texts", ErrLocalState, n, texts)
	}
	list, err := readCounts(r, int(n), texts)
	if err != nil {
		return nil, err
	}
	if texts == 0 {
		return newLocal(int(dimensions), nil), nil
	}
	return newLocal(int(dimensions), withWeights(int(texts), list)), nil
}

// checkedBody returns what lies between the header and the checksum.
func checkedBody(data []byte) ([]byte, error) {
	head := len(localMagic) + 1
	if len(data) < head+4 || string(data[:len(localMagic)]) != localMagic {
		return nil, fmt.Errorf("%w: no header", ErrLocalState)
	}
	if v := data[head-1]; v != localVersion {
		return nil, fmt.Errorf("%w: version %d, want %d", ErrLocalState, v, localVersion)
	}
	end := len(data) - 4
	if crc32.ChecksumIEEE(data[:end]) != binary.LittleEndian.Uint32(data[end:]) {
		return nil, fmt.Errorf("%w: wrong checksum", ErrLocalState)
	}
	return data[head:end], nil
}

func readCounts(r *bytes.Reader, n int, texts uint64) ([]termCount, error) {
	list := make([]termCount, n)
	last := uint64(0)
	for i := range list {
		step, err := binary.ReadUvarint(r)
		df, err2 := binary.ReadUvarint(r)
		if err != nil || err2 != nil {
			return nil, fmt.Errorf("%w: cut off", ErrLocalState)
		}
		key := last + step
		if step == 0 && i > 0 || key < last || key > 1<<32-1 || df > texts || df+2 > texts {
			return nil, fmt.Errorf("%w: feature %d", ErrLocalState, i)
		}
		list[i], last = termCount{uint32(key), uint32(df) + 2}, key
	}
	if r.Len() > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrLocalState, r.Len())
	}
	return list, nil
}

// fingerprint names what decides the vectors.
func fingerprint(dimensions int, idf *frequencies) string {
	if idf == nil {
		return fmt.Sprintf("%s/%d/unfitted", localRecipe, dimensions)
	}
	b := make([]byte, 0, 8*len(idf.counts))
	for _, s := range idf.counts {
		b = binary.LittleEndian.AppendUint32(b, s.key)
		b = binary.LittleEndian.AppendUint32(b, s.df)
	}
	return fmt.Sprintf("%s/%d/%d-%016x", localRecipe, dimensions, idf.texts, lexical.Hash(string(b)))
}
