// Package storetest checks that an implementation keeps every promise of
// package store. A new store needs one test:
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { return open(t) })
//	}
//
// Run it under the race detector too. What a test of rows cannot see (a killed
// process, a full disk, two processes on one place, older files) a durable
// store tests itself.
package storetest

import (
	"context"
	"testing"

	"github.com/repute-go/repute/core/store"
)

// Factory opens an empty store. The tests close it.
type Factory func(t *testing.T) store.Store

// Run checks every promise of the contract as subtests of t. Each opens stores
// of its own. The simulations print their seed; REPUTE_SEED repeats one.
func Run(t *testing.T, open Factory) {
	for _, part := range []struct {
		name string
		run  func(b *bench)
	}{
		{"Load", testLoad},
		{"Record", testRecord},
		{"RecordRefused", testRecordRefused},
		{"RecordBounds", testRecordBounds},
		{"Update", testUpdate},
		{"UpdateRefused", testUpdateRefused},
		{"UpdatePersonal", testUpdatePersonal},
		{"Tallies", testTallies},
		{"Blobs", testBlobs},
		{"Keys", testKeys},
		{"Pages", testPages},
		{"Expire", testExpire},
		{"ExpireDocuments", testExpireDocuments},
		{"ExpireUsers", testExpireUsers},
		{"ExpireTombstones", testExpireTombstones},
		{"ExpireTallies", testExpireTallies},
		{"EraseUser", testEraseUser},
		{"EraseRater", testEraseRater},
		{"EraseDocument", testEraseDocument},
		{"EraseDuringRetrieval", testEraseDuringRetrieval},
		{"EraseDuringUpdates", testEraseDuringUpdates},
		{"EraseDocumentDuringUpdates", testEraseDocumentDuringUpdates},
		{"Transfer", testTransfer},
		{"TransferTombstones", testTransferTombstones},
		{"TransferDamaged", testTransferDamaged},
		{"Immutable", testImmutable},
		{"Cancelled", testCancelled},
		{"Close", testClose},
		{"ConcurrentUpdates", testConcurrentUpdates},
		{"ConcurrentFolds", testConcurrentFolds},
		{"ConcurrentTallies", testConcurrentTallies},
		{"Simulation", testSimulation},
		{"ConcurrentSimulation", testConcurrentSimulation},
	} {
		t.Run(part.name, func(t *testing.T) {
			b := &bench{T: t, ctx: t.Context(), open: open}
			b.Store = b.fresh()
			part.run(b)
		})
	}
}

// bench is a test with a store on it.
type bench struct {
	*testing.T
	store.Store
	ctx  context.Context
	open Factory
}

// fresh opens another empty store.
func (b *bench) fresh() store.Store {
	b.Helper()
	s := b.open(b.T)
	b.Cleanup(func() {
		if err := s.Close(); err != nil {
			b.Errorf("Close: %v", err)
		}
	})
	return s
}

// must fails the test on an error.
func (b *bench) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}
