package store

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
)

// The rules below belong to the contract and hold for every store. They are
// exported so that a store need not write them again.

// Validate returns [ErrInvalid] for a retrieval that no store accepts.
func (r *Retrieval) Validate() error {
	switch {
	case r.Receipt.ID.IsZero():
		return fmt.Errorf("%w: a receipt without an id", ErrInvalid)
	case !r.Receipt.aligned():
		return fmt.Errorf("%w: a receipt whose evidence is not aligned with what it shows", ErrInvalid)
	case len(r.Personal) > 0 && r.Receipt.User == "":
		return fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	case (r.Fold == nil) != (len(r.Personal) == 0):
		return fmt.Errorf("%w: personal rows and their fold come together", ErrInvalid)
	case slices.ContainsFunc(r.Aliases, func(a Alias) bool { return a.ID == "" }),
		slices.ContainsFunc(r.Personal, func(p Personal) bool { return p.Document == "" }):
		return fmt.Errorf("%w: a row with an empty key", ErrInvalid)
	case r.MaxPersonal < 0 || r.MaxReceipts < 0:
		return fmt.Errorf("%w: a negative bound", ErrInvalid)
	}
	return nil
}

// CheckChanges returns [ErrInvalid] if the fold changed a row that the
// retrieval did not name.
func (r *Retrieval) CheckChanges(changes []PersonalChange) error {
	for _, c := range changes {
		if !slices.ContainsFunc(r.Personal, func(p Personal) bool { return p.Document == c.Document }) {
			return fmt.Errorf("%w: fold changed a personal row it was not given", ErrInvalid)
		}
	}
	return nil
}

// aligned reports whether the evidence, if there is any, is about what is shown.
func (rc *Receipt) aligned() bool {
	return rc.Evidence == nil || len(rc.Evidence.Shown) == len(rc.Shown)
}

// Texts returns the texts shown, each once.
func (rc *Receipt) Texts() []Hash {
	out := make([]Hash, 0, len(rc.Shown))
	for _, s := range rc.Shown {
		if !s.Hash.IsZero() && !slices.Contains(out, s.Hash) {
			out = append(out, s.Hash)
		}
	}
	return out
}

// Validate returns [ErrInvalid] for a request that no store accepts.
func (req *UpdateRequest) Validate() error {
	switch {
	case len(req.Personal) > 0 && req.User == "" && req.Receipt.IsZero():
		return fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	case slices.Contains(req.Personal, ""):
		return fmt.Errorf("%w: a row with an empty key", ErrInvalid)
	case req.MaxPersonal < 0:
		return fmt.Errorf("%w: a negative bound", ErrInvalid)
	}
	return nil
}

// Scope is the set of rows that an update locks, reads and may write.
type Scope struct {
	// Namespace is the tenant.
	Namespace string
	// Receipt is the receipt, or zero.
	Receipt ReceiptID
	// Hashes are the documents, in ascending order, each once.
	Hashes []Hash
	// User owns the personal rows; empty if there are none.
	User string
	// Personal are the personal rows, in ascending order, each once.
	Personal []string
	// Actors are looked up among the tombstones.
	Actors []string
}

// NewScope joins a request with the receipt it names; rc is nil if it names
// none. A user that is not the receipt's is [ErrInvalid].
func NewScope(req UpdateRequest, rc *Receipt) (*Scope, error) {
	s := &Scope{Namespace: req.Namespace, Receipt: req.Receipt, User: req.User, Actors: req.Actors}
	s.Personal = slices.Clone(req.Personal)
	if rc != nil {
		if req.User != "" && req.User != rc.User {
			return nil, fmt.Errorf("%w: the receipt is another user's", ErrInvalid)
		}
		s.User = rc.User
		s.addShown(rc)
	}
	if s.User == "" && len(req.Personal) > 0 {
		return nil, fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	}
	slices.SortFunc(s.Hashes, CompareHashes)
	s.Hashes = slices.Compact(s.Hashes)
	slices.Sort(s.Personal)
	s.Personal = slices.Compact(s.Personal)
	return s, nil
}

func (s *Scope) addShown(rc *Receipt) {
	s.Hashes = make([]Hash, 0, 2*len(rc.Shown))
	for _, sh := range rc.Shown {
		for _, h := range [...]Hash{sh.Hash, sh.Previous} {
			if !h.IsZero() {
				s.Hashes = append(s.Hashes, h)
			}
		}
		if s.User != "" {
			s.Personal = append(s.Personal, PersonalKey(rc.Source, sh.Document))
		}
	}
}

// Check returns [ErrInvalid] if the changes touch a row outside the scope.
func (s *Scope) Check(ch Changes) error {
	if ch.Receipt != nil && s.Receipt.IsZero() {
		return fmt.Errorf("%w: fold changed a receipt it was not given", ErrInvalid)
	}
	for h := range maps.Keys(ch.Documents) {
		if _, ok := slices.BinarySearchFunc(s.Hashes, h, CompareHashes); !ok && !h.IsZero() {
			return fmt.Errorf("%w: fold changed a document it was not given", ErrInvalid)
		}
	}
	if err := ValidateTallies(ch.Tallies); err != nil {
		return err
	}
	for _, c := range ch.Personal {
		if _, ok := slices.BinarySearch(s.Personal, c.Document); !ok {
			return fmt.Errorf("%w: fold changed a personal row it was not given", ErrInvalid)
		}
	}
	return nil
}

// ValidateTallies returns [ErrInvalid] if a tally has no name or a value that is
// not finite: adding it would spoil what was added before.
func ValidateTallies(deltas []Tally) error {
	for _, t := range deltas {
		if t.Name == "" {
			return fmt.Errorf("%w: a tally without a name", ErrInvalid)
		}
		for _, x := range t.Values {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%w: tally %.80q: %v", ErrInvalid, t.Name, x)
			}
		}
	}
	return nil
}

// Still reports whether the stored blob, if one exists, is the one that SwapBlob is
// to replace; nil stands for none.
func (b *Blob) Still(stored Blob, exists bool) bool {
	if b == nil || !exists {
		return b == nil && !exists
	}
	return b.Fingerprint == stored.Fingerprint && b.Updated == stored.Updated && bytes.Equal(b.Data, stored.Data)
}

// AddValues returns the element-wise sum of two vectors, as long as the longer.
// It may modify and return a.
func AddValues(a, b []float64) []float64 {
	if len(b) > len(a) {
		a = append(a, make([]float64, len(b)-len(a))...)
	}
	for i, x := range b {
		a[i] += x
	}
	return a
}
