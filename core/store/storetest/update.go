package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

func testUpdate(b *bench) {
	rc := ofUser(receipt("r", 10, "a", "b"), "u")
	rc.Shown[1].Previous = hash("old b")
	key := store.PersonalKey("src", "of a")
	b.must(b.Record(b.ctx, put(rc, write(personal(key, 4, 10), "text"))))
	var seen store.View
	err := b.Update(b.ctx, store.UpdateRequest{Receipt: rc.ID, Actors: []string{"user:nobody"}}, func(v store.View) (store.Changes, error) {
		seen = v
		return store.Changes{
			Receipt:   judgement(2, "judge:j"),
			Documents: map[store.Hash]*reputation.Record{hash("a"): counter(1), hash("old b"): counter(2), {}: counter(3)},
			Tallies:   []store.Tally{{Name: "t", Values: []float64{1, 2}}},
		}, nil
	})
	b.must(err)
	if seen.Receipt == nil || form(*seen.Receipt) != form(rc) {
		b.Errorf("fold saw the receipt %+v", seen.Receipt)
	}
	if len(seen.Documents) != 3 || len(seen.Personal) != 1 || seen.Personal[key].Record.Uses.Value != 4 || seen.Personal[key].Text != "" || len(seen.Erased) != 0 {
		b.Errorf("fold saw %d documents, personal rows %v, erased %v", len(seen.Documents), seen.Personal, seen.Erased)
	}
	want := make(contents)
	after := rc
	after.Evidence = judgement(2, "judge:j")
	want.add(after)
	want.add(store.Document{Hash: hash("a"), Uses: 1, LastUsed: 10, Evidence: counter(1)})
	want.add(store.Document{Hash: hash("b"), Uses: 1, LastUsed: 10})
	want.add(store.Document{Hash: hash("old b"), Evidence: counter(2)})
	want.add(store.Tally{Name: "t", Values: []float64{1, 2}})
	want.add(store.Sequence{User: "u", Number: 1})
	want.add(store.Entry{User: "u", Personal: write(personal(key, 4, 10), "text").Personal})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after the update:\n%s", d)
	}
	b.unchanged("", func() {
		b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: rc.ID}, func(store.View) (store.Changes, error) { return store.Changes{}, nil }))
	})
	// A nil record takes the evidence away.
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: rc.ID}, evidence(nil, "a")))
	want.add(store.Document{Hash: hash("a"), Uses: 1, LastUsed: 10})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after taking evidence away:\n%s", d)
	}
}

func testUpdateRefused(b *bench) {
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: ofUser(receipt("r", 10, "a"), "u")}))
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt("anonymous", 10, "a")}))
	b.must(b.Record(b.ctx, store.Retrieval{Namespace: "other", Receipt: receipt("there", 10, "a")}))
	id, mine := receiptID("r"), errors.New("of the fold")
	changing := func(ch store.Changes) store.Fold {
		ch.Tallies = append(ch.Tallies, store.Tally{Name: "t", Values: []float64{1}})
		return func(store.View) (store.Changes, error) { return ch, nil }
	}
	harmless := changing(store.Changes{})
	for name, c := range map[string]struct {
		req  store.UpdateRequest
		fold store.Fold
		want error
	}{
		"an error of the fold":       {store.UpdateRequest{Receipt: id}, func(store.View) (store.Changes, error) { return store.Changes{}, mine }, mine},
		"an unknown receipt":         {store.UpdateRequest{Receipt: receiptID("unknown")}, harmless, store.ErrUnknownReceipt},
		"one of another namespace":   {store.UpdateRequest{Receipt: receiptID("there")}, harmless, store.ErrUnknownReceipt},
		"another user's receipt":     {store.UpdateRequest{Receipt: id, User: "v"}, harmless, store.ErrInvalid},
		"nobody's receipt":           {store.UpdateRequest{Receipt: receiptID("anonymous"), User: "v"}, harmless, store.ErrInvalid},
		"rows of no user":            {store.UpdateRequest{Personal: []string{"d"}}, harmless, store.ErrInvalid},
		"a row without a key":        {store.UpdateRequest{User: "u", Personal: []string{""}}, harmless, store.ErrInvalid},
		"a document not shown":       {store.UpdateRequest{Receipt: id}, evidence(counter(1), "b"), store.ErrInvalid},
		"a document without receipt": {store.UpdateRequest{}, evidence(counter(1), "a"), store.ErrInvalid},
		"a receipt not named":        {store.UpdateRequest{}, changing(store.Changes{Receipt: judgement(1)}), store.ErrInvalid},
		"a row not named": {store.UpdateRequest{User: "u", Personal: []string{"d"}},
			changing(store.Changes{Personal: []store.PersonalChange{write(personal("e", 1, 1), "")}}), store.ErrInvalid},
		"a negative bound":       {store.UpdateRequest{User: "u", MaxPersonal: -1}, harmless, store.ErrInvalid},
		"a tally without a name": {store.UpdateRequest{}, changing(store.Changes{Tallies: make([]store.Tally, 1)}), store.ErrInvalid},
	} {
		b.unchanged("", func() {
			if err := b.Update(b.ctx, c.req, c.fold); !errors.Is(err, c.want) {
				b.Errorf("%s: %v, want %v", name, err, c.want)
			}
		})
	}
}

func testUpdatePersonal(b *bench) {
	testUpdateBounds(&bench{T: b.T, Store: b.fresh(), ctx: b.ctx, open: b.open})
	update := func(document string, fold func(p store.Personal, ok bool) store.PersonalChange) {
		b.Helper()
		req := store.UpdateRequest{User: "u", Personal: []string{document, document}}
		b.must(b.Update(b.ctx, req, func(v store.View) (store.Changes, error) {
			p, ok := v.Personal[document]
			return store.Changes{Personal: []store.PersonalChange{fold(p, ok)}}, nil
		}))
	}
	row := func() (store.Personal, string) {
		b.Helper()
		got, err := b.Load(b.ctx, store.LoadRequest{User: "u", Personal: []string{"d"}})
		b.must(err)
		texts, err := b.Texts(b.ctx, "", "u", []string{"d"})
		b.must(err)
		return got.Personal["d"], texts["d"]
	}
	update("d", func(p store.Personal, ok bool) store.PersonalChange {
		if ok {
			b.Errorf("a row that does not exist: %+v", p)
		}
		return write(personal("d", 1, 10), "text")
	})
	first, text := row()
	if first.Version == 0 || text != "text" {
		b.Errorf("after the first write: %+v, text %q", first, text)
	}
	update("d", func(p store.Personal, _ bool) store.PersonalChange {
		p.Record.Uses.Value, p.Active = 2, true
		return store.PersonalChange{Personal: p, KeepText: true}
	})
	second, text := row()
	if second.Version == first.Version || second.Record.Uses.Value != 2 || !second.Active || text != "text" {
		b.Errorf("after keeping the text: %+v, text %q", second, text)
	}
	update("d", func(p store.Personal, _ bool) store.PersonalChange { return store.PersonalChange{Personal: p} })
	if _, text = row(); text != "" {
		b.Errorf("after replacing the text by none: %q", text)
	}
	update("d", func(p store.Personal, _ bool) store.PersonalChange { return write(p, "again") })
	update("d", func(p store.Personal, _ bool) store.PersonalChange {
		return store.PersonalChange{Personal: p, Delete: true}
	})
	if gone, text := row(); gone.Document != "" || text != "" {
		b.Errorf("after deleting: %+v, text %q", gone, text)
	}
	got, err := b.Load(b.ctx, store.LoadRequest{User: "u"})
	b.must(err)
	if len(got.Personal) > 0 || got.Sequence != 0 {
		b.Errorf("a deleted active row is loaded: %+v", got)
	}
	update("d", func(p store.Personal, ok bool) store.PersonalChange {
		return store.PersonalChange{Personal: personal("d", 1, 1), KeepText: true}
	})
	if _, text := row(); text != "" {
		b.Errorf("a new row has the text of a deleted one: %q", text)
	}
}

// An update that changes personal rows keeps to their bound, whether it names them
// itself or by a receipt.
func testUpdateBounds(b *bench) {
	rc := ofUser(receipt("r", 10, "a"), "u")
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: rc}))
	shown := store.PersonalKey("src", "of a")
	change := func(req store.UpdateRequest, p store.Personal) (rows []string) {
		b.Helper()
		req.MaxPersonal = 3
		b.must(b.Update(b.ctx, req, func(store.View) (store.Changes, error) {
			return store.Changes{Personal: []store.PersonalChange{write(p, "text")}}, nil
		}))
		left, err := b.Personal(b.ctx, "", "u", store.Page{})
		b.must(err)
		for _, p := range left {
			rows = append(rows, p.Document)
		}
		return rows
	}
	var rows []string
	for i, d := range []string{"d0", "d1", "d2", "d3", "d4"} {
		p := personal(d, 1, int64(10-i))
		p.Active = i == 1 || i == 2
		rows = change(store.UpdateRequest{User: "u", Personal: []string{d}}, p)
	}
	if want := []string{"d0", "d1", "d2"}; !slices.Equal(rows, want) {
		b.Errorf("rows %q, want the active and the newest, %q", rows, want)
	}
	rows = change(store.UpdateRequest{Receipt: rc.ID}, personal(shown, 1, 20))
	if !slices.Equal(rows, []string{shown, "d1", "d2"}) && !slices.Equal(rows, []string{"d1", "d2", shown}) {
		b.Errorf("rows %q after one that the receipt names", rows)
	}
	texts, err := b.Texts(b.ctx, "", "u", []string{"d0", "d1", "d3", "d4"})
	b.must(err)
	if len(texts) != 1 {
		b.Errorf("texts of rows that went are still there: %v", texts)
	}
	got, err := b.Load(b.ctx, store.LoadRequest{User: "u"})
	b.must(err)
	if got.Sequence != 1 {
		b.Errorf("%d retrievals counted", got.Sequence)
	}
	b.unchanged("", func() {
		req := store.UpdateRequest{User: "u", Personal: []string{"d1"}, MaxPersonal: 1}
		b.must(b.Update(b.ctx, req, func(store.View) (store.Changes, error) { return store.Changes{}, nil }))
	})
}

func testConcurrentUpdates(b *bench) {
	const workers, each = 8, 200
	texts := names("text", 6)
	for i := range workers {
		// Every worker's receipt shows shared documents in an order of its own.
		shown := append(slices.Clone(texts[i%len(texts):]), texts[:i%len(texts)]...)
		b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt(fmt.Sprint(i), 10, shown...)}))
	}
	b.parallel(workers, each, func(worker, _ int) error {
		return b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID(fmt.Sprint(worker))}, func(v store.View) (store.Changes, error) {
			ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record), Tallies: []store.Tally{{Name: "n", Values: []float64{1}}}}
			for h, d := range v.Documents {
				ch.Documents[h] = counter(counted(d.Evidence) + 1)
			}
			return ch, nil
		})
	})
	rows, err := b.Documents(b.ctx, "", store.Page{})
	b.must(err)
	for _, d := range rows {
		if n := counted(d.Evidence); n != workers*each {
			b.Errorf("a document counted %v of %d updates", n, workers*each)
		}
	}
	tallies, err := b.Store.Tallies(b.ctx, "", "", store.Page{})
	b.must(err)
	if len(rows) != len(texts) || len(tallies) != 1 || tallies[0].Values[0] != workers*each {
		b.Errorf("%d documents, tallies %v", len(rows), tallies)
	}
}

func testConcurrentFolds(b *bench) {
	const workers, each = 8, 300
	b.parallel(workers, each, func(worker, i int) error {
		r := put(ofUser(receipt(fmt.Sprintf("%d-%d", worker, i), 10, "a"), "u"), write(personal("d", 0, 0), ""))
		r.Fold = func(sequence int64, rows []store.Personal) ([]store.PersonalChange, error) {
			p := rows[0]
			p.Record.Uses.Value++
			p.Updated = sequence
			return []store.PersonalChange{{Personal: p, KeepText: true}}, nil
		}
		return b.Record(b.ctx, r)
	})
	got, err := b.Load(b.ctx, store.LoadRequest{User: "u", Personal: []string{"d"}, Hashes: []store.Hash{hash("a")}})
	b.must(err)
	p := got.Personal["d"]
	if p.Record.Uses.Value != workers*each || p.Updated != workers*each || got.Sequence != workers*each || got.Documents[hash("a")].Uses != workers*each {
		b.Errorf("%d folds counted: %v in the row, %d as its sequence, %d for the user, %d uses",
			workers*each, p.Record.Uses.Value, p.Updated, got.Sequence, got.Documents[hash("a")].Uses)
	}
}

func testConcurrentTallies(b *bench) {
	const workers, each = 8, 50
	b.parallel(workers, each, func(_, i int) error {
		return b.Add(b.ctx, "", []store.Tally{{Name: fmt.Sprint(i % 3), Values: []float64{1}}, {Name: "all", Values: []float64{0, 2}}})
	})
	rows, err := b.Store.Tallies(b.ctx, "", "", store.Page{})
	b.must(err)
	sums := make(map[string][]float64)
	for _, r := range rows {
		sums[r.Name] = r.Values
	}
	want := map[string][]float64{"0": {17 * workers}, "1": {17 * workers}, "2": {16 * workers}, "all": {0, 2 * workers * each}}
	if !maps.EqualFunc(sums, want, slices.Equal[[]float64]) {
		b.Errorf("tallies are %v, want %v", sums, want)
	}
}

// parallel runs do so many times in each of so many goroutines.
func (b *bench) parallel(workers, each int, do func(worker, i int) error) {
	b.Helper()
	errs := make(chan error, workers)
	for w := range workers {
		go func() {
			var err error
			for i := 0; i < each && err == nil; i++ {
				err = do(w, i)
			}
			errs <- err
		}()
	}
	for range workers {
		b.must(<-errs)
	}
}

func testCancelled(b *bench) {
	b.must(b.Record(b.ctx, put(ofUser(receipt("r", 10, "a"), "u"), write(personal("d", 1, 10), "text"))))
	ctx, cancel := context.WithCancel(b.ctx)
	cancel()
	b.unchanged("", func() {
		for name, err := range b.calls(ctx) {
			if !errors.Is(err, context.Canceled) {
				b.Errorf("%s under a cancelled context: %v", name, err)
			}
		}
	})
}

func testClose(b *bench) {
	s := b.open(b.T)
	b.must(s.Record(b.ctx, store.Retrieval{Receipt: receipt("r", 10, "a")}))
	b.must(s.Close())
	closed := &bench{T: b.T, Store: s, ctx: b.ctx}
	for name, err := range closed.calls(b.ctx) {
		if !errors.Is(err, store.ErrClosed) {
			b.Errorf("%s after Close: %v", name, err)
		}
	}
	if err := s.Close(); err != nil {
		b.Errorf("Close a second time: %v", err)
	}
}
