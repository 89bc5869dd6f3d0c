package core

import (
	"fmt"
	"maps"
	"math"
	"strings"
)

// Thumb is a person's opinion.
type Thumb float64

// Thumbs.
const (
	// Down means "this did not help".
	Down Thumb = 0
	// Up means "this helped".
	Up Thumb = 1
)

// Signal is one opinion about a retrieval, made by Verified, VerifiedBy,
// Behaved, Judged or Rated. The zero Signal means "unknown" and is refused. A
// Signal is a value: On and Used return changed copies.
type Signal struct {
	rater    string
	value    float64
	verified bool
	made     bool
	on       []string
	used     map[string]float64
	partly   bool // of what used does not name nothing is known
}

// Verified says whether the answer turned out right by a check that cannot be
// talked round: a test that ran, a match in a database. It overrides every
// opinion on the same receipt and anchors the raters. Only code makes one;
// never build it from what a user or a model says.
func Verified(ok bool) Signal {
	s := Signal{rater: "verifier:default", verified: true, made: true}
	if ok {
		s.value = 1
	}
	return s
}

// VerifiedBy is Verified with the name of the check, which must not be empty, and
// a degree in [0,1]. Different checks on one receipt are averaged; the same check
// again is a revision.
func VerifiedBy(name string, x float64) Signal {
	return Signal{rater: "verifier:" + name, value: x, verified: true, made: true}
}

// Behaved reports what a person or program did with the answer, in [0,1]: kept
// 1, edited about .5, asked again about .1. The rater is "class:id", for example
// "behaviour:editor".
func Behaved(rater string, x float64) Signal { return opinion(rater, x) }

// Judged reports a judge's opinion in [0,1]. The rater is "class:id", for
// example "judge:overlap".
func Judged(rater string, x float64) Signal { return opinion(rater, x) }

// Rated reports a person's thumb. The rater is "class:id", for example
// "user:u1".
func Rated(rater string, t Thumb) Signal { return opinion(rater, float64(t)) }

func opinion(rater string, x float64) Signal {
	return Signal{rater: rater, value: x, made: true}
}

// On makes the signal one about the named documents alone, by chunk or document
// id as shown; a document id means all its chunks shown. It replaces earlier ids.
// On no document, and On together with Used, is refused.
func (s Signal) On(ids ...string) Signal {
	s.on = append([]string{}, ids...) // On nothing is not the whole answer
	return s
}

// Used says how much of the answer rests on each shown document, in [0,1] by
// chunk or document id. Documents that are not named were not used; see
// UsedPartly. It cannot be combined with On.
func (s Signal) Used(share map[string]float64) Signal {
	s.used, s.partly = maps.Clone(share), false
	if s.used == nil {
		s.used = map[string]float64{}
	}
	return s
}

// UsedPartly is Used by somebody who looked at the named documents alone, a judge
// that is shown the first few, say: the signal says nothing of the others. Naming
// none is refused.
func (s Signal) UsedPartly(share map[string]float64) Signal {
	s = s.Used(share)
	s.partly = true
	return s
}

// names reports whether the signal names documents, which somebody must have shown.
func (s Signal) names() bool { return s.on != nil || len(s.used) > 0 }

// Rater returns the name of the rater, "class:id".
func (s Signal) Rater() string { return s.rater }

// Value returns the opinion, in [0,1].
func (s Signal) Value() float64 { return s.value }

// IsVerified reports whether the signal is a verifier's.
func (s Signal) IsVerified() bool { return s.verified }

// maxRaterName bounds the length of a rater's name in bytes.
const maxRaterName = 200

func (s Signal) validate() error {
	class, id, ok := strings.Cut(s.rater, ":")
	switch {
	case !s.made:
		return fmt.Errorf("%w: the zero Signal says nothing", ErrInvalidSignal)
	case !ok || class == "" || id == "" || len(s.rater) > maxRaterName:
		return fmt.Errorf("%w: rater %.40q is not class:id of at most %d bytes", ErrInvalidSignal, s.rater, maxRaterName)
	case class == "verifier" && !s.verified:
		return fmt.Errorf("%w: %q: class verifier is reserved for Verified", ErrInvalidSignal, s.rater)
	case !inUnit(s.value):
		return fmt.Errorf("%w: %q says %v, not in [0,1]", ErrInvalidSignal, s.rater, s.value)
	case s.on != nil && len(s.on) == 0:
		return fmt.Errorf("%w: %q is On no document", ErrInvalidSignal, s.rater)
	case s.on != nil && s.used != nil:
		return fmt.Errorf("%w: %q is On documents and says what the answer Used", ErrInvalidSignal, s.rater)
	}
	if s.partly && len(s.used) == 0 {
		return fmt.Errorf("%w: %q knows of no document what the answer used", ErrInvalidSignal, s.rater)
	}
	for id, x := range s.used {
		if !inUnit(x) {
			return fmt.Errorf("%w: %q: document %q used %v, not in [0,1]", ErrInvalidSignal, s.rater, id, x)
		}
	}
	return nil
}

func inUnit(x float64) bool { return x >= 0 && x <= 1 && !math.IsNaN(x) }
