package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/repute-go/repute/core/store"
)

func testLoad(b *bench) {
	empty, err := b.Load(b.ctx, store.LoadRequest{Source: "src", IDs: []string{"a"}, Hashes: []store.Hash{hash("b")}, User: "u", Personal: []string{"d"}})
	b.must(err)
	if len(empty.Aliases)+len(empty.Documents)+len(empty.Personal) != 0 || empty.Sequence != 0 {
		b.Errorf("an empty store holds %+v", empty)
	}
	if d := b.dump(""); len(d) > 0 {
		b.Errorf("Load wrote %v", d)
	}

	active := personal("of active", 3, 30)
	active.Active = true
	r := put(ofUser(receipt("r", 10, "a", "b"), "u"), write(active, "text"), write(personal("of a", 1, 10), ""), write(personal("of b", 2, 20), ""))
	r.Aliases = aliases(10, "a", "b")
	r.Aliases[1].Previous = hash("old b")
	b.must(b.Record(b.ctx, r))

	got, err := b.Load(b.ctx, store.LoadRequest{
		Source: "src", IDs: []string{"a", "b", "unknown", "a"}, Hashes: []store.Hash{hash("b"), hash("unknown"), {}},
		User: "u", Personal: []string{"of a", "unknown"},
	})
	b.must(err)
	want := map[string]store.Alias{"a": r.Aliases[0], "b": r.Aliases[1]}
	for id, a := range want {
		if got.Aliases[id] != a {
			b.Errorf("alias %q is %+v, want %+v", id, got.Aliases[id], a)
		}
	}
	if len(got.Aliases) != 2 || len(got.Documents) != 3 || len(got.Personal) != 2 || got.Sequence != 1 {
		b.Errorf("got %d aliases, %d documents, %d personal rows, sequence %d; want 2, 3, 2, 1",
			len(got.Aliases), len(got.Documents), len(got.Personal), got.Sequence)
	}
	if d := got.Documents[hash("a")]; d != (store.Document{Hash: hash("a"), Uses: 1, LastUsed: 10}) {
		b.Errorf("document a is %+v", d)
	}
	if d := got.Documents[hash("old b")]; d != (store.Document{Hash: hash("old b")}) {
		b.Errorf("the previous text of b is %+v", d)
	}
	p := got.Personal["of active"]
	if p.Text != "" || p.Version == 0 || !p.Active || p.Record.Uses.Value != 3 || p.Updated != 30 {
		b.Errorf("the active row is %+v", p)
	}
	again, err := b.Load(b.ctx, store.LoadRequest{Source: "src", IDs: []string{"b"}, Into: got})
	b.must(err)
	if len(again.Aliases) != 1 || again.Aliases["b"] != r.Aliases[1] || len(again.Documents) != 2 || len(again.Personal) != 0 || again.Sequence != 0 {
		b.Errorf("an answer in used memory is %+v", again)
	}
	if _, err := b.Load(b.ctx, store.LoadRequest{Personal: []string{"d"}}); !errors.Is(err, store.ErrInvalid) {
		b.Errorf("personal rows of no user: %v", err)
	}
	texts, err := b.Texts(b.ctx, "", "u", []string{"of active", "of a", "unknown"})
	b.must(err)
	if len(texts) != 1 || texts["of active"] != "text" {
		b.Errorf("texts are %q", texts)
	}
}

func testRecord(b *bench) {
	first := receipt("first", 50, "a", "a", "b")
	first.Shown[2].Previous = hash("old b")
	first.Query, first.Session = "what?", "s"
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: first, Aliases: aliases(50, "a", "b")}))
	// An alias is written as it is and a clock may run backwards.
	moved := aliases(40, "a")
	moved[0].Hash = hash("new a")
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt("second", 40, "a"), Aliases: moved}))

	want := make(contents)
	want.add(first)
	want.add(receipt("second", 40, "a"))
	want.add(moved[0])
	want.add(aliases(50, "b")[0])
	want.add(store.Document{Hash: hash("a"), Uses: 2, LastUsed: 50})
	want.add(store.Document{Hash: hash("b"), Uses: 1, LastUsed: 50})
	want.add(store.Document{Hash: hash("old b")})
	want.add(store.Document{Hash: hash("new a")})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after two retrievals:\n%s", d)
	}
	// Uses do not touch evidence.
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: first.ID}, evidence(counter(5), "a")))
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt("third", 60, "a")}))
	got, err := b.Load(b.ctx, store.LoadRequest{Hashes: []store.Hash{hash("a")}})
	b.must(err)
	if d := got.Documents[hash("a")]; d.Uses != 3 || d.LastUsed != 60 || counted(d.Evidence) != 5 {
		b.Errorf("document a is %+v", d)
	}
}

func testRecordRefused(b *bench) {
	b.must(b.Record(b.ctx, put(ofUser(receipt("r", 10, "a"), "u"), write(personal("d", 1, 10), "text"))))
	mine := errors.New("of the fold")
	refusing := put(ofUser(receipt("s", 20, "a", "b"), "u"), write(personal("d", 2, 20), ""))
	refusing.Aliases = aliases(20, "b")
	refusing.Fold = func(int64, []store.Personal) ([]store.PersonalChange, error) { return nil, mine }
	straying := refusing
	straying.Fold = func(int64, []store.Personal) ([]store.PersonalChange, error) {
		return []store.PersonalChange{write(personal("another", 1, 1), "")}, nil
	}
	again := store.Retrieval{Receipt: receipt("r", 30, "b"), Aliases: aliases(30, "b")}
	nobody := refusing
	nobody.Receipt.User = ""
	for name, c := range map[string]struct {
		r    store.Retrieval
		want error
	}{
		"an error of the fold":     {refusing, mine},
		"a row not named":          {straying, store.ErrInvalid},
		"a receipt that exists":    {again, store.ErrInvalid},
		"no receipt id":            {store.Retrieval{Receipt: store.Receipt{User: "u"}}, store.ErrInvalid},
		"evidence of other texts":  {store.Retrieval{Receipt: misaligned(1, 2)}, store.ErrInvalid},
		"personal rows of no user": {nobody, store.ErrInvalid},
		"an alias without an id":   {store.Retrieval{Receipt: receipt("t", 1), Aliases: make([]store.Alias, 1)}, store.ErrInvalid},
		"a negative bound":         {store.Retrieval{Receipt: receipt("t", 1), MaxReceipts: -1}, store.ErrInvalid},
	} {
		b.unchanged("", func() {
			if err := b.Record(b.ctx, c.r); !errors.Is(err, c.want) {
				b.Errorf("%s: %v, want %v", name, err, c.want)
			}
		})
	}
}

func testRecordBounds(b *bench) {
	for i := range 60 {
		var changes []store.PersonalChange
		for j := range 2 {
			p := personal(fmt.Sprintf("d%03d", 2*i+j), 1, int64(i))
			p.Active = i < 5
			changes = append(changes, write(p, "text"))
		}
		r := put(ofUser(receipt(fmt.Sprint(i), int64(100+i), "a"), "u"), changes...)
		r.MaxPersonal, r.MaxReceipts = 20, 30
		b.must(b.Record(b.ctx, r))
	}
	rows, err := b.Personal(b.ctx, "", "u", store.Page{})
	b.must(err)
	var got []string
	for _, p := range rows {
		got = append(got, p.Document)
	}
	want := append(names("d", 120)[:10:10], names("d", 120)[110:]...)
	for i, d := range want {
		want[i] = "d" + d[2:]
	}
	if !slices.Equal(got, want) {
		b.Errorf("personal rows left: %v, want the active and the newest, %v", got, want)
	}
	texts, err := b.Texts(b.ctx, "", "u", []string{"d010", "d110"})
	b.must(err)
	if len(texts) != 1 {
		b.Errorf("the text of a row that went is still there: %v", texts)
	}
	receipts, err := b.Receipts(b.ctx, "", "", store.Page{})
	b.must(err)
	for _, rc := range receipts {
		if rc.Created < 130 {
			b.Errorf("the receipt of time %d is among the newest 30", rc.Created)
		}
	}
	if len(receipts) != 30 {
		b.Errorf("%d receipts, want 30", len(receipts))
	}
	// Active rows stay even above the bound.
	r := put(ofUser(receipt("last", 200, "a"), "u"), write(personal("e", 1, 300), ""))
	r.MaxPersonal = 3
	b.must(b.Record(b.ctx, r))
	rows, err = b.Personal(b.ctx, "", "u", store.Page{})
	b.must(err)
	if len(rows) != 10 {
		b.Errorf("%d rows, want the 10 active ones", len(rows))
	}
}
