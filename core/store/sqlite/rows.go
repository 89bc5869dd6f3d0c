package sqlite

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/repute-go/repute/core/store"
)

// rows reads rows by key, through the cache if it has one. A reading connection
// has none.
type rows struct {
	*conn
	cache *cache
}

// uncached reads rows of a connection that has no cache.
func uncached(c *conn) rows { return rows{conn: c, cache: &cache{}} }

// maxKeys is the number of keys that one query asks for.
const maxKeys = 64

// byKeys is a query that ends in "IN" and lacks the list of keys. It is run for a
// few numbers of keys only, so that there are few statements to prepare: missing
// keys are filled up with the last.
type byKeys string

// each runs the query on keys in groups; args come before them.
func (q byKeys) each(c *conn, args []any, keys []any, row func(*sql.Rows) error) error {
	for len(keys) > 0 {
		n := min(len(keys), maxKeys)
		all := append(append(make([]any, 0, len(args)+maxKeys), args...), keys[:n]...)
		slots := 1
		for slots < n {
			slots *= 2
		}
		for len(all) < len(args)+slots {
			all = append(all, keys[n-1])
		}
		text := string(q) + " (?" + strings.Repeat(",?", slots-1) + ")"
		if err := c.each(text, all, row); err != nil {
			return err
		}
		keys = keys[n:]
	}
	return nil
}

// stored turns the error of a decoder into that of a store: what is in the file
// is newer or damaged.
func stored(what string, err error) error {
	return fmt.Errorf("sqlite: stored %s: %w", what, store.DecodeError(err))
}

// toHash reads a key of 16 bytes; NULL is the zero hash.
func toHash(b []byte) (h store.Hash, err error) {
	if len(b) != 0 && len(b) != len(h) {
		return h, fmt.Errorf("sqlite: stored key of %d bytes: %w", len(b), store.ErrInvalid)
	}
	copy(h[:], b)
	return h, nil
}

// nullable is a hash as a value, NULL for the zero hash.
func nullable(h store.Hash) any {
	if h.IsZero() {
		return nil
	}
	return h[:]
}
