package core

import (
	"fmt"
	"strings"
	"testing"
)

func TestWordCacheIsBoundedByWords(t *testing.T) {
	const limit = 1000
	w := newWordCache(limit)
	for i := range 50 {
		var text strings.Builder
		for j := range 7 * i {
			fmt.Fprintf(&text, "word%d in%d ", j, i)
		}
		hash := contentHash(text.String())
		for range 2 {
			if set := w.words(hash, text.String()); i > 0 && set.Len() < 7*i {
				t.Fatalf("%d words of %d", set.Len(), 7*i)
			}
		}
	}
	held := int64(0)
	for _, set := range w.sets.Values() {
		held += int64(set.Len())
	}
	if held != w.held.Load() || held > limit || held < limit/4 {
		t.Errorf("%d words are held, %d counted, of %d", held, w.held.Load(), limit)
	}
	w.words(contentHash("x"), strings.Repeat("abcdefgh ", 3))
	w.sets.Purge()
	if w.held.Load() != 0 {
		t.Errorf("%d words counted in an empty cache", w.held.Load())
	}
}

func TestTextsAreRememberedExactly(t *testing.T) {
	long := strings.Repeat("x", 3*hashedLength)
	for range 2 {
		for _, text := range []string{"", "a", "b", "ab", long, long[:hashedLength], long[:hashedLength+1], long[:shortText-8], long[:shortText-7]} {
			if got, want := rememberedHash(text), contentHash(text); got != want {
				t.Errorf("%d bytes: %v, want %v", len(text), got, want)
			}
		}
	}
	if digest("ab", "c") == digest("a", "bc") || digest(long, "c") == digest(long[1:], "xc") {
		t.Error("two lists of parts meet")
	}
	var parts []string
	for i := range len(long) / 100 {
		parts = append(parts, long[:i])
	}
	if digest(parts...) != longDigest(make([]byte, 64), parts) {
		t.Error("the short and the long way differ")
	}
	forgetText(rememberedHash("a"))
	for i := range textHashes {
		if t2 := textHashes[i].Load(); t2 != nil && t2.text == "a" {
			t.Error("an erased text is remembered")
		}
	}
}
