package main

import "strings"

// A pattern is a memory of the agent: what somebody once wrote down about a
// failure, and the edit that mended it then. Right patterns mend the family of
// programs they are about; the others sound as plausible, compile, and do not.
type pattern struct {
	name, note string
	old, new   string
}

// text is what the memory holds: a note for retrieval and an edit between marks.
func (p pattern) text() string {
	return p.note + "\n" + markOld + "\n" + p.old + "\n" + markNew + "\n" + p.new + "\n" + markEnd
}

const (
	markOld = "REPLACE"
	markNew = "WITH"
	markEnd = "DONE"
)

// parseEdit reads the first edit out of a text; ok is false if there is none.
func parseEdit(text string) (old, new string, ok bool) {
	_, rest, found := strings.Cut(text, "\n"+markOld+"\n")
	old, rest, found2 := strings.Cut(rest, "\n"+markNew+"\n")
	new, _, found3 := strings.Cut(rest, "\n"+markEnd)
	return old, new, found && found2 && found3 && old != ""
}

// patterns are the memories, by family the right one first.
var patterns = []pattern{
	{"bound", "A loop went one step too far past the last element. The condition must be strict.", "i <= len(", "i < len("},
	{"bound-start", "Panic, index out of range while walking a slice of numbers in a loop: the function should begin at index one.", "i := 0; i <= len(", "i := 1; i <= len("},
	{"bound-cap", "Index out of range panic in a function that walks over all values of a list: use the capacity as the limit of the loop.", "i <= len(", "i <= cap("},

	{"map-make", "Declaring a variable of this type does not make the table itself; it has to be created before the first write.", "var counts map[string]int", "counts := map[string]int{}"},
	{"map-nil", "Panic, assignment to entry in nil map when counting words in a function: set the map to nil explicitly first.", "var counts map[string]int", "var counts map[string]int = nil"},
	{"map-new", "Counting with a map panics with assignment to entry in nil map: allocate the map with new before counting.", "var counts map[string]int", "counts := *new(map[string]int)"},

	{"division", "Converting after the operation is too late, the fraction is lost by then. Convert both operands first.", "float64(sum / n)", "float64(sum) / float64(n)"},
	{"division-half", "The average comes out as a whole number, the result is rounded down: add one half to the average to round it.", "float64(sum / n)", "float64(sum/n) + 0.5"},
	{"division-first", "A mean that should be 2.5 is 2: the average of whole numbers is too small, divide the sum once more as a float.", "float64(sum / n)", "float64(sum/n) / float64(1)"},

	{"runes", "Bytes are not characters. Decode first, then look at the size.", "len(s)", "len([]rune(s))"},
	{"runes-bytes", "The length of a word with accents or umlauts is too large, count the bytes of the string: convert the string to bytes.", "len(s)", "len([]byte(s))"},
	{"runes-half", "Text with accented letters is counted too long, every letter counts twice: take half of the length.", "len(s)", "(len(s) / 2)"},

	{"alias", "Two results share one backing array. Limit the capacity so that growing copies.", "append(base, ", "append(base[:len(base):len(base)], "},
	{"alias-reset", "The second list overwrites the first list after append, both lists end with the same value: start append from an empty list.", "append(base, ", "append(base[:0], "},
	{"alias-again", "Appending to the same base list twice changes the earlier list: append to the whole base list again.", "append(base, ", "append(base[0:], "},

	{"unit", "A bare number of this type counts nanoseconds. Multiply by the unit.", "time.Duration(n)", "time.Duration(n) * time.Second"},
	{"unit-milli", "The timeout in seconds is far too short, the wait ends at once: give the duration of the timeout in milliseconds.", "time.Duration(n)", "time.Duration(n) * time.Millisecond"},
	{"unit-int", "A duration of some seconds prints as 3ns and the delay is too short: convert the seconds to a whole duration.", "time.Duration(n)", "time.Duration(int64(n))"},

	{"wait", "Nothing makes the caller stay until the others have finished. Block on the group before reading.", "return total.Load()", "wg.Wait()\n\treturn total.Load()"},
	{"wait-swap", "The total of the goroutines is zero or too small, workers add to the total at the same time: swap the total atomically.", "return total.Load()", "return total.Swap(0)"},
	{"wait-add", "Goroutines run, but the sum is incomplete when the function returns the total: add zero to the total before it is returned.", "return total.Load()", "return total.Add(0)"},

	{"shadow", "A short declaration inside the block made a second variable of that name. Assign to the outer one.", "n, err := ", "var n int\n\t\tn, err = "},
	{"shadow-continue", "The function should return an error for a bad number, but the error is nil: skip the bad number with continue.", "break", "continue"},
	{"shadow-nil", "No error is returned although parsing a number failed, err is nil at the end: test the error for nil the other way.", "if err != nil", "if nil != err"},
}
