package lifecycle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func TestCodecRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, _ := drawRecord(t, lc.Options{}, nil)
		if rapid.Bool().Draw(t, "apart") {
			r, _ = r.Detach()
		}
		b, err := r.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		var back lc.Record
		if err := back.UnmarshalBinary(b); err != nil || !reflect.DeepEqual(r, back) {
			t.Fatalf("%v\n%+v\n%+v", err, r, back)
		}
		if again, _ := back.MarshalBinary(); !bytes.Equal(b, again) {
			t.Fatal("not deterministic")
		}
		var clear lc.Record
		if text, err := json.Marshal(r); err != nil || json.Unmarshal(text, &clear) != nil || !reflect.DeepEqual(r, clear) {
			t.Fatalf("JSON loses something: %v\n%+v\n%+v", err, r, clear)
		}
	})
}

func TestCodecRefusesWhatIsNoRecord(t *testing.T) {
	r := newWorld(t).do(lc.Fetched, lc.Accept, lc.Up).r
	whole, err := r.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(whole)
	newer[0] = 2
	for name, v := range map[string]struct {
		b    []byte
		want error
	}{
		"nothing": {nil, lc.ErrCorrupt}, "zeros": {make([]byte, 200), lc.ErrCorrupt}, "newer": {newer, lc.ErrVersion},
		"cut": {whole[:len(whole)-1], lc.ErrCorrupt}, "longer": {append(bytes.Clone(whole), 'x'), lc.ErrCorrupt},
		"huge": {append(bytes.Clone(whole), make([]byte, lc.MaxText)...), lc.ErrCorrupt},
	} {
		got := lc.Record{Title: "untouched"}
		if err := got.UnmarshalBinary(v.b); !errors.Is(err, v.want) || got.Title != "untouched" {
			t.Errorf("%s: %v, want %v", name, err, v.want)
		}
	}
	for i := range whole {
		var got lc.Record
		if err := got.UnmarshalBinary(whole[:i]); err == nil && got.Claim.Text != "" {
			t.Errorf("the first %d bytes are read as a record with a text", i)
		}
	}
	for name, bad := range map[string]func(*lc.Record){
		"state":  func(r *lc.Record) { r.Learned = 9 },
		"choice": func(r *lc.Record) { r.Intent.Choice = 9 },
		"origin": func(r *lc.Record) { r.Claim.Origin = 9 },
		"NaN":    func(r *lc.Record) { r.Uses.Value = math.NaN() },
		"minus":  func(r *lc.Record) { r.Opinion.Up = -1 },
		"time":   func(r *lc.Record) { r.Since = -1 },
		"mean":   func(r *lc.Record) { r.Opinion.Posterior.Mean = 2 },
		"moves":  func(r *lc.Record) { r.Moves = make([]lc.Move, lc.AuditLength+1) },
		"cause":  func(r *lc.Record) { r.Moves = []lc.Move{{Cause: 99}} },
		"title":  func(r *lc.Record) { r.Title = "\xff" },
		"long":   func(r *lc.Record) { r.Title = strings.Repeat("a", lc.MaxTitle+1) },
		"size":   func(r *lc.Record) { r.Claim.Size++ },
		"query":  func(r *lc.Record) { r.Query = -1 },
	} {
		c := r
		bad(&c)
		if _, err := c.MarshalBinary(); err == nil {
			t.Errorf("a record with a bad %s was written", name)
		}
	}
}

func TestCodecBound(t *testing.T) {
	claim := lc.Claim{Text: strings.Repeat("a", lc.MaxText), Vector: make([]float32, lc.MaxVector), Chunks: make([]string, lc.MaxChunks)}
	name := strings.Repeat("n", lc.MaxName)
	for i := range claim.Chunks {
		claim.Chunks[i] = name
	}
	claim.Hash, claim.Source, claim.Model = name, name, name
	w := newWorld(t).do(lc.Fetched, lc.Fetched, lc.Fetched, lc.Down, lc.Decline, lc.Block, lc.Unblock)
	w.apply(lc.Event{Kind: lc.Accept, Claim: claim, Title: strings.Repeat("t", 9999), Path: strings.Repeat("p", 9999)})
	b, err := w.r.MarshalBinary()
	if err != nil || len(b) > lc.MaxRecordSize {
		t.Errorf("the largest record takes %d bytes, over %d: %v", len(b), lc.MaxRecordSize, err)
	}
	if b, _ := (lc.Record{}).MarshalBinary(); len(b) > 256 {
		t.Errorf("an empty record takes %d bytes", len(b))
	}
}

func FuzzUnmarshalBinary(f *testing.F) {
	full, err := sampleRecord().MarshalBinary()
	if err != nil {
		f.Fatal(err)
	}
	empty, _ := lc.Record{}.MarshalBinary()
	f.Add(full)
	f.Add(empty)
	f.Add([]byte{})
	f.Add([]byte{2})
	f.Fuzz(func(t *testing.T, b []byte) {
		var r lc.Record
		if err := r.UnmarshalBinary(b); err != nil {
			if !errors.Is(err, lc.ErrCorrupt) && !errors.Is(err, lc.ErrVersion) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		again, err := r.MarshalBinary()
		if err != nil || !bytes.Equal(b, again) {
			t.Fatalf("decoded and encoded again: %v\n%x\n%x", err, b, again)
		}
		for _, k := range []lc.Cause{lc.Fetched, lc.Down, lc.Pin, lc.Remove, lc.Unpin} { // whatever it says, it can be used
			r, _, _ = lc.Apply(r, lc.Event{Kind: k, Claim: lc.Claim{Text: "x"}}, start, lc.Options{})
		}
		r, _ = lc.Evaluate(r, start.Add(1000*day), lc.Options{})
		if s := r.Score(start, lc.Options{}); !(s >= 0 && s <= 1) {
			t.Fatalf("score %v", s)
		}
	})
}

func sampleRecord() lc.Record {
	var r lc.Record
	for _, k := range []lc.Cause{lc.Fetched, lc.Up, lc.Fetched, lc.Down, lc.Decline, lc.Accept} {
		r, _, _ = lc.Apply(r, lc.Event{Kind: k, Query: r.Query + 1, Posterior: lc.Posterior{Mean: .6, Mass: 4}, Title: "Title", Path: "a/b",
			Claim: lc.Claim{Text: "text", Hash: "h", Source: "s", Origin: lc.FromChunks, Chunks: []string{"1", "2"}, Vector: []float32{1, 0}, Model: "m"}},
			start, lc.Options{})
	}
	return r
}

func TestNamesRoundTrip(t *testing.T) {
	for s := lc.Global; s <= lc.Demoted; s++ {
		if got, err := lc.ParseState(strings.ToLower(s.String())); got != s || err != nil {
			t.Errorf("%v: %v, %v", s, got, err)
		}
	}
	for c := lc.Fetched; c <= lc.Expiry; c++ {
		b, err := c.MarshalText()
		var got lc.Cause
		if err != nil || got.UnmarshalText(b) != nil || got != c || string(b) != c.String() {
			t.Errorf("%v: %v, %v", c, got, err)
		}
	}
	if _, err := lc.ParseState("CLAIMEDD"); !errors.Is(err, lc.ErrUnknownName) {
		t.Errorf("an unknown state: %v", err)
	}
	if lc.State(7).String() != "STATE(7)" || lc.Cause(77).String() != "CAUSE(77)" {
		t.Error("values without a name")
	}
	if _, err := lc.State(7).MarshalText(); !errors.Is(err, lc.ErrUnknownName) {
		t.Errorf("a value without a name was written: %v", err)
	}
}
