package gate

import (
	"encoding/binary"
	"math"
)

// reader takes the parts of a model off a slice. After the first mistake bad
// stays set and every further part is empty.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if r.bad || n < 0 || n > len(r.b) {
		r.bad = true
		return nil
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte(most byte) byte {
	b := r.take(1)
	if r.bad || b[0] > most {
		r.bad = true
		return 0
	}
	return b[0]
}

func (r *reader) word() uint64 {
	b := r.take(8)
	if r.bad {
		return 0
	}
	return binary.LittleEndian.Uint64(b)
}

// uint reads a number of at most limit.
func (r *reader) uint(limit uint64) int {
	x, n := binary.Uvarint(r.b)
	if n <= 0 || x > limit {
		r.bad = true
		return 0
	}
	r.take(n)
	return int(x)
}

// length reads the number of elements to come, each of at least size bytes.
func (r *reader) length(size int) int { return r.uint(uint64(len(r.b) / size)) }

// float reads a finite number.
func (r *reader) float() float64 {
	x := math.Float64frombits(r.word())
	if math.IsNaN(x) || math.IsInf(x, 0) {
		r.bad = true
		return 0
	}
	return x
}

func (r *reader) model() *Model {
	flags := r.byte(allFlags)
	m := &Model{sampled: flags&hasSample != 0, keys: make(map[uint64]struct{})}
	tokens := r.words(m)
	r.keys(m)
	m.tokens.Store(tokens)
	m.chunks.Store(int64(len(m.keys)))
	m.sized.Store(int64(r.uint(math.MaxInt32)))
	if flags&hasBoard != 0 {
		m.board = r.board(m.keys)
	}
	if flags&hasMoments != 0 {
		moments := r.moments()
		m.moments.Store(&moments)
	}
	if flags&hasFloor != 0 {
		f := r.floor()
		m.floor.Store(&f)
	}
	if flags&hasGuard != 0 {
		g := r.guard()
		m.guard.Store(&g)
	}
	if flags&hasFingerprint != 0 {
		m.fingerprint = Fingerprint{vectors: r.vectors(len(ProbeTexts()))}
	}
	return m
}

// words reads the term counts and returns the number of tokens.
func (r *reader) words(m *Model) int64 {
	tokens := r.word()
	r.bad = r.bad || tokens > math.MaxInt64
	n := r.length(9)
	table := tableFor(n)
	before := uint64(0)
	for range n {
		hash, count := r.word(), r.uint(math.MaxUint32)
		if r.bad || hash <= before || count == 0 { // ascending, and 0 is never a term
			r.bad = true
			return 0
		}
		before = hash
		i, _ := table.find(hash)
		table.keys[i], table.values[i] = hash, uint32(count)
	}
	table.used = n
	m.words.table.Store(table)
	return int64(tokens)
}

func (r *reader) keys(m *Model) {
	n := r.length(8)
	for range n {
		m.keys[r.word()] = struct{}{}
	}
	if len(m.keys) != n || m.sampled && n > SampleLimit {
		r.bad = true
	}
}

// vectors reads n vectors of length one.
func (r *reader) vectors(n int) [][]float32 {
	dimension := r.uint(maxDimension)
	if r.bad || dimension == 0 || dimension*n*4 > len(r.b) {
		r.bad = true
		return nil
	}
	out := make([][]float32, n)
	for i := range out {
		v := make([]float32, dimension)
		for k := range v {
			v[k] = math.Float32frombits(binary.LittleEndian.Uint32(r.take(4)))
		}
		if l := length(v); !(math.Abs(l-1) < 1e-3) {
			r.bad = true
			return nil
		}
		out[i] = v
	}
	return out
}

func (r *reader) board(keys map[uint64]struct{}) *scoreboard {
	s := &scoreboard{vectors: r.vectors(BankSize), leaders: make([]leaders, BankSize)}
	for j := range s.leaders {
		l := &s.leaders[j]
		l.n, l.more, l.bound = int(r.byte(kept)), r.byte(1) == 1, r.float()
		for i := range l.n {
			l.hits[i] = hit{key: r.word(), score: r.float()}
			if _, ok := keys[l.hits[i].key]; !ok || i > 0 && l.hits[i].score > l.hits[i-1].score {
				r.bad = true
			}
		}
	}
	return s
}

func (r *reader) moments() Moments {
	m := Moments{Scale: Scale(r.byte(byte(ScaleRetriever))), Mean: r.float(), SD: r.float()}
	r.bad = r.bad || m.SD <= 0
	return m
}

func (r *reader) floor() Floor {
	f := Floor{Mean: r.float(), SD: r.float(), KS: r.float(), KSP: r.float()}
	f.Chunks, f.Pairs = r.uint(math.MaxInt32), r.uint(math.MaxInt32)
	f.SameDocument = r.byte(1) == 1
	r.bad = r.bad || f.SD <= 0
	return f
}

func (r *reader) guard() []float64 {
	out := make([]float64, r.length(8))
	for i := range out {
		out[i] = r.float()
		r.bad = r.bad || i > 0 && out[i] < out[i-1]
	}
	return out
}
