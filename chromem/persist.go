package chromem

import (
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/philippgille/chromem-go"
)

// damagedDir is where OpenDB puts what cannot be read.
const damagedDir = "damaged"

// OpenDB opens a persistent chromem database like chromem.NewPersistentDB, but
// survives a process that was killed, or a disk that was full, while a file was
// being written: one such file keeps chromem from opening the whole database.
// Files that cannot be decoded are moved to the folder "damaged" inside dir, with
// their whole collection if it is the collection's own file, and returned with
// their paths relative to dir. What they held is missing from the database; an
// ingestion brings it back.
func OpenDB(dir string, compress bool) (db *chromem.DB, damaged []string, err error) {
	if dir == "" {
		return nil, nil, fmt.Errorf("chromem: open database: %w: no directory", fs.ErrInvalid)
	}
	db, err = chromem.NewPersistentDB(dir, compress)
	if err == nil {
		return db, nil, nil
	}
	damaged, moved := setAside(dir, compress)
	if moved != nil {
		return nil, damaged, fmt.Errorf("chromem: open database: %w", errors.Join(err, moved))
	}
	if len(damaged) == 0 {
		return nil, nil, fmt.Errorf("chromem: open database: %w", err)
	}
	if db, err = chromem.NewPersistentDB(dir, compress); err != nil {
		return nil, damaged, fmt.Errorf("chromem: open database: %w", err)
	}
	return db, damaged, nil
}

// setAside moves the files of a database that cannot be decoded.
func setAside(dir string, compress bool) (damaged []string, err error) {
	ending := ".gob"
	if compress {
		ending += ".gz"
	}
	collections, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, c := range collections {
		if !c.IsDir() || c.Name() == damagedDir {
			continue
		}
		broken, err := brokenIn(dir, c.Name(), ending)
		if err != nil {
			return damaged, err
		}
		for _, path := range broken {
			if err := moveAside(dir, path); err != nil {
				return damaged, err
			}
			damaged = append(damaged, path)
		}
	}
	return damaged, nil
}

// brokenIn lists the files of a collection that cannot be decoded, or the folder
// itself if it lacks a readable file of its own.
func brokenIn(dir, collection, ending string) (broken []string, err error) {
	files, err := os.ReadDir(filepath.Join(dir, collection))
	if err != nil {
		return nil, err
	}
	own, documents := false, false
	for _, f := range files {
		if f.IsDir() || !strings.HasSuffix(f.Name(), ending) {
			continue
		}
		isOwn := f.Name() == "00000000"+ending
		documents = documents || !isOwn
		switch {
		case !readable(filepath.Join(dir, collection, f.Name()), isOwn):
			broken = append(broken, filepath.Join(collection, f.Name()))
		case isOwn:
			own = true
		}
	}
	if !own && (documents || len(broken) > 0) {
		return []string{collection}, nil
	}
	return broken, nil
}

// moveAside moves dir/path to a free name in the folder for damaged files. A
// collection goes one level deeper, since chromem reads every folder of dir.
func moveAside(dir, path string) error {
	for n := 0; ; n++ {
		to := filepath.Join(dir, damagedDir, fmt.Sprint(n), path)
		if _, err := os.Lstat(to); err == nil {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.Rename(filepath.Join(dir, path), to)
	}
}

// readable reports whether chromem will be able to decode a file.
func readable(path string, own bool) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			return false
		}
		defer z.Close()
		r = z
	}
	if own {
		var head struct {
			Name     string
			Metadata map[string]string
		}
		return gob.NewDecoder(r).Decode(&head) == nil
	}
	var d chromem.Document
	return gob.NewDecoder(r).Decode(&d) == nil
}
