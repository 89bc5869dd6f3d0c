package storetest

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/repute-go/repute/core/store"
)

// model is the contract of one namespace in plain maps, without locks, bounds
// of memory or speed. The simulation compares a store with it.
type model struct {
	documents map[store.Hash]store.Document
	aliases   map[[2]string]store.Alias
	receipts  map[store.ReceiptID]store.Receipt
	sequences map[string]int64
	personal  map[[2]string]store.Personal
	tallies   map[string][]float64
	blobs     map[string]store.Blob
	erased    map[string]int64
}

func newModel() *model {
	return &model{
		documents: make(map[store.Hash]store.Document), aliases: make(map[[2]string]store.Alias),
		receipts: make(map[store.ReceiptID]store.Receipt), sequences: make(map[string]int64),
		personal: make(map[[2]string]store.Personal), tallies: make(map[string][]float64),
		blobs: make(map[string]store.Blob), erased: make(map[string]int64),
	}
}

// contents is what an export of the model holds.
func (m *model) contents() contents {
	c := make(contents)
	for _, d := range m.documents {
		c.add(d)
	}
	for _, a := range m.aliases {
		c.add(a)
	}
	for _, rc := range m.receipts {
		c.add(rc)
	}
	for user, n := range m.sequences {
		c.add(store.Sequence{User: user, Number: n})
	}
	for key, p := range m.personal {
		c.add(store.Entry{User: key[0], Personal: p})
	}
	for name, values := range m.tallies {
		c.add(store.Tally{Name: name, Values: values})
	}
	for _, x := range m.blobs {
		c.add(x)
	}
	for actor, at := range m.erased {
		c.add(store.Tombstone{Actor: actor, Erased: at})
	}
	return c
}

// document makes the row of a text if it has none.
func (m *model) document(h store.Hash) store.Document {
	d, ok := m.documents[h]
	if !ok && !h.IsZero() {
		d.Hash = h
		m.documents[h] = d
	}
	return d
}

func (m *model) load(req store.LoadRequest) contents {
	c := make(contents)
	add := func(h store.Hash) {
		if d, ok := m.documents[h]; ok {
			c.add(d)
		}
	}
	for _, h := range req.Hashes {
		add(h)
	}
	for _, id := range req.IDs {
		if a, ok := m.aliases[[2]string{req.Source, id}]; ok {
			c.add(a)
			add(a.Hash)
			add(a.Previous)
		}
	}
	for key, p := range m.personal {
		if key[0] == req.User && (p.Active || slices.Contains(req.Personal, key[1])) {
			p.Text = ""
			c.add(store.Entry{User: key[0], Personal: p})
		}
	}
	if n := m.sequences[req.User]; n > 0 {
		c.add(store.Sequence{User: req.User, Number: n})
	}
	return c
}

// record returns the error that the retrieval meets.
func (m *model) record(r store.Retrieval) error {
	rc := r.Receipt
	if at, ok := m.erased[store.UserActor(rc.User)]; ok && at >= rc.Created {
		return store.ErrErased
	}
	if _, ok := m.receipts[rc.ID]; ok {
		return store.ErrInvalid
	}
	if rc.User != "" {
		m.sequences[rc.User]++
		if r.Fold != nil {
			changes, _ := r.Fold(m.sequences[rc.User], r.Personal)
			m.change(rc.User, changes)
		}
		m.boundPersonal(rc.User, r.MaxPersonal)
	}
	for _, a := range r.Aliases {
		m.aliases[[2]string{a.Source, a.ID}] = a
		m.document(a.Hash)
		m.document(a.Previous)
	}
	used := make(map[store.Hash]bool)
	for _, s := range rc.Shown {
		m.document(s.Previous)
		if d := m.document(s.Hash); !s.Hash.IsZero() && !used[s.Hash] {
			used[s.Hash] = true
			d.Uses++
			d.LastUsed = max(d.LastUsed, rc.Created)
			m.documents[s.Hash] = d
		}
	}
	m.receipts[rc.ID] = rc
	m.boundReceipts(r.MaxReceipts)
	return nil
}

func (m *model) change(user string, changes []store.PersonalChange) {
	for _, c := range changes {
		key := [2]string{user, c.Document}
		if c.Delete {
			delete(m.personal, key)
			continue
		}
		if c.KeepText {
			c.Text = m.personal[key].Text
		}
		m.personal[key] = c.Personal
	}
}

func (m *model) boundPersonal(user string, limit int) {
	var inactive []store.Personal
	n := 0
	for key, p := range m.personal {
		if key[0] == user {
			n++
			if !p.Active {
				inactive = append(inactive, p)
			}
		}
	}
	slices.SortFunc(inactive, func(a, b store.Personal) int {
		return cmp.Or(cmp.Compare(a.Updated, b.Updated), cmp.Compare(a.Document, b.Document))
	})
	for limit > 0 && n > limit && len(inactive) > 0 {
		delete(m.personal, [2]string{user, inactive[0].Document})
		inactive = inactive[1:]
		n--
	}
}

func (m *model) boundReceipts(limit int) {
	for limit > 0 && len(m.receipts) > limit {
		oldest := slices.MinFunc(slices.Collect(maps.Values(m.receipts)), func(a, b store.Receipt) int {
			return cmp.Or(cmp.Compare(a.Created, b.Created), bytes.Compare(a.ID[:], b.ID[:]))
		})
		delete(m.receipts, oldest.ID)
	}
}

// view is what an update sees, as contents.
func (m *model) view(req store.UpdateRequest) contents {
	c := make(contents)
	rc, ok := m.receipts[req.Receipt]
	if ok {
		c.add(rc)
	}
	for _, s := range rc.Shown {
		for _, h := range []store.Hash{s.Hash, s.Previous} {
			if d, ok := m.documents[h]; ok {
				c.add(d)
			}
		}
		req.Personal = append(req.Personal, store.PersonalKey(rc.Source, s.Document))
	}
	user := cmp.Or(rc.User, req.User)
	for _, d := range req.Personal {
		if p, ok := m.personal[[2]string{user, d}]; ok {
			p.Text = ""
			c.add(store.Entry{User: user, Personal: p})
		}
	}
	for _, a := range req.Actors {
		if at, ok := m.erased[a]; ok {
			c.add(store.Tombstone{Actor: a, Erased: at})
		}
	}
	return c
}

func (m *model) apply(req store.UpdateRequest, ch store.Changes) {
	rc := m.receipts[req.Receipt]
	if ch.Receipt != nil {
		rc.Evidence = ch.Receipt
		m.receipts[rc.ID] = rc
	}
	for h, evidence := range ch.Documents {
		if d := m.document(h); !h.IsZero() {
			d.Evidence = evidence
			m.documents[h] = d
		}
	}
	user := cmp.Or(rc.User, req.User)
	if m.change(user, ch.Personal); len(ch.Personal) > 0 {
		m.boundPersonal(user, req.MaxPersonal)
	}
	m.add(ch.Tallies)
}

func (m *model) add(deltas []store.Tally) {
	for _, t := range deltas {
		values := append(slices.Clone(m.tallies[t.Name]), make([]float64, max(0, len(t.Values)-len(m.tallies[t.Name])))...)
		for i, x := range t.Values {
			values[i] += x
		}
		m.tallies[t.Name] = values
	}
}

func (m *model) expire(b store.Bounds) int {
	before := m.rows()
	maps.DeleteFunc(m.receipts, func(_ store.ReceiptID, rc store.Receipt) bool { return rc.Expires <= b.Now })
	maps.DeleteFunc(m.aliases, func(_ [2]string, a store.Alias) bool { return b.AliasesBefore != 0 && a.Seen < b.AliasesBefore })
	named := make(map[store.Hash]bool)
	for _, a := range m.aliases {
		named[a.Hash], named[a.Previous] = true, true
	}
	maps.DeleteFunc(m.documents, func(h store.Hash, d store.Document) bool {
		limit := b.DocumentsBefore
		if d.Evidence != nil {
			limit = b.EvidenceBefore
		}
		return limit != 0 && d.LastUsed < limit && !named[h]
	})
	m.expireUsers(b.UsersBefore)
	maps.DeleteFunc(m.erased, func(_ string, at int64) bool { return b.TombstonesBefore != 0 && at < b.TombstonesBefore })
	for prefix, limit := range b.MaxTallies {
		m.boundTallies(prefix, limit)
	}
	return before - m.rows()
}

// rows is the number of rows that may expire.
func (m *model) rows() int {
	return len(m.receipts) + len(m.aliases) + len(m.documents) + len(m.tallies) + len(m.personal) + len(m.sequences) + len(m.erased)
}

func (m *model) expireUsers(before int64) {
	here := make(map[string]bool)
	for _, rc := range m.receipts {
		here[rc.User] = true
	}
	for key, p := range m.personal {
		here[key[0]] = here[key[0]] || p.Active || p.Updated >= before
	}
	if before != 0 {
		maps.DeleteFunc(m.personal, func(key [2]string, _ store.Personal) bool { return !here[key[0]] })
		maps.DeleteFunc(m.sequences, func(user string, _ int64) bool { return !here[user] })
	}
}

func (m *model) boundTallies(prefix string, limit int) {
	size := func(name string) (sum float64) {
		for _, x := range m.tallies[name] {
			sum += math.Abs(x)
		}
		return sum
	}
	var found []string
	for name := range m.tallies {
		if strings.HasPrefix(name, prefix) {
			found = append(found, name)
		}
	}
	slices.SortFunc(found, func(a, b string) int { return cmp.Or(cmp.Compare(size(a), size(b)), cmp.Compare(a, b)) })
	for i := 0; i < len(found)-limit; i++ {
		delete(m.tallies, found[i])
	}
}

func (m *model) erase(e store.Erasure) (n int) {
	m.erased[e.Actor()] = max(m.erased[e.Actor()], e.Now)
	before := len(m.tallies) + len(m.receipts) + len(m.personal) + len(m.documents) + len(m.aliases)
	for _, name := range e.Tallies {
		delete(m.tallies, name)
	}
	if e.User != "" {
		delete(m.sequences, e.User)
		maps.DeleteFunc(m.personal, func(key [2]string, _ store.Personal) bool { return key[0] == e.User })
		maps.DeleteFunc(m.receipts, func(_ store.ReceiptID, rc store.Receipt) bool { return rc.User == e.User })
	}
	if e.Document.IsZero() {
		n = m.eraseActor(e)
	} else {
		n = m.eraseDocument(e)
	}
	return n + before - len(m.tallies) - len(m.receipts) - len(m.personal) - len(m.documents) - len(m.aliases)
}

func (m *model) eraseActor(e store.Erasure) (changed int) {
	for h, d := range m.documents {
		if evidence, n := e.Rewrite(d.Evidence); n > 0 {
			d.Evidence = evidence
			if evidence.Empty() {
				d.Evidence = nil
			}
			m.documents[h] = d
			changed++
		}
	}
	for id, rc := range m.receipts {
		if evidence, n := e.RewriteReceipt(rc.Evidence); n > 0 {
			rc.Evidence = evidence
			m.receipts[id] = rc
			changed++
		}
	}
	return changed
}

func (m *model) eraseDocument(e store.Erasure) (changed int) {
	delete(m.documents, e.Document)
	maps.DeleteFunc(m.personal, func(key [2]string, _ store.Personal) bool { return slices.Contains(e.Personal, key[1]) })
	maps.DeleteFunc(m.aliases, func(_ [2]string, a store.Alias) bool { return a.Hash == e.Document })
	for key, a := range m.aliases {
		if a.Previous == e.Document {
			a.Previous = store.Hash{}
			m.aliases[key] = a
			changed++
		}
	}
	for id, rc := range m.receipts {
		shown := slices.Clone(rc.Shown)
		for i := range shown {
			if shown[i].Hash == e.Document {
				shown[i].Hash = store.Hash{}
			}
			if shown[i].Previous == e.Document {
				shown[i].Previous = store.Hash{}
			}
		}
		if !slices.Equal(shown, rc.Shown) {
			rc.Shown = shown
			m.receipts[id] = rc
			changed++
		}
	}
	return changed
}
