package chromem

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"weak"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/internal/lexical"
)

// shelf is what the handles of one chromem collection share. chromem itself
// keeps no list of its ids, races where a deletion or an export meets an
// addition, and does not say what it holds; the shelf knows and orders.
type shelf struct {
	name       string
	collection *chromem.Collection
	persistent bool

	ingesting sync.Mutex // one ingestion at a time; taken before mu

	mu        sync.RWMutex // writers of the collection hold it alone
	read      bool         // the rest is known
	chunks    map[string]entry
	files     map[uint32]string   // id by the file it is kept in; persistent only
	documents map[string][]string // chunk ids by document id, unordered
	sorted    []string            // all ids in order; nil = to be made
	dimension int                 // 0 = empty
	words     *lexical.Index      // nil until a hybrid handle wants it
	observers map[*observer]struct{}
}

// entry is what is known of a chunk without asking chromem.
type entry struct {
	doc   string // id of its document, "" = its own
	set   string // the ingestion it belongs to, "" = none
	hash  string // of its text
	model string // that embedded it, "" = unknown
}

type observer struct{ core.WriteObserver }

// library is the shelves of one database.
type library struct {
	mu      sync.Mutex
	shelves map[string]*shelf
}

var libraries = struct {
	mu   sync.Mutex
	byDB map[weak.Pointer[chromem.DB]]*library
}{byDB: map[weak.Pointer[chromem.DB]]*library{}}

// libraryOf returns the process-wide library of a database. It does not keep the
// database alive.
func libraryOf(db *chromem.DB) *library {
	libraries.mu.Lock()
	defer libraries.mu.Unlock()
	key := weak.Make(db)
	lib := libraries.byDB[key]
	if lib == nil {
		lib = &library{shelves: map[string]*shelf{}}
		libraries.byDB[key] = lib
		runtime.AddCleanup(db, func(key weak.Pointer[chromem.DB]) {
			libraries.mu.Lock()
			defer libraries.mu.Unlock()
			delete(libraries.byDB, key)
		}, key)
	}
	return lib
}

// open returns the shelf of a collection, which is created if there is none:
// chromem's own "get or create" may create it twice and lose one.
func (l *library) open(db *chromem.DB, name string, embed embeddingFunc, metadata map[string]string) (*shelf, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	collection := db.GetCollection(name, embed)
	if collection == nil {
		var err error
		if collection, err = db.CreateCollection(name, metadata, embed); err != nil {
			return nil, fmt.Errorf("chromem: collection %.80q: %w", name, err)
		}
	}
	s := l.shelves[name]
	if s == nil || s.collection != collection {
		s = &shelf{name: name, collection: collection, persistent: isPersistent(db), observers: map[*observer]struct{}{}}
		l.shelves[name] = s
	}
	return s, nil
}

// isPersistent reports whether a database writes files. chromem has no method
// for it; if the field is ever renamed, every database counts as persistent,
// which only refuses some ids too many.
func isPersistent(db *chromem.DB) bool {
	dir := reflect.ValueOf(db).Elem().FieldByName("persistDirectory")
	return dir.Kind() != reflect.String || dir.String() != ""
}

// fileOf returns the number that names the file of an id in a persistent
// collection: the first 4 bytes of its SHA-256. 0 is the collection's own file.
func fileOf(id string) uint32 {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint32(sum[:4])
}

// current reports whether the shelf knows what the collection holds, as far as
// the count tells.
func (s *shelf) current() bool { return s.read && s.collection.Count() == len(s.chunks) }

// rebuild makes the shelf's knowledge anew from the collection. The caller holds
// mu alone. If documents cannot be compared, the error names some of them and the
// shelf stays as it was.
func (s *shelf) rebuild(db *chromem.DB) error {
	docs, err := list(db, s.name, s.collection)
	if err != nil {
		return err
	}
	if err := s.check(docs); err != nil {
		return err
	}
	s.chunks = make(map[string]entry, len(docs))
	s.documents = map[string][]string{}
	s.files = map[uint32]string{}
	s.sorted, s.dimension, s.read = nil, 0, true
	if s.words != nil {
		s.words = lexical.NewIndex(lexical.BM25{})
	}
	for _, d := range docs {
		s.note(d)
	}
	return nil
}

// note takes a document that is in the collection into the shelf's knowledge.
func (s *shelf) note(d chromem.Document) {
	doc := d.Metadata[KeyDocID]
	old, known := s.chunks[d.ID]
	if known && old.doc != doc {
		s.forget(d.ID)
		known = false
	}
	if !known {
		s.sorted = nil
		if doc != "" {
			s.documents[doc] = append(s.documents[doc], d.ID)
		}
	}
	hash := d.Metadata[KeyContentHash]
	if hash == "" {
		hash = contentHash(d.Content)
	}
	s.chunks[d.ID] = entry{doc: doc, set: d.Metadata[KeySet], hash: hash, model: d.Metadata[KeyModel]}
	if s.persistent {
		s.files[fileOf(d.ID)] = d.ID
	}
	s.dimension = len(d.Embedding)
	if s.words != nil {
		s.words.Add(d.ID, lexical.Terms(d.Content))
	}
}

// forget takes an id out of the shelf's knowledge.
func (s *shelf) forget(id string) {
	old, ok := s.chunks[id]
	if !ok {
		return
	}
	s.sorted = nil
	delete(s.chunks, id)
	if old.doc != "" {
		s.documents[old.doc] = slices.DeleteFunc(s.documents[old.doc], func(x string) bool { return x == id })
		if len(s.documents[old.doc]) == 0 {
			delete(s.documents, old.doc)
		}
	}
	if s.persistent {
		delete(s.files, fileOf(id))
	}
	if s.words != nil {
		s.words.Remove(id)
	}
}

// order returns all ids in order. The caller holds mu alone.
func (s *shelf) order() []string {
	if s.sorted == nil {
		s.sorted = slices.Sorted(maps.Keys(s.chunks))
	}
	return s.sorted
}

// document returns a copy of a stored document.
func (s *shelf) document(id string) (chromem.Document, bool) {
	d, err := s.collection.GetByID(context.Background(), id)
	return d, err == nil
}

// announce tells the observers what was replaced or deleted and what is new. The
// caller holds mu alone.
func (s *shelf) announce(deleted, inserted []chromem.Document) {
	if len(s.observers) == 0 {
		return
	}
	gone, come := candidatesOf(deleted), candidatesOf(inserted)
	for o := range s.observers {
		if len(gone) > 0 {
			o.Deleted(gone)
		}
		if len(come) > 0 {
			o.Inserted(come)
		}
	}
}

func candidatesOf(docs []chromem.Document) []core.Candidate {
	out := make([]core.Candidate, len(docs))
	for i, d := range docs {
		out[i] = candidateOf(d)
	}
	return out
}
