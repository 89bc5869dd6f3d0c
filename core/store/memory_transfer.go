package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Export implements [Store]. It copies the rows of a shard under its lock and
// writes them without it.
func (m *Memory) Export(ctx context.Context, namespace string, w io.Writer) error {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return err
	}
	out := NewWriter(w)
	for i := range sp.shards {
		if err := m.open(ctx); err != nil {
			return err
		}
		for _, r := range sp.shards[i].snapshot() {
			if err := out.Write(r); err != nil {
				return err
			}
		}
	}
	for _, r := range sp.side.snapshot() {
		if err := out.Write(r); err != nil {
			return err
		}
	}
	return out.Close()
}

// snapshot copies the rows of a shard, ordered by kind and key.
func (s *shard) snapshot() (rows []Row) {
	s.RLock()
	defer s.RUnlock()
	for _, d := range s.documents.all() {
		rows = append(rows, d.value.document(d.key))
	}
	for source, aliases := range s.sources {
		for _, r := range aliases.rows.all() {
			rows = append(rows, aliases.alias(source, r.key, &r.value))
		}
	}
	for _, rc := range s.receipts {
		rows = append(rows, *rc)
	}
	for name, u := range s.users {
		if u.sequence != 0 {
			rows = append(rows, Sequence{name, u.sequence})
		}
		for _, p := range u.rows {
			rows = append(rows, Entry{name, *p})
		}
	}
	slices.SortFunc(rows, compareRows)
	return rows
}

func (s *side) snapshot() (rows []Row) {
	s.RLock()
	defer s.RUnlock()
	for _, name := range slices.Sorted(maps.Keys(s.tallies)) {
		rows = append(rows, Tally{name, slices.Clone(s.tallies[name])})
	}
	for _, name := range slices.Sorted(maps.Keys(s.blobs)) {
		rows = append(rows, s.blobs[name])
	}
	for _, actor := range slices.Sorted(maps.Keys(s.erased)) {
		rows = append(rows, Tombstone{actor, s.erased[actor]})
	}
	return rows
}

func compareRows(a, b Row) int {
	if c := cmp.Compare(a.kind(), b.kind()); c != 0 {
		return c
	}
	switch a := a.(type) {
	case Document:
		return CompareHashes(a.Hash, b.(Document).Hash)
	case Alias:
		b := b.(Alias)
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	case Receipt:
		id := b.(Receipt).ID
		return bytes.Compare(a.ID[:], id[:])
	case Entry:
		b := b.(Entry)
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Document, b.Document))
	case Sequence:
		return cmp.Compare(a.User, b.(Sequence).User)
	}
	return 0
}

// Import implements [Store]. It works row by row.
func (m *Memory) Import(ctx context.Context, namespace string, r io.Reader) error {
	sp, err := m.write(ctx, namespace)
	if err != nil {
		return err
	}
	in, err := NewReader(r)
	if err != nil {
		return err
	}
	for {
		row, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := ValidateRow(row); err != nil {
			return err
		}
		if err := m.open(ctx); err != nil {
			return err
		}
		sp.restore(row)
	}
}

// ValidateRow returns [ErrInvalid] for a row that no store can have written: one
// with an empty key, a negative count, a tally that is not finite, or a receipt
// whose evidence is not aligned with what it shows.
func ValidateRow(r Row) error {
	empty, impossible := false, false
	switch r := r.(type) {
	case Document:
		empty, impossible = r.Hash.IsZero(), r.Uses < 0 || r.LastUsed < 0
	case Alias:
		empty = r.ID == ""
	case Receipt:
		empty, impossible = r.ID.IsZero(), !r.aligned()
	case Entry:
		empty = r.User == "" || r.Document == ""
	case Sequence:
		empty, impossible = r.User == "", r.Number < 0
	case Tally:
		return ValidateTallies([]Tally{r})
	case Blob:
		empty = r.Name == ""
	case Tombstone:
		empty = r.Actor == ""
	}
	switch {
	case empty:
		return fmt.Errorf("%w: a row with an empty key", ErrInvalid)
	case impossible:
		return fmt.Errorf("%w: a %T that no store holds", ErrInvalid, r)
	}
	return nil
}

// restore writes one row as it is; of two tombstones the later holds.
func (sp *space) restore(r Row) {
	switch r := r.(type) {
	case Tally:
		sp.side.add([]Tally{r})
		return
	case Blob, Tombstone:
		sp.side.restore(r)
		return
	}
	var l lockSet
	l.add(sp.rowShard(r))
	sp.lock(l)
	defer sp.unlock(l)
	switch r := r.(type) {
	case Document:
		sp.putDocument(r.Hash, documentRow{r.Evidence, r.Uses, r.LastUsed})
	case Alias:
		sp.putAlias(r)
	case Receipt:
		sp.restoreReceipt(&r)
	case Entry:
		sp.makeUser(r.User).apply(PersonalChange{Personal: r.Personal})
	case Sequence:
		sp.makeUser(r.User).sequence = r.Number
	}
}

func (sp *space) rowShard(r Row) int {
	switch r := r.(type) {
	case Document:
		return hashShard(r.Hash)
	case Alias:
		return sp.aliasShard(r.ID)
	case Receipt:
		return receiptShard(r.ID)
	case Entry:
		return sp.userShard(r.User)
	case Sequence:
		return sp.userShard(r.User)
	}
	return 0
}

func (sp *space) restoreReceipt(rc *Receipt) {
	s := &sp.shards[receiptShard(rc.ID)]
	if s.receipts[rc.ID] == nil {
		sp.count.Add(1)
	}
	s.putReceipt(rc)
	sp.mu.Lock()
	sp.ages.push(string(rc.ID[:]), rc.Created)
	sp.mu.Unlock()
}

func (s *side) restore(r Row) {
	s.Lock()
	defer s.Unlock()
	switch r := r.(type) {
	case Blob:
		s.putBlob(r)
	case Tombstone:
		if s.erased == nil {
			s.erased = make(map[string]int64)
		}
		if at, ok := s.erased[r.Actor]; !ok || at < r.Erased {
			s.erased[strings.Clone(r.Actor)] = r.Erased
		}
	}
}
