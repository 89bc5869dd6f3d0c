package main

var bounds = []problem{
	{"sum", "bound", "Adding up the numbers of a slice panics with index out of range in the loop.", `package p

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
	{"largest", "bound", "The function that finds the largest value of a list panics: index out of range.", `package p

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
	{"index", "bound", "Searching a name in a slice of names panics with index out of range when walking the loop.", `package p

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
	{"words", "map-make", "Counting words panics with assignment to entry in nil map.", `package p

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
	{"votes", "map-make", "The function that counts votes panics: assignment to entry in nil map.", `package p

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
	{"repeats", "map-make", "Finding repeated entries panics with a nil map assignment when counting them.", `package p

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
	{"average", "division", "The average of 2 and 3 comes out as 2, a whole number, the result is rounded down.", `package p

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
	{"share", "division", "The share of the passed tests is always zero, the fraction is lost, too small.", `package p

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
	{"grade", "division", "A mean grade that should be 1.75 is 1: the mean of whole numbers is rounded down.", `package p

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
	{"width", "runes", "The length of a word with umlauts is too large, letters with accents count twice.", `package p

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
	{"pad", "runes", "Padding text with accented letters comes out too short, the string is counted too long.", `package p

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
	{"fits", "runes", "A short string with accents is refused as too long, its length is counted in bytes.", `package p

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
