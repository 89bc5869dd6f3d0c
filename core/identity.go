package core

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/repute-go/repute/core/store"
)

// CanonicalID makes one id of the forms that one value takes on its way through
// stores: 1, 1.0, json.Number("1") and "1" are all "1", and a million stays
// "1000000". It returns "" for nil and for numbers that are not finite.
func CanonicalID(v any) string {
	switch x := v.(type) {
	case nil:
		return ""
	case string:
		return x
	case json.Number:
		if f, err := x.Float64(); err == nil && math.Abs(f) < 1<<53 {
			return CanonicalID(f)
		}
		return x.String()
	case float64:
		if !finite(x) {
			return ""
		}
		return strconv.FormatFloat(x+0, 'f', -1, 64) // +0: -0 is 0
	case float32:
		if !finite(float64(x)) {
			return ""
		}
		return strconv.FormatFloat(float64(x)+0, 'f', -1, 32)
	}
	return fmt.Sprint(v)
}

// contentHash names a text. An empty text has none.
func contentHash(text string) store.Hash {
	if text == "" {
		return store.Hash{}
	}
	return digest("text", text)
}

// shortText is the length in bytes up to which a text is hashed without memory of
// its own.
const shortText = 1024

// digest hashes parts so that no two lists of parts meet: each part is preceded
// by its length.
func digest(parts ...string) store.Hash {
	size := 0
	for _, p := range parts {
		size += 8 + len(p)
	}
	var room [shortText]byte
	if size > len(room) {
		return longDigest(room[:], parts)
	}
	b := room[:0]
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	sum := sha256.Sum256(b)
	return store.Hash(sum[:16])
}

// longDigest is digest for parts of any length: they pass through room.
func longDigest(room []byte, parts []string) store.Hash {
	h := sha256.New()
	for _, p := range parts {
		h.Write(binary.LittleEndian.AppendUint64(room[:0], uint64(len(p))))
		for len(p) > 0 {
			n := copy(room, p)
			h.Write(room[:n])
			p = p[n:]
		}
	}
	return store.Hash(h.Sum(room[:0])[:16])
}

// identify returns the id of a candidate, that of its document, and the hash its
// evidence belongs to.
func (o Options) identify(source string, c *Candidate) (id, doc string, content store.Hash, err error) {
	content, id, doc = rememberedHash(c.Text), c.ID, c.DocID
	for i := 0; id == "" && i < len(o.IdentityKeys); i++ {
		id = CanonicalID(c.Metadata[o.IdentityKeys[i]])
	}
	if id == "" {
		if content.IsZero() && c.Title == "" && c.Path == "" {
			return "", "", content, fmt.Errorf("%w: candidate without id, text, title or path", ErrInvalidHits)
		}
		id = digest("anonymous", source, c.Text, c.Title, c.Path).String()
	}
	if doc == "" {
		doc = CanonicalID(c.Metadata["doc_id"])
	}
	if doc == "" {
		doc = id
	}
	if content.IsZero() {
		content = digest("id", source, id)
	}
	return id, doc, content, nil
}
