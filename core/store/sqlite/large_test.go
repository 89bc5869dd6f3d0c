package sqlite_test

import (
	"encoding/binary"
	"io"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

const large = 100_000

// TestLarge imports 100,000 documents and receipts, lists and exports
// them and removes them again, in bounded memory.
func TestLarge(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "state.db"))
	n := large
	if raced {
		n = large / 20
	}
	m := &memory{start: heap()}
	must(t, s.Import(t.Context(), "", m.watched(rows(n))))
	m.look()
	listed := 0
	for after := ""; ; {
		docs, err := s.Documents(t.Context(), "", store.Page{After: after, Limit: 2_000})
		must(t, err)
		receipts, err := s.Receipts(t.Context(), "", "", store.Page{After: after, Limit: 2_000})
		must(t, err)
		if len(docs) != len(receipts) {
			t.Fatalf("pages of %d documents and %d receipts", len(docs), len(receipts))
		}
		if len(docs) == 0 {
			break
		}
		listed += len(docs)
		after = string(docs[len(docs)-1].Hash[:])
		if listed%10_000 == 0 {
			m.look()
		}
	}
	must(t, s.Export(t.Context(), "", m))
	expired, err := s.Expire(t.Context(), "", store.Bounds{Now: 1 << 40, AliasesBefore: 1 << 40, DocumentsBefore: 1 << 40})
	must(t, err)
	m.look()
	if listed != n || expired != n*21/10 {
		t.Errorf("%d rows listed and %d expired, want %d and %d", listed, expired, n, n*21/10)
	}
	if m.peak > m.start+100<<20 {
		t.Errorf("the heap grew from %d to %d MiB", m.start>>20, m.peak>>20)
	}
}

// rows is an export of n documents and receipts.
func rows(n int) io.Reader {
	r, w := io.Pipe()
	go func() {
		out := store.NewWriter(w)
		var h store.Hash
		for i := range n {
			binary.BigEndian.PutUint32(h[:], uint32(i))
			h[15] = 1
			rc := store.Receipt{ID: store.ReceiptID(h), Created: int64(i), Expires: int64(i), Shown: []store.Shown{{ID: h.String(), Document: "d", Hash: h}}, Evidence: &reputation.Receipt{Shown: make([]reputation.Shown, 1)}}
			rows := []store.Row{store.Document{Hash: h, Uses: 1}, rc}
			if i%10 == 0 {
				rows = append(rows, store.Alias{Source: "src", ID: h.String(), Hash: h})
			}
			for _, r := range rows {
				if out.Write(r) != nil {
					return // the reader has given up and says why
				}
			}
		}
		w.CloseWithError(out.Close())
	}()
	return r
}

// memory watches the heap while bytes go through it.
type memory struct {
	start, peak uint64
	bytes       int
	in          io.Reader
}

func heap() uint64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

func (m *memory) look() { m.peak = max(m.peak, heap()) }

func (m *memory) watched(r io.Reader) io.Reader {
	m.in = r
	return m
}

func (m *memory) Read(b []byte) (int, error) {
	n, err := m.in.Read(b)
	m.count(n)
	return n, err
}

func (m *memory) Write(b []byte) (int, error) {
	m.count(len(b))
	return len(b), nil
}

// count looks at the heap every 8 MiB.
func (m *memory) count(n int) {
	if m.bytes += n; m.bytes > 8<<20 {
		m.bytes = 0
		m.look()
	}
}
