package gate

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/stat"
)

// ErrDimension is returned for a vector of another length than the bank's, or
// one without a direction (zero, NaN, infinite).
var ErrDimension = errors.New("gate: vector does not fit the bank")

//go:embed bank.tsv
var bankFile string

// BankQuestion is one generic question of the bank.
type BankQuestion struct {
	Topic string // one of 16
	Text  string
}

var bank = sync.OnceValue(func() []BankQuestion {
	var out []BankQuestion
	for line := range strings.Lines(bankFile) {
		topic, text, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		out = append(out, BankQuestion{Topic: topic, Text: text})
	}
	return out
})

// Bank returns all 256 generic questions, in a new slice: 16 topics with 16 each.
func Bank() []BankQuestion { return append([]BankQuestion(nil), bank()...) }

// BankSize is the number of questions whose best scores standardise a score.
const BankSize = 64

// BankQuestions returns the BankSize questions that every collection is asked:
// every fourth of the bank, in its order.
func BankQuestions() []BankQuestion {
	out := make([]BankQuestion, 0, BankSize)
	for i, q := range bank() {
		if i%4 == 0 {
			out = append(out, q)
		}
	}
	return out
}

// Scale says what a score is, so that scores of different kinds are never mixed.
type Scale uint8

const (
	// ScaleCosine: the cosine of question and passage.
	ScaleCosine Scale = iota
	// ScaleRetriever: the retriever's own score, higher is better.
	ScaleRetriever
)

// Moments are the mean and the population standard deviation (at least .001) of
// the bank's best scores over a collection.
type Moments struct {
	Mean, SD float64
	Scale    Scale
}

// Standardise returns the score in deviations from the mean, clipped to [-2,5];
// 0 for NaN.
func (m Moments) Standardise(score float64) float64 {
	if math.IsNaN(score) {
		return 0
	}
	return min(max((score-m.Mean)/m.SD, -2), 5)
}

// MomentsOf computes the moments of the bank's best scores. Values that are not
// finite are left out; ok is false if fewer than two remain.
func MomentsOf(best []float64, scale Scale) (m Moments, ok bool) {
	known := make([]float64, 0, len(best))
	for _, b := range best {
		if !math.IsNaN(b) && !math.IsInf(b, 0) {
			known = append(known, b)
		}
	}
	if len(known) < 2 {
		return Moments{}, false
	}
	mean, sd := stat.PopMeanStdDev(known, nil)
	return Moments{Mean: mean, SD: max(sd, 1e-3), Scale: scale}, true
}

// hit is a passage with its cosine to a bank question.
type hit struct {
	key   uint64
	score float64
}

const kept = 4 // passages remembered per bank question, so that few deletions need a new search

// leaders are the best passages of one bank question, best first.
type leaders struct {
	hits  [kept]hit
	n     int
	more  bool    // there are passages that are not listed
	bound float64 // none of those scores higher
}

// best returns the best score known; NaN if there is no passage. While the list
// is stale it is an upper bound, which errs towards caution.
func (l *leaders) best() float64 {
	switch {
	case l.n > 0:
		return l.hits[0].score
	case l.more:
		return l.bound
	}
	return math.NaN()
}

// stale reports that the best passage is no longer known.
func (l *leaders) stale() bool { return l.n == 0 && l.more }

func (l *leaders) insert(h hit) {
	if l.more && h.score < l.bound {
		return
	}
	at := l.n
	for at > 0 && l.hits[at-1].score < h.score {
		at--
	}
	if l.n == kept {
		if at == kept {
			l.unlist(h.score)
			return
		}
		l.unlist(l.hits[kept-1].score)
		l.n--
	}
	copy(l.hits[at+1:l.n+1], l.hits[at:l.n])
	l.hits[at] = h
	l.n++
}

func (l *leaders) lists(key uint64) bool {
	for _, h := range l.hits[:l.n] {
		if h.key == key {
			return true
		}
	}
	return false
}

func (l *leaders) unlist(score float64) {
	if !l.more || score > l.bound {
		l.bound = score
	}
	l.more = true
}

// cut takes what scores below the bound off the list: something better may be
// missing from it.
func (l *leaders) cut() {
	for l.n > 0 && l.hits[l.n-1].score < l.bound {
		l.n--
	}
}

func (l *leaders) remove(key uint64) {
	for i := 0; i < l.n; i++ {
		if l.hits[i].key == key {
			copy(l.hits[i:l.n-1], l.hits[i+1:l.n])
			l.n--
			return
		}
	}
}

// scoreboard keeps the leaders of the bank questions over a collection.
type scoreboard struct {
	vectors  [][]float32 // one of length one per bank question
	leaders  []leaders
	arrived  []leaders       // of what was inserted while the stale ones are looked for; nil otherwise
	arrivals map[uint64]bool // its keys
}

func newScoreboard(vectors [][]float32) (*scoreboard, error) {
	if len(vectors) != BankSize {
		return nil, fmt.Errorf("%w: %d vectors for %d bank questions", ErrDimension, len(vectors), BankSize)
	}
	units, err := normalised(vectors)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDimension, err)
	}
	return &scoreboard{vectors: units, leaders: make([]leaders, BankSize)}, nil
}

// direction returns the unit vector of a passage, if it fits the bank.
func (s *scoreboard) direction(v []float32) ([]float32, error) {
	if len(v) != len(s.vectors[0]) {
		return nil, fmt.Errorf("%w: %d numbers instead of %d", ErrDimension, len(v), len(s.vectors[0]))
	}
	u, ok := unit(v)
	if !ok {
		return nil, fmt.Errorf("%w: zero or not finite", ErrDimension)
	}
	return u, nil
}

// insert scores a passage, given by its unit vector, against the whole bank.
func (s *scoreboard) insert(key uint64, u []float32) {
	for j, q := range s.vectors {
		h := hit{key: key, score: dot(q, u)}
		s.leaders[j].insert(h)
		if s.arrived != nil {
			s.arrived[j].insert(h)
		}
	}
	if s.arrived != nil {
		s.arrivals[key] = true
	}
}

func (s *scoreboard) remove(key uint64) {
	for j := range s.leaders {
		s.leaders[j].remove(key)
		if s.arrived != nil {
			s.arrived[j].remove(key)
		}
	}
}

func (s *scoreboard) best() []float64 {
	out := make([]float64, len(s.leaders))
	for j := range s.leaders {
		out[j] = s.leaders[j].best()
	}
	return out
}
