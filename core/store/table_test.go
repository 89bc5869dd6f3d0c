package store_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/core/store"
)

// TestTableComparesKeys looks for keys whose hashes are those of others.
func TestTableComparesKeys(t *testing.T) {
	table := store.NewTable()
	for i := range 20 {
		table.Put(fmt.Sprint(i), i)
	}
	for i := range 20 {
		if k := fmt.Sprint(i); table.GetAs("not "+k, k) || !table.GetAs(k, k) {
			t.Errorf("key %s is not told from another with its hash", k)
		}
	}
}

// TestTable runs random operations on a table and on a map.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, want := store.NewTable(), make(map[string]int)
		for range rapid.IntRange(1, 300).Draw(t, "operations") {
			k := fmt.Sprint(rapid.IntRange(0, 40).Draw(t, "key"))
			switch rapid.IntRange(0, 2).Draw(t, "operation") {
			case 0:
				_, had := want[k]
				if got := table.Delete(k); got != had {
					t.Fatalf("Delete(%s) = %v, want %v", k, got, had)
				}
				delete(want, k)
			default:
				v := rapid.Int().Draw(t, "value")
				table.Put(k, v)
				want[k] = v
			}
			if table.Len() != len(want) {
				t.Fatalf("%d rows, want %d", table.Len(), len(want))
			}
		}
		for i := range 41 {
			k := fmt.Sprint(i)
			got, ok := table.Get(k)
			if v, had := want[k]; ok != had || got != v {
				t.Fatalf("Get(%s) = %d, %v, want %d, %v", k, got, ok, v, had)
			}
		}
	})
}
