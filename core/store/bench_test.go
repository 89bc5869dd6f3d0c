package store_test

import (
	"testing"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/storetest"
)

func BenchmarkMemory10k(b *testing.B) { storetest.Benchmark(b, store.NewMemory(), 10_000) }

func BenchmarkMemory1M(b *testing.B) { storetest.Benchmark(b, store.NewMemory(), 1_000_000) }
