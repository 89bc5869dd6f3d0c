package storetest

import (
	"bytes"
	"errors"
	"io"
	"math"
	"testing/iotest"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// populate writes rows of every kind.
func (b *bench) populate() {
	b.Helper()
	b.inhabit()
	for _, name := range names("n", 40) {
		b.fill(name)
	}
	b.erase(store.Erasure{Rater: "judge:gone", Now: 7}, 0)
}

func testTransfer(b *bench) {
	b.populate()
	want := b.dump("")
	var buf bytes.Buffer
	b.must(b.Export(b.ctx, "", &buf))
	other := &bench{T: b.T, Store: b.fresh(), ctx: b.ctx}
	memory := &bench{T: b.T, Store: store.NewMemory(), ctx: b.ctx}
	// What is known before the import must not hide what it brings.
	request := store.LoadRequest{Namespace: "there", Source: "src", IDs: []string{"a", "b"}}
	b.must(other.Record(b.ctx, store.Retrieval{Namespace: "there", Receipt: receipt("of u1", 10, "a"), Aliases: aliases(1, "a"), MaxReceipts: 5}))
	if _, err := other.Load(b.ctx, request); err != nil {
		b.Error(err)
	}
	b.must(other.Import(b.ctx, "there", iotest.HalfReader(bytes.NewReader(buf.Bytes()))))
	b.must(memory.Import(b.ctx, "", bytes.NewReader(buf.Bytes())))
	for name, got := range map[string]contents{"another store": other.dump("there"), "memory": memory.dump("")} {
		if d := got.diff(want); d != "" {
			b.Errorf("imported into %s:\n%s", name, d)
		}
	}
	if d := other.dump(""); len(d) > 0 {
		b.Errorf("the import reached another namespace: %v", d)
	}
	l, err := other.Load(b.ctx, request)
	b.must(err)
	if len(l.Aliases) != 2 || l.Aliases["a"].Seen != 10 || l.Documents[hash("a")].Uses != 2 || l.Documents[hash("a")].Evidence == nil {
		b.Errorf("after the import is loaded: %+v", l)
	}
	b.checkImported(other)

	// Importing again replaces rows and adds tallies.
	b.must(other.Import(b.ctx, "there", bytes.NewReader(buf.Bytes())))
	double := other.dump("there")
	rows, err := b.Store.Tallies(b.ctx, "", "", store.Page{})
	b.must(err)
	for _, t := range rows {
		for i := range t.Values {
			t.Values[i] *= 2
		}
		want.add(t)
	}
	if d := double.diff(want); d != "" {
		b.Errorf("imported twice:\n%s", d)
	}
}

// checkImported sees that imported rows work, not only that they are there.
func (b *bench) checkImported(other *bench) {
	b.Helper()
	rc := receiptID("of u1")
	b.must(other.Update(b.ctx, store.UpdateRequest{Namespace: "there", Receipt: rc, Actors: []string{"judge:gone"}}, func(v store.View) (store.Changes, error) {
		if v.Erased["judge:gone"] != 7 || len(v.Documents) != 2 {
			b.Errorf("an update of an imported receipt sees %+v", v)
		}
		return store.Changes{}, nil
	}))
	r := store.Retrieval{Namespace: "there", Receipt: receipt("first", 1_000, "x"), MaxReceipts: 2}
	s := b.fresh()
	b.must(s.Record(b.ctx, store.Retrieval{Namespace: "there", Receipt: receipt("before", 2_000, "x"), MaxReceipts: 2}))
	var buf bytes.Buffer
	b.must(other.Export(b.ctx, "there", &buf))
	b.must(s.Import(b.ctx, "there", &buf))
	b.must(s.Record(b.ctx, r))
	rows, err := s.Receipts(b.ctx, "there", "", store.Page{})
	b.must(err)
	if len(rows) != 2 {
		b.Errorf("%d receipts under a bound of 2: imported ones do not count", len(rows))
	}
}

func testTransferDamaged(b *bench) {
	whole := export(store.Tally{Name: "t", Values: []float64{1}}, store.Blob{Name: "b", Data: []byte("data")}).Bytes()
	newer := bytes.Clone(whole)
	newer[7] = 99
	unknown := export(store.Tally{Name: "t"}).Bytes()
	unknown[8] = 99
	for name, c := range map[string]struct {
		in   []byte
		want error
	}{
		"nothing":             {nil, store.ErrInvalid},
		"another format":      {[]byte("SQLite format 3\x00 and more"), store.ErrInvalid},
		"a newer version":     {newer, store.ErrVersion},
		"a newer kind of row": {unknown, store.ErrVersion},
		"a row without a key": {export(store.Tally{}).Bytes(), store.ErrInvalid},

		"a tally of no number":    {export(store.Tally{Name: "t", Values: []float64{math.NaN()}}).Bytes(), store.ErrInvalid},
		"an infinite tally":       {export(store.Tally{Name: "t", Values: []float64{1, math.Inf(1)}}).Bytes(), store.ErrInvalid},
		"uses below zero":         {export(store.Document{Hash: hash("a"), Uses: -7}).Bytes(), store.ErrInvalid},
		"used before all time":    {export(store.Document{Hash: hash("a"), LastUsed: -1}).Bytes(), store.ErrInvalid},
		"retrievals below zero":   {export(store.Sequence{User: "u", Number: -1}).Bytes(), store.ErrInvalid},
		"evidence of fewer texts": {export(misaligned(1, 2)).Bytes(), store.ErrInvalid},
		"evidence of more texts":  {export(misaligned(2, 1)).Bytes(), store.ErrInvalid},
	} {
		b.wantErr(b.Import(b.ctx, name, bytes.NewReader(c.in)), c.want)
		if d := b.dump(name); len(d) > 0 {
			b.Errorf("%s left %v", name, d)
		}
	}
	for n := range whole {
		b.wantErr(b.Import(b.ctx, "cut", bytes.NewReader(whole[:n])), store.ErrInvalid)
		flipped := bytes.Clone(whole)
		flipped[n] ^= 0x40
		if err := b.Import(b.ctx, "flipped", bytes.NewReader(flipped)); !errors.Is(err, store.ErrInvalid) && !errors.Is(err, store.ErrVersion) {
			b.Errorf("byte %d damaged: %v", n, err)
		}
	}
	mine := errors.New("of the reader")
	b.wantErr(b.Import(b.ctx, "broken", io.MultiReader(bytes.NewReader(whole[:20]), iotest.ErrReader(mine))), mine)
	b.wantErr(b.Export(b.ctx, "", failing{mine}), mine)
}

// misaligned is a receipt whose evidence is about another number of texts than it
// shows.
func misaligned(evidence, shown int) store.Receipt {
	rc := receipt("r", 10, names("text", shown)...)
	rc.Evidence = judgement(evidence)
	return rc
}

// testTransferTombstones imports tombstones older and newer than those there.
func testTransferTombstones(b *bench) {
	for _, erased := range []int64{100, 50, 200} {
		b.must(b.Import(b.ctx, "", export(store.Tombstone{Actor: "judge:j", Erased: erased})))
	}
	want := make(contents)
	want.add(store.Tombstone{Actor: "judge:j", Erased: 200})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after imports of three tombstones:\n%s", d)
	}
	b.must(b.Import(b.ctx, "", export(store.Tombstone{Actor: "judge:j", Erased: 50})))
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("an older tombstone replaced a newer one:\n%s", d)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

// testImmutable modifies what was given to the store and what it gave.
func testImmutable(b *bench) {
	rc := receipt("r", 10, "a", "b")
	rows := aliases(10, "a", "b")
	blob := store.Blob{Name: "b", Data: []byte("data")}
	tally := store.Tally{Name: "t", Values: []float64{1, 2}}
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: rc, Aliases: rows}))
	b.must(b.PutBlob(b.ctx, "", blob))
	b.must(b.Add(b.ctx, "", []store.Tally{tally}))
	b.unchanged("", func() {
		rc.Shown[0].Hash, rows[0].Hash, blob.Data[0], tally.Values[0] = hash("x"), hash("x"), 'X', 99
	})
	changed := map[store.Hash]*reputation.Record{hash("a"): counter(1)}
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: rc.ID}, func(v store.View) (store.Changes, error) {
		v.Receipt.Shown[0].ID = "modified"
		return store.Changes{Documents: changed, Tallies: []store.Tally{tally}}, nil
	}))
	if rows, err := b.Receipts(b.ctx, "", "", store.Page{}); err != nil || rows[0].Shown[0].ID != "a" {
		b.Errorf("a fold modified the stored receipt: %+v, %v", rows, err)
	}
	b.unchanged("", func() {
		changed[hash("a")] = counter(2)
		tally.Values[0] = 98
	})
	b.unchanged("", func() {
		got, err := b.Load(b.ctx, store.LoadRequest{Source: "src", IDs: []string{"a"}})
		b.must(err)
		clear(got.Aliases)
		clear(got.Documents)
		receipts, err := b.Receipts(b.ctx, "", "", store.Page{})
		b.must(err)
		receipts[0].Shown[1].ID = "modified"
		x, _, err := b.Blob(b.ctx, "", "b")
		b.must(err)
		x.Data[0] = 'X'
		blobs, err := b.Blobs(b.ctx, "", "", store.Page{})
		b.must(err)
		blobs[0].Data[0] = 'X'
		tallies, err := b.Store.Tallies(b.ctx, "", "", store.Page{})
		b.must(err)
		tallies[0].Values[0] = 97
	})
}
