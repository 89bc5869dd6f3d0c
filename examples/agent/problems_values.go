package main

var bounds = []problem{
	{"sum", "bound", [...]string{
		"panic: runtime error: index out of range [3] with length 3, in the loop of Sum over a slice.",
		"Adding up a list panics in the last round of the loop: index out of range.",
	}, `package p

func Sum(xs []int) int {
	total := 0
	for i := 0; i <= len(xs); i++ {
		total += xs[i]
	}
	return total
}
`, `package p

import "testing"

func TestSum(t *testing.T) {
	if got := Sum([]int{1, 2, 3}); got != 6 {
		t.Fatalf("got %d, want 6", got)
	}
}
`},
	{"largest", "bound", [...]string{
		"panic: runtime error: index out of range [3] with length 3, in the loop of Largest over a slice.",
		"The loop that looks for the largest number of a list panics with index out of range.",
	}, `package p

func Largest(xs []int) int {
	best := xs[0]
	for i := 0; i <= len(xs); i++ {
		if xs[i] > best {
			best = xs[i]
		}
	}
	return best
}
`, `package p

import "testing"

func TestLargest(t *testing.T) {
	if got := Largest([]int{9, 2, 7}); got != 9 {
		t.Fatalf("got %d, want 9", got)
	}
}
`},
	{"index", "bound", [...]string{
		"panic: runtime error: index out of range [2] with length 2, in the loop of Index over a slice.",
		"When a name is not in the list the loop panics: index out of range.",
	}, `package p

func Index(names []string, name string) int {
	for i := 0; i <= len(names); i++ {
		if names[i] == name {
			return i
		}
	}
	return -1
}
`, `package p

import "testing"

func TestIndex(t *testing.T) {
	if got := Index([]string{"a", "b"}, "c"); got != -1 {
		t.Fatalf("got %d, want -1", got)
	}
	if got := Index([]string{"a", "b"}, "a"); got != 0 {
		t.Fatalf("got %d, want 0", got)
	}
}
`},
}

var maps = []problem{
	{"words", "map-make", [...]string{
		"panic: assignment to entry in nil map, in Words, which counts the words of a text.",
		"Counting words panics at the first entry: the map is nil.",
	}, `package p

import "strings"

func Words(text string) map[string]int {
	var counts map[string]int
	for _, w := range strings.Fields(text) {
		counts[w]++
	}
	return counts
}
`, `package p

import "testing"

func TestWords(t *testing.T) {
	if got := Words("a b a"); got["a"] != 2 || got["b"] != 1 {
		t.Fatalf("got %v", got)
	}
}
`},
	{"votes", "map-make", [...]string{
		"panic: assignment to entry in nil map, in Winner, which counts votes.",
		"Counting votes panics as soon as an entry of the nil map is assigned.",
	}, `package p

func Winner(votes []string) string {
	var counts map[string]int
	best := ""
	for _, v := range votes {
		counts[v]++
		if counts[v] > counts[best] {
			best = v
		}
	}
	return best
}
`, `package p

import "testing"

func TestWinner(t *testing.T) {
	if got := Winner([]string{"x", "y", "y"}); got != "y" {
		t.Fatalf("got %q, want y", got)
	}
}
`},
	{"repeats", "map-make", [...]string{
		"panic: assignment to entry in nil map, in Repeats, which counts repeated texts.",
		"Finding repeated texts panics when the first one is counted in a map that is nil.",
	}, `package p

func Repeats(xs []string) int {
	var counts map[string]int
	n := 0
	for _, x := range xs {
		if counts[x] == 1 {
			n++
		}
		counts[x] = counts[x] + 1
	}
	return n
}
`, `package p

import "testing"

func TestRepeats(t *testing.T) {
	if got := Repeats([]string{"a", "a", "b", "a"}); got != 1 {
		t.Fatalf("got %d, want 1", got)
	}
}
`},
}

var divisions = []problem{
	{"average", "division", [...]string{
		"Average of 2 and 3: got 2, want 2.5. The fraction is lost.",
		"The average of whole numbers is too small, it is rounded down.",
	}, `package p

func Average(xs []int) float64 {
	sum, n := 0, len(xs)
	for _, x := range xs {
		sum += x
	}
	return float64(sum / n)
}
`, `package p

import "testing"

func TestAverage(t *testing.T) {
	if got := Average([]int{2, 3}); got != 2.5 {
		t.Fatalf("got %v, want 2.5", got)
	}
	if got := Average([]int{1, 2, 2}); got < 1.66 || got > 1.67 {
		t.Fatalf("got %v, want 1.67", got)
	}
}
`},
	{"share", "division", [...]string{
		"Share of 1 in 4: got 0, want 0.25. The fraction is lost.",
		"The share of passed tests is zero, a number too small: the division is rounded down.",
	}, `package p

func Share(passed, n int) float64 {
	sum := passed
	return float64(sum / n)
}
`, `package p

import "testing"

func TestShare(t *testing.T) {
	if got := Share(1, 4); got != 0.25 {
		t.Fatalf("got %v, want 0.25", got)
	}
}
`},
	{"grade", "division", [...]string{
		"Mean of 1, 2, 2, 2: got 1, want 1.75. The fraction is lost.",
		"The mean of whole grades is too small, it is rounded down.",
	}, `package p

type Grades map[string]int

func (g Grades) Mean() float64 {
	sum, n := 0, 0
	for _, x := range g {
		sum += x
		n++
	}
	return float64(sum / n)
}
`, `package p

import "testing"

func TestMean(t *testing.T) {
	if got := (Grades{"a": 1, "b": 2, "c": 2, "d": 2}).Mean(); got != 1.75 {
		t.Fatalf("got %v, want 1.75", got)
	}
}
`},
}

var texts = []problem{
	{"width", "runes", [...]string{
		"Width of über: got 5, want 4. The length of a string with accents is wrong.",
		"A word with umlauts or accents is measured too long: its letters with accents count twice.",
	}, `package p

func Width(s string) int { return len(s) }
`, `package p

import "testing"

func TestWidth(t *testing.T) {
	for word, want := range map[string]int{"über": 4, "plain": 5, "日本": 2} {
		if got := Width(word); got != want {
			t.Errorf("%s: got %d, want %d", word, got, want)
		}
	}
}
`},
	{"pad", "runes", [...]string{
		"Pad of éé: got no dots, want two. The length of a string with accents is wrong.",
		"Words with accents get too little padding: letters with accents count twice.",
	}, `package p

import "strings"

func Pad(s string, width int) string {
	return s + strings.Repeat(".", max(width-len(s), 0))
}
`, `package p

import "testing"

func TestPad(t *testing.T) {
	if got := Pad("éé", 4); got != "éé.." {
		t.Errorf("got %q", got)
	}
	if got := Pad("ab", 4); got != "ab.." {
		t.Errorf("got %q", got)
	}
}
`},
	{"fits", "runes", [...]string{
		"Fits of äöü: got false, want true. The length of a string with accents is wrong.",
		"A short word is refused as too long: letters with accents count twice.",
	}, `package p

func Fits(s string) bool { return len(s) <= 3 }
`, `package p

import "testing"

func TestFits(t *testing.T) {
	for word, want := range map[string]bool{"äöü": true, "abcd": false, "abc": true, "ééééé": false} {
		if got := Fits(word); got != want {
			t.Errorf("%s: got %v, want %v", word, got, want)
		}
	}
}
`},
}
