package lexical

import (
	"strings"
	"unicode/utf8"
)

// stopList holds the English function words that [Terms] drops: the list with
// which the gate's constants were fitted. The single letters are what the
// apostrophe leaves of "it's" and "don't".
//
// There is none for other languages: nothing here knows the language of a text, and
// of two that share a script the function words of one are words of the other, such
// as German "die" and "war". What is common in a collection weighs little in BM25
// without a list.
const stopList = `a an the of and or in on at to for from by with without is are was were be been being
do does did done has have had can could may might must shall should will would
what which who whom whose when where why how that this these those it its as into than then there
their they them he she his her we our you your i me my not no any some such if about between during
through under over after before against both each other more most also only very s t`

var stopWords = func() map[string]struct{} {
	m := make(map[string]struct{}, 128)
	for _, w := range strings.Fields(stopList) {
		m[w] = struct{}{}
	}
	return m
}()

// StopWords returns the function words that [Terms] drops, in a new slice, in
// lower case.
func StopWords() []string { return strings.Fields(stopList) }

// IsStopWord reports whether a normalised, unstemmed word is a function word that
// [Terms] drops.
func IsStopWord(word string) bool {
	_, ok := stopWords[word]
	return ok
}

// endings are tried in this order; the first that leaves enough is cut.
var endings = [...]string{"ations", "ation", "ingly", "edly", "ing", "ed", "es", "ly", "s"}

const shortestStem = 4 // code points that cutting an ending must leave

// Stem cuts the commonest English endings off a normalised word: "ies" becomes
// "y" in words of more than four letters; otherwise the first of -ations, -ation,
// -ingly, -edly, -ing, -ed, -es, -s, -ly that leaves four code points is cut,
// a final s only where it is not doubled. It is light on purpose: it joins forms
// of one word and hardly ever two words. Words of other scripts come back as they
// are, and those of other languages in Latin letters lose an ending that looks
// English.
func Stem(word string) string {
	if len(word) <= shortestStem {
		return word
	}
	if strings.HasSuffix(word, "ies") && utf8.RuneCountInString(word) > 4 {
		return word[:len(word)-3] + "y"
	}
	for _, end := range endings {
		if !strings.HasSuffix(word, end) || end == "s" && strings.HasSuffix(word, "ss") {
			continue
		}
		if stem := word[:len(word)-len(end)]; utf8.RuneCountInString(stem) >= shortestStem {
			return stem
		}
	}
	return word
}
