package chromem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"unicode/utf8"
)

// Ingest brings the collection in step with the text files of a file system, as
// IngestDocuments does with documents: a file's path is its document's ID and
// Path, its first heading or its name the title. It opens nothing outside fsys
// and follows no link. Files that are too large, hold no text or cannot be read
// are reported; where a folder cannot be read, nothing is removed.
func (c *Collection) Ingest(ctx context.Context, fsys fs.FS, opts IngestOptions) (IngestReport, error) {
	if opts.Set == "" {
		opts.Set = "files"
	}
	if opts.MaxSize == 0 {
		opts.MaxSize = DefaultMaxSize
	}
	paths, failed, err := walk(ctx, fsys, opts.Match)
	if err != nil {
		return IngestReport{}, err
	}
	for _, f := range failed {
		opts.Keep = opts.Keep || !errors.Is(f.err, ErrIrregular)
	}
	return c.ingest(ctx, len(paths)+len(failed), func(yield func(loaded) bool) {
		for _, f := range failed {
			if !yield(f) {
				return
			}
		}
		for _, p := range paths {
			if !yield(read(fsys, p, opts.MaxSize)) {
				return
			}
		}
	}, opts)
}

// walk lists the regular files to read, and what it could not look at.
func walk(ctx context.Context, fsys fs.FS, match func(string) bool) (paths []string, failed []loaded, err error) {
	err = fs.WalkDir(fsys, ".", func(p string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && p == ".":
			return err
		case err != nil:
			failed = append(failed, loaded{Document{ID: p}, err})
			return nil
		case match == nil && p != "." && strings.HasPrefix(path.Base(p), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
		case entry.IsDir() || match != nil && !match(p):
		case !entry.Type().IsRegular():
			failed = append(failed, loaded{Document{ID: p}, ErrIrregular})
		default:
			paths = append(paths, p)
		}
		return nil
	})
	if err != nil {
		return nil, nil, fmt.Errorf("chromem: ingest: %w", err)
	}
	return paths, failed, nil
}

// read reads one file.
func read(fsys fs.FS, p string, most int64) loaded {
	text, err := readText(fsys, p, most)
	if err != nil {
		return loaded{Document{ID: p}, err}
	}
	return loaded{Document: Document{ID: p, Title: titleOf(text, p), Path: p, Text: text}}
}

func readText(fsys fs.FS, p string, most int64) (string, error) {
	f, err := fsys.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		return "", fmt.Errorf("%w: %d bytes, at most %d", ErrTooLarge, info.Size(), most)
	}
	b, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return "", err
	case int64(len(b)) > most:
		return "", fmt.Errorf("%w: more than %d bytes", ErrTooLarge, most)
	case bytes.IndexByte(b[:min(len(b), 8192)], 0) >= 0:
		return "", ErrBinary
	case !utf8.Valid(b):
		return "", fmt.Errorf("%w: not valid UTF-8", ErrText)
	}
	return string(b), nil
}

// titleOf returns the first Markdown heading of a text, else the file's name
// without its ending.
func titleOf(text, p string) string {
	for line := range strings.Lines(text[:min(len(text), 4096)]) {
		if rest, ok := strings.CutPrefix(line, "# "); ok && strings.TrimSpace(rest) != "" {
			return strings.TrimSpace(strings.ToValidUTF8(rest, ""))
		}
	}
	return strings.TrimSuffix(path.Base(p), path.Ext(p))
}
