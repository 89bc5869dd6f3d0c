package judge

import (
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"io"
	"slices"
	"strings"

	lru "github.com/hashicorp/golang-lru/v2"
)

// caseKey identifies the content of a case. It is a cryptographic hash because documents are untrusted: nobody shall craft
// one that gets the verdict on another.
type caseKey [sha256.Size]byte

// cache keeps the latest verdicts by the content of their case. A nil cache keeps nothing. Safe for concurrent use.
type cache struct {
	verdicts *lru.Cache[caseKey, Verdict]
}

// newCache returns a cache of at most size verdicts, nil if size is not positive.
func newCache(size int) *cache {
	verdicts, err := lru.New[caseKey, Verdict](size)
	if err != nil {
		return nil // the only error is a size that is not positive
	}
	return &cache{verdicts: verdicts}
}

func (k *cache) get(key caseKey) (Verdict, bool) {
	if k == nil {
		return Verdict{}, false
	}
	v, ok := k.verdicts.Get(key)
	return v.Clone(), ok
}

// add keeps v, unless it stands in for a judge that may be back the next time.
func (k *cache) add(key caseKey, v Verdict) {
	if k != nil && !v.Fallback {
		k.verdicts.Add(key, v.Clone())
	}
}

// key returns the key of a case: the same for every order of its documents.
func (k *cache) key(c Case) caseKey {
	if k == nil {
		return caseKey{}
	}
	h := sha256.New()
	for _, s := range [...]string{c.Question, c.Answer, c.Reference} {
		writeText(h, s)
	}
	docs := slices.Clone(c.Documents)
	slices.SortFunc(docs, func(a, b Document) int { return strings.Compare(a.ID, b.ID) })
	for _, d := range docs {
		writeText(h, d.ID)
		writeText(h, d.Title)
		writeText(h, d.Text)
	}
	return caseKey(h.Sum(nil))
}

// writeText writes the length of s before s, so that no two lists of texts write the same bytes.
func writeText(h hash.Hash, s string) {
	var n [8]byte
	binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
	h.Write(n[:])
	io.WriteString(h, s)
}
