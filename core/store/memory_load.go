package store

import (
	"context"
	"fmt"
)

// Load implements [Store]. It copies no record, only the rows' few words.
func (m *Memory) Load(ctx context.Context, req LoadRequest) (*Loaded, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	sp, err := m.read(ctx, req.Namespace)
	if err != nil {
		return nil, err
	}
	out := req.Answer()
	sp.loadRows(&req, out)
	if req.User != "" {
		sp.loadPersonal(out, req.User, req.Personal)
	}
	return out, nil
}

// loadRows loads aliases and documents. It locks all their shards at once and
// looks the rows up before it copies any: at a million rows nearly every look is
// at memory far away, and a processor fetches for several looks at a time unless a
// lock comes between them.
func (sp *space) loadRows(req *LoadRequest, out *Loaded) {
	var locks lockSet
	var few [2 * usualCandidates]uint64
	hashes := few[:0]
	for _, id := range req.IDs {
		hash := sp.stringHash(id)
		hashes = append(hashes, hash)
		locks.add(stringShard(hash))
	}
	for _, h := range req.Hashes {
		locks.addHash(h)
	}
	sp.rlock(locks)
	var fewDocuments [usualCandidates]*documentRow
	var fewAliases [usualCandidates]*aliasRow
	documents, aliases := fewDocuments[:0], fewAliases[:0]
	for _, h := range req.Hashes {
		var row *documentRow
		if !h.IsZero() { // which names no text, and whose shard need not be locked
			row = sp.shards[hashShard(h)].documents.get(h)
		}
		documents = append(documents, row)
	}
	for i, id := range req.IDs {
		aliases = append(aliases, sp.shards[stringShard(hashes[i])].sources[req.Source].row(id, hashes[i]))
	}
	for i, row := range documents {
		if row != nil {
			out.Documents[req.Hashes[i]] = row.document(req.Hashes[i])
		}
	}
	for i, row := range aliases {
		if row != nil {
			id := req.IDs[i]
			out.Aliases[id] = sp.shards[stringShard(hashes[i])].sources[req.Source].alias(req.Source, id, row)
		}
	}
	sp.runlock(locks)
	for i, id := range req.IDs {
		if aliases[i] == nil {
			continue
		}
		a := out.Aliases[id]
		if i >= len(req.Hashes) || a.Hash != req.Hashes[i] { // most texts are what they were
			sp.loadDocument(out.Documents, a.Hash)
		}
		sp.loadDocument(out.Documents, a.Previous)
	}
}

// usualCandidates is how many candidates a load finds room for without asking for
// memory.
const usualCandidates = 64

// Validate returns [ErrInvalid] for a request that no store accepts.
func (req *LoadRequest) Validate() error {
	if req.User == "" && len(req.Personal) > 0 {
		return fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	}
	return nil
}

// loadDocument adds a document to out unless it is there or does not exist.
func (sp *space) loadDocument(out map[Hash]Document, h Hash) {
	if h.IsZero() {
		return
	}
	if _, ok := out[h]; ok {
		return
	}
	s := &sp.shards[hashShard(h)]
	s.RLock()
	defer s.RUnlock()
	if row := s.documents.get(h); row != nil {
		out[h] = row.document(h)
	}
}

func (sp *space) loadPersonal(out *Loaded, user string, documents []string) {
	s := &sp.shards[sp.userShard(user)]
	s.RLock()
	defer s.RUnlock()
	u := s.users[user]
	if u == nil {
		return
	}
	out.Sequence = u.sequence
	for d := range u.active {
		out.Personal[d] = u.rows[d].withoutText()
	}
	u.personal(out.Personal, documents)
}

// personal adds the rows of documents that exist to out.
func (u *userRows) personal(out map[string]Personal, documents []string) {
	for _, d := range documents {
		if p, ok := u.get(d); ok {
			out[d] = p
		}
	}
}

// Blob implements [Store].
func (m *Memory) Blob(ctx context.Context, namespace, name string) (Blob, bool, error) {
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return Blob{}, false, err
	}
	sp.side.RLock()
	defer sp.side.RUnlock()
	b, ok := sp.side.blobs[name]
	return b.clone(), ok, nil
}

// Texts implements [Store].
func (m *Memory) Texts(ctx context.Context, namespace, user string, documents []string) (map[string]string, error) {
	if user == "" && len(documents) > 0 {
		return nil, fmt.Errorf("%w: texts of no user", ErrInvalid)
	}
	sp, err := m.read(ctx, namespace)
	if err != nil {
		return nil, err
	}
	out := make(map[string]string)
	s := &sp.shards[sp.userShard(user)]
	s.RLock()
	defer s.RUnlock()
	u := s.users[user]
	if u == nil {
		return out, nil
	}
	for _, d := range documents {
		if p := u.rows[d]; p != nil && p.Text != "" {
			out[d] = p.Text
		}
	}
	return out, nil
}
