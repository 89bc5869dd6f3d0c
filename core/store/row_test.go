package store_test

import (
	"bytes"
	"encoding"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// decoder is a row that can be read.
type decoder interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// kinds makes an empty row of every kind, in the order of examples.
var kinds = []func() decoder{
	func() decoder { return new(store.Document) },
	func() decoder { return new(store.Alias) },
	func() decoder { return new(store.Receipt) },
	func() decoder { return new(store.Entry) },
	func() decoder { return new(store.Sequence) },
	func() decoder { return new(store.Tally) },
	func() decoder { return new(store.Blob) },
	func() decoder { return new(store.Tombstone) },
}

// examples are rows of every kind, with awkward values.
func examples() [][]store.Row {
	h := store.Hash{1, 2, 15: 3}
	evidence := &reputation.Record{Space: 7, Local: 1, Events: []reputation.Event{{Receipt: 1, Time: math.MinInt64, Pos: 1, Attribution: float32(math.NaN())}}}
	receipt := &reputation.Receipt{Tag: 1, Shown: make([]reputation.Shown, 2)}
	return [][]store.Row{
		{store.Document{}, store.Document{Hash: h, Evidence: evidence, Uses: math.MaxInt64, LastUsed: math.MinInt64}},
		{store.Alias{}, store.Alias{Source: "a\x00b", ID: "\xff", Hash: h, Previous: h, Seen: -1}},
		{store.Receipt{}, store.Receipt{ID: store.ReceiptID(h), User: "u", Session: "s", Source: "src", Query: "what?", Created: 1, Expires: 2,
			Shown: []store.Shown{{}, {ID: "chunk", Document: "d", Hash: h, Previous: h}}, Evidence: receipt}},
		{store.Entry{}, store.Entry{User: "u", Personal: store.Personal{Document: "d", Active: true, Updated: 3, Version: math.MaxUint64, Text: "text",
			Record: lifecycle.Record{Title: "title"}}}},
		{store.Sequence{}, store.Sequence{User: "u", Number: 5}},
		{store.Tally{}, store.Tally{Name: "t", Values: []float64{1, math.Inf(1), math.NaN(), -0.5}}},
		{store.Blob{}, store.Blob{Name: "b", Fingerprint: "model", Data: []byte{0, 1}, Updated: 4}},
		{store.Tombstone{}, store.Tombstone{Actor: "user:u", Erased: 6}},
	}
}

func encoded(t testing.TB, r encoding.BinaryAppender) []byte {
	t.Helper()
	b, err := r.AppendBinary([]byte("prefix"))
	if err != nil {
		t.Fatal(err)
	}
	return b[len("prefix"):]
}

func TestRowsRoundTrip(t *testing.T) {
	for i, rows := range examples() {
		for _, r := range rows {
			b := encoded(t, r)
			got := kinds[i]()
			if err := got.UnmarshalBinary(b); err != nil {
				t.Errorf("%T: %v", r, err)
				continue
			}
			if again := encoded(t, got); !bytes.Equal(again, b) {
				t.Errorf("%T: read back as %+v", r, got)
			}
			checkDamaged(t, kinds[i], b)
		}
	}
}

// checkDamaged decodes what no version has written. The row stays as it was.
func checkDamaged(t *testing.T, empty func() decoder, b []byte) {
	t.Helper()
	newer := bytes.Clone(b)
	newer[0] = 99
	zero := bytes.Clone(b)
	zero[0] = 0
	damaged := map[string][]byte{"nothing": nil, "version 0": zero, "a byte too many": append(bytes.Clone(b), 0)}
	for n := range b {
		damaged[string(rune(n))] = b[:n]
	}
	for name, x := range damaged {
		r := empty()
		if err := r.UnmarshalBinary(x); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%T, %s: %v", r, name, err)
		}
		if !bytes.Equal(encoded(t, r), encoded(t, empty())) {
			t.Errorf("%T, %s: changed the row", r, name)
		}
	}
	if err := empty().UnmarshalBinary(newer); !errors.Is(err, store.ErrVersion) {
		t.Errorf("%T of a newer version: %v", empty(), err)
	}
}

// TestNewerRecords sees that a record of a newer version inside a row is told
// from a damaged one.
func TestNewerRecords(t *testing.T) {
	for _, r := range []store.Row{
		store.Document{Evidence: &reputation.Record{}}, store.Receipt{Evidence: &reputation.Receipt{}}, store.Entry{},
	} {
		b := encoded(t, r)
		// The record is the last field; its version is its first byte.
		for i := len(b) - 1; i > 0; i-- {
			newer := bytes.Clone(b)
			newer[i] = 99
			err := decodeLike(r, newer)
			if errors.Is(err, store.ErrVersion) {
				break
			}
			if i == 1 {
				t.Errorf("%T: no byte makes its record newer", r)
			}
		}
	}
}

func decodeLike(r store.Row, b []byte) error {
	switch r.(type) {
	case store.Document:
		return new(store.Document).UnmarshalBinary(b)
	case store.Receipt:
		return new(store.Receipt).UnmarshalBinary(b)
	}
	return new(store.Entry).UnmarshalBinary(b)
}

// FuzzRows decodes anything as a row of every kind: no panic, no memory that the
// input does not justify, and what decodes is kept by another round.
func FuzzRows(f *testing.F) {
	for i, rows := range examples() {
		for _, r := range rows {
			f.Add(byte(i), encoded(f, r))
		}
	}
	f.Fuzz(func(t *testing.T, kind byte, b []byte) {
		empty := kinds[int(kind)%len(kinds)]
		r := empty()
		err := r.UnmarshalBinary(b)
		if err != nil {
			if !errors.Is(err, store.ErrInvalid) && !errors.Is(err, store.ErrVersion) {
				t.Fatalf("%T: %v", r, err)
			}
			return
		}
		once := encoded(t, r)
		again := empty()
		if err := again.UnmarshalBinary(once); err != nil {
			t.Fatalf("%T: written, but not read: %v", r, err)
		}
		if !bytes.Equal(encoded(t, again), once) {
			t.Fatalf("%T: changed by a round trip", r)
		}
	})
}

// FuzzReader reads anything as an export.
func FuzzReader(f *testing.F) {
	var buf bytes.Buffer
	w := store.NewWriter(&buf)
	for _, rows := range examples() {
		for _, r := range rows {
			if err := w.Write(r); err != nil {
				f.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(buf.Bytes())
	f.Add(buf.Bytes()[:40])
	f.Add([]byte("REPUTE\x00\x01\x01\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in, err := store.NewReader(bytes.NewReader(b))
		for err == nil {
			_, err = in.Next()
		}
		if !errors.Is(err, io.EOF) && !errors.Is(err, store.ErrInvalid) && !errors.Is(err, store.ErrVersion) {
			t.Fatal(err)
		}
	})
}
