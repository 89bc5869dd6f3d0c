package sqlite

import (
	"testing"

	"pgregory.net/rapid"
)

// TestCacheIsBounded runs random operations: the sizes of what is cached add up,
// and stay under the limit.
func TestCacheIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 50
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
			default:
				last[k] = rapid.IntRange(1, 60).Draw(t, "size")
				b.put(k, last[k])
			}
			sum := 0
			for k := range last {
				if v, ok := b.lru.Peek(k); ok {
					if v != last[k] {
						t.Fatalf("key %d has %d, want %d", k, v, last[k])
					}
					sum += v
				}
			}
			if b.size != sum || sum > limit {
				t.Fatalf("the size is %d, the entries add up to %d, the limit is %d", b.size, sum, limit)
			}
		}
	})
}
