package sqlite

import (
	"database/sql"
	"strings"

	"github.com/repute-go/repute/core/store"
)

var aliasesByID = byKeys("SELECT id, hash, previous, seen FROM aliases WHERE source = ? AND id IN")

// aliases calls found for every alias among ids that exists, with its place.
func (r rows) aliases(source int64, ids []string, found func(i int, row aliasRow)) error {
	var missing []any
	places := make(map[string]int) // of the missing
	for i, id := range ids {
		row, known := r.cache.aliases.get(aliasKey{source, id})
		if row.exists {
			found(i, row)
		}
		if _, asked := places[id]; !known && !asked {
			places[id] = i
			missing = append(missing, blob(id))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	err := aliasesByID.each(r.conn, []any{source}, missing, func(sr *sql.Rows) error {
		id, row, err := scanAlias(sr)
		i, asked := places[id]
		if err != nil || !asked {
			return err // asked for twice, see byKeys
		}
		delete(places, id)
		r.cache.aliases.put(aliasKey{source, id}, row)
		found(i, row)
		return nil
	})
	if err != nil {
		return err
	}
	for id := range places {
		r.cache.aliases.put(aliasKey{source, strings.Clone(id)}, aliasRow{})
	}
	return nil
}

func scanAlias(sr *sql.Rows) (id string, row aliasRow, err error) {
	var key, hash, previous sql.RawBytes
	if err := sr.Scan(&key, &hash, &previous, &row.seen); err != nil {
		return "", row, err
	}
	row.exists = true
	if row.hash, err = toHash(hash); err == nil {
		row.previous, err = toHash(previous)
	}
	return string(key), row, err
}

func (row *aliasRow) alias(source, id string) store.Alias {
	return store.Alias{Source: source, ID: id, Hash: row.hash, Previous: row.previous, Seen: row.seen}
}

// putAliases writes aliases as they are. Of two with one key the later counts.
func (t *tx) putAliases(source int64, aliases []store.Alias) error {
	return groups(aliases, "(?, ?, ?, ?, ?)", func(group []store.Alias, tuples string) error {
		args := make([]any, 0, 5*len(group))
		for _, a := range group {
			args = append(args, source, blob(a.ID), a.Hash[:], nullable(a.Previous), a.Seen)
		}
		_, err := t.exec("INSERT INTO aliases (source, id, hash, previous, seen) VALUES "+tuples+
			" ON CONFLICT (source, id) DO UPDATE SET hash = excluded.hash, previous = excluded.previous, seen = excluded.seen", args...)
		t.after(func(c *cache) {
			for _, a := range group {
				c.aliases.put(aliasKey{source, strings.Clone(a.ID)}, aliasRow{true, a.Hash, a.Previous, a.Seen})
			}
		})
		return err
	})
}
