package storetest

import (
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Benchmark measures the calls that retrieval and feedback make on a store that
// tracks a number of documents, an eighth of them with a full ring of events:
//
//   - Retrieve/known: load 50 candidates, record 5; the same 200 questions again
//     and again
//   - Retrieve/spread: the same for candidates drawn from all documents
//   - Retrieve/unknown: the same for candidates never seen before, which makes
//     5 documents
//   - Feedback: update a receipt and the 5 documents it shows, full rings
//
// The store must be empty.
func Benchmark(b *testing.B, s store.Store, documents int) {
	if err := s.Import(b.Context(), "", Tracked(documents, 8)); err != nil {
		b.Fatal(err)
	}
	r := &measured{s: s, documents: documents, rng: rand.New(rand.NewPCG(1, 2))}
	b.Run("Retrieve/known", func(b *testing.B) { r.retrieve(b, r.question) })
	b.Run("Retrieve/spread", func(b *testing.B) { r.retrieve(b, r.spread) })
	b.Run("Retrieve/unknown", func(b *testing.B) { r.retrieve(b, r.unknown) })
	b.Run("Feedback", r.feedback)
}

type measured struct {
	s         store.Store
	documents int
	rng       *rand.Rand
	receipts  uint64
	fresh     int
}

// prepared is the number of calls that are made ready before the clock runs.
const prepared = 2_048

func chunkID(i int) string { return fmt.Sprintf("guide/chapter-%07d.md#3", i) }

// question returns the candidates of one of 200 questions.
func (r *measured) question() [50]int {
	return r.draw(rand.New(rand.NewPCG(3, r.rng.Uint64N(200))))
}

func (r *measured) spread() [50]int { return r.draw(r.rng) }

func (r *measured) draw(from *rand.Rand) (out [50]int) {
	for i := range out {
		out[i] = from.IntN(r.documents)
	}
	return out
}

func (r *measured) unknown() (out [50]int) {
	for i := range out {
		out[i] = r.documents + r.fresh
		r.fresh++
	}
	return out
}

// each runs do for calls that make has prepared, and reports processor time too.
func each[C any](b *testing.B, make func() C, do func(C)) {
	var calls [prepared]C
	for i := range calls {
		calls[i] = make()
	}
	b.ReportAllocs()
	start, n := cpuTime(), 0
	for b.Loop() {
		do(calls[n%prepared])
		n++
	}
	b.ReportMetric(float64(cpuTime()-start)/float64(n), "cpu-ns/op")
}

// retrieve does what a retrieval does to the store.
func (r *measured) retrieve(b *testing.B, candidates func() [50]int) {
	ask := func() store.LoadRequest {
		req := store.LoadRequest{Source: "src"}
		for _, c := range candidates() {
			req.IDs = append(req.IDs, chunkID(c))
			req.Hashes = append(req.Hashes, hash(chunkID(c)))
		}
		return req
	}
	each(b, ask, func(req store.LoadRequest) {
		known, err := r.s.Load(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		write := store.Retrieval{Receipt: r.receipt(req.IDs[:5], req.Hashes), MaxReceipts: 10_000}
		for _, s := range write.Receipt.Shown {
			if _, ok := known.Aliases[s.ID]; !ok {
				write.Aliases = append(write.Aliases, store.Alias{Source: "src", ID: s.ID, Hash: s.Hash, Seen: 1})
			}
		}
		if err := r.s.Record(b.Context(), write); err != nil {
			b.Fatal(err)
		}
	})
}

func (r *measured) receipt(ids []string, hashes []store.Hash) store.Receipt {
	r.receipts++
	rc := store.Receipt{Source: "src", Created: int64(r.receipts), Expires: 1 << 60, Evidence: judgement(len(ids))}
	binary.LittleEndian.PutUint64(rc.ID[:], r.rng.Uint64())
	binary.LittleEndian.PutUint64(rc.ID[8:], r.receipts)
	for i, id := range ids {
		rc.Shown = append(rc.Shown, store.Shown{ID: id, Document: id, Hash: hashes[i]})
	}
	return rc
}

func (r *measured) feedback(b *testing.B) {
	after := judgement(5, "judge:j")
	show := func() store.Receipt {
		var ids []string
		var hashes []store.Hash
		for range 5 {
			ids = append(ids, chunkID(r.rng.IntN(r.documents)&^7)) // with full rings
			hashes = append(hashes, hash(ids[len(ids)-1]))
		}
		rc := r.receipt(ids, hashes)
		if err := r.s.Record(b.Context(), store.Retrieval{Receipt: rc, MaxReceipts: 10_000}); err != nil {
			b.Fatal(err)
		}
		return rc
	}
	each(b, show, func(rc store.Receipt) {
		err := r.s.Update(b.Context(), store.UpdateRequest{Receipt: rc.ID}, func(v store.View) (store.Changes, error) {
			ch := store.Changes{Receipt: after, Documents: make(map[store.Hash]*reputation.Record, 5)}
			for h, d := range v.Documents {
				ch.Documents[h] = shifted(d.Evidence, event(rc.Created))
			}
			return ch, nil
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}

// shifted is a full ring with its oldest event replaced by a new one.
func shifted(r *reputation.Record, e reputation.Event) *reputation.Record {
	if r == nil {
		return record(e)
	}
	out := *r
	out.Events = append(append(make([]reputation.Event, 0, len(r.Events)+1), r.Events[1:]...), e)
	for i := range out.Events {
		out.Events[i].Time = int64(i)
	}
	return &out
}

// Tracked is an export of so many documents, each under an alias, every one in
// full of them with a full ring of events; full 0 means none. The reader must be
// read to its end.
func Tracked(n, full int) io.Reader {
	ring := make([]reputation.Event, reputation.RingSize)
	for i := range ring {
		ring[i] = event(int64(i))
	}
	evidence := &reputation.Record{Space: 7, Local: ^uint64(0), Events: ring}
	r, w := io.Pipe()
	go func() {
		out := store.NewWriter(w)
		for i := range n {
			id := chunkID(i)
			d := store.Document{Hash: hash(id), Uses: 1, LastUsed: 1}
			if full > 0 && i%full == 0 {
				d.Evidence = evidence
			}
			if out.Write(d) != nil || out.Write(store.Alias{Source: "src", ID: id, Hash: d.Hash, Seen: 1}) != nil {
				return // the reader has given up and says why
			}
		}
		w.CloseWithError(out.Close())
	}()
	return r
}
