package storetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// inhabit fills a store with what user u1, user u2 and judge j leave behind.
func (b *bench) inhabit() {
	b.Helper()
	for _, u := range []string{"u1", "u2"} {
		r := put(ofUser(receipt("of "+u, 10, "a", "b"), u), write(personal("d", 1, 10), "text of "+u))
		r.Aliases = aliases(10, "a", "b")
		r.Aliases[1].Previous = hash("a")
		b.must(b.Record(b.ctx, r))
		b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: r.Receipt.ID}, func(v store.View) (store.Changes, error) {
			ch := store.Changes{
				Receipt: judgement(2, store.UserActor(u), "judge:j"),
				Tallies: []store.Tally{{Name: "rater/user:" + u, Values: []float64{1}}, {Name: "rater/judge:j", Values: []float64{1}}},
			}
			ch.Documents = map[store.Hash]*reputation.Record{hash("b"): record(event(1, store.UserActor(u)))}
			if u == "u2" {
				ch.Documents[hash("a")] = record(event(1, "user:u1"), event(2, "user:u2", "judge:j"), event(3, "user:u2"))
			}
			return ch, nil
		}))
	}
	b.must(b.PutBlob(b.ctx, "", store.Blob{Name: "state"}))
}

// erase erases and expects so many rows changed or removed; again none.
func (b *bench) erase(e store.Erasure, want int) {
	b.Helper()
	e = erasure(e)
	for _, want := range []int{want, 0} {
		n, err := b.Erase(b.ctx, "", e)
		if err != nil || n != want {
			b.Errorf("Erase changed %d rows, %v; want %d", n, err, want)
		}
	}
	e.Now -= 5
	if _, err := b.Erase(b.ctx, "", e); err != nil {
		b.Error(err)
	}
}

func testEraseUser(b *bench) {
	b.inhabit()
	// One receipt, one personal row, one tally, and the events in one document.
	b.erase(store.Erasure{User: "u1", Now: 99, Tallies: []string{"rater/user:u1", "none"}}, 4)
	want := make(contents)
	rest := ofUser(receipt("of u2", 10, "a", "b"), "u2")
	rest.Evidence = judgement(2, "user:u2", "judge:j")
	want.add(rest)
	want.add(store.Document{Hash: hash("a"), Uses: 2, LastUsed: 10, Evidence: record(event(2, "user:u2", "judge:j"), event(3, "user:u2"))})
	want.add(store.Document{Hash: hash("b"), Uses: 2, LastUsed: 10, Evidence: record(event(1, "user:u2"))})
	b.addCommon(want)
	want.add(store.Tally{Name: "rater/user:u2", Values: []float64{1}})
	want.add(store.Tally{Name: "rater/judge:j", Values: []float64{2}})
	want.add(store.Sequence{User: "u2", Number: 1})
	want.add(store.Entry{User: "u2", Personal: write(personal("d", 1, 10), "text of u2").Personal})
	want.add(store.Tombstone{Actor: "user:u1", Erased: 99})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after erasing a user:\n%s", d)
	}
	b.checkTombstone("user:u1", "of u2", 99)
}

func testEraseRater(b *bench) {
	b.inhabit()
	// Two receipts, one tally, and the events in one document.
	b.erase(store.Erasure{Rater: "judge:j", Now: 99, Tallies: []string{"rater/judge:j"}}, 4)
	got := b.dump("")
	want := make(contents)
	for _, u := range []string{"u1", "u2"} {
		rc := ofUser(receipt("of "+u, 10, "a", "b"), u)
		rc.Evidence = judgement(2, "user:"+u)
		want.add(rc)
		want.add(store.Sequence{User: u, Number: 1})
		want.add(store.Entry{User: u, Personal: write(personal("d", 1, 10), "text of "+u).Personal})
		want.add(store.Tally{Name: "rater/user:" + u, Values: []float64{1}})
	}
	want.add(store.Document{Hash: hash("a"), Uses: 2, LastUsed: 10, Evidence: record(event(1, "user:u1"), event(3, "user:u2"))})
	want.add(store.Document{Hash: hash("b"), Uses: 2, LastUsed: 10, Evidence: record(event(1, "user:u2"))})
	b.addCommon(want)
	want.add(store.Tombstone{Actor: "judge:j", Erased: 99})
	if d := got.diff(want); d != "" {
		b.Errorf("after erasing a rater:\n%s", d)
	}
	b.checkTombstone("judge:j", "of u1", 99)
}

// addCommon adds the rows that no erasure of an actor touches.
func (b *bench) addCommon(want contents) {
	want.add(aliases(10, "a")[0])
	renamed := aliases(10, "b")[0]
	renamed.Previous = hash("a")
	want.add(renamed)
	want.add(store.Blob{Name: "state"})
}

func testEraseDocument(b *bench) {
	b.inhabit()
	// The document, its alias, the alias that had it before, two receipts and
	// two personal rows.
	b.erase(store.Erasure{Document: hash("a"), Personal: []string{"d", "none"}, Now: 99}, 7)
	got, err := b.Load(b.ctx, store.LoadRequest{Source: "src", IDs: []string{"a", "b"}, Hashes: []store.Hash{hash("a")}, User: "u1", Personal: []string{"d"}})
	b.must(err)
	if len(got.Aliases) != 1 || got.Aliases["b"] != aliases(10, "b")[0] || len(got.Documents) != 1 || len(got.Personal) != 0 || got.Sequence != 1 {
		b.Errorf("after erasing a document: %+v", got)
	}
	texts, err := b.Texts(b.ctx, "", "u1", []string{"d"})
	b.must(err)
	if len(texts) > 0 {
		b.Errorf("its text is still in a library: %q", texts)
	}
	// A late signal does not bring it back.
	id := receiptID("of u2")
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: id}, func(v store.View) (store.Changes, error) {
		ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record)}
		for _, s := range v.Receipt.Shown {
			ch.Documents[s.Hash] = counter(9)
		}
		return ch, nil
	}))
	got, err = b.Load(b.ctx, store.LoadRequest{Hashes: []store.Hash{hash("a"), hash("b"), {}}})
	b.must(err)
	if len(got.Documents) != 1 || counted(got.Documents[hash("b")].Evidence) != 9 {
		b.Errorf("after a late signal: %+v", got.Documents)
	}
	b.checkTombstone(store.DocumentActor(hash("a")), "of u1", 99)
}

// checkTombstone sees that an update that asks for an actor is told.
func (b *bench) checkTombstone(actor, rc string, at int64) {
	b.Helper()
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID(rc), Actors: []string{"user:other", actor}}, func(v store.View) (store.Changes, error) {
		if len(v.Erased) != 1 || v.Erased[actor] != at {
			b.Errorf("fold saw %v as erased, want %q at %d", v.Erased, actor, at)
		}
		return store.Changes{}, nil
	}))
	for name, e := range map[string]store.Erasure{
		"nothing":                 {Now: 1},
		"a user and a rater":      {User: "u", Rater: "judge:j"},
		"a user and personal row": erasure(store.Erasure{User: "u", Personal: []string{"d"}}),
		"no rewriting":            {User: "u"},
	} {
		if _, err := b.Erase(b.ctx, "", e); !errors.Is(err, store.ErrInvalid) {
			b.Errorf("Erase of %s: %v", name, err)
		}
	}
}

// testEraseDuringRetrieval records a retrieval that was made before its user was
// erased: it leaves nothing. One made later is somebody else's.
func testEraseDuringRetrieval(b *bench) {
	b.inhabit()
	if _, err := b.Erase(b.ctx, "", erasure(store.Erasure{User: "u1", Now: 99})); err != nil {
		b.Fatal(err)
	}
	retrieval := func(name string, created int64) store.Retrieval {
		r := put(ofUser(receipt(name, created, "a", "new"), "u1"), write(personal("d", 1, created), "text"))
		r.Aliases = aliases(created, "new")
		return r
	}
	for _, created := range []int64{50, 99} {
		b.unchanged("", func() { b.wantErr(b.Record(b.ctx, retrieval("late", created)), store.ErrErased) })
	}
	b.must(b.Record(b.ctx, retrieval("later", 100)))
	rows, err := b.Receipts(b.ctx, "", "u1", store.Page{})
	b.must(err)
	if len(rows) != 1 || rows[0].ID != receiptID("later") {
		b.Errorf("receipts of the later user: %+v", rows)
	}
	// Erasing a text or another user refuses nobody.
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt("nobody's", 50, "a")}))
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: ofUser(receipt("another's", 50, "a"), "u2")}))
}

// testEraseDuringUpdates erases a rater while others report what it says: no
// event of it is left.
func testEraseDuringUpdates(b *bench) {
	texts := names("text", 4)
	for i := range 4 {
		b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt(fmt.Sprint(i), 10, texts...)}))
	}
	refused := errors.New("erased")
	var wg sync.WaitGroup
	begun := make(chan struct{}, 4)
	for i := range 4 {
		wg.Go(func() {
			for n := range int64(60) {
				err := b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID(fmt.Sprint(i)), Actors: []string{"judge:j"}}, func(v store.View) (store.Changes, error) {
					if _, gone := v.Erased["judge:j"]; gone {
						return store.Changes{}, refused
					}
					ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record)}
					for h := range v.Documents {
						ch.Documents[h] = record(event(n+1, "judge:j"), event(n+2, "user:u"))
					}
					return ch, nil
				})
				if n == 10 {
					begun <- struct{}{}
				}
				if err != nil && !errors.Is(err, refused) {
					b.Error(err)
				}
			}
		})
	}
	<-begun
	if _, err := b.Erase(b.ctx, "", erasure(store.Erasure{Rater: "judge:j", Now: 50})); err != nil {
		b.Error(err)
	}
	wg.Wait()
	rows, err := b.Documents(b.ctx, "", store.Page{})
	b.must(err)
	tag := reputation.ActorTag("judge:j")
	for _, d := range rows {
		if _, n := d.Evidence.Erase(tag); n > 0 {
			b.Errorf("document %v still has %d events of an erased rater", d.Hash, n)
		}
	}
}

// testEraseDocumentDuringUpdates erases a text while outcomes of receipts that show
// it come in: no evidence of it is left.
func testEraseDocumentDuringUpdates(b *bench) {
	const receipts = 300
	for i := range receipts {
		b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt(fmt.Sprint(i), 10, "gone", "stays")}))
	}
	begun, erased := make(chan struct{}, 2), make(chan struct{})
	var wg sync.WaitGroup
	for w := range 2 {
		wg.Go(func() {
			for n := w; ; n++ {
				select {
				case <-erased:
					return
				default:
				}
				i := n % receipts
				if n == 10 {
					begun <- struct{}{}
				}
				err := b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID(fmt.Sprint(i))}, func(v store.View) (store.Changes, error) {
					ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record)}
					for _, shown := range v.Receipt.Shown {
						ch.Documents[shown.Hash] = counter(7)
					}
					return ch, nil
				})
				if err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	<-begun
	_, err := b.Erase(b.ctx, "", store.Erasure{Document: hash("gone"), Now: 50})
	close(erased)
	wg.Wait()
	b.must(err)
	got, err := b.Load(b.ctx, store.LoadRequest{Hashes: []store.Hash{hash("gone"), hash("stays")}})
	b.must(err)
	if len(got.Documents) != 1 || counted(got.Documents[hash("stays")].Evidence) != 7 {
		b.Errorf("after erasing a text during updates: %+v", got.Documents)
	}
}

func (b *bench) wantErr(err, want error) {
	b.Helper()
	if !errors.Is(err, want) {
		b.Errorf("got the error %v, want %v", err, want)
	}
}
