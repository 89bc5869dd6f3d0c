package main

import "strings"

// A pattern is a memory of the agent: what somebody once wrote down about a
// failure, and the edit that is said to have mended it. Right patterns mend the
// family of programs they are about; the others sound as plausible, compile, and
// mend nothing.
type pattern struct {
	name, note string
	old, new   string
}

// text is what the memory holds: a note for retrieval and an edit between marks.
func (p pattern) text() string {
	return p.note + "\n" + edit{p.old, p.new}.text()
}

// edit is a replacement in a program.
type edit struct{ old, new string }

const (
	markOld = "REPLACE"
	markNew = "WITH"
	markEnd = "DONE"
)

// text writes an edit as parseEdit reads it.
func (e edit) text() string {
	return markOld + "\n" + e.old + "\n" + markNew + "\n" + e.new + "\n" + markEnd
}

// parseEdit reads the first edit out of a text; ok is false if there is none.
func parseEdit(text string) (e edit, ok bool) {
	_, rest, found := strings.Cut("\n"+text, "\n"+markOld+"\n")
	old, rest, found2 := strings.Cut(rest, "\n"+markNew+"\n")
	new, _, found3 := strings.Cut(rest, "\n"+markEnd)
	return edit{old, new}, found && found2 && found3 && old != ""
}

// perFamily is the number of patterns about each family, the right one first.
const perFamily = 3

// patterns are the memories, family by family.
var patterns = []pattern{
	{"bound", "panic: runtime error: index out of range in the last round of a loop over a slice or list. Compare with less than.", "i <= len(", "i < len("},
	{"bound-start", "A loop over a list panics with index out of range: it should start at index one.", "i := 0; i <= len(", "i := 1; i <= len("},
	{"bound-cap", "panic: runtime error: index out of range in a loop over a slice. The limit of the loop must be the capacity.", "i <= len(", "i <= cap("},

	{"map-make", "Counting in a map panics, assignment to entry in nil map: declaring it is not enough, make the map before the first entry.", "var counts map[string]int", "counts := map[string]int{}"},
	{"map-nil", "panic: assignment to entry in nil map while counting. Set the map to nil explicitly so that it is defined.", "var counts map[string]int", "var counts map[string]int = nil"},
	{"map-new", "Counting words in a nil map panics at the first entry: allocate the map with new.", "var counts map[string]int", "counts := *new(map[string]int)"},

	{"division", "The average, mean or share of whole numbers is too small, its fraction is lost: convert to float64 first, then divide.", "float64(sum / n)", "float64(sum) / float64(n)"},
	{"division-half", "The average of whole numbers is too small because it is rounded down: add one half.", "float64(sum / n)", "float64(sum/n) + 0.5"},
	{"division-first", "Got 2, want 2.5: the fraction of a mean is lost. Divide the result once more as a float.", "float64(sum / n)", "float64(sum/n) / float64(1)"},

	{"runes", "The length of a string is wrong because len counts bytes, and letters with accents count twice. Count the runes.", "len(s)", "len([]rune(s))"},
	{"runes-bytes", "The length of a string with accents is wrong: convert the string to bytes before its length is taken.", "len(s)", "len([]byte(s))"},
	{"runes-half", "Letters with accents count twice in the length of a word: take half of the length.", "len(s)", "(len(s) / 2)"},

	{"alias", "Appending to the same base twice overwrites the first list, for both share its memory: limit the capacity of the base.", "append(base, ", "append(base[:len(base):len(base)], "},
	{"alias-reset", "Appending to a slice overwrites what was appended before: append to an empty slice of the base.", "append(base, ", "append(base[:0], "},
	{"alias-again", "The second list changes the first one of the same base: append to the whole base again.", "append(base, ", "append(base[0:], "},

	{"unit", "A duration that should be seconds is far too short, over at once, for it counts nanoseconds: multiply by time.Second.", "time.Duration(n)", "time.Duration(n) * time.Second"},
	{"unit-milli", "The timeout or delay is far too short: a duration is given in milliseconds.", "time.Duration(n)", "time.Duration(n) * time.Millisecond"},
	{"unit-int", "Got 3ns, want 3s, the duration is too short: convert the number of seconds to a whole number first.", "time.Duration(n)", "time.Duration(int64(n))"},

	{"wait", "The sum of goroutines is returned while they are still running, so that it is zero: wait for all of them with the group before.", "return total.Load()", "wg.Wait()\n\treturn total.Load()"},
	{"wait-swap", "The total that workers add up in parallel is too small: swap it atomically when it is returned.", "return total.Load()", "return total.Swap(0)"},
	{"wait-add", "Goroutines are running when the sum is returned, got 0: add zero to the total, which waits for the others.", "return total.Load()", "return total.Add(0)"},

	{"shadow", "An error in a loop is lost, err is nil at the end: the := in the loop made a second err. Assign to the first one with =.", "n, err := ", "var n int\n\t\tn, err = "},
	{"shadow-continue", "The error of parsing a number is lost because the loop stops: go on with the next number.", "break", "continue"},
	{"shadow-nil", "No error is returned for a word that is no number, err is nil: compare nil with err the other way round.", "if err != nil", "if nil != err"},
}
