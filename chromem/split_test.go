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

// Whatever the text and whatever it was before, chunks fit, hold whole
// characters, cover the text and do not change when nothing does.
func FuzzSplit(f *testing.F) {
	f.Add("One. Two!\n\nThree?", "One. Two!\n\nFour?")
	f.Add(strings.Repeat("字", 1200), strings.Repeat("a\u0301", 700))
	f.Add(strings.Repeat("word ", 300), strings.Repeat("word ", 299)+"\n\n"+strings.Repeat("x", 999))
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) {
			return
		}
		old := repchromem.SplitAgain(before, nil)
		for i := range old {
			old[i].ID = fmt.Sprint(i)
		}
		chunks := repchromem.SplitAgain(after, old)
		var own strings.Builder
		ids := map[string]bool{}
		for _, c := range chunks {
			if n := utf8.RuneCountInString(c.Text); n == 0 || n > repchromem.ChunkSize || !utf8.ValidString(c.Text) {
				t.Fatalf("chunk of %d characters: %q", n, c.Text)
			}
			if c.ID != "" && ids[c.ID] {
				t.Fatalf("id %s twice", c.ID)
			}
			ids[c.ID] = true
			own.WriteString(c.Text[c.Overlap:])
		}
		blank := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if blank(own.String()) != blank(after) {
			t.Fatalf("%q\nbecame %q", after, own.String())
		}
		if again := repchromem.SplitAgain(after, chunks); !slices.Equal(texts(again), texts(chunks)) {
			t.Fatalf("cut otherwise the second time:\n%q\n%q", texts(chunks), texts(again))
		}
	})
}
