package storetest

import (
	"github.com/repute-go/repute/core/store"
)

// lists pages through every listing and compares what comes with the model.
func (s *simulation) lists() {
	limit := 1 + s.rng.IntN(9)
	user := s.user()
	got := make(contents)
	walkRows(s, limit, func(p store.Page) ([]store.Document, error) { return s.Documents(s.ctx, s.namespace, p) },
		func(d store.Document) string { got.add(d); return string(d.Hash[:]) })
	for _, source := range []string{"src", "other"} {
		walkRows(s, limit, func(p store.Page) ([]store.Alias, error) { return s.Aliases(s.ctx, s.namespace, source, p) },
			func(a store.Alias) string { got.add(a); return a.ID })
	}
	walkRows(s, limit, func(p store.Page) ([]store.Receipt, error) { return s.Receipts(s.ctx, s.namespace, "", p) },
		func(rc store.Receipt) string { got.add(rc); return string(rc.ID[:]) })
	walkRows(s, limit, func(p store.Page) ([]store.Personal, error) { return s.Personal(s.ctx, s.namespace, user, p) },
		func(p store.Personal) string { got.add(store.Entry{User: user, Personal: p}); return p.Document })
	walkRows(s, limit, func(p store.Page) ([]store.Tally, error) { return s.Store.Tallies(s.ctx, s.namespace, "", p) },
		func(t store.Tally) string { got.add(t); return t.Name })
	walkRows(s, limit, func(p store.Page) ([]store.Blob, error) { return s.Blobs(s.ctx, s.namespace, "", p) },
		func(x store.Blob) string { got.add(x); return x.Name })
	s.same("what is listed", got, s.model.listed(user))
	s.users(limit)
}

func walkRows[R any](s *simulation, limit int, list func(store.Page) ([]R, error), key func(R) string) {
	for after := ""; ; {
		rows, err := list(store.Page{After: after, Limit: limit})
		s.expect(err, nil)
		for _, r := range rows {
			k := key(r)
			if k <= after {
				s.Errorf("seed %d, step %d: a page goes from %q to %q", s.seed, s.step, after, k)
			}
			after = k
		}
		if len(rows) < limit || err != nil {
			return
		}
	}
}

// listed is what the listings show of the model: everything but the rows of
// other users, texts, sequences and tombstones.
func (m *model) listed(user string) contents {
	c := newModel()
	c.documents, c.aliases, c.receipts, c.tallies, c.blobs = m.documents, m.aliases, m.receipts, m.tallies, m.blobs
	for key, p := range m.personal {
		if key[0] == user {
			p.Text = ""
			c.personal[key] = p
		}
	}
	return c.contents()
}

// users compares the users listed, and the texts of their rows.
func (s *simulation) users(limit int) {
	want := make(map[string]bool)
	for key := range s.model.personal {
		want[key[0]] = true
	}
	n := 0
	walkRows(s, limit, func(p store.Page) ([]string, error) { return s.Users(s.ctx, s.namespace, p) }, func(user string) string {
		n++
		if !want[user] {
			s.Errorf("seed %d, step %d: user %q has no rows", s.seed, s.step, user)
		}
		return user
	})
	s.expectCount(n, nil, len(want))
	for key, p := range s.model.personal {
		texts, err := s.Texts(s.ctx, s.namespace, key[0], []string{key[1]})
		s.expect(err, nil)
		if texts[key[1]] != p.Text {
			s.Errorf("seed %d, step %d: text of %q is %q, want %q", s.seed, s.step, key, texts[key[1]], p.Text)
		}
	}
}
