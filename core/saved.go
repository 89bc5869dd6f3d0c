package core

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// savedExtension ends the names of saved copies.
const savedExtension = ".txt"

// saved keeps copies of claimed texts in a folder. What users and documents are
// called becomes no part of a path: names are hashes. The copies are written and
// removed, never read.
type saved struct {
	dir       string // "" = none
	namespace string
}

// folder is where a user's copies are.
func (s saved) folder(user string) string {
	return filepath.Join(s.dir, digest("saved user", s.namespace, user).String())
}

func (s saved) path(user, key string) string {
	return filepath.Join(s.folder(user), savedName(s.namespace, user, key))
}

func savedName(namespace, user, key string) string {
	return digest("saved text", namespace, user, key).String() + savedExtension
}

// put writes a copy whole: whoever reads the folder sees the old one or the new.
func (s saved) put(user, key string, rec lifecycle.Record, text string) error {
	if s.dir == "" {
		return nil
	}
	if err := os.MkdirAll(s.folder(user), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.folder(user), "new-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = f.WriteString(savedText(key, rec, text))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), s.path(user, key))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// savedText is a copy with a head that says what it is, in lines that the
// document cannot forge.
func savedText(key string, rec lifecycle.Record, text string) string {
	source, doc, _ := store.SplitPersonalKey(key)
	var b strings.Builder
	for _, line := range [][2]string{
		{"Title", rec.Title}, {"Document", doc}, {"Source", source}, {"Path", rec.Path},
		{"Origin", rec.Claim.Origin.String()}, {"Saved", rec.Claim.At.String()},
	} {
		fmt.Fprintf(&b, "%s: %s\n", line[0], lifecycle.Plain(line[1]))
	}
	b.WriteByte('\n')
	b.WriteString(text)
	return b.String()
}

func (s saved) remove(user, key string) error {
	if s.dir == "" {
		return nil
	}
	return gone(os.Remove(s.path(user, key)))
}

func (s saved) removeUser(user string) error {
	if s.dir == "" {
		return nil
	}
	return os.RemoveAll(s.folder(user))
}

// prune removes the copies of a user that no claim stands behind, such as those
// left by a process that ended between the row and the file. keep holds the keys
// of the claims.
func (s saved) prune(user string, keep []string) error {
	if s.dir == "" {
		return nil
	}
	names := make(map[string]bool, len(keep))
	for _, key := range keep {
		names[savedName(s.namespace, user, key)] = true
	}
	files, err := os.ReadDir(s.folder(user))
	if err != nil {
		return gone(err)
	}
	for _, f := range files {
		if !names[f.Name()] && strings.HasSuffix(f.Name(), savedExtension) {
			err = errors.Join(err, gone(os.Remove(filepath.Join(s.folder(user), f.Name()))))
		}
	}
	if len(keep) == 0 {
		_ = os.Remove(s.folder(user)) // fails while something is in it
	}
	return err
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// mirror brings the copies in line with the rows that a retrieval wrote.
func (e *Engine) mirror(p *personal) {
	if e.saved.dir == "" {
		return
	}
	for key, rec := range p.after {
		err := error(nil)
		if rec.Claim.Size == 0 {
			err = e.saved.remove(p.user, key)
		} else if text := p.fresh(key, rec); text != "" {
			err = e.saved.put(p.user, key, rec, text)
		}
		e.unsaved(err)
	}
}

// fresh is the text that an event brought and the row took.
func (p *personal) fresh(key string, rec lifecycle.Record) string {
	for _, ev := range p.events[key] {
		if ev.Claim.Text != "" && ev.Claim.Hash == rec.Claim.Hash {
			return ev.Claim.Text
		}
	}
	return ""
}

// unsaved tells the log of a copy that could not be written or removed. The row
// is what counts.
func (e *Engine) unsaved(err error) {
	if err != nil {
		e.opts.Logger.Warn("saved copy of a library text not up to date", "error", err)
	}
}
