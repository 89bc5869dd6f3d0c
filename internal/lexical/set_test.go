package lexical_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/repute-go/repute/internal/lexical"
)

func TestHashIsFixed(t *testing.T) {
	for term, want := range map[string]uint64{"": 0xf52a15e9a9b5e89b, "higg": 0x6f717d70aa5e23b0, "標準": 0x5555dcb911ce3e5c} {
		if got := lexical.Hash(term); got != want {
			t.Errorf("Hash(%q) = %#x", term, got)
		}
	}
}

func TestSet(t *testing.T) {
	set := lexical.NewSet("The cats and the cat; dogs!")
	if set.Len() != 3 || set.Tokens() != 3 {
		t.Fatalf("%d distinct of %d", set.Len(), set.Tokens())
	}
	if !set.Contains(lexical.Hash("dogs")) || set.Contains(lexical.Hash("the")) {
		t.Fatal("wrong members")
	}
	var zero lexical.Set
	if zero.Len() != 0 || zero.Tokens() != 0 || zero.Contains(0) || zero.Shared(set) != 0 {
		t.Fatal("the zero value is not empty")
	}
}

func TestSetIsThatOfTheTerms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.String().Draw(t, "a"), rapid.String().Draw(t, "b")
		terms := lexical.Terms(a)
		set := lexical.NewSet(a)
		if set.Tokens() != len(terms) || set.Len() != len(lexical.Unique(terms)) {
			t.Fatalf("%d of %d for %q", set.Len(), set.Tokens(), terms)
		}
		if !slices.Equal(slices.Collect(set.Hashes()), slices.Collect(lexical.SetOf(terms).Hashes())) {
			t.Fatal("NewSet and SetOf differ")
		}
		other, shared := lexical.NewSet(b), 0
		for h := range set.Hashes() {
			if other.Contains(h) {
				shared++
			}
		}
		if set.Shared(other) != shared || other.Shared(set) != shared {
			t.Fatalf("Shared %d and %d, want %d", set.Shared(other), other.Shared(set), shared)
		}
	})
}

func TestOverlap(t *testing.T) {
	for _, c := range []struct {
		a, b                    string
		coverage, dice, jaccard float64
		coverageOK, ok          bool
	}{
		{"higgs boson", "boson", .5, 2. / 3, .5, true, true},
		{"boson", "higgs boson", 1, 2. / 3, .5, true, true},
		{"same words", "words same", 1, 1, 1, true, true},
		{"one", "two", 0, 0, 0, true, true},
		{"", "two", 0, 0, 0, false, true},
		{"the of", "!!", 0, 0, 0, false, false},
		{"café", "cafe\u0301", 1, 1, 1, true, true},
		{"초과근무 승인 규칙", "초과근무 규칙", 2. / 3, .8, 2. / 3, true, true},
	} {
		o := lexical.OverlapOf(c.a, c.b)
		coverage, coverageOK := o.Coverage()
		dice, diceOK := o.Dice()
		jaccard, jaccardOK := o.Jaccard()
		if !near(coverage, c.coverage) || !near(dice, c.dice) || !near(jaccard, c.jaccard) ||
			coverageOK != c.coverageOK || diceOK != c.ok || jaccardOK != c.ok {
			t.Errorf("%q and %q: coverage %v %v, Dice %v %v, Jaccard %v %v", c.a, c.b, coverage, coverageOK, dice, diceOK, jaccard, jaccardOK)
		}
	}
}

func TestRelatedClausesWithoutSpacesOverlap(t *testing.T) {
	related, _ := lexical.OverlapOf("国際標準化に関する動向", "標準化の動向").Dice()
	unrelated, _ := lexical.OverlapOf("国際標準化に関する動向", "夕食に寿司を食べました").Dice()
	if related < .3 || unrelated > .05 {
		t.Errorf("related %.2f, unrelated %.2f", related, unrelated)
	}
}
