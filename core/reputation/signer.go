package reputation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"sync"
)

// ErrVector is returned for a query vector that no signature can be made of: the
// wrong dimension, NaN, infinite or zero.
var ErrVector = errors.New("reputation: not a usable query vector")

const (
	signatureBits = 128
	rotations     = 3
	signerSeed    = 0x5265707574650001 // changing it makes every stored signature worthless
)

// Signer makes signatures of query vectors: the signs of 128 coordinates of a fixed
// pseudo-random rotation of the vector, taken relative to a mean. The rotation is
// three rounds of random signs and a Walsh-Hadamard transform (Andoni et al. 2015),
// which stands in for 128 random hyperplanes (Charikar 2002) at a fraction of the
// cost. Two signers made with the same arguments make the same signatures, on every
// machine. Safe for concurrent use.
type Signer struct {
	space Space
	dim   int
	mean  []float32
	signs [rotations][]float32
	pool  sync.Pool
}

// NewSigner makes a signer for vectors of dim numbers by the named embedding
// model. Mean is the mean of a sample of the corpus' vectors, each scaled to length
// 1: real embeddings point into a narrow cone, and without it unrelated questions
// look alike. Nil means zero. A mean that changes makes a new [Space], hence old
// signatures worthless: choose it once and keep it.
func NewSigner(model string, dim int, mean []float32) (*Signer, error) {
	if dim <= 0 || mean != nil && len(mean) != dim {
		return nil, fmt.Errorf("%w: %d dimensions, mean of %d", ErrVector, dim, len(mean))
	}
	for _, x := range mean {
		if !finite(x) {
			return nil, fmt.Errorf("%w: mean is not finite", ErrVector)
		}
	}
	s := &Signer{dim: dim, mean: append([]float32(nil), mean...), space: vectorSpace(model, dim, mean)}
	n := signatureBits
	for n < dim {
		n *= 2
	}
	rng := rand.New(rand.NewPCG(signerSeed, uint64(n)))
	for r := range s.signs {
		s.signs[r] = make([]float32, n)
		for i := range s.signs[r] {
			s.signs[r][i] = float32(int(rng.Uint64()>>63)*2 - 1)
		}
	}
	s.pool.New = func() any { b := make([]float32, n); return &b }
	return s, nil
}

// vectorSpace identifies a signer by what went into it.
func vectorSpace(model string, dim int, mean []float32) Space {
	h := fnv.New64a()
	fmt.Fprintf(h, "vector/1\x00%s\x00%d\x00", model, dim)
	var b [4]byte
	for _, x := range mean {
		binary.LittleEndian.PutUint32(b[:], math.Float32bits(x))
		_, _ = h.Write(b[:])
	}
	return Space(h.Sum64() | 1) // never 0
}

// Space is that of the signatures this signer makes.
func (s *Signer) Space() Space { return s.space }

// Sign makes the signature of a vector, whatever its length. It returns [ErrVector]
// for one with the wrong dimension, a NaN, an infinity or no length.
func (s *Signer) Sign(vector []float32) (Signature, error) {
	if len(vector) != s.dim {
		return Signature{}, fmt.Errorf("%w: %d dimensions instead of %d", ErrVector, len(vector), s.dim)
	}
	sum := 0.0
	for _, x := range vector {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return Signature{}, fmt.Errorf("%w: length %v", ErrVector, math.Sqrt(sum))
	}
	buf := s.pool.Get().(*[]float32)
	defer s.pool.Put(buf)
	v, scale := *buf, float32(1/math.Sqrt(sum))
	for i, x := range vector {
		v[i] = x * scale
	}
	for i, m := range s.mean {
		v[i] -= m
	}
	clear(v[s.dim:])
	for r, signs := range s.signs {
		for i, sign := range signs {
			v[i] *= sign
		}
		if r == rotations-1 {
			v = fold(v)
		}
		hadamard(v)
	}
	return signsOf(v), nil
}

// signsOf packs the signs of the first 128 numbers.
func signsOf(v []float32) (s Signature) {
	for i, x := range v[:signatureBits] {
		if x > 0 {
			s[i/64] |= 1 << uint(i%64)
		}
	}
	return s
}

// hadamard is the Walsh-Hadamard transform in place, unscaled, two stages at a time;
// len(v) is a power of two and at least 4.
func hadamard(v []float32) {
	h := 1
	for ; 4*h <= len(v); h *= 4 {
		if h == 1 {
			quads(v)
			continue
		}
		for i := 0; i < len(v); i += 4 * h {
			butterfly(v[i:i+h], v[i+h:i+2*h], v[i+2*h:i+3*h], v[i+3*h:i+4*h])
		}
	}
	if h < len(v) {
		x, y := v[:h], v[h:]
		for j := range x {
			x[j], y[j] = x[j]+y[j], x[j]-y[j]
		}
	}
}

// quads does the first two stages.
func quads(v []float32) {
	for ; len(v) >= 4; v = v[4:] {
		a, b, c, d := v[0]+v[1], v[0]-v[1], v[2]+v[3], v[2]-v[3]
		v[0], v[1], v[2], v[3] = a+c, b+d, a-c, b-d
	}
}

// butterfly does two stages on four runs of equal length.
func butterfly(p, q, r, s []float32) {
	q, r, s = q[:len(p)], r[:len(p)], s[:len(p)]
	for j := range p {
		a, b, c, d := p[j]+q[j], p[j]-q[j], r[j]+s[j], r[j]-s[j]
		p[j], q[j], r[j], s[j] = a+c, b+d, a-c, b-d
	}
}

// fold does the stages of the transform that lead to its first 128 numbers only.
func fold(v []float32) []float32 {
	for len(v) > signatureBits {
		half := len(v) / 2
		x, y := v[:half], v[half:]
		for j := range x {
			x[j] += y[j]
		}
		v = x
	}
	return v
}

func finite(x float32) bool { return math.Abs(float64(x)) <= math.MaxFloat32 }
