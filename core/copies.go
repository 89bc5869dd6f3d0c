package core

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/store"
)

// Copies follow the rows, without a lock: whoever has changed a row, or a file,
// makes the files say what the rows say until it finds nothing to do. So the last
// one to touch a file has looked at the rows after it, however many goroutines and
// processes are at work, and a process that is killed leaves no more than the next
// sweep puts right.

// copyRounds is how often the files are brought in line with rows that change all
// the while, before it is left to the next sweep.
const copyRounds = 5

// savedClaim is a text that there should be a copy of.
type savedClaim struct {
	key    string
	record lifecycle.Record
}

// savedVersion tells one text of a document from another; zero means that there is
// none.
type savedVersion struct {
	size int
	hash string
	at   lifecycle.Stamp
}

func versionOf(rec lifecycle.Record) savedVersion {
	if rec.Claim.Size == 0 {
		return savedVersion{}
	}
	return savedVersion{size: rec.Claim.Size, hash: rec.Claim.Hash, at: rec.Claim.At}
}

// copying brings the copies of a user in line with the rows.
type copying struct {
	engine *Engine
	user   string
	// known are copies to look after, by name, with the version written; zero for
	// one that has to be written if there is a claim.
	known map[string]savedVersion
	// missing says to write those too of which there is no file.
	missing bool
}

// copyChanged brings copies in line with rows that were changed under these keys,
// and removes those of the user that no claim stands behind. An error goes to the
// log: the row is what counts.
func (e *Engine) copyChanged(user string, keys []string) {
	if e.saved.dir == "" || len(keys) == 0 {
		return
	}
	c := copying{engine: e, user: user, known: make(map[string]savedVersion)}
	for _, key := range keys {
		c.known[e.saved.name(user, key)] = savedVersion{}
	}
	// The row has changed, whether or not anybody still waits.
	ctx, cancel := within(context.Background(), storeTimeout)
	defer cancel()
	if err := c.run(ctx); err != nil {
		e.opts.Logger.Warn("saved copy of a library text not up to date", "error", err)
	}
}

// copyAll brings all copies of a user in line with the rows.
func (e *Engine) copyAll(ctx context.Context, user string) error {
	if e.saved.dir == "" {
		return nil
	}
	c := copying{engine: e, user: user, known: make(map[string]savedVersion), missing: true}
	return c.run(ctx)
}

func (c *copying) run(ctx context.Context) (err error) {
	for range copyRounds {
		var done bool
		if done, err = c.round(ctx); done {
			return err
		}
	}
	return err
}

// round reports whether there was nothing to do, or no way to do it.
func (c *copying) round(ctx context.Context) (done bool, err error) {
	saved := c.engine.saved
	// Files before rows: a file of a claim made meanwhile is not in the list.
	names, err := saved.list(c.user)
	if err != nil {
		return true, err
	}
	claims, err := c.claims(ctx)
	if err != nil {
		return true, err
	}
	removed, pruned := saved.prune(c.user, names, claims)
	due := c.due(names, claims)
	for _, name := range removed { // the document may be claimed again by now
		c.known[name] = savedVersion{}
	}
	err = errors.Join(pruned, c.write(ctx, due))
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // an erasure may take the folder away
		return true, err
	}
	return len(removed)+len(due) == 0, err
}

// claims are the texts that the rows claim, by the names of their copies.
func (c *copying) claims(ctx context.Context) (map[string]savedClaim, error) {
	claims := make(map[string]savedClaim)
	err := c.engine.Library(c.user).rows(ctx, store.Page{}, func(row store.Personal) bool {
		if row.Record.Claim.Size > 0 {
			claims[c.engine.saved.name(c.user, row.Document)] = savedClaim{row.Document, row.Record}
		}
		return true
	})
	return claims, err
}

// due are the claims whose copies have to be written.
func (c *copying) due(names []string, claims map[string]savedClaim) (due []savedClaim) {
	there := make(map[string]bool, len(names))
	for _, name := range names {
		there[name] = true
	}
	for name, claim := range claims {
		written, known := c.known[name]
		if known && written != versionOf(claim.record) || c.missing && !there[name] {
			due = append(due, claim)
		}
	}
	return due
}

// write writes copies. A text that has gone since the rows were read is left to the
// next round.
func (c *copying) write(ctx context.Context, due []savedClaim) (err error) {
	for batch := range slices.Chunk(due, exportBatch) {
		keys := make([]string, len(batch))
		for i, claim := range batch {
			keys[i] = claim.key
		}
		texts, err := c.engine.store.Texts(ctx, c.engine.opts.Namespace, c.user, keys)
		if err != nil {
			return err
		}
		for _, claim := range batch {
			text, ok := texts[claim.key]
			if !ok {
				continue
			}
			if err := c.engine.saved.put(c.user, claim.key, claim.record, text); err != nil {
				return err
			}
			c.known[c.engine.saved.name(c.user, claim.key)] = versionOf(claim.record)
		}
	}
	return nil
}

// eraseCopies removes all copies of a user whose rows are gone.
func (e *Engine) eraseCopies(user string) (err error) {
	if e.saved.dir == "" {
		return nil
	}
	for range copyRounds { // a copy written at this moment may be in the way
		if err = e.saved.removeUser(user); err == nil {
			break
		}
	}
	ctx, cancel := within(context.Background(), storeTimeout)
	defer cancel()
	// The user may be back already.
	return errors.Join(err, e.copyAll(ctx, user))
}

// removeOrphans removes folders that belong to no user with rows, as a process may
// leave that was killed while it erased one.
func (e *Engine) removeOrphans(ctx context.Context, folders map[string]bool) error {
	if len(folders) == 0 {
		return nil
	}
	names := make([]string, 0, len(folders))
	for name := range folders {
		names = append(names, name)
	}
	if err := e.saved.removeFolders(names...); err != nil {
		return fmt.Errorf("core: saved copies: %w", err)
	}
	// A user may have come back while the others were listed.
	return e.eachUser(ctx, func(user string) error {
		if folders[e.saved.folder(user)] {
			return e.copyAll(ctx, user)
		}
		return nil
	})
}
