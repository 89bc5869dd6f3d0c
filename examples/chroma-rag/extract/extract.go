// Package extract answers a question without a language model: it picks the
// sentences of the shown passages that say most about it, word for word, with the
// number of the passage each comes from. It is deterministic and needs no network.
package extract

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/repute-go/repute/internal/lexical"
)

// DefaultSentences is the number of sentences of an answer.
const DefaultSentences = 2

const (
	// rankDiscount divides what a sentence of the passage at rank r counts by
	// 1 + rankDiscount*r: the retriever's order is evidence too.
	rankDiscount = 0.25
	// leadBonus multiplies what the first sentence of a text counts. The lead
	// is the strongest baseline of extractive summaries (Brandow, Mitze and
	// Rau 1995), and a Go comment begins with its summary by convention.
	leadBonus = 1.5
	// coveredShare is what a term still counts once a chosen sentence has it.
	coveredShare = 0.3
	// enough is the share of the best sentence's score that a further one needs to
	// be worth quoting.
	enough = 0.6
	// longest is the number of bytes after which a sentence is cut.
	longest = 400
)

// Sentence is one sentence of an answer.
type Sentence struct {
	// Text is the sentence as it stands in the passage, on one line.
	Text string
	// Passage is the number of the passage it comes from, from 1.
	Passage int

	at int // its place among all sentences
}

// Best returns the sentences of the passages that answer the question best, at
// most n (0 means [DefaultSentences]), best first. Each shares a word with the
// question, and says not much less than the best; if none does, the result is empty, since no sentence is an answer
// then. Lines of code and headings are no sentences.
func Best(question string, passages []string, n int) []Sentence {
	if n <= 0 {
		n = DefaultSentences
	}
	asked := lexical.Unique(lexical.Terms(question))
	all := split(passages)
	weights := counts(asked)
	var best []Sentence
	chosen := map[string]bool{}
	bar := 0.0
	for len(best) < n {
		i, score := pick(all, weights, chosen)
		if i < 0 || score < bar {
			break
		}
		if len(best) == 0 {
			bar = enough * score
		}
		chosen[all[i].text] = true
		best = append(best, Sentence{Text: clip(all[i].text), Passage: all[i].passage + 1, at: i})
		for t := range all[i].terms {
			if w, ok := weights[t]; ok {
				weights[t] = w * coveredShare
			}
		}
	}
	return best
}

// Answer joins the best sentences in the order of the passages, each followed by
// its passage number in brackets. It is empty if there are none.
func Answer(question string, passages []string, n int) string {
	best := Best(question, passages, n)
	slices.SortStableFunc(best, func(a, b Sentence) int {
		return cmp.Or(cmp.Compare(a.Passage, b.Passage), cmp.Compare(a.at, b.at))
	})
	var b strings.Builder
	for _, s := range best {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(s.Text)
		b.WriteString(" [" + strconv.Itoa(s.Passage) + "]")
	}
	return b.String()
}

// sentence is one sentence with where it stands.
type sentence struct {
	text    string
	terms   map[string]bool
	passage int
	lead    bool
}

// split cuts passages into sentences.
func split(passages []string) []sentence {
	var all []sentence
	for i, p := range passages {
		lead := true
		for line := range strings.SplitSeq(p, "\n") {
			if strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ") {
				continue // code
			}
			segments := sentences.FromString(line)
			for segments.Next() {
				text := strings.Join(strings.Fields(segments.Value()), " ")
				if !complete(text) {
					continue
				}
				s := sentence{text: text, passage: i, lead: lead, terms: map[string]bool{}}
				for _, t := range lexical.Terms(text) {
					s.terms[t] = true
				}
				all = append(all, s)
				lead = false
			}
		}
	}
	return all
}

// complete says whether a text ends like a sentence.
func complete(text string) bool {
	end := strings.TrimRight(text, `"'”’)]»`)
	return strings.HasSuffix(end, ".") || strings.HasSuffix(end, "!") || strings.HasSuffix(end, "?") ||
		strings.HasSuffix(end, ":") || strings.HasSuffix(end, "。") || strings.HasSuffix(end, "！") || strings.HasSuffix(end, "？")
}

// counts gives every asked term the same weight. With so few sentences their own
// frequencies would make the oddest word of the question the most important.
func counts(asked []string) map[string]float64 {
	weights := make(map[string]float64, len(asked))
	for _, t := range asked {
		weights[t] = 1
	}
	return weights
}

// pick is the index of the best sentence that was not chosen yet, or -1, and its
// score. Of equals the first wins.
func pick(all []sentence, weights map[string]float64, chosen map[string]bool) (at int, best float64) {
	at = -1
	for i, s := range all {
		if chosen[s.text] {
			continue
		}
		if score := s.score(weights); score > best {
			best, at = score, i
		}
	}
	return at, best
}

func (s sentence) score(weights map[string]float64) float64 {
	sum := 0.0
	for _, t := range slices.Sorted(maps.Keys(weights)) { // a fixed order: sums of floats depend on it
		if s.terms[t] {
			sum += weights[t]
		}
	}
	if s.lead {
		sum *= leadBonus
	}
	return sum / (1 + rankDiscount*float64(s.passage))
}

// clip cuts a long sentence after a word.
func clip(text string) string {
	if len(text) <= longest {
		return text
	}
	at := strings.LastIndexByte(text[:longest], ' ')
	if at <= 0 {
		return strings.ToValidUTF8(text[:longest], "") + " …"
	}
	return text[:at] + " …"
}
