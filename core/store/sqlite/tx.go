package sqlite

import (
	"strings"

	"github.com/repute-go/repute/core/store"
)

// tx is a write transaction on the main connection.
type tx struct {
	rows
	s *Store
	// wrote is set by the first statement that writes: the cache may then hold
	// what a rollback takes back.
	wrote bool
	// committed are the changes of the cache that hold once the transaction
	// does.
	committed []func(*cache)
}

// after runs change on the cache if the transaction is committed.
func (t *tx) after(change func(*cache)) { t.committed = append(t.committed, change) }

// exec runs a statement that writes.
func (t *tx) exec(query string, args ...any) (int, error) {
	t.wrote = true
	return t.rows.exec(query, args...)
}

// insert runs a statement that writes and returns the row id it made.
func (t *tx) insert(query string, args ...any) (int64, error) {
	t.wrote = true
	return t.rows.insert(query, args...)
}

// groupSize is the number of rows that one statement writes.
const groupSize = 32

// groups calls write for rows in groups, with a list of so many "(?, ?)".
func groups[R any](rows []R, tuple string, write func(group []R, tuples string) error) error {
	for len(rows) > 0 {
		n := min(len(rows), groupSize)
		if err := write(rows[:n], tuple+strings.Repeat(", "+tuple, n-1)); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// appender encodes a record.
type appender interface {
	AppendBinary([]byte) ([]byte, error)
}

// encode encodes a record that came from a caller.
func encode(r appender) ([]byte, error) {
	b, err := r.AppendBinary(nil)
	if err != nil {
		return nil, store.DecodeError(err)
	}
	return b, nil
}

// putBody writes the part of a row that lies apart, at id or, if that is 0, at a
// new id, which it returns.
func (t *tx) putBody(table string, id int64, r appender) (int64, error) {
	body, err := encode(r)
	if err != nil {
		return 0, err
	}
	if id != 0 {
		_, err = t.exec("UPDATE "+table+" SET body = ? WHERE id = ?", body, id)
		return id, err
	}
	return t.insert("INSERT INTO "+table+" (body) VALUES (?)", body)
}

// reference is a row id as a value, NULL for 0.
func reference(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
