package reputation_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

func gauss(rng *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(rng.NormFloat64())
	}
	return v
}

// The share of differing bits must estimate the angle.
func TestSignatureEstimatesAngle(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, dim := range []int{8, 64, 384, 768} {
		s, err := reputation.NewSigner("m", dim, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, angle := range []float64{.2, .5, 1, 1.5} {
			sum, n := 0.0, 200
			for range n {
				a, b := gauss(rng, dim), gauss(rng, dim)
				orthonormalise(a, b)
				c := make([]float32, dim)
				for i := range c {
					c[i] = float32(math.Cos(angle)*float64(a[i]) + math.Sin(angle)*float64(b[i]))
				}
				x, _ := s.Sign(a)
				y, _ := s.Sign(c)
				sum += math.Pi * float64(x.Hamming(y)) / 128
			}
			if got := sum / float64(n); math.Abs(got-angle) > .05 {
				t.Errorf("dim %d: angle %v estimated as %v", dim, angle, got)
			}
		}
	}
}

func orthonormalise(a, b []float32) {
	scale(a, 1/math.Sqrt(dot(a, a)))
	p := dot(a, b)
	for i := range b {
		b[i] -= float32(p) * a[i]
	}
	scale(b, 1/math.Sqrt(dot(b, b)))
}

func dot(a, b []float32) (s float64) {
	for i := range a {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func scale(a []float32, by float64) {
	for i := range a {
		a[i] *= float32(by)
	}
}

// Signatures are stored: the same vector must have the same one for ever.
func TestSignatureIsFrozen(t *testing.T) {
	s, _ := reputation.NewSigner("m", 5, []float32{.1, 0, 0, 0, 0})
	got, err := s.Sign([]float32{1, 2, 3, 4, 5})
	if err != nil {
		t.Fatal(err)
	}
	if want := (reputation.Signature{0x99a570f9e11a7bb0, 0x91e4d4cae4c189b4}); got != want {
		t.Errorf("signature %#x, want %#x", got, want)
	}
	if want := reputation.Space(0x813c2ee17785ecf5); s.Space() != want {
		t.Errorf("space %#x, want %#x", s.Space(), want)
	}
	twice, _ := s.Sign([]float32{2, 4, 6, 8, 10})
	if twice != got {
		t.Error("length matters")
	}
}

func TestSignerRefuses(t *testing.T) {
	s, _ := reputation.NewSigner("m", 2, nil)
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, v := range [][]float32{nil, {1}, {1, 2, 3}, {0, 0}, {nan, 1}, {inf, 1}} {
		if _, err := s.Sign(v); !errors.Is(err, reputation.ErrVector) {
			t.Errorf("%v: %v", v, err)
		}
	}
	for _, mean := range [][]float32{{1}, {nan, 0}} {
		if _, err := reputation.NewSigner("m", 2, mean); !errors.Is(err, reputation.ErrVector) {
			t.Errorf("mean %v: %v", mean, err)
		}
	}
	a, _ := reputation.NewSigner("m", 2, nil)
	b, _ := reputation.NewSigner("m", 2, []float32{0, .1})
	if a.Space() != s.Space() || a.Space() == b.Space() {
		t.Error("the space must follow the mean")
	}
}

func BenchmarkSign(b *testing.B) {
	v := gauss(rand.New(rand.NewPCG(1, 1)), 384)
	s, _ := reputation.NewSigner("m", 384, v)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Sign(v); err != nil {
			b.Fatal(err)
		}
	}
}
