package storetest

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/repute-go/repute/core/store"
)

// awkward are keys that meet wherever they are joined, cut, folded, normalised,
// escaped or taken for patterns.
var awkward = []string{
	"a", "A", "b", "ab", "a ", " a", "a\x00", "\x00a", "a\x00b", "\x00", "a:b", "a::b", ":", "1:a", "a/b", "a|b", "a,b", "a\tb", "a\nb",
	"{a}", "{a}:b", "a'b", `a"b`, "'); DROP TABLE documents;--", "%", "a%", "_", "*", "?", "[a]", `\`, `\\`, "../../a", "NULL",
	"é", "e\u0301", "ß", "ss", "ı", "i", "\u202ea", "💥", "\ufffd", "\xff", "\xff\xfe", "\xc3", "a\xff", "\xed\xa0\x80",
	strings.Repeat("x", 10_000), strings.Repeat("x", 10_000) + "y",
}

// testKeys writes rows under every awkward key, alone and in pairs, and finds
// each again with what was written under it.
func testKeys(b *bench) {
	spaces := append([]string{""}, awkward...)
	sources := append([]string{""}, awkward...)
	for i, ns := range spaces {
		r := store.Retrieval{Namespace: ns, Receipt: receipt(fmt.Sprint(i), int64(i), "a")}
		r.Aliases = keyed(ns, "src", awkward)
		b.must(b.Record(b.ctx, r))
	}
	for i, source := range sources {
		r := store.Retrieval{Namespace: "sources", Receipt: receipt(fmt.Sprint(i), 1, "a"), Aliases: keyed("sources", source, awkward)}
		b.must(b.Record(b.ctx, r))
	}
	for _, ns := range spaces {
		b.checkAliases(ns, "src")
	}
	for _, source := range sources {
		b.checkAliases("sources", source)
	}
	for i, ns := range spaces {
		rows, err := b.Receipts(b.ctx, ns, "", store.Page{})
		b.must(err)
		if len(rows) != 1 || rows[0].Created != int64(i) {
			b.Errorf("namespace %.20q has %d receipts", ns, len(rows))
		}
	}
	b.checkPersonalKeys()
	b.checkNames()
}

// keyed are aliases whose texts name their whole key.
func keyed(ns, source string, ids []string) []store.Alias {
	out := make([]store.Alias, len(ids))
	for i, id := range ids {
		out[i] = store.Alias{Source: source, ID: id, Hash: hash(fmt.Sprintf("%q %q %q", ns, source, id)), Seen: 1}
	}
	return out
}

func (b *bench) checkAliases(ns, source string) {
	b.Helper()
	got, err := b.Load(b.ctx, store.LoadRequest{Namespace: ns, Source: source, IDs: awkward})
	b.must(err)
	listed, err := b.Aliases(b.ctx, ns, source, store.Page{})
	b.must(err)
	want := keyed(ns, source, awkward)
	slices.SortFunc(want, func(x, y store.Alias) int { return strings.Compare(x.ID, y.ID) })
	if !slices.Equal(listed, want) {
		b.Errorf("namespace %.20q source %.20q: the listing of aliases differs", ns, source)
	}
	for _, a := range want {
		if got.Aliases[a.ID] != a {
			b.Errorf("namespace %.20q source %.20q id %.20q: %+v", ns, source, a.ID, got.Aliases[a.ID])
		}
		if _, ok := got.Documents[a.Hash]; !ok {
			b.Errorf("namespace %.20q source %.20q id %.20q: no document", ns, source, a.ID)
		}
	}
}

// checkPersonalKeys does the same for users and the documents of their rows.
func (b *bench) checkPersonalKeys() {
	for i, user := range awkward {
		var changes []store.PersonalChange
		for j, document := range awkward {
			changes = append(changes, write(personal(document, float64(i), int64(j)), user+document))
		}
		b.must(b.Record(b.ctx, put(ofUser(receipt("personal "+fmt.Sprint(i), 1, "a"), user), changes...)))
	}
	users, err := b.Users(b.ctx, "", store.Page{})
	b.must(err)
	if want := slices.Sorted(slices.Values(awkward)); !slices.Equal(users, want) {
		b.Errorf("the users are %.40q, want %.40q", users, want)
	}
	for i, user := range awkward {
		got, err := b.Load(b.ctx, store.LoadRequest{User: user, Personal: awkward})
		b.must(err)
		texts, err := b.Texts(b.ctx, "", user, awkward)
		b.must(err)
		receipts, err := b.Receipts(b.ctx, "", user, store.Page{})
		b.must(err)
		if len(receipts) != 1 || receipts[0].User != user {
			b.Errorf("user %.20q has %d receipts", user, len(receipts))
		}
		for j, document := range awkward {
			p := got.Personal[document]
			if p.Record.Uses.Value != float64(i) || p.Updated != int64(j) || texts[document] != user+document {
				b.Errorf("user %.20q document %.20q: %+v, text %.20q", user, document, p, texts[document])
			}
		}
	}
}

// checkNames does the same for tallies and blobs, and for prefixes of them.
func (b *bench) checkNames() {
	for i, name := range awkward {
		b.must(b.Add(b.ctx, "", []store.Tally{{Name: name, Values: []float64{float64(i)}}}))
		b.must(b.PutBlob(b.ctx, "", store.Blob{Name: name, Fingerprint: name, Data: []byte(name), Updated: int64(i)}))
	}
	for _, prefix := range append([]string{""}, awkward...) {
		want := make(map[string]float64)
		for i, name := range awkward {
			if strings.HasPrefix(name, prefix) {
				want[name] = float64(i)
			}
		}
		tallies, err := b.Store.Tallies(b.ctx, "", prefix, store.Page{})
		b.must(err)
		blobs, err := b.Blobs(b.ctx, "", prefix, store.Page{})
		b.must(err)
		gotTallies, gotBlobs := make(map[string]float64), make(map[string]float64)
		for _, t := range tallies {
			gotTallies[t.Name] = t.Values[0]
		}
		for _, x := range blobs {
			if x.Fingerprint != x.Name || string(x.Data) != x.Name {
				b.Errorf("blob %.20q holds another one's state", x.Name)
			}
			gotBlobs[x.Name] = float64(x.Updated)
		}
		if !maps.Equal(gotTallies, want) || !maps.Equal(gotBlobs, want) {
			b.Errorf("prefix %.20q: %d tallies, %d blobs, want %d", prefix, len(gotTallies), len(gotBlobs), len(want))
		}
	}
}

func testTallies(b *bench) {
	for _, values := range [][]float64{{1}, {2, 3, 4}, {-1, 1}, nil} {
		b.must(b.Add(b.ctx, "", []store.Tally{{Name: "t", Values: values}, {Name: "t", Values: values}}))
	}
	rows, err := b.Store.Tallies(b.ctx, "", "t", store.Page{})
	b.must(err)
	if len(rows) != 1 || !slices.Equal(rows[0].Values, []float64{4, 8, 8}) {
		b.Errorf("tallies are %v, want 4, 8, 8", rows)
	}
	b.must(b.Add(b.ctx, "", nil))
}

func testBlobs(b *bench) {
	if _, ok, err := b.Blob(b.ctx, "", "x"); ok || err != nil {
		b.Errorf("a blob that does not exist: %v, %v", ok, err)
	}
	b.must(b.DeleteBlob(b.ctx, "", "x"))
	for _, x := range []store.Blob{
		{Name: "x", Fingerprint: "one", Data: []byte("state"), Updated: 1},
		{Name: "x", Fingerprint: "two", Data: make([]byte, 1<<20), Updated: 2},
		{Name: "x"},
	} {
		b.must(b.PutBlob(b.ctx, "", x))
		got, ok, err := b.Blob(b.ctx, "", "x")
		b.must(err)
		if !ok || form(got) != form(x) {
			b.Errorf("the blob is not what was written: %q %d bytes", got.Fingerprint, len(got.Data))
		}
	}
	b.must(b.DeleteBlob(b.ctx, "", "x"))
	if _, ok, err := b.Blob(b.ctx, "", "x"); ok || err != nil {
		b.Errorf("a deleted blob: %v, %v", ok, err)
	}
	testSwaps(b)
}

func testSwaps(b *bench) {
	one := store.Blob{Name: "y", Fingerprint: "one", Data: []byte("state"), Updated: 1}
	two := store.Blob{Name: "y", Fingerprint: "two", Updated: 2}
	stranger, elder, other := one, one, one
	stranger.Fingerprint, elder.Updated, other.Data = "two", 2, []byte("State")
	for _, c := range []struct {
		what     string
		old      *store.Blob
		b        store.Blob
		swapped  bool
		inTheEnd store.Blob // zero for none
	}{
		{"one that is not there", &one, two, false, store.Blob{}},
		{"none", nil, one, true, one},
		{"none, where there is one", nil, two, false, one},
		{"another fingerprint", &stranger, two, false, one},
		{"another time", &elder, two, false, one},
		{"other data", &other, two, false, one},
		{"the one there", &one, two, true, two},
		{"one that is no longer there", &one, one, false, two},
		{"one without data by itself", &two, two, true, two},
	} {
		swapped, err := b.SwapBlob(b.ctx, "", c.old, c.b)
		b.must(err)
		got, ok, err := b.Blob(b.ctx, "", "y")
		b.must(err)
		if swapped != c.swapped || ok != (c.inTheEnd.Name != "") || form(got) != form(c.inTheEnd) {
			b.Errorf("replacing %s: %v, and then there is %v, %q", c.what, swapped, ok, got.Fingerprint)
		}
	}
	if _, ok, err := b.Blob(b.ctx, "elsewhere", "y"); ok || err != nil {
		b.Errorf("another namespace: %v, %v", ok, err)
	}
	if _, err := b.SwapBlob(b.ctx, "", nil, store.Blob{}); !errors.Is(err, store.ErrInvalid) {
		b.Errorf("a blob without a name: %v", err)
	}
	testConcurrentSwaps(b)
}

// Of workers that replace the same blob one does.
func testConcurrentSwaps(b *bench) {
	const workers, rounds = 8, 50
	var won atomic.Int64
	b.must(b.PutBlob(b.ctx, "", store.Blob{Name: "z"}))
	b.parallel(workers, rounds, func(worker, round int) error {
		old := store.Blob{Name: "z", Updated: int64(round)}
		swapped, err := b.SwapBlob(b.ctx, "", &old, store.Blob{Name: "z", Updated: int64(round + 1)})
		if swapped {
			won.Add(1)
		}
		return err
	})
	last, _, err := b.Blob(b.ctx, "", "z")
	b.must(err)
	if won.Load() != last.Updated {
		b.Errorf("%d swaps of %d", won.Load(), last.Updated)
	}
}
