package gate

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/repute-go/repute/internal/lexical"
)

// SampleLimit is how many passages a sampled model counts before it ignores more.
const SampleLimit = 5000

// Model is what a gate knows about one collection: how many passages hold a
// word, how long passages are, how well a bank of generic questions scores, and
// the noise floor. It never grows stale: every insert and delete is folded in at
// once, at a cost that does not depend on the size of the collection.
//
// A model is safe for concurrent use. Changes take a lock among themselves;
// Decide reads without one, and may see a passage that is just being inserted
// counted for some of its words and not yet for others, which moves nothing
// that matters.
type Model struct {
	words   counts
	chunks  atomic.Int64
	tokens  atomic.Int64
	moments atomic.Pointer[Moments]
	floor   atomic.Pointer[Floor]
	guard   atomic.Pointer[[]float64] // evidence of the bank questions, see SetBankEvidence
	sized   atomic.Int64              // passages when SetScores or SetBankEvidence was last called

	mu          sync.Mutex // guards everything below, and is held by whoever changes anything above
	sampled     bool
	keys        map[uint64]struct{} // passages counted
	board       *scoreboard
	fingerprint Fingerprint

	rescoring sync.Mutex // held by Rescore, never taken with mu held
}

// ModelOptions are the choices made when a model starts.
type ModelOptions struct {
	// Sampled says that the model sees only some passages of the collection,
	// gathered from search results. The gate then uses constants measured for
	// that case, and no more than SampleLimit passages are counted.
	Sampled bool
	// Bank holds the vectors of BankQuestions, if the vectors of all passages will
	// be handed to Insert: the score side is then kept up to date by itself.
	Bank [][]float32
	// Fingerprint of the embedder that made the vectors.
	Fingerprint Fingerprint
}

// NewModel returns the model of an empty collection. Bank vectors of a wrong
// number, of unequal length or without direction are ErrDimension.
func NewModel(o ModelOptions) (*Model, error) {
	m := &Model{sampled: o.Sampled, keys: make(map[uint64]struct{}), fingerprint: o.Fingerprint}
	if o.Bank != nil {
		board, err := newScoreboard(o.Bank)
		if err != nil {
			return nil, err
		}
		m.board = board
	}
	return m, nil
}

// Insert counts a passage under a key of the caller's choice, such as a hash of
// its id. It returns false, and does nothing, if the key is already counted or a
// sampled model is full. With a bank, vector is the passage's and must have its
// dimension, else the passage is not counted and the error is ErrDimension;
// without one it is ignored.
func (m *Model) Insert(key uint64, words lexical.Set, vector []float32) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.insert(key, words, vector)
}

func (m *Model) insert(key uint64, words lexical.Set, vector []float32) (bool, error) {
	if _, known := m.keys[key]; known || m.sampled && len(m.keys) >= SampleLimit {
		return false, nil
	}
	if m.board != nil {
		u, err := m.board.direction(vector)
		if err != nil {
			return false, err
		}
		m.board.insert(key, u)
		m.publishMoments()
	}
	m.keys[key] = struct{}{}
	m.count(words, 1)
	return true, nil
}

// Delete takes a passage out again; words must be those it was inserted with. It
// returns false, and does nothing, if the key is not counted.
func (m *Model) Delete(key uint64, words lexical.Set) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.remove(key, words)
}

func (m *Model) remove(key uint64, words lexical.Set) bool {
	if _, known := m.keys[key]; !known {
		return false
	}
	delete(m.keys, key)
	m.count(words, -1)
	if m.board != nil {
		m.board.remove(key)
		m.publishMoments()
	}
	return true
}

// Update replaces the passage under a key, or inserts it. On ErrDimension the old
// passage stays counted.
func (m *Model) Update(key uint64, before, after lexical.Set, vector []float32) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.board != nil {
		if _, err := m.board.direction(vector); err != nil {
			return err
		}
	}
	m.remove(key, before)
	_, err := m.insert(key, after, vector)
	return err
}

func (m *Model) count(words lexical.Set, delta int) {
	for h := range words.Hashes() {
		m.words.add(h, delta)
	}
	m.tokens.Store(max(0, m.tokens.Load()+int64(delta*words.Tokens())))
	m.chunks.Store(int64(len(m.keys)))
}

func (m *Model) publishMoments() {
	if moments, ok := MomentsOf(m.board.best(), ScaleCosine); ok {
		m.moments.Store(&moments)
		return
	}
	m.moments.Store(nil)
}

// Contains reports whether a passage is counted under this key.
func (m *Model) Contains(key uint64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.keys[key]
	return ok
}

// Chunks returns the number of passages counted.
func (m *Model) Chunks() int { return int(m.chunks.Load()) }

// MeanLength returns the mean number of words of a passage, repeats and only
// analysed words counted; 0 without passages.
func (m *Model) MeanLength() float64 {
	n := m.chunks.Load()
	if n <= 0 {
		return 0
	}
	return float64(m.tokens.Load()) / float64(n)
}

// DocumentFrequency returns how many passages hold the term.
func (m *Model) DocumentFrequency(term string) int {
	return int(m.words.get(lexical.Hash(term)))
}

// Sampled reports whether the model sees only some passages of the collection.
func (m *Model) Sampled() bool { return m.sampled }

// HasBank reports whether Insert wants vectors.
func (m *Model) HasBank() bool { return m.board != nil }

// Bank returns the bank's vectors, each of length one, for the model of another
// collection with the same embedder; nil without a bank. They must not be modified.
func (m *Model) Bank() [][]float32 {
	if m.board == nil {
		return nil
	}
	return m.board.vectors
}

// Fingerprint returns the fingerprint of the embedder the model was made with.
func (m *Model) Fingerprint() Fingerprint { return m.fingerprint }

// InverseFrequency returns ln(1 + (n-df+.5)/(df+.5)) for a term hash
// (lexical.Hash) over n passages, df of which hold the term: Robertson and Spärck
// Jones's weight in the form that is never negative.
func (m *Model) InverseFrequency(hash uint64) float64 {
	return inverseFrequency(float64(m.chunks.Load()), float64(m.words.get(hash)))
}

func inverseFrequency(n, df float64) float64 {
	df = min(df, n) // a passage half inserted may be counted here and not yet there
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// Moments returns the moments of the bank's best scores; ok is false if they are
// not known.
func (m *Model) Moments() (moments Moments, ok bool) {
	if p := m.moments.Load(); p != nil {
		return *p, true
	}
	return Moments{}, false
}

// SetScores takes the best score of each bank question from outside, for a
// collection whose passage vectors are not to be had. Fewer than two finite
// scores are ErrSample; with a bank the model keeps its own and refuses. The best
// of more passages score higher, so the scores age, see Outgrown.
func (m *Model) SetScores(best []float64, scale Scale) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.board != nil {
		return fmt.Errorf("%w: the model measures the bank itself", ErrSample)
	}
	m.sized.Store(m.chunks.Load())
	moments, ok := MomentsOf(best, scale)
	if !ok {
		return fmt.Errorf("%w: %d bank scores", ErrSample, len(best))
	}
	m.moments.Store(&moments)
	return nil
}

// SetBankEvidence hands over the evidence (Decision.E) that each question of the
// bank reached over this collection: BankSize values in the order of
// BankQuestions, or 256 in that of Bank. The bank guard and the recall profile
// use it. Another number of values, or one that is not finite, is ErrSample.
func (m *Model) SetBankEvidence(values []float64) error {
	kept, err := withoutHomeTopics(values)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.guard.Store(&kept)
	m.sized.Store(m.chunks.Load())
	return nil
}

// Outgrown reports whether SetScores or SetBankEvidence is to be called for a gate
// with these needs: the passages have doubled since the last time, or halved. Below
// 100 passages, where the gate decides nothing, there is no hurry.
func (m *Model) Outgrown(needs Needs) bool {
	if !(needs.Scores && m.board == nil || needs.Bank) {
		return false // nothing comes from outside
	}
	now, then := m.chunks.Load(), m.sized.Load()
	return now >= max(2*then, smallCorpus) || then > smallCorpus && 2*now <= then
}

// HasBankEvidence reports whether SetBankEvidence was called.
func (m *Model) HasBankEvidence() bool { return m.guard.Load() != nil }

// SetFloor sets the noise floor.
func (m *Model) SetFloor(f Floor) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.floor.Store(&f)
}

// Floor returns the noise floor; ok is false if it has not been measured.
func (m *Model) Floor() (f Floor, ok bool) {
	if p := m.floor.Load(); p != nil {
		return *p, true
	}
	return Floor{}, false
}
