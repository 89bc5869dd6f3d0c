package chromem_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

func persistent(t *testing.T, dir string, compress bool) *chromem.DB {
	t.Helper()
	db, damaged, err := repchromem.OpenDB(dir, compress)
	if err != nil || len(damaged) != 0 {
		t.Fatalf("%v, damaged %v", err, damaged)
	}
	return db
}

// file returns where chromem keeps a document of the collection "notes".
func file(dir, id string) string {
	name := func(s string) string { sum := sha256.Sum256([]byte(s)); return hex.EncodeToString(sum[:4]) }
	return filepath.Join(dir, name("notes"), name(id)+".gob")
}

func TestReopened(t *testing.T) {
	for _, compress := range []bool{false, true} {
		dir := t.TempDir()
		c := open(t, persistent(t, dir, compress), repchromem.Options{Hybrid: true})
		add(t, c, "a: apples are red", "b: bananas are yellow", "c: cherries")
		if err := c.Delete(t.Context(), "c"); err != nil {
			t.Fatal(err)
		}
		again := open(t, persistent(t, dir, compress), repchromem.Options{Hybrid: true})
		got, err := again.Query(t.Context(), "yellow bananas", 3, nil, nil)
		if err != nil || got[0].ID != "b" || again.Count() != 2 {
			t.Errorf("compress %v: %v %v", compress, got, err)
		}
	}
}

func TestIDsThatShareAFile(t *testing.T) {
	twins := []core.Candidate{{ID: "doc-17633", Text: "one"}, {ID: "doc-29150", Text: "other"}}
	if repchromem.FileOf(twins[0].ID) != repchromem.FileOf(twins[1].ID) {
		t.Fatal("they do not")
	}
	dir := t.TempDir()
	c := open(t, persistent(t, dir, false), repchromem.Options{})
	if _, err := c.Add(t.Context(), twins); !errors.Is(err, repchromem.ErrCollision) || c.Count() != 0 {
		t.Errorf("together: %v, %d chunks", err, c.Count())
	}
	if _, err := c.Add(t.Context(), twins[:1]); err != nil {
		t.Fatal(err)
	}
	again := open(t, persistent(t, dir, false), repchromem.Options{})
	if _, err := again.Add(t.Context(), twins[1:]); !errors.Is(err, repchromem.ErrCollision) || again.Count() != 1 {
		t.Errorf("after reopening: %v, %d chunks", err, again.Count())
	}
	if err := again.Delete(t.Context(), "doc-17633"); err != nil {
		t.Fatal(err)
	}
	if _, err := again.Add(t.Context(), twins[1:]); err != nil {
		t.Errorf("after the other has gone: %v", err)
	}
	memory := open(t, chromem.NewDB(), repchromem.Options{})
	if _, err := memory.Add(t.Context(), twins); err != nil || memory.Count() != 2 {
		t.Errorf("in memory: %v", err)
	}
}

// An ingestion takes another id instead. chunk#35 and so on are searched so that
// two documents' first chunks share a file.
func TestIngestAvoidsSharedFiles(t *testing.T) {
	seen := map[uint32]string{}
	var docs []repchromem.Document
	for i := 0; docs == nil; i++ {
		id := fmt.Sprint("d", i)
		f := repchromem.FileOf(id + "#0")
		if twin, ok := seen[f]; ok {
			docs = []repchromem.Document{{ID: twin, Text: "one"}, {ID: id, Text: "other"}}
		}
		seen[f] = id
	}
	dir := t.TempDir()
	c := open(t, persistent(t, dir, false), repchromem.Options{})
	for range 2 {
		if r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{}); err != nil || r.Documents != 2 {
			t.Fatalf("%+v %v", r, err)
		}
		c = open(t, persistent(t, dir, false), repchromem.Options{})
		if c.Count() != 2 {
			t.Fatalf("%d chunks of %v", c.Count(), docs)
		}
	}
}

func TestATruncatedFileDoesNotLockTheDatabase(t *testing.T) {
	dir := t.TempDir()
	c := open(t, persistent(t, dir, false), repchromem.Options{})
	docs := []repchromem.Document{{ID: "a", Text: "apples"}, {ID: "b", Text: "bananas"}}
	if _, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file(dir, "a#0"), 20); err != nil {
		t.Fatal(err)
	}
	if _, err := chromem.NewPersistentDB(dir, false); err == nil {
		t.Fatal("chromem opens it by now; OpenDB is no longer needed")
	}
	db, damaged, err := repchromem.OpenDB(dir, false)
	if err != nil || len(damaged) != 1 {
		t.Fatalf("%v %v", damaged, err)
	}
	c = open(t, db, repchromem.Options{})
	if r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{}); err != nil || r.Added != 1 || r.Unchanged != 1 {
		t.Errorf("%+v %v", r, err)
	}
	if c = open(t, persistent(t, dir, false), repchromem.Options{}); c.Count() != 2 {
		t.Errorf("%d chunks", c.Count())
	}
	own := filepath.Join(filepath.Dir(file(dir, "a#0")), "00000000.gob")
	for _, spoil := range []func(string) error{func(p string) error { return os.Truncate(p, 0) }, os.Remove} {
		if err := spoil(own); err != nil {
			t.Fatal(err)
		}
		db, damaged, err = repchromem.OpenDB(dir, false)
		if err != nil || len(damaged) != 1 || len(db.ListCollections()) != 0 {
			t.Fatalf("%v %v", damaged, err)
		}
		add(t, open(t, db, repchromem.Options{}), "a: apples")
	}
	if _, _, err := repchromem.OpenDB("", false); err == nil {
		t.Error("no directory")
	}
	if _, _, err := repchromem.OpenDB(own, false); err == nil {
		t.Error("a file instead of a directory")
	}
}

func TestAFailingDiskAddsNothing(t *testing.T) {
	dir := t.TempDir()
	c := open(t, persistent(t, dir, false), repchromem.Options{Hybrid: true})
	add(t, c, "a: apples", "b: bananas")
	blocked := file(dir, "x")
	if err := os.MkdirAll(filepath.Join(blocked, "full"), 0o700); err != nil { // a folder in the place of the file
		t.Fatal(err)
	}
	_, err := c.Add(t.Context(), []core.Candidate{{ID: "a", Text: "changed"}, {ID: "w", Text: "new"}, {ID: "x", Text: "blocked"}})
	if err == nil {
		t.Fatal("no error")
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	for _, c := range []*repchromem.Collection{c, open(t, persistent(t, dir, false), repchromem.Options{Hybrid: true})} {
		ids, err := c.IDs("", 0)
		if got, _ := c.Get(t.Context(), "a"); err != nil || strings.Join(ids, " ") != "a b" || got[0].Text != "apples" {
			t.Errorf("%v %+v %v", ids, got, err)
		}
		if got, err := c.Query(t.Context(), "changed new blocked", 5, nil, nil); err != nil || strings.Contains(idsOf(got), "x") {
			t.Errorf("%v %v", idsOf(got), err)
		}
	}
}

func TestExportedAndImported(t *testing.T) {
	c := open(t, chromem.NewDB(), repchromem.Options{})
	add(t, c, "a: apples", "b: bananas")
	var dump bytes.Buffer
	if err := c.ExportToWriter(&dump, true, ""); err != nil {
		t.Fatal(err)
	}
	db := chromem.NewDB()
	if err := db.ImportFromReader(bytes.NewReader(dump.Bytes()), ""); err != nil {
		t.Fatal(err)
	}
	if again := open(t, db, repchromem.Options{}); again.Count() != 2 {
		t.Errorf("%d chunks", again.Count())
	}
}

// TestKilledWhileIngesting kills a process in the middle of an ingestion; the
// next run opens what is there and completes it.
func TestKilledWhileIngesting(t *testing.T) {
	const variable = "REPUTE_TEST_INGEST_INTO"
	docs := make([]repchromem.Document, 1000)
	for i := range docs {
		docs[i] = repchromem.Document{ID: fmt.Sprint("doc", i), Text: fmt.Sprintf("Text number %d.", i)}
	}
	if dir := os.Getenv(variable); dir != "" {
		c := open(t, persistent(t, dir, false), repchromem.Options{})
		_, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
		t.Log(err)
		return
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledWhileIngesting$")
	cmd.Env = append(os.Environ(), variable+"="+dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if files, _ := filepath.Glob(filepath.Join(dir, "*", "*.gob")); len(files) > 100 {
			break
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	db, damaged, err := repchromem.OpenDB(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	c := open(t, db, repchromem.Options{})
	before := c.Count()
	r, err := c.IngestDocuments(t.Context(), docs, repchromem.IngestOptions{})
	if err != nil || r.Documents != len(docs) || r.Unchanged != before || c.Count() != len(docs) {
		t.Errorf("%d before, %d damaged: %+v %v", before, len(damaged), r, err)
	}
	if before == 0 || before == len(docs) {
		t.Errorf("killed too early or too late: %d documents", before)
	}
}
