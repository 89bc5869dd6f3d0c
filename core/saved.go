package core

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

const (
	// savedExtension ends the names of saved copies.
	savedExtension = ".txt"
	// savedTemporary begins the names of copies that are being written.
	savedTemporary = "new-"
	// savedAbandoned is the age at which a copy that is being written was left
	// behind by a process that ended.
	savedAbandoned = time.Hour
)

// saved keeps copies of claimed texts in a folder, those of a user in a folder of
// their own. What namespaces, users and documents are called becomes no part of a
// path: names are hashes. A link in the folder that leads out of it is not
// followed. The copies are written and removed, never read.
type saved struct {
	dir       string // "" = none
	namespace string
}

// prefix begins the names of the namespace's folders: several namespaces may share
// one Dir.
func (s saved) prefix() string { return digest("saved namespace", s.namespace).String() + "-" }

// folder is where a user's copies are.
func (s saved) folder(user string) string {
	return s.prefix() + digest("saved user", s.namespace, user).String()
}

// name is what the copy of a document is called.
func (s saved) name(user, key string) string {
	return digest("saved text", s.namespace, user, key).String() + savedExtension
}

// within calls f with the folder of all copies. Without one there is nothing to do.
func (s saved) within(f func(root *os.Root) error) error {
	if s.dir == "" {
		return nil
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return gone(err)
	}
	return errors.Join(f(root), root.Close())
}

// put writes a copy whole: whoever reads the folder sees the old one or the new.
func (s saved) put(user, key string, rec lifecycle.Record, text string) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	return s.within(func(root *os.Root) error {
		folder := s.folder(user)
		if err := root.MkdirAll(folder, 0o700); err != nil {
			return err
		}
		temporary := path.Join(folder, savedTemporary+crand.Text())
		f, err := root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if err != nil {
			return err
		}
		_, err = f.WriteString(savedText(key, rec, text))
		err = errors.Join(err, f.Sync(), f.Close())
		if err == nil {
			err = root.Rename(temporary, path.Join(folder, s.name(user, key)))
		}
		if err != nil {
			return errors.Join(err, gone(root.Remove(temporary)))
		}
		return nil
	})
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

// list returns the names of what is in a user's folder.
func (s saved) list(user string) (names []string, err error) {
	err = s.within(func(root *os.Root) error {
		files, err := fs.ReadDir(root.FS(), s.folder(user))
		for _, f := range files {
			names = append(names, f.Name())
		}
		return gone(err)
	})
	return names, err
}

// prune removes those of the names in a user's folder that no claim stands behind,
// and returns the copies among them. What is being written stays, unless it is
// abandoned.
func (s saved) prune(user string, names []string, claims map[string]savedClaim) (copies []string, err error) {
	folder := s.folder(user)
	err = s.within(func(root *os.Root) error {
		var errs []error
		for _, name := range names {
			_, claimed := claims[name]
			switch file := path.Join(folder, name); {
			case strings.HasSuffix(name, savedExtension) && !claimed:
				copies = append(copies, name)
				errs = append(errs, gone(root.Remove(file)))
			case strings.HasPrefix(name, savedTemporary) && abandoned(root, file):
				errs = append(errs, gone(root.Remove(file)))
			}
		}
		if len(claims) == 0 {
			_ = root.Remove(folder) // fails while something is in it
		}
		return errors.Join(errs...)
	})
	return copies, err
}

// abandoned goes by the system's clock, as the times of files do.
func abandoned(root *os.Root, file string) bool {
	info, err := root.Lstat(file)
	return err == nil && time.Since(info.ModTime()) > savedAbandoned
}

func (s saved) removeUser(user string) error { return s.removeFolders(s.folder(user)) }

func (s saved) removeFolders(folders ...string) error {
	return s.within(func(root *os.Root) error {
		var errs []error
		for _, folder := range folders {
			errs = append(errs, root.RemoveAll(folder))
		}
		return errors.Join(errs...)
	})
}

// folders returns the namespace's folders.
func (s saved) folders() (folders map[string]bool, err error) {
	folders = make(map[string]bool)
	err = s.within(func(root *os.Root) error {
		files, err := fs.ReadDir(root.FS(), ".")
		for _, f := range files {
			if strings.HasPrefix(f.Name(), s.prefix()) {
				folders[f.Name()] = true
			}
		}
		return err
	})
	return folders, err
}

func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
