package sqlite

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCacheIsBounded runs random operations: what is cached is what was put last,
// sizes add up, and no more is kept than the limit and the entry that broke it.
func TestCacheIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit, largest = 50, 60
		b := newBounded(limit, func(k, v int) int { return v })
		last := make(map[int]int)
		for range rapid.IntRange(1, 200).Draw(t, "operations") {
			k := rapid.IntRange(0, 20).Draw(t, "key")
			switch rapid.IntRange(0, 9).Draw(t, "operation") {
			case 0:
				b.remove(k)
				delete(last, k)
			case 1:
				b.clear()
				clear(last)
			case 2, 3, 4:
				if v, ok := b.get(k); ok && v != last[k] {
					t.Fatalf("key %d has %d, want %d", k, v, last[k])
				}
			default:
				last[k] = rapid.IntRange(1, largest).Draw(t, "size")
				b.put(k, last[k])
			}
			young, old := sum(b.young), sum(b.old)
			if b.size != young || young > limit/2 || old > limit/2+largest {
				t.Fatalf("the size is %d; %d young and %d old are kept, the limit is %d", b.size, young, old, limit)
			}
		}
	})
}

func sum(m map[int]int) (n int) {
	for _, v := range m {
		n += v
	}
	return n
}

// TestCacheKeepsWhatIsUsed fills the cache ten times over while one entry is used
// again and again.
func TestCacheKeepsWhatIsUsed(t *testing.T) {
	b := newBounded(100, func(int, string) int { return 1 })
	b.put(-1, "used")
	for i := range 1_000 {
		b.put(i, "new")
		if _, ok := b.get(-1); !ok {
			t.Fatalf("the entry in use is gone after %d others", i+1)
		}
	}
	if _, ok := b.get(1); ok {
		t.Error("an entry that nobody used is still there")
	}
}
