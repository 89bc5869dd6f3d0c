package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/repute-go/repute/core/store"
)

// listing reads one page of a kind of row and returns the keys.
type listing func(store.Page) ([]string, error)

func (b *bench) listings() map[string]listing {
	return map[string]listing{
		"Documents": func(p store.Page) ([]string, error) {
			rows, err := b.Documents(b.ctx, "", p)
			return keysOf(rows, func(d store.Document) string { return string(d.Hash[:]) }), err
		},
		"Aliases": func(p store.Page) ([]string, error) {
			rows, err := b.Aliases(b.ctx, "", "src", p)
			return keysOf(rows, func(a store.Alias) string { return a.ID }), err
		},
		"Receipts": func(p store.Page) ([]string, error) {
			rows, err := b.Receipts(b.ctx, "", "", p)
			return keysOf(rows, func(r store.Receipt) string { return string(r.ID[:]) }), err
		},
		"Personal": func(p store.Page) ([]string, error) {
			rows, err := b.Personal(b.ctx, "", "user", p)
			return keysOf(rows, func(p store.Personal) string { return p.Document }), err
		},
		"Users": func(p store.Page) ([]string, error) { return b.Users(b.ctx, "", p) },
		"Tallies": func(p store.Page) ([]string, error) {
			rows, err := b.Store.Tallies(b.ctx, "", "", p)
			return keysOf(rows, func(t store.Tally) string { return t.Name }), err
		},
		"Blobs": func(p store.Page) ([]string, error) {
			rows, err := b.Blobs(b.ctx, "", "", p)
			return keysOf(rows, func(x store.Blob) string { return x.Name }), err
		},
	}
}

func keysOf[R any](rows []R, key func(R) string) []string {
	out := make([]string, len(rows))
	for i, r := range rows {
		out[i] = key(r)
	}
	return out
}

// fill writes one row of every kind under a name.
func (b *bench) fill(name string) {
	b.Helper()
	user := put(ofUser(receipt("of "+name, 5, name), "user "+name), write(personal("d", 1, 5), "text"))
	b.must(b.Record(b.ctx, user))
	row := put(ofUser(receipt(name, 10, name), "user"), write(personal(name, 1, 5), ""))
	row.Aliases = aliases(10, name)
	b.must(b.Record(b.ctx, row))
	b.must(b.Add(b.ctx, "", []store.Tally{{Name: name, Values: []float64{1}}}))
	b.must(b.PutBlob(b.ctx, "", store.Blob{Name: name}))
}

func testPages(b *bench) {
	for _, name := range names("n", 25) {
		b.fill(name)
	}
	for name, list := range b.listings() {
		whole, err := list(store.Page{})
		b.must(err)
		if len(whole) < 25 || !slices.IsSorted(whole) {
			b.Errorf("%s: %d rows, in order %v", name, len(whole), slices.IsSorted(whole))
		}
		if got := b.walk(list, 7, func() {}); !slices.Equal(got, whole) {
			b.Errorf("%s: pages give %q, want %q", name, got, whole)
		}
		if got, err := list(store.Page{After: whole[len(whole)-1]}); err != nil || len(got) > 0 {
			b.Errorf("%s: %d rows after the last, %v", name, len(got), err)
		}
	}
	b.checkGrowingPages()
	b.checkUserReceipts()
}

// walk pages through a listing.
func (b *bench) walk(list listing, limit int, between func()) (all []string) {
	b.Helper()
	for after := ""; ; {
		rows, err := list(store.Page{After: after, Limit: limit})
		b.must(err)
		if len(rows) > limit {
			b.Fatalf("a page of %d rows, asked for %d", len(rows), limit)
		}
		all = append(all, rows...)
		if len(rows) < limit {
			return all
		}
		after = rows[len(rows)-1]
		between()
	}
}

// checkGrowingPages inserts rows between pages: what was there all the time is
// listed exactly once.
func (b *bench) checkGrowingPages() {
	for name, list := range b.listings() {
		before, err := list(store.Page{})
		b.must(err)
		added := 0
		got := b.walk(list, 9, func() {
			if added++; added <= 3 {
				b.fill(fmt.Sprintf("%s%d", strings.ToLower(name), added))
			}
		})
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			b.Errorf("%s: pages overlap", name)
		}
		for _, key := range before {
			if !slices.Contains(got, key) {
				b.Errorf("%s: %q is missing from the pages", name, key)
			}
		}
	}
}

func (b *bench) checkUserReceipts() {
	rows, err := b.Receipts(b.ctx, "", "user n0003", store.Page{})
	b.must(err)
	if len(rows) != 1 || rows[0].ID != receiptID("of n0003") || form(rows[0]) != form(ofUser(receipt("of n0003", 5, "n0003"), "user n0003")) {
		b.Errorf("the user's receipts are %+v", rows)
	}
}

func testExpire(b *bench) {
	for i := range 10 {
		name := fmt.Sprint(i)
		b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt(name, int64(i), name), Aliases: aliases(int64(i), name), MaxReceipts: 10}))
	}
	b.must(b.Record(b.ctx, store.Retrieval{Namespace: "other", Receipt: receipt("0", 0, "0"), Aliases: aliases(0, "0")}))
	expire := func(want int, bounds store.Bounds) {
		b.Helper()
		if n, err := b.Expire(b.ctx, "", bounds); err != nil || n != want {
			b.Errorf("Expire(%+v) removed %d rows, %v; want %d", bounds, n, err, want)
		}
	}
	b.unchanged("", func() { expire(0, store.Bounds{Now: 999}) })
	expire(3, store.Bounds{Now: 1_002})
	expire(0, store.Bounds{Now: 1_002})
	expire(2, store.Bounds{Now: 1_004})
	expire(4, store.Bounds{Now: 0, AliasesBefore: 4})
	want := make(contents)
	for i := range 10 {
		name := fmt.Sprint(i)
		want.add(store.Document{Hash: hash(name), Uses: 1, LastUsed: int64(i)})
		if i > 4 {
			want.add(receipt(name, int64(i), name))
		}
		if i >= 4 {
			want.add(aliases(int64(i), name)[0])
		}
	}
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after expiry:\n%s", d)
	}
	if d := b.dump("other"); len(d) != 3 {
		b.Errorf("another namespace lost rows: %v", d)
	}
	err := b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID("0")}, evidence(counter(1), "0"))
	b.wantErr(err, store.ErrUnknownReceipt)
	// Expired receipts make room under the bound.
	r := store.Retrieval{Receipt: receipt("new", 50, "x"), MaxReceipts: 6}
	b.must(b.Record(b.ctx, r))
	if rows, err := b.Receipts(b.ctx, "", "", store.Page{}); err != nil || len(rows) != 6 {
		b.Errorf("%d receipts, %v; want 6", len(rows), err)
	}
}

func testExpireDocuments(b *bench) {
	texts := []string{"named", "previous", "free", "proven", "late"}
	r := store.Retrieval{Receipt: receipt("r", 10, texts...), Aliases: aliases(10, "named")}
	r.Aliases[0].Previous = hash("previous")
	b.must(b.Record(b.ctx, r))
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: receipt("s", 20, "late")}))
	b.must(b.Update(b.ctx, store.UpdateRequest{Receipt: receiptID("r")}, evidence(counter(1), "proven")))
	for _, c := range []struct {
		bounds store.Bounds
		want   int
	}{
		{store.Bounds{DocumentsBefore: 10}, 0},
		{store.Bounds{DocumentsBefore: 20}, 1},                    // free
		{store.Bounds{DocumentsBefore: 21}, 1},                    // late
		{store.Bounds{AliasesBefore: 11, DocumentsBefore: 21}, 3}, // the alias, and what it named
		{store.Bounds{DocumentsBefore: 100}, 0},                   // proven stays
		{store.Bounds{EvidenceBefore: 10}, 0},
	} {
		n, err := b.Expire(b.ctx, "", c.bounds)
		if err != nil || n != c.want {
			b.Errorf("Expire(%+v) removed %d rows, %v; want %d", c.bounds, n, err, c.want)
		}
	}
	rows, err := b.Documents(b.ctx, "", store.Page{})
	b.must(err)
	if len(rows) != 1 || rows[0].Hash != hash("proven") {
		b.Errorf("documents left: %+v", rows)
	}
	if n, err := b.Expire(b.ctx, "", store.Bounds{EvidenceBefore: 11}); err != nil || n != 1 {
		b.Errorf("of documents with evidence %d went, %v; want 1", n, err)
	}
	l, err := b.Load(b.ctx, store.LoadRequest{Hashes: []store.Hash{hash("proven")}})
	b.must(err)
	if len(l.Documents) > 0 {
		b.Errorf("a document that went is still loaded: %+v", l.Documents)
	}
}

// testExpireUsers sees who goes: users without a receipt and an active row, who wrote
// nothing since.
func testExpireUsers(b *bench) {
	pinned := personal("d", 1, 5)
	pinned.Active = true
	for user, row := range map[string]store.Personal{"old": personal("d", 1, 5), "new": personal("d", 1, 20), "pinned": pinned, "asking": personal("d", 1, 5)} {
		r := put(ofUser(receipt(user, 5, "a"), user), write(row, "text of "+user))
		if user == "asking" {
			r.Receipt.Expires = 9_000
		}
		b.must(b.Record(b.ctx, r))
	}
	b.must(b.Record(b.ctx, store.Retrieval{Receipt: ofUser(receipt("of nothing", 5, "a"), "nothing")}))
	expire := func(bounds store.Bounds, want int) {
		b.Helper()
		if n, err := b.Expire(b.ctx, "", bounds); err != nil || n != want {
			b.Errorf("Expire(%+v) removed %d rows, %v; want %d", bounds, n, err, want)
		}
	}
	expire(store.Bounds{Now: 1, UsersBefore: 20}, 0)
	expire(store.Bounds{Now: 5_000}, 4) // receipts
	expire(store.Bounds{Now: 5_000, UsersBefore: 5}, 1)
	expire(store.Bounds{Now: 5_000, UsersBefore: 20}, 2)
	users, err := b.Users(b.ctx, "", store.Page{})
	b.must(err)
	if want := []string{"asking", "new", "pinned"}; !slices.Equal(users, want) {
		b.Errorf("users left: %q, want %q", users, want)
	}
	// One who comes back starts anew.
	b.must(b.Record(b.ctx, put(ofUser(receipt("back", 30, "a"), "old"), write(personal("e", 1, 30), ""))))
	l, err := b.Load(b.ctx, store.LoadRequest{User: "old", Personal: []string{"d", "e"}})
	b.must(err)
	texts, err := b.Texts(b.ctx, "", "old", []string{"d"})
	b.must(err)
	if l.Sequence != 1 || len(l.Personal) != 1 || len(texts) != 0 {
		b.Errorf("a user who came back has %+v, texts %q", l, texts)
	}
}

func testExpireTombstones(b *bench) {
	for i, rater := range []string{"judge:a", "judge:b"} {
		if _, err := b.Erase(b.ctx, "", erasure(store.Erasure{Rater: rater, Now: int64(10 * (i + 1))})); err != nil {
			b.Fatal(err)
		}
	}
	for _, c := range [][2]int64{{0, 0}, {10, 0}, {20, 1}} {
		if n, err := b.Expire(b.ctx, "", store.Bounds{TombstonesBefore: c[0]}); err != nil || int64(n) != c[1] {
			b.Errorf("before %d: %d tombstones went, %v; want %d", c[0], n, err, c[1])
		}
	}
	want := make(contents)
	want.add(store.Tombstone{Actor: "judge:b", Erased: 20})
	if d := b.dump("").diff(want); d != "" {
		b.Errorf("after expiry:\n%s", d)
	}
}

func testExpireTallies(b *bench) {
	for i, name := range []string{"user:a", "user:b", "user:c", "user:d", "judge:a", "judge:b", "u", "v"} {
		b.must(b.Add(b.ctx, "", []store.Tally{{Name: name, Values: []float64{-float64(i%4) - 1, 1}}}))
	}
	n, err := b.Expire(b.ctx, "", store.Bounds{MaxTallies: map[string]int{"user:": 2, "judge:": 5, "v": 0}})
	if err != nil || n != 3 {
		b.Errorf("Expire removed %d tallies, %v; want 3", n, err)
	}
	rows, err := b.Store.Tallies(b.ctx, "", "", store.Page{})
	b.must(err)
	got := keysOf(rows, func(t store.Tally) string { return t.Name })
	if want := []string{"judge:a", "judge:b", "u", "user:c", "user:d"}; !slices.Equal(got, want) {
		b.Errorf("tallies left: %q, want %q", got, want)
	}
}
