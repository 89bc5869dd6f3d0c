package core_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
)

// blobless is a store whose blobs cannot be written or deleted after so many calls;
// below 0 there is no end to them.
type blobless struct {
	store.Store
	puts, deletes atomic.Int64
	hold          chan struct{} // a write waits for it to be closed and then goes through; nil = it does not
	stuck         string        // a blob that cannot be deleted
}

func failingBlobs(st store.Store) *blobless {
	f := &blobless{Store: st}
	f.puts.Store(math.MaxInt32)
	f.deletes.Store(math.MaxInt32)
	return f
}

var errGone = errors.New("server gone")

func (f *blobless) PutBlob(ctx context.Context, ns string, b store.Blob) error {
	if f.hold != nil {
		<-f.hold
		ctx = context.WithoutCancel(ctx)
	}
	if f.puts.Add(-1) < 0 {
		return errGone
	}
	return f.Store.PutBlob(ctx, ns, b)
}

func (f *blobless) DeleteBlob(ctx context.Context, ns, name string) error {
	if name == f.stuck || f.deletes.Add(-1) < 0 {
		return errGone
	}
	return f.Store.DeleteBlob(ctx, ns, name)
}

// leave lets n engines come, hear a failure each and go.
func leave(t *testing.T, st store.Store, n int) {
	t.Helper()
	for range n {
		eng := join(t, st)
		fail(t, eng, 1)
		if err := eng.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// whileSaving returns an engine whose first write, of 10 outcomes, hangs until hold is
// closed, and that has heard 5 more meanwhile.
func whileSaving(t *testing.T) (mem *store.Memory, st *blobless, eng *core.Engine) {
	t.Helper()
	mem = store.NewMemory()
	st = failingBlobs(mem)
	st.hold = make(chan struct{})
	eng = join(t, st)
	report(t, eng, 10, true)
	wait(21 * time.Second)
	report(t, eng, 5, true)
	return mem, st, eng
}

// wait lets time pass, and everything in the background happen.
func wait(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func wantStored(t *testing.T, when string, st store.Store, outcomes float64) {
	t.Helper()
	if got := statistics(t, st); math.Abs(total(got)-outcomes) > 1e-9 {
		t.Errorf("%s: outcomes %v, want %v in all", when, got, outcomes)
	}
}

// A merge that ends in the middle counts nothing twice, neither for those who read
// what it left nor once somebody goes on with it.
func TestAnInterruptedMergeCountsNothingTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		leave(t, mem, 40)
		want := prior(t, join(t, mem)) // before anybody takes them for gone
		wait(11 * time.Minute)
		outcomes := 40.
		for _, dies := range []struct{ puts, deletes int64 }{{0, 9}, {1, 0}, {9, 5}, {9, 0}, {9, 0}, {2, 3}, {9, 0}} {
			st := failingBlobs(mem)
			st.puts.Store(dies.puts)
			st.deletes.Store(dies.deletes)
			got := prior(t, join(t, st))
			wantStored(t, fmt.Sprint("dies after ", dies), mem, outcomes)
			if math.Abs(got-want) > 1e-9 {
				t.Errorf("dies after %v: it believes %v, not %v", dies, got, want)
			}
			leave(t, mem, 20) // so that merged ones are merged again
			outcomes += 20
			want = prior(t, join(t, mem))
			wait(11 * time.Minute)
		}
		prior(t, join(t, mem))
		wait(time.Minute)
		wantStored(t, "healthy again", mem, outcomes)
		if blobs, err := mem.Blobs(t.Context(), "", "statistics/", store.Page{}); err != nil || len(blobs) > 17 {
			t.Errorf("%d blobs are left, %v", len(blobs), err)
		}
	})
}

// A blob that cannot be deleted stays out of the count, however often what stands for
// it is merged again.
func TestABlobThatStaysIsNotCountedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		leave(t, mem, 1)
		blobs, err := mem.Blobs(t.Context(), "", "statistics/", store.Page{})
		if err != nil || len(blobs) != 1 {
			t.Fatal(blobs, err)
		}
		st := failingBlobs(mem)
		st.stuck = blobs[0].Name
		for n := range 8 {
			wait(time.Second)
			leave(t, st, 20)
			wait(11 * time.Minute)
			prior(t, join(t, st))
			wantStored(t, fmt.Sprint("merge ", n), mem, float64(1+20*(n+1)))
		}
	})
}

// stale is a store that answers with the blobs it had at first.
type stale struct {
	store.Store
	blobs []store.Blob
}

func (s *stale) Blobs(ctx context.Context, ns, prefix string, page store.Page) ([]store.Blob, error) {
	if s.blobs == nil {
		blobs, err := s.Store.Blobs(ctx, ns, prefix, page)
		s.blobs = blobs
		return blobs, err
	}
	return s.blobs, nil
}

// Engines that merge at the same time, each with another view of the blobs, count
// nothing twice.
func TestMergesAtTheSameTimeAgree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		leave(t, mem, 20)
		early := &stale{Store: mem}
		if _, err := early.Blobs(t.Context(), "", "statistics/", store.Page{}); err != nil {
			t.Fatal(err)
		}
		wait(time.Second)
		leave(t, mem, 20)
		late := &stale{Store: mem}
		if _, err := late.Blobs(t.Context(), "", "statistics/", store.Page{}); err != nil {
			t.Fatal(err)
		}
		wait(11 * time.Minute)
		half := failingBlobs(mem)
		half.puts.Store(2)
		half.deletes.Store(5)
		for name, st := range map[string]store.Store{"half": half, "early": early, "late": late, "now": mem} {
			prior(t, join(t, st))
			wait(time.Second)
			wantStored(t, name, mem, 40)
		}
	})
}

// What could not be saved is saved later, also if what was saved before has been
// merged into another blob meanwhile.
func TestWhatCouldNotBeSavedIsNotLost(t *testing.T) {
	for _, rest := range []time.Duration{time.Second, 4 * time.Minute, 11 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			mem := store.NewMemory()
			defer mem.Close()
			st := failingBlobs(mem)
			eng := join(t, st)
			report(t, eng, 10, true)
			wait(time.Minute) // saved
			leave(t, mem, 20)
			wait(rest)
			st.puts.Store(0)
			report(t, eng, 50, true)
			wait(time.Minute) // not saved
			wait(11 * time.Minute)
			st.puts.Store(math.MaxInt32)
			prior(t, join(t, mem)) // merges
			wait(time.Minute)
			prior(t, eng)
			synctest.Wait()
			report(t, eng, 1, true)
			wait(time.Minute)
			wantStored(t, fmt.Sprint("after ", rest), mem, 81)
		})
	}
}

// A write that hangs until others took the engine for gone counts once.
func TestASaveThatHangsCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		st := failingBlobs(mem)
		eng := join(t, st)
		report(t, eng, 10, true)
		wait(time.Minute) // saved
		leave(t, mem, 20)
		st.hold = make(chan struct{})
		report(t, eng, 5, true)
		wait(12 * time.Minute) // the second write hangs
		prior(t, join(t, mem)) // merges
		prior(t, eng)
		synctest.Wait() // it has noticed
		close(st.hold)
		report(t, eng, 1, true)
		wait(time.Minute)
		prior(t, join(t, mem))
		wantStored(t, "in the end", mem, 36)
	})
}

// What comes in while the statistics are being written is neither lost nor counted
// twice, and is written by itself.
func TestOutcomesDuringASaveAreSavedNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, st, _ := whileSaving(t)
		defer mem.Close()
		close(st.hold)
		synctest.Wait()
		wantStored(t, "the first write", mem, 10)
		wait(time.Minute)
		wantStored(t, "the second write", mem, 15)
	})
}

// The same where the next write fails and the first is merged into another blob.
func TestOutcomesDuringASaveOutliveAMerge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem, st, eng := whileSaving(t)
		defer mem.Close()
		st.puts.Store(1) // it will be the last
		close(st.hold)
		leave(t, mem, 20)
		wait(12 * time.Minute)
		prior(t, join(t, mem)) // merges
		prior(t, eng)
		synctest.Wait() // it has noticed
		st.puts.Store(math.MaxInt32)
		report(t, eng, 1, true)
		wait(time.Minute)
		wantStored(t, "in the end", mem, 36)
	})
}

// An engine that rested begins a blob of its own again, so that nobody who merges the
// old one meanwhile loses what it adds.
func TestARestedEngineBeginsABlob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		eng := join(t, mem)
		for n := range 40 {
			report(t, eng, 1, true)
			wait(6 * time.Minute)
			wantStored(t, "one by one", mem, float64(n+1))
			if got := statistics(t, mem); len(got) > 18 {
				t.Fatalf("%d blobs", len(got))
			}
			if a, b := prior(t, eng), prior(t, join(t, mem)); math.Abs(a-b) > .01 {
				t.Fatalf("after %d outcomes it believes %v, a new engine %v", n+1, a, b)
			}
		}
	})
}

// The same where somebody merges between its outcome and its next save.
func TestARestedEngineIsMergedBeforeItSaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mem := store.NewMemory()
		defer mem.Close()
		eng := join(t, mem)
		report(t, eng, 10, true)
		wait(time.Minute)
		leave(t, mem, 20)
		wait(11 * time.Minute)
		prior(t, eng) // looks around last before the others merge
		report(t, eng, 5, true)
		prior(t, join(t, mem)) // merges
		wait(time.Minute)
		prior(t, eng)
		wait(time.Minute)
		wantStored(t, "in the end", mem, 35)
	})
}

// Merged statistics of a later version, or damaged ones, are passed over and stay.
func TestForeignMergedStatisticsArePassedOver(t *testing.T) {
	mem := store.NewMemory()
	defer mem.Close()
	newer, err := json.Marshal(map[string]any{"version": 99, "replaces": []string{"statistics/a"}, "statistics": []byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	evil, err := json.Marshal(map[string]any{"version": 1, "replaces": []string{"gate/state"}, "statistics": []byte{1}})
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"statistics/newer": newer, "statistics/cut": []byte("{"), "statistics/evil": evil, "gate/state": {1}} {
		if err := mem.PutBlob(t.Context(), "", store.Blob{Name: name, Data: data}); err != nil {
			t.Fatal(err)
		}
	}
	eng := join(t, mem)
	before := prior(t, eng)
	fail(t, eng, 5)
	if after := prior(t, eng); !(after < before) {
		t.Errorf("prior %v, then %v", before, after)
	}
	if err := eng.Close(); err != nil {
		t.Fatal(err)
	}
	// The four, the statistics of this engine and the time of upkeep.
	if blobs, err := mem.Blobs(t.Context(), "", "", store.Page{}); err != nil || len(blobs) != 6 {
		t.Errorf("%d blobs, %v", len(blobs), err)
	}
}
