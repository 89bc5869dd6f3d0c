package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/repute-go/repute/core/store/sqlite"
	"github.com/repute-go/repute/core/store/storetest"
)

func BenchmarkFile10k(b *testing.B) { benchmarkFile(b, sqlite.Options{}, 10_000) }

// BenchmarkFile1M takes a minute to fill the file.
func BenchmarkFile1M(b *testing.B) { benchmarkFile(b, sqlite.Options{}, 1_000_000) }

// The cache of decoded rows holds ten thousand documents whole and of a million only
// some. Without it, what is left is what the number of documents alone costs.

func BenchmarkFileUncached10k(b *testing.B) {
	benchmarkFile(b, sqlite.Options{CacheBytes: 1}, 10_000)
}

func BenchmarkFileUncached1M(b *testing.B) {
	benchmarkFile(b, sqlite.Options{CacheBytes: 1}, 1_000_000)
}

func benchmarkFile(b *testing.B, opts sqlite.Options, documents int) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "state.db"), opts)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	storetest.Benchmark(b, s, documents)
}
