package store_test

import (
	"encoding/binary"
	"sync"
	"testing"

	"github.com/repute-go/repute/core/store"
)

// TestAwkwardLoadsBesideWriters loads what names nothing, or one thing twice, while
// others write: the race detector sees a row that is read without its lock.
func TestAwkwardLoadsBesideWriters(t *testing.T) {
	m := store.NewMemory()
	awkward := []store.LoadRequest{
		{Hashes: []store.Hash{{}}},
		{Source: "src", IDs: []string{"a"}, Hashes: []store.Hash{{}}},
		{Source: "src", IDs: []string{"a", "a", ""}, Hashes: []store.Hash{{1}, {1}, {}}},
		{Source: "other", IDs: []string{"a"}},
	}
	var readers sync.WaitGroup
	done := make(chan struct{})
	for _, req := range awkward {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := m.Load(t.Context(), req); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range uint32(2_000) {
		var h store.Hash
		binary.BigEndian.PutUint32(h[i%2*8:], i+1) // half of them in the shard of the zero hash
		r := store.Retrieval{
			Receipt: store.Receipt{Source: "src", Shown: []store.Shown{{ID: "a", Document: "a", Hash: h}}},
			Aliases: []store.Alias{{Source: "src", ID: "a", Hash: h, Seen: int64(i)}},
		}
		binary.BigEndian.PutUint32(r.Receipt.ID[:], i*2654435761|1)
		binary.BigEndian.PutUint32(r.Receipt.ID[12:], i)
		if err := m.Record(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	readers.Wait()
}
