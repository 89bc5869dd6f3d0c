package chromem_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/philippgille/chromem-go"
	"pgregory.net/rapid"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

// Whatever is written, the collection, the list of ids, the index of words and
// an observer agree with a plain map.
func TestCollectionFollowsAModel(t *testing.T) {
	eng := newEngine(t)
	words := strings.Fields("alpha beta gamma delta epsilon")
	rapid.Check(t, func(t *rapid.T) {
		c, err := repchromem.Open(eng, chromem.NewDB(), "notes", bag, repchromem.Options{Hybrid: true})
		if err != nil {
			t.Fatal(err)
		}
		heard := &recorder{}
		defer c.Observe(heard)()
		model := map[string]string{}
		id := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("id", rapid.IntRange(0, 5).Draw(t, "n")) })
		text := rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "words"), " ")
		})
		t.Repeat(map[string]func(*rapid.T){
			"add": func(t *rapid.T) {
				var chunks []core.Candidate
				for range rapid.IntRange(1, 3).Draw(t, "many") {
					x := core.Candidate{ID: id.Draw(t, "id"), Text: text.Draw(t, "text")}
					chunks = append(chunks, x)
					model[x.ID] = x.Text
				}
				if _, err := c.Add(t.Context(), chunks); err != nil {
					t.Fatal(err)
				}
			},
			"bad add": func(t *rapid.T) {
				if _, err := c.Add(t.Context(), []core.Candidate{{ID: id.Draw(t, "id"), Text: "x"}, {ID: "bad"}}); err == nil {
					t.Fatal("no error")
				}
			},
			"delete": func(t *rapid.T) {
				gone := id.Draw(t, "id")
				delete(model, gone)
				if err := c.Delete(t.Context(), gone); err != nil {
					t.Fatal(err)
				}
			},
			"": func(t *rapid.T) { agree(t, c, heard, model, words) },
		})
	})
}

func agree(t *rapid.T, c *repchromem.Collection, heard *recorder, model map[string]string, words []string) {
	ids, err := c.IDs("", 0)
	if want := slices.Sorted(maps.Keys(model)); err != nil || !slices.Equal(ids, want) || c.Count() != len(want) {
		t.Fatalf("ids %v, want %v (%v)", ids, want, err)
	}
	if !maps.Equal(heard.texts, model) && len(heard.texts)+len(model) > 0 || len(heard.wrong) > 0 {
		t.Fatalf("heard %v, want %v; %v", heard.texts, model, heard.wrong)
	}
	for _, word := range words {
		hits, err := c.Search(t.Context(), core.Query{Text: word}, len(model)+1)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, x := range hits.Candidates {
			if x.Text != model[x.ID] || x.Similarity < -1 || x.Similarity > 1 || x.Score < 0 || x.Score > 1 {
				t.Fatalf("%+v", x)
			}
			if strings.Contains(x.Text, word) {
				got = append(got, x.ID)
			}
		}
		var want []string
		for id, text := range model {
			if strings.Contains(text, word) {
				want = append(want, id)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: found %v, want %v", word, got, want)
		}
	}
}
