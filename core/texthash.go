package core

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/repute-go/repute/core/store"
)

const (
	// hashedTexts is the number of texts whose content hash is remembered, a power
	// of two; hashedLength is the longest of them in bytes.
	hashedTexts  = 4096
	hashedLength = 2048
)

// textHashes remembers the content hashes of texts that sources returned lately. A
// text is hashed in a fraction of a microsecond, but fifty for every question add up
// to more than the ranking. Each text has one place and takes it from what was there.
var textHashes [hashedTexts]atomic.Pointer[hashedText]

type hashedText struct {
	text string
	hash store.Hash
}

// rememberedHash is contentHash for texts that are likely to come again.
func rememberedHash(text string) store.Hash {
	if len(text) > hashedLength {
		return contentHash(text)
	}
	place := &textHashes[maphash.String(mapSeed, text)%hashedTexts]
	if t := place.Load(); t != nil && t.text == text {
		return t.hash
	}
	t := &hashedText{text, contentHash(text)}
	place.Store(t)
	return t.hash
}

// forgetText removes an erased text from those remembered.
func forgetText(hash store.Hash) {
	for i := range textHashes {
		if t := textHashes[i].Load(); t != nil && t.hash == hash {
			textHashes[i].CompareAndSwap(t, nil)
		}
	}
}
