package langchaingo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/philippgille/chromem-go"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	replc "github.com/repute-go/repute/langchaingo"
)

// scored makes documents named a, b, c ... with these scores.
func scored(scores ...float32) []schema.Document {
	docs := make([]schema.Document, len(scores))
	for i, s := range scores {
		name := string(rune('a' + i))
		docs[i] = schema.Document{PageContent: "text " + name, Score: s, Metadata: map[string]any{"id": name}}
	}
	return docs
}

// found retrieves over a store with these documents and returns ids and relevances.
func found(t *testing.T, preset replc.Preset, opts replc.RetrieverOptions, docs []schema.Document) (ids []string, relevances []float64) {
	t.Helper()
	src, err := replc.FromVectorStore(&shelf{docs: docs}, preset)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replc.NewRetriever(newEngine(t, core.Options{Gate: gate.Off{}}), src, opts)
	if err != nil {
		t.Fatal(err)
	}
	out, err := r.GetRelevantDocuments(context.Background(), "q")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range out {
		ids = append(ids, d.Metadata[replc.KeyID].(string))
		relevances = append(relevances, d.Metadata[replc.KeyRelevance].(float64))
		if math.IsNaN(float64(d.Score)) || math.IsInf(float64(d.Score), 0) {
			t.Errorf("score of %v is %v", d.Metadata[replc.KeyID], d.Score)
		}
		if _, err := json.Marshal(d); err != nil {
			t.Errorf("document does not survive JSON: %v", err)
		}
	}
	return ids, relevances
}

// What other wrappers made of scores.
func TestScoresAreReadByTheirKind(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, tt := range map[string]struct {
		preset replc.Preset
		opts   replc.RetrieverOptions
		scores []float32
		want   []string
	}{
		"a distance is not a similarity":          {replc.OtherCosineDistance, replc.RetrieverOptions{}, []float32{.1, .9}, []string{"a", "b"}},
		"even if the store gives the worst first": {replc.OtherCosineDistance, replc.RetrieverOptions{}, []float32{.9, .1}, []string{"b", "a"}},
		"undeclared scores leave the order":       {replc.OtherUnscored, replc.RetrieverOptions{}, []float32{.1, .9}, []string{"a", "b"}},
		"a threshold keeps the near":              {replc.RedisCosine, replc.RetrieverOptions{MinRelevance: .8}, []float32{.05, .6}, []string{"a"}},
		"a threshold of 1 keeps what is 1":        {replc.OtherCosine, replc.RetrieverOptions{MinRelevance: 1}, []float32{1, .99}, []string{"a"}},
		"a threshold of 0 keeps what is 0":        {replc.OtherCosine, replc.RetrieverOptions{}, []float32{1, -1}, []string{"a", "b"}},
		"negative scores":                         {replc.Dolt, replc.RetrieverOptions{}, []float32{-.4, -2.9}, []string{"a", "b"}},
		"scores out of any range":                 {replc.OtherOpaque, replc.RetrieverOptions{}, []float32{-.4, -172.6}, []string{"a", "b"}},
		"a narrow band":                           {replc.OtherOpaque, replc.RetrieverOptions{}, []float32{.71, .70, .70, .69, .65}, []string{"a", "b", "c", "d", "e"}},
		"all zero":                                {replc.OtherCosine, replc.RetrieverOptions{}, []float32{0, 0, 0}, []string{"a", "b", "c"}},
		"what is no number comes last":            {replc.OtherCosine, replc.RetrieverOptions{}, []float32{nan, .2, inf, .3}, []string{"d", "b", "a", "c"}},
	} {
		ids, relevances := found(t, tt.preset, tt.opts, scored(tt.scores...))
		if !slices.Equal(ids, tt.want) {
			t.Errorf("%s: %q, want %q", name, ids, tt.want)
		}
		for _, x := range relevances {
			if !(x >= 0 && x <= 1) {
				t.Errorf("%s: relevances %v", name, relevances)
			}
		}
	}
	for _, x := range []float64{-.1, 1.1, math.NaN()} {
		src, _ := replc.FromVectorStore(newShelf(), replc.OtherCosine)
		if _, err := replc.NewRetriever(newEngine(t, core.Options{}), src, replc.RetrieverOptions{MinRelevance: x}); !errors.Is(err, core.ErrInvalidOptions) {
			t.Errorf("MinRelevance %v: %v", x, err)
		}
	}
}

func TestNarrowScoresAreNoEvidence(t *testing.T) {
	r := newRetriever(t, newEngine(t, core.Options{}), &shelf{docs: scored(.71, .70, .70, .69, .65)}, replc.RetrieverOptions{})
	docs, err := r.GetRelevantDocuments(context.Background(), "q")
	if err != nil || len(docs) != 5 || docs[0].Metadata[replc.KeyVerdict] != core.Uncalibrated.String() {
		t.Errorf("%v, %v", docs, err)
	}
}

// One id has many forms on its way through stores.
func TestIdentityOfDocuments(t *testing.T) {
	ids := func(forms ...any) []string {
		docs := scored(make([]float32, len(forms))...)
		for i, f := range forms {
			docs[i].Metadata["id"] = f
		}
		got, _ := found(t, replc.OtherUnscored, replc.RetrieverOptions{}, docs)
		return got
	}
	for _, one := range []any{1, int64(1), 1.0, float32(1), "1", json.Number("1.0")} {
		if got := ids(one); got[0] != "1" {
			t.Errorf("id %#v is %q", one, got)
		}
	}
	if got := ids(1_000_000.0, int64(1<<53), int64(1<<53+1)); !slices.Equal(got, []string{"1000000", "9007199254740992", "9007199254740993"}) {
		t.Errorf("large ids %q", got)
	}
	if got, _ := found(t, replc.OtherCosine, replc.RetrieverOptions{}, []schema.Document{
		{PageContent: "once", Score: .5, Metadata: map[string]any{"id": "x"}},
		{PageContent: "other", Score: .4, Metadata: map[string]any{"id": "y"}},
		{PageContent: "twice", Score: .9, Metadata: map[string]any{"id": "x"}},
		{PageContent: "other", Score: .3},
		{PageContent: "", Score: .2},
	}); !slices.Equal(got, []string{"x", "y"}) {
		t.Errorf("with copies and an empty document: %q", got)
	}
}

func TestFeedbackWithoutIDs(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	vs := &shelf{docs: []schema.Document{{PageContent: "one", Score: .9}, {PageContent: "two", Score: .8}}}
	r := newRetriever(t, eng, vs, replc.RetrieverOptions{})
	ctx, trace := core.WithTrace(context.Background())
	id := ""
	for range 4 {
		docs, err := r.GetRelevantDocuments(ctx, "which of the two helps?")
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if d.PageContent == "one" {
				id = d.Metadata[replc.KeyID].(string)
			}
		}
		last := trace.Last()
		upd, err := eng.Feedback(ctx, last.Receipt, core.Verified(false).On(id))
		if err != nil || len(upd.Documents) != 1 || upd.Documents[0].ID != id {
			t.Fatalf("%+v, %v", upd, err)
		}
	}
	after, err := r.GetRelevantDocuments(ctx, "which of the two helps?")
	if err != nil || after[0].PageContent != "two" || after[1].Metadata[replc.KeyID] != id {
		t.Errorf("%v, %v", after, err)
	}
}

// Outcomes for retrievals that nobody remembers, or that found nothing.
func TestFeedbackForNothing(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	ctx, trace := core.WithTrace(context.Background())
	if _, err := newRetriever(t, eng, &shelf{}, replc.RetrieverOptions{}).GetRelevantDocuments(ctx, "q"); err != nil {
		t.Fatal(err)
	}
	if upd, err := trace.Feedback(ctx, core.Verified(true)); err != nil || len(upd) != 0 {
		t.Errorf("nothing found: %v, %v", upd, err)
	}
	if _, err := trace.Feedback(ctx, core.Verified(true).On("a")); !errors.Is(err, core.ErrUnknownDocument) {
		t.Errorf("a document that was not shown: %v", err)
	}
	if _, err := eng.Feedback(ctx, core.ReceiptID{1}, core.Verified(true)); !errors.Is(err, core.ErrUnknownReceipt) {
		t.Errorf("unknown receipt: %v", err)
	}
}

func TestKeysAreOnEveryDocument(t *testing.T) {
	keys := []string{replc.KeyID, replc.KeyDocID, replc.KeyBaseScore, replc.KeyBaseRank, replc.KeyRelevance, replc.KeyPosterior, replc.KeyReason, replc.KeyVerdict}
	for _, mode := range []core.Mode{core.On, core.Shadow, core.Off} {
		docs := scored(.9, .8)
		docs[0].Metadata = map[string]any{"id": "a", "doc_id": "book", "score": "mine", "source": "mine too"}
		docs[1].Metadata = nil
		r := newRetriever(t, newEngine(t, core.Options{Mode: mode}), &shelf{docs: docs}, replc.RetrieverOptions{})
		got, err := r.GetRelevantDocuments(context.Background(), "q")
		if err != nil || len(got) != 2 {
			t.Fatalf("%v: %v, %v", mode, got, err)
		}
		for _, d := range got {
			for _, key := range keys {
				if _, ok := d.Metadata[key]; !ok || !strings.HasPrefix(key, "repute.") {
					t.Errorf("%v: %q has no %s", mode, d.PageContent, key)
				}
			}
			if _, ok := d.Metadata[replc.KeyReceipt]; ok != (mode != core.Off) {
				t.Errorf("%v: receipt %v", mode, ok)
			}
		}
		if m := got[0].Metadata; m["score"] != "mine" || m["source"] != "mine too" || m["id"] != "a" || mode != core.Off && m[replc.KeyDocID] != "book" {
			t.Errorf("%v: metadata %v", mode, m)
		}
	}
}

// Retrievals annotate copies: readers of the store's metadata are not disturbed.
func TestConcurrentRetrievals(t *testing.T) {
	vs := newShelf()
	r := newRetriever(t, newEngine(t, core.Options{}), vs, replc.RetrieverOptions{})
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 20 {
				docs, err := r.GetRelevantDocuments(context.Background(), fmt.Sprint("query ", i))
				if err != nil || len(docs) != 3 {
					t.Errorf("%v, %v", docs, err)
					return
				}
				docs[0].Metadata["mine"] = i
				for _, d := range vs.docs {
					_ = d.Metadata["id"]
				}
			}
		})
	}
	all.Wait()
}

func TestVectorStoreOverSmallCollections(t *testing.T) {
	ctx := context.Background()
	c := collection(t, newEngine(t, core.Options{}), chromem.NewDB(), "small")
	vs, err := replc.NewVectorStore(c)
	if err != nil {
		t.Fatal(err)
	}
	if docs, err := vs.SimilaritySearch(ctx, "q", 5); err != nil || docs == nil || len(docs) != 0 {
		t.Errorf("empty: %v, %v", docs, err)
	}
	two := []schema.Document{{PageContent: "aa"}, {PageContent: "eeee"}} // vectors of length 2 and 4
	for range 2 {
		if _, err := vs.AddDocuments(ctx, two); err != nil {
			t.Fatal(err)
		}
	}
	docs, err := vs.SimilaritySearch(ctx, "aaa", 5)
	if err != nil || len(docs) != 2 || docs[0].PageContent != "aa" {
		t.Fatalf("two documents added twice: %v, %v", docs, err)
	}
	for _, d := range docs {
		if !(d.Score >= 0 && d.Score <= 1) {
			t.Errorf("%q has score %v", d.PageContent, d.Score)
		}
	}
	if _, err := vs.AddDocuments(ctx, []schema.Document{{PageContent: ""}}); err == nil || c.Count() != 2 {
		t.Errorf("an empty document: %v, %d documents", err, c.Count())
	}
}

// The last write of an id wins as a whole.
func TestConcurrentWritesOfOneID(t *testing.T) {
	ctx := context.Background()
	c := collection(t, newEngine(t, core.Options{}), chromem.NewDB(), "writes")
	vs, _ := replc.NewVectorStore(c)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			text := strings.Repeat("a", i+1)
			docs := []schema.Document{{PageContent: text, Metadata: map[string]any{"id": "x", "text": text}}, {PageContent: "e" + text, Metadata: map[string]any{"id": "y", "text": "e" + text}}}
			if _, err := vs.AddDocuments(ctx, docs); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	docs, err := vs.SimilaritySearch(ctx, "a", 9)
	if err != nil || len(docs) != 2 {
		t.Fatalf("%v, %v", docs, err)
	}
	for _, d := range docs {
		if d.Metadata["text"] != d.PageContent {
			t.Errorf("mixed: %v", d)
		}
	}
}

var _ vectorstores.VectorStore = (*shelf)(nil)
