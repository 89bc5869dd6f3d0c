package sqlite

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/repute-go/repute/core/store"
)

// addTallies adds to tallies.
func (t *tx) addTallies(namespace int64, deltas []store.Tally) error {
	for _, d := range deltas {
		var old []byte
		if _, err := t.one("SELECT amounts FROM tallies WHERE namespace = ? AND name = ?", []any{namespace, blob(d.Name)}, &old); err != nil {
			return err
		}
		values, err := decodeAmounts(old)
		if err != nil {
			return err
		}
		_, err = t.exec("INSERT INTO tallies (namespace, name, amounts) VALUES (?, ?, ?)"+
			" ON CONFLICT (namespace, name) DO UPDATE SET amounts = excluded.amounts",
			namespace, blob(d.Name), encodeAmounts(store.AddValues(values, d.Values)))
		if err != nil {
			return err
		}
	}
	return nil
}

func encodeAmounts(values []float64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, x := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

func decodeAmounts(b []byte) (values []float64, err error) {
	if len(b)%8 != 0 {
		return nil, stored("tally", fmt.Errorf("%d bytes", len(b)))
	}
	for ; len(b) > 0; b = b[8:] {
		values = append(values, math.Float64frombits(binary.LittleEndian.Uint64(b)))
	}
	return values, nil
}

// Add implements [store.Store].
func (s *Store) Add(ctx context.Context, namespace string, deltas []store.Tally) error {
	if err := store.ValidateTallies(deltas); err != nil {
		return err
	}
	return s.write(ctx, synced, func(t *tx) error {
		ns, err := t.makeNamespace(namespace)
		if err != nil {
			return err
		}
		return t.addTallies(ns, deltas)
	})
}

func scanTally(sr *sql.Rows) (t store.Tally, err error) {
	var name, amounts sql.RawBytes
	if err = sr.Scan(&name, &amounts); err != nil {
		return t, err
	}
	t.Name = string(name)
	t.Values, err = decodeAmounts(amounts)
	return t, err
}
