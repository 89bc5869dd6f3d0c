package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/repute-go/repute/core/store/storetest"
)

func BenchmarkFile10k(b *testing.B) {
	storetest.Benchmark(b, open(b, filepath.Join(b.TempDir(), "state.db")), 10_000)
}

// BenchmarkFile1M takes a minute to fill the file.
func BenchmarkFile1M(b *testing.B) {
	storetest.Benchmark(b, open(b, filepath.Join(b.TempDir(), "state.db")), 1_000_000)
}
