package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/repute-go/repute/core/store"
)

// readerCount is the number of reading connections.
const readerCount = 3

// Open opens the store in a file, and makes the file if there is none. The path
// ":memory:" keeps everything in memory. A file of an older version is brought
// up to date first, in one transaction.
//
// Errors: fs.ErrNotExist if the folder does not exist, [store.ErrVersion] if
// the file was written by a newer version, [store.ErrInvalid] if it is no file
// of ours. A file that cannot be written opens, and every write fails with
// [store.ErrReadOnly]; if its folder cannot be written either and there is no log
// beside it, it is read as a file that nobody changes. The context ends the wait for another process that is
// making or upgrading the file.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	s := newStore(opts)
	if path != memoryPath {
		if err := s.prepareFile(path); err != nil {
			return nil, err
		}
	}
	err := s.connect(ctx)
	if err != nil && s.frozen(err) {
		_ = s.disconnect()
		file := s.path
		s = newStore(opts)
		s.path, s.immutable = file, true
		err = s.connect(ctx)
	}
	if err != nil {
		_ = s.disconnect()
		return nil, fmt.Errorf("open %s: %w", path, failed("open", err))
	}
	return s, nil
}

func newStore(opts Options) *Store {
	opts = opts.withDefaults()
	return &Store{
		opts: opts, lock: make(chan struct{}, 1), cache: newCache(opts.CacheBytes),
		counts: make(map[int64]*count), readers: make(chan *conn, readerCount),
		logSize: logSize, longLog: longLog,
	}
}

// frozen reports whether err says that SQLite cannot make the files it needs
// beside the file, and there is no log that would be missed: then the file can be
// read as one that nobody changes.
func (s *Store) frozen(err error) bool {
	c := code(err)
	return s.path != "" && (c == codeReadOnly || c == codeCannotOpen) && s.logLength() == 0
}

const memoryPath = ":memory:"

// prepareFile checks the path and makes an empty file with our permissions; the
// files beside it inherit them. An existing file is not opened here: closing it
// would drop the locks that another store of this process holds on it.
func (s *Store) prepareFile(path string) error {
	if path == "" || strings.ContainsRune(path, 0) {
		return fmt.Errorf("%w: sqlite: the path %q", store.ErrInvalid, path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("sqlite: %w", err)
	}
	s.path = abs
	switch info, err := os.Stat(abs); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%w: sqlite: %s is a folder", store.ErrInvalid, path)
	case err == nil:
		return nil
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sqlite: %w", err)
	}
	if folder := filepath.Dir(abs); s.opts.ReadOnly || !isFolder(folder) {
		if !s.opts.ReadOnly {
			return fmt.Errorf("sqlite: the folder %s of the state file: %w", folder, fs.ErrNotExist)
		}
		return fmt.Errorf("sqlite: the state file %s: %w", path, fs.ErrNotExist)
	}
	f, err := os.OpenFile(abs, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: sqlite: %w", store.ErrReadOnly, err)
	}
	return f.Close()
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// connect opens the connections and brings the schema up to date.
func (s *Store) connect(ctx context.Context) error {
	db, err := sql.Open("sqlite", s.dsn())
	if err != nil {
		return err
	}
	s.db = db
	if s.main, err = s.newConn(ctx); err != nil {
		return err
	}
	// A full ring of events fits into a page of a new file, and is read without
	// a second one. Whoever holds the main connection must not sleep long on it.
	err = s.persist(ctx, func() error {
		return s.set("PRAGMA page_size = 8192; PRAGMA cache_size = -32768; PRAGMA busy_timeout = 20")
	})
	if err != nil {
		return err
	}
	// A file that is not ours is left in the mode that it is in.
	if _, err := s.current(ctx); err != nil {
		return err
	}
	if s.path != "" && !s.opts.ReadOnly && !s.immutable {
		if err := s.enterWAL(ctx); err != nil {
			return err
		}
	}
	if err := s.migrate(ctx); err != nil {
		return err
	}
	if s.path == "" {
		s.syncer.none = true
		return nil
	}
	for range readerCount {
		r, err := s.newConn(ctx)
		if err != nil {
			return err
		}
		s.readers <- r
	}
	s.syncer.open(s.path + "-wal")
	return nil
}

// newConn opens a connection, waiting for others who make, upgrade or close the
// file.
func (s *Store) newConn(ctx context.Context) (c *conn, err error) {
	err = s.persist(ctx, func() error {
		c, err = newConn(ctx, s.db)
		return err
	})
	return c, err
}

// dsn names the file and what every connection is set to. The log is copied
// into the file by us, never by a commit. What is removed is overwritten at once,
// by whatever way it goes: what a user's erasure finds is then all there is of them.
func (s *Store) dsn() string {
	query := url.Values{"_pragma": {
		"busy_timeout(5000)", "synchronous(NORMAL)", "wal_autocheckpoint(0)", "journal_size_limit(67108864)",
		"trusted_schema(OFF)", "secure_delete(ON)", "cache_size(-2048)",
	}}
	if s.path == "" {
		return "file::memory:?" + query.Encode()
	}
	if s.opts.ReadOnly || s.immutable {
		query.Set("mode", "ro")
	}
	if s.immutable {
		query.Set("immutable", "1")
	}
	path := filepath.ToSlash(s.path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a Windows drive
	}
	return (&url.URL{Scheme: "file", Path: path, RawQuery: query.Encode()}).String()
}

// set runs a pragma on the main connection.
func (s *Store) set(pragma string) error {
	_, err := s.main.c.ExecContext(context.Background(), pragma)
	return err
}

// enterWAL switches the file to WAL mode, waiting for others who do. A file that
// cannot be written stays as it is.
func (s *Store) enterWAL(ctx context.Context) error {
	return s.persist(ctx, func() error {
		var mode string
		err := s.main.c.QueryRowContext(context.Background(), "PRAGMA journal_mode = WAL").Scan(&mode)
		if code(err) == codeReadOnly {
			return nil
		}
		return err
	})
}
