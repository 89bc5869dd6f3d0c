package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	driver "modernc.org/sqlite"

	"github.com/repute-go/repute/core/store"
)

// conn is one connection with its prepared statements. It is not safe for
// concurrent use.
//
// Statements run without the caller's context: they are short, and one that is
// interrupted could not be told from one that was done. The context is looked
// at before a transaction and while waiting for one.
type conn struct {
	c          *sql.Conn
	statements map[string]*sql.Stmt
}

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{c: c, statements: make(map[string]*sql.Stmt)}, nil
}

func (c *conn) close() error {
	for _, s := range c.statements {
		_ = s.Close() // goes with the connection
	}
	return c.c.Close()
}

func (c *conn) statement(query string) (*sql.Stmt, error) {
	if s := c.statements[query]; s != nil {
		return s, nil
	}
	s, err := c.c.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	c.statements[query] = s
	return s, nil
}

// run runs a statement.
func (c *conn) run(query string, args ...any) (sql.Result, error) {
	s, err := c.statement(query)
	if err != nil {
		return nil, err
	}
	return s.Exec(args...)
}

// exec runs a statement and returns the number of rows it changed.
func (c *conn) exec(query string, args ...any) (int, error) {
	r, err := c.run(query, args...)
	if err != nil {
		return 0, err
	}
	n, err := r.RowsAffected()
	return int(n), err
}

// insert runs a statement and returns the row id it made.
func (c *conn) insert(query string, args ...any) (int64, error) {
	r, err := c.run(query, args...)
	if err != nil {
		return 0, err
	}
	return r.LastInsertId()
}

// one reads a row of at most one into dest and reports whether there was one.
func (c *conn) one(query string, args []any, dest ...any) (bool, error) {
	s, err := c.statement(query)
	if err != nil {
		return false, err
	}
	err = s.QueryRow(args...).Scan(dest...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	return err == nil, err
}

// each calls row for every row that the query gives.
func (c *conn) each(query string, args []any, row func(*sql.Rows) error) error {
	s, err := c.statement(query)
	if err != nil {
		return err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// blob makes a key of a string. Keys are blobs: text would stop at a zero byte
// and need not be valid UTF-8. It is never nil, which would be NULL.
func blob(s string) []byte { return append(make([]byte, 0, len(s)), s...) }

// Primary result codes of SQLite.
const (
	codeBusy       = 5
	codeLocked     = 6
	codeReadOnly   = 8
	codeIOError    = 10
	codeCorrupt    = 11
	codeFull       = 13
	codeCannotOpen = 14
	codeNotADB     = 26
)

// code returns the primary result code of an error, 0 if it is not SQLite's.
func code(err error) int {
	var e *driver.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// failed turns an error of the driver into one of package store. Errors of
// package store and of folds pass through.
func failed(what string, err error) error {
	switch code(err) {
	case codeBusy, codeLocked:
		return fmt.Errorf("%w: sqlite: %s: %w", store.ErrConflict, what, err)
	case codeReadOnly, codeFull, codeIOError, codeCannotOpen:
		return fmt.Errorf("%w: sqlite: %s: %w", store.ErrReadOnly, what, err)
	case codeNotADB:
		return fmt.Errorf("%w: not a state file: %w", store.ErrInvalid, err)
	case 0:
		return err
	default:
		return fmt.Errorf("sqlite: %s: %w", what, err)
	}
}
