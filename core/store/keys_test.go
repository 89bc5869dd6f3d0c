package store_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/core/store"
)

// TestPersonalKeys sees that no two pairs give one key, and that every key comes
// apart as it was put together.
func TestPersonalKeys(t *testing.T) {
	word := rapid.StringOf(rapid.SampledFrom([]rune{'0', '1', '2', ':', 'a', '\x00'}))
	rapid.Check(t, func(t *rapid.T) {
		source, document := word.Draw(t, "source"), word.Draw(t, "document")
		key := store.PersonalKey(source, document)
		if s, d, ok := store.SplitPersonalKey(key); !ok || s != source || d != document {
			t.Fatalf("PersonalKey(%q, %q) = %q, which splits into %q, %q, %v", source, document, key, s, d, ok)
		}
		any := word.Draw(t, "key")
		if s, d, ok := store.SplitPersonalKey(any); ok && store.PersonalKey(s, d) != any {
			t.Fatalf("%q splits into %q, %q, which give another key", any, s, d)
		}
	})
}
