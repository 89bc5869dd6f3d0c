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
	for _, h := range req.Hashes {
		sp.loadDocument(out.Documents, h)
	}
	for i, id := range req.IDs {
		a, ok := sp.alias(req.Source, id)
		if !ok {
			continue
		}
		out.Aliases[id] = a
		if i >= len(req.Hashes) || a.Hash != req.Hashes[i] { // most texts are what they were
			sp.loadDocument(out.Documents, a.Hash)
		}
		sp.loadDocument(out.Documents, a.Previous)
	}
	if req.User != "" {
		sp.loadPersonal(out, req.User, req.Personal)
	}
	return out, nil
}

// Validate returns [ErrInvalid] for a request that no store accepts.
func (req *LoadRequest) Validate() error {
	if req.User == "" && len(req.Personal) > 0 {
		return fmt.Errorf("%w: personal rows of no user", ErrInvalid)
	}
	return nil
}

// alias reads one alias.
func (sp *space) alias(source, id string) (Alias, bool) {
	s := &sp.shards[sp.aliasShard(id)]
	s.RLock()
	a, ok := s.sources[source].alias(source, id)
	s.RUnlock()
	a.ID = id
	return a, ok
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
