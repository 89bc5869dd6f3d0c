package gate

import (
	"fmt"
	"slices"
)

const sameVector = 0.999 // cosine above which two embeddings of one text count as equal

// Fingerprint tells one embedder from another by what it makes of three fixed
// texts. It is compared, not hashed: the same model gives slightly different
// numbers on other hardware. The zero value belongs to no embedder.
type Fingerprint struct{ vectors [][]float32 }

// ProbeTexts returns the texts to embed for a fingerprint.
func ProbeTexts() []string {
	return []string{
		"The ferry to the island leaves every two hours from the old harbour.",
		"gradient of a sparse matrix product, computed in half precision",
		"Why did the price of coffee rise last winter?",
	}
}

// NewFingerprint takes the vectors of ProbeTexts, in that order. Vectors of
// another number, of unequal length or without direction are ErrSample.
func NewFingerprint(vectors [][]float32) (Fingerprint, error) {
	if len(vectors) != len(ProbeTexts()) {
		return Fingerprint{}, fmt.Errorf("%w: %d probe vectors", ErrSample, len(vectors))
	}
	units, err := normalised(vectors)
	if err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{vectors: units}, nil
}

// IsZero reports whether the fingerprint belongs to no embedder.
func (f Fingerprint) IsZero() bool { return len(f.vectors) == 0 }

// Dimension returns the length of the embedder's vectors, 0 for the zero value.
func (f Fingerprint) Dimension() int {
	if f.IsZero() {
		return 0
	}
	return len(f.vectors[0])
}

// Matches reports whether both fingerprints come from one embedder: equal
// dimensions and every pair of probe vectors with a cosine above .999. A zero
// value matches nothing, not even another.
func (f Fingerprint) Matches(g Fingerprint) bool {
	if f.IsZero() || f.Dimension() != g.Dimension() {
		return false
	}
	for i := range f.vectors {
		if dot(f.vectors[i], g.vectors[i]) <= sameVector {
			return false
		}
	}
	return true
}

// Equal reports whether both fingerprints are the same bit by bit.
func (f Fingerprint) Equal(g Fingerprint) bool {
	return slices.EqualFunc(f.vectors, g.vectors, slices.Equal[[]float32])
}
