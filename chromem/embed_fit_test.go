package chromem_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
	"slices"
	"testing"

	"github.com/repute-go/repute/chromem"
)

// sample has a word in every text, one in every tenth, and one in each alone.
func sample(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range n {
			text := fmt.Sprintf("everywhere singleton%d", i)
			if i%10 == 0 {
				text += " sometimes"
			}
			if !yield(text) {
				return
			}
		}
	}
}

func fitted(t testing.TB) *chromem.LocalEmbedder {
	t.Helper()
	e, err := chromem.FitLocal(context.Background(), sample(100), chromem.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestFitLocalWeighsRareWordsMore(t *testing.T) {
	e, plain := fitted(t), unfitted(t)
	cosineTo := func(e *chromem.LocalEmbedder, word string) float64 {
		return product(embedded(t, e, "everywhere sometimes unheard"), embedded(t, e, word))
	}
	if a, b, c := cosineTo(e, "everywhere"), cosineTo(e, "sometimes"), cosineTo(e, "unheard"); !(a < b && b < c) {
		t.Errorf("everywhere %.3f, sometimes %.3f, unheard %.3f", a, b, c)
	}
	if a, b := cosineTo(e, "everywhere"), cosineTo(plain, "everywhere"); a > b/2 {
		t.Errorf("a word of every text: %.3f learned, %.3f not", a, b)
	}
}

func TestFitLocalPassesOverEmptyTexts(t *testing.T) {
	for _, texts := range [][]string{nil, {""}, {"!!!", "the"}} {
		if _, err := chromem.FitLocal(context.Background(), slices.Values(texts), chromem.LocalOptions{}); !errors.Is(err, chromem.ErrNoSample) {
			t.Errorf("%q: %v", texts, err)
		}
	}
	fit := func(texts ...string) string {
		e, err := chromem.FitLocal(context.Background(), slices.Values(texts), chromem.LocalOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return e.Fingerprint()
	}
	if fit("one text", "another text") != fit("another text", "", "one text", "!") {
		t.Error("empty texts or the order of texts show")
	}
	if fit("one text", "another text") == fit("one text", "third text", "another text") {
		t.Error("other samples, equal fingerprints")
	}
}

func TestLocalEmbedderSurvivesSaving(t *testing.T) {
	for name, e := range map[string]*chromem.LocalEmbedder{"fitted": fitted(t), "unfitted": unfitted(t)} {
		saved, err := e.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := chromem.LoadLocal(saved)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if loaded.Fingerprint() != e.Fingerprint() || !slices.Equal(embedded(t, loaded, "sometimes everywhere"), embedded(t, e, "sometimes everywhere")) {
			t.Errorf("%s: another embedder", name)
		}
		again, _ := loaded.MarshalBinary()
		if !bytes.Equal(again, saved) {
			t.Errorf("%s: other bytes", name)
		}
	}
}

func TestLoadLocalRefusesDamage(t *testing.T) {
	saved, _ := fitted(t).MarshalBinary()
	for i := range saved {
		if _, err := chromem.LoadLocal(saved[:i]); !errors.Is(err, chromem.ErrLocalState) {
			t.Fatalf("first %d bytes: %v", i, err)
		}
		damaged := slices.Clone(saved)
		damaged[i] ^= 4
		if _, err := chromem.LoadLocal(damaged); !errors.Is(err, chromem.ErrLocalState) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
	}
	if _, err := chromem.LoadLocal(append(slices.Clone(saved), 0)); !errors.Is(err, chromem.ErrLocalState) {
		t.Fatalf("a byte more: %v", err)
	}
}

// sealed gives a body a right header and checksum.
func sealed(body []byte) []byte {
	b := append([]byte("RLOC\x01"), body...)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

func TestLoadLocalRefusesImpossibleStates(t *testing.T) {
	for name, numbers := range map[string][]uint64{
		"few dimensions":         {10, 0, 0},
		"many dimensions":        {1 << 40, 0, 0},
		"too many texts":         {2048, 1 << 40, 0},
		"features of no texts":   {2048, 0, 1, 5, 0},
		"more features than fit": {2048, 9, 1 << 30},
		"more than all texts":    {2048, 9, 1, 5, 8},
		"key twice":              {2048, 9, 2, 5, 0, 0, 0},
		"key too large":          {2048, 9, 1, 1 << 33, 0},
		"key runs over":          {2048, 9, 2, 5, 0, 1<<64 - 3, 0},
		"frequency runs over":    {2048, 9, 1, 5, 1<<64 - 1},
		"bytes left over":        {2048, 9, 1, 5, 0, 7},
	} {
		var body []byte
		for _, n := range numbers {
			body = binary.AppendUvarint(body, n)
		}
		if _, err := chromem.LoadLocal(sealed(body)); !errors.Is(err, chromem.ErrLocalState) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzLoadLocal(f *testing.F) {
	saved, _ := fitted(f).MarshalBinary()
	f.Add(saved[5 : len(saved)-4])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := chromem.LoadLocal(sealed(body))
		if err != nil {
			if !errors.Is(err, chromem.ErrLocalState) {
				t.Fatal(err)
			}
			return
		}
		if v := embedded(t, e, "everywhere"); len(v) != e.Dimensions() {
			t.Fatal("wrong dimensions")
		}
		again, _ := e.MarshalBinary()
		if _, err := chromem.LoadLocal(again); err != nil {
			t.Fatal(err)
		}
	})
}
