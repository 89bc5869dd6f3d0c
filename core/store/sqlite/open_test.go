package sqlite_test

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	file := func(name string, content []byte) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, content, 0o600))
		return path
	}
	database := func(name, statements string) string {
		path := filepath.Join(dir, name)
		db, err := sql.Open("sqlite", "file:"+path)
		must(t, err)
		defer db.Close()
		_, err = db.Exec(statements)
		must(t, err)
		return path
	}
	newer := database("newer.db", "CREATE TABLE t (x); PRAGMA application_id = 1380996436; PRAGMA user_version = 99")
	for name, c := range map[string]struct {
		path string
		opts sqlite.Options
		want error
		says string
	}{
		"no folder":          {filepath.Join(dir, "none", "state.db"), sqlite.Options{}, fs.ErrNotExist, "folder"},
		"a folder":           {dir, sqlite.Options{}, store.ErrInvalid, "is a folder"},
		"no path":            {"", sqlite.Options{}, store.ErrInvalid, "path"},
		"a zero byte":        {"a\x00b", sqlite.Options{}, store.ErrInvalid, "path"},
		"no database":        {file("text.db", []byte(strings.Repeat("not a database\n", 100))), sqlite.Options{}, store.ErrInvalid, "not a state file"},
		"another program's":  {database("foreign.db", "CREATE TABLE t (x)"), sqlite.Options{}, store.ErrInvalid, "another program"},
		"a newer version":    {newer, sqlite.Options{}, store.ErrVersion, "version is 99"},
		"nothing to read":    {filepath.Join(dir, "none.db"), sqlite.Options{ReadOnly: true}, fs.ErrNotExist, "none.db"},
		"a negative bound":   {filepath.Join(dir, "state.db"), sqlite.Options{CacheBytes: -1}, store.ErrInvalid, "negative"},
		"old, but read only": {version1(t), sqlite.Options{ReadOnly: true}, store.ErrReadOnly, "upgraded"},
	} {
		s, err := sqlite.Open(t.Context(), c.path, c.opts)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want %v that says %q", name, err, c.want, c.says)
		}
		if s != nil {
			s.Close()
		}
	}
	// What was refused is as it was.
	db, err := sql.Open("sqlite", "file:"+newer)
	must(t, err)
	defer db.Close()
	var tables, version int
	must(t, db.QueryRow("SELECT count(*) FROM sqlite_schema").Scan(&tables))
	must(t, db.QueryRow("PRAGMA user_version").Scan(&version))
	if tables != 1 || version != 99 {
		t.Errorf("the newer file has %d tables and version %d now", tables, version)
	}
}

// TestAwkwardPaths opens files whose names mean something in a URI.
func TestAwkwardPaths(t *testing.T) {
	for _, name := range []string{"a b.db", "a?mode=memory", "a#b", "a%20b", "100%", "ä💥.db", "a&b=c", ":memory:x", "file:a"} {
		path := filepath.Join(t.TempDir(), name)
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		must(t, err)
		must(t, s.Record(t.Context(), retrieval("r", 1, "a")))
		must(t, s.Close())
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Errorf("%q: the state is not in the file: %v", name, err)
		}
	}
}

func TestPermissions(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "state.db"))
	must(t, s.Record(t.Context(), retrieval("r", 1, "a")))
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 3 {
		t.Errorf("%d files, want the state, its log and its index", len(entries))
	}
	for _, e := range entries {
		info, err := e.Info()
		must(t, err)
		if p := info.Mode().Perm(); p != 0o600 {
			t.Errorf("%s has permissions %o", e.Name(), p)
		}
	}
}

func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	must(t, s.Record(t.Context(), retrieval("r", 1, "a", "b")))
	must(t, s.Update(t.Context(), store.UpdateRequest{Receipt: retrieval("r", 1).Receipt.ID}, count))
	must(t, s.Close())
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("after Close there are %d files, %v", len(entries), err)
	}
	if tally, docs := counts(t, open(t, path)); tally != 1 || len(docs) != 2 || docs[0] != 1 {
		t.Errorf("after reopening: tally %v, documents %v", tally, docs)
	}
}

// TestOpenTogether opens one file many times at once, new or of an older version:
// whoever comes while it is being made or closed waits.
func TestOpenTogether(t *testing.T) {
	for i := range 24 {
		path := filepath.Join(t.TempDir(), "state.db")
		if i%4 == 3 {
			path = version1(t)
		}
		var wg sync.WaitGroup
		for range 6 {
			wg.Go(func() {
				s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
				if err != nil {
					t.Error(err)
					return
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
}

// TestMigration opens a copy of a file of version 1; testdata/version1.go says what
// is in it.
func TestMigration(t *testing.T) {
	path := version1(t)
	s := open(t, path)
	for ns := byte(1); ns <= 2; ns++ {
		checkMigrated(t, s, ns)
	}
	// A second store finds it done.
	checkMigrated(t, open(t, path), 1)
	n, err := s.Erase(t.Context(), "tenant 1", store.Erasure{Document: store.Hash{1, 0, 1}, Now: 5})
	if err != nil || n != 3 { // the document, its alias and a receipt
		t.Errorf("Erase changed %d rows, %v; want 3", n, err)
	}
}

// version1 is a copy of the file.
func version1(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/version1.sqlite")
	must(t, err)
	path := filepath.Join(t.TempDir(), "state.db")
	must(t, os.WriteFile(path, b, 0o600))
	return path
}

func checkMigrated(t *testing.T, s *sqlite.Store, ns byte) {
	t.Helper()
	ctx, name := t.Context(), "tenant "+string('0'+ns)
	l, err := s.Load(ctx, store.LoadRequest{Namespace: name, Source: "src", IDs: []string{"chunk 0", "chunk 1"}, User: "u", Personal: []string{"d0"}})
	must(t, err)
	if l.Sequence != 7 || len(l.Aliases) != 2 || len(l.Documents) != 2 || len(l.Personal) != 3 || l.Personal["d1"].Record.Title != "title 1" {
		t.Errorf("%s: loaded %+v", name, l)
	}
	docs, err := s.Documents(ctx, name, store.Page{})
	must(t, err)
	for i, d := range docs {
		if d.Hash != (store.Hash{ns, byte(i), 1}) || d.Uses != int64(i) || d.LastUsed != int64(10*i) || (d.Evidence != nil) != (i%2 == 0) {
			t.Errorf("%s: document %d is %+v", name, i, d)
		}
	}
	texts, err := s.Texts(ctx, name, "u", []string{"d0", "d1", "d2", "d3", "d4"})
	must(t, err)
	receipts, err := s.Receipts(ctx, name, "without rows", store.Page{})
	must(t, err)
	all, err := s.Receipts(ctx, name, "", store.Page{})
	must(t, err)
	users, err := s.Users(ctx, name, store.Page{})
	must(t, err)
	tallies, err := s.Tallies(ctx, name, "", store.Page{})
	must(t, err)
	b, ok, err := s.Blob(ctx, name, "state")
	must(t, err)
	if len(docs) != 5 || len(texts) != 2 || texts["d3"] != "text 3" || len(receipts) != 1 || len(all) != 5 || len(users) != 1 ||
		len(tallies) != 1 || tallies[0].Values[0] != 2.5 || !ok || b.Fingerprint != "model" || len(b.Data) != 3 {
		t.Errorf("%s: %d documents, texts %q, %d and %d receipts, users %q, tallies %v, blob %v",
			name, len(docs), texts, len(receipts), len(all), users, tallies, b)
	}
}
