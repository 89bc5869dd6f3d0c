package store_test

import (
	"testing"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Store { return store.NewMemory() })
}
