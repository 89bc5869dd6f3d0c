package chromem_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	repchromem "github.com/repute-go/repute/chromem"
)

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                                nil,
		" \n\t\n ":                        nil,
		"One. Two! Three?":                {"One.", "Two!", "Three?"},
		"Use e.g. this. It works.":        {"Use e.g. this.", "It works."},
		"He said \"no.\" She left.":       {"He said \"no.\"", "She left."},
		"Version 1.2.3 is out... Really.": {"Version 1.2.3 is out...", "Really."},
		"標準化する。次の文！":                      {"標準化する。", "次の文！"},
		"a\n\n\n b c\nd \n\ne":            {"a", "b c\nd", "e"},
		"no end":                          {"no end"},
	} {
		if got := repchromem.Units(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, long := range []string{strings.Repeat("x", 2000), strings.Repeat("word ", 400), strings.Repeat("字", 1000), strings.Repeat("line of code\n", 100)} {
		units := repchromem.Units(long)
		if len(units) < 3 {
			t.Errorf("%.10q: %d units", long, len(units))
		}
		for _, u := range units {
			if n := utf8.RuneCountInString(u); n == 0 || n > repchromem.ChunkSize-repchromem.ChunkOverlap {
				t.Errorf("%.10q: unit of %d characters", long, n)
			}
		}
	}
}

// sentence draws a sentence of at most 200 characters.
func sentence(t *rapid.T) string {
	n := rapid.IntRange(10, 190).Draw(t, "length")
	filler := strings.Repeat("gate noise Köln of rank ", 8)
	return "S" + strings.TrimSpace(strings.ToValidUTF8(filler[:n], "")) + fmt.Sprint(rapid.IntRange(0, 1<<20).Draw(t, "n")) + "."
}

// prose draws sentences and the spaces between them.
func prose(t *rapid.T) (words []string) {
	for range rapid.IntRange(1, 40).Draw(t, "sentences") {
		words = append(words, sentence(t), rapid.SampledFrom([]string{" ", " ", " ", "\n", "\n\n"}).Draw(t, "space"))
	}
	return words
}

func texts(chunks []repchromem.Chunked) (out []string) {
	for _, c := range chunks {
		out = append(out, c.Text)
	}
	return out
}

// changed counts the chunks of a that are not in b.
func changed(a, b []repchromem.Chunked) (n int) {
	rest := texts(b)
	for _, c := range a {
		if i := slices.Index(rest, c.Text); i >= 0 {
			rest = slices.Delete(rest, i, i+1)
			continue
		}
		n++
	}
	return n
}

func TestChunksCoverTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(prose(t), "")
		chunks := repchromem.SplitAgain(text, nil)
		var own strings.Builder
		for _, c := range chunks {
			if n := utf8.RuneCountInString(c.Text); n > repchromem.ChunkSize || n == 0 {
				t.Fatalf("chunk of %d characters", n)
			}
			if n := utf8.RuneCountInString(c.Text[:c.Overlap]); n > repchromem.ChunkOverlap {
				t.Fatalf("overlap of %d characters", n)
			}
			own.WriteString(c.Text[c.Overlap:] + " ")
		}
		if got, want := strings.Fields(own.String()), strings.Fields(text); !slices.Equal(got, want) {
			t.Fatalf("%q\nbecame %q", want, got)
		}
		if again := repchromem.SplitAgain(text, chunks); changed(again, chunks) != 0 || len(again) != len(chunks) {
			t.Fatal("the same text was cut otherwise")
		}
	})
}

func TestAnEditChangesFewChunks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := prose(t)
		before := repchromem.SplitAgain(strings.Join(words, ""), nil)
		for i := range before {
			before[i].ID = fmt.Sprint(i)
		}
		at := 2 * rapid.IntRange(0, len(words)/2).Draw(t, "at")
		edited := slices.Insert(slices.Clone(words), at, sentence(t), rapid.SampledFrom([]string{" ", "\n\n"}).Draw(t, "space"))
		after := repchromem.SplitAgain(strings.Join(edited, ""), before)
		if n := changed(after, before); n > 2 {
			t.Fatalf("an inserted sentence changed %d of %d chunks:\n%s\n--\n%s", n, len(after),
				strings.Join(texts(before), "\n|"), strings.Join(texts(after), "\n|"))
		}
		ids := map[string]bool{}
		for _, c := range after {
			if c.ID != "" && ids[c.ID] {
				t.Fatalf("id %s twice", c.ID)
			}
			ids[c.ID] = true
		}
		if at < len(words) {
			shorter := slices.Clone(words)
			if at > 0 && shorter[at+1] == "\n\n" {
				shorter[at-1] = "\n\n" // the paragraph still ends here
			}
			shorter = slices.Delete(shorter, at, at+2)
			if n := changed(repchromem.SplitAgain(strings.Join(shorter, ""), before), before); n > 2 {
				t.Fatalf("a deleted sentence changed %d chunks", n)
			}
		}
	})
}
