package store_test

import (
	"runtime"
	"testing"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/storetest"
)

// TestSize measures what a tracked document costs in memory: its row, its alias
// and its id of 24 bytes. A million of them take a fifth of a GiB.
func TestSize(t *testing.T) {
	// Sizes at which the tables have just grown and are about to.
	for _, n := range []int{60_000, 100_000} {
		m := store.NewMemory()
		before := heap()
		if err := m.Import(t.Context(), "", storetest.Tracked(n, 0)); err != nil {
			t.Fatal(err)
		}
		if per := float64(heap()-before) / float64(n); per > 200 {
			t.Errorf("%d documents without evidence take %.0f bytes each, want 200 at most", n, per)
		} else {
			t.Logf("%d documents without evidence take %.0f bytes each", n, per)
		}
		runtime.KeepAlive(m)
	}
}

func heap() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}
