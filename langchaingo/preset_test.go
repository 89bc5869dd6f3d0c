package langchaingo_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/vectorstores/azureaisearch"
	"github.com/tmc/langchaingo/vectorstores/qdrant"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	replc "github.com/repute-go/repute/langchaingo"
)

// Every preset, with the scores its store gives to a good and a bad hit (cosine .8
// and .2 of unit vectors) and the cosine they must be read as.
func TestPresets(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		preset    replc.Preset
		good, bad float32
		cosine    float64 // of the good one
	}{
		{replc.ChromaL2, .6, -.6, .8},
		{replc.ChromaCosine, .8, .2, .8},
		{replc.ChromaInnerProduct, .8, .2, .8},
		{replc.PGVector, .8, .2, .8},
		{replc.PineconeCosine, .8, .2, .8},
		{replc.PineconeDotProduct, .8, .2, .8},
		{replc.PineconeEuclidean, .4, 1.6, .8},
		{replc.QdrantCosine, .8, .2, .8},
		{replc.QdrantDot, .8, .2, .8},
		{replc.QdrantEuclid, .632456, 1.264911, .8},
		{replc.QdrantManhattan, 3, 9, nan},
		{replc.WeaviateCosine, .9, .6, .8},
		{replc.WeaviateOther, 0, 0, nan},
		{replc.RedisCosine, .2, .8, .8},
		{replc.RedisL2, .4, 1.6, .8},
		{replc.RedisInnerProduct, .2, .8, .8},
		{replc.MilvusL2, .4, 1.6, .8},
		{replc.MilvusInnerProduct, .8, .2, .8},
		{replc.MilvusCosine, .8, .2, .8},
		{replc.MongoCosine, .9, .6, .8},
		{replc.MongoDotProduct, .9, .6, .8},
		{replc.MongoEuclidean, 1 / 1.632456, 1 / 2.264911, .8},
		{replc.AzureAISearch, 1 / 1.2, 1 / 1.8, .8},
		{replc.OpenSearchL2, 1 / 1.4, 1 / 2.6, .8},
		{replc.OpenSearchCosine, .9, .6, .8},
		{replc.Bedrock, .7, .3, nan},
		{replc.AlloyDBCosine, .2, .8, .8},
		{replc.AlloyDBL2, .632456, 1.264911, .8},
		{replc.AlloyDBInnerProduct, .8, .2, .8},
		{replc.CloudSQLCosine, .2, .8, .8},
		{replc.CloudSQLL2, .632456, 1.264911, .8},
		{replc.CloudSQLInnerProduct, .8, .2, .8},
		{replc.MariaDB, .8, .2, .8},
		{replc.Dolt, .6, -.6, .8},
		{replc.OtherCosine, .8, .2, .8},
		{replc.OtherCosineDistance, .2, .8, .8},
		{replc.OtherOpaque, 17, 3, nan},
		{replc.OtherUnscored, 0, 0, nan},
	}
	seen := map[replc.Preset]bool{}
	for _, tt := range tests {
		seen[tt.preset] = true
		t.Run(tt.preset.String(), func(t *testing.T) {
			vs := &shelf{docs: []schema.Document{{PageContent: "good", Score: tt.good}, {PageContent: "bad", Score: tt.bad}}}
			src, err := replc.FromVectorStore(vs, tt.preset)
			if err != nil {
				t.Fatal(err)
			}
			eng := newEngine(t, core.Options{Gate: gate.Off{}})
			resp, err := eng.Retrieve(context.Background(), src.WithLogger(nil), core.Query{Text: "q"})
			if err != nil {
				t.Fatal(err)
			}
			good, bad := resp.Items[0], resp.Items[1]
			if good.Text != "good" || good.Relevance <= bad.Relevance {
				t.Errorf("%q at %v before %q at %v", good.Text, good.Relevance, bad.Text, bad.Relevance)
			}
			got := tt.preset.Kind().Cosine(float64(tt.good))
			if math.IsNaN(got) != math.IsNaN(tt.cosine) || math.Abs(got-tt.cosine) > 1e-5 {
				t.Errorf("cosine %v, want %v", got, tt.cosine)
			}
		})
	}
	for p := replc.ChromaL2; p <= replc.OtherUnscored; p++ {
		if !seen[p] {
			t.Errorf("%v has no row", p)
		}
	}
}

func TestPresetMustFitTheStore(t *testing.T) {
	for name, err := range map[string]error{
		"azure as pgvector":    second(replc.FromVectorStore(&azureaisearch.Store{}, replc.PGVector)),
		"qdrant as chroma":     second(replc.FromVectorStore(&qdrant.Store{}, replc.ChromaL2)),
		"no preset":            second(replc.FromVectorStore(newShelf(), 0)),
		"a preset from beyond": second(replc.FromVectorStore(newShelf(), 200)),
	} {
		if !errors.Is(err, replc.ErrPreset) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, err := range map[string]error{
		"azure":             second(replc.FromVectorStore(&azureaisearch.Store{}, replc.AzureAISearch)),
		"azure as other":    second(replc.FromVectorStore(&azureaisearch.Store{}, replc.OtherOpaque)),
		"a wrapper of ours": second(replc.FromVectorStore(newShelf(), replc.PGVector)),
		"qdrant":            second(replc.FromVectorStore(qdrant.Store{}, replc.QdrantCosine)),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := replc.FromVectorStore(nil, replc.PGVector); !errors.Is(err, core.ErrInvalidSource) {
		t.Errorf("nil store: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestEmptyAnswersOfStores(t *testing.T) {
	empty := errors.New("empty response") // what weaviate says of no hits
	for _, tt := range []struct {
		preset replc.Preset
		err    error
		fails  bool
	}{
		{replc.WeaviateCosine, empty, false}, {replc.PGVector, empty, true}, {replc.WeaviateCosine, errors.New("no such class"), true}, {replc.ChromaL2, nil, false},
	} {
		src, err := replc.FromVectorStore(&shelf{err: tt.err}, tt.preset)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newEngine(t, core.Options{}).Retrieve(context.Background(), src, core.Query{Text: "q"})
		if tt.fails != (err != nil) || !tt.fails && resp.Verdict != core.Empty {
			t.Errorf("%v with error %v: %v, %v", tt.preset, tt.err, resp, err)
		}
	}
}

func TestIDsOfStores(t *testing.T) {
	ids := func(docs ...schema.Document) []string {
		for i := range docs {
			docs[i].Score = 1 - float32(i)/10
			docs[i].PageContent = string(rune('a' + i))
		}
		src, err := replc.FromVectorStore(&shelf{docs: docs}, replc.OtherCosine)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := newEngine(t, core.Options{Gate: gate.Off{}}).Retrieve(context.Background(), src, core.Query{Text: "q"})
		if err != nil {
			t.Fatal(err)
		}
		return resp.IDs()
	}
	got := ids(
		schema.Document{Metadata: map[string]any{"id": 1.0}},
		schema.Document{Metadata: map[string]any{"id": "doc:index:uuid"}},
		schema.Document{Metadata: map[string]any{"_additional": map[string]any{"id": "weaviate-id"}}},
	)
	if want := []string{"1", "doc:index:uuid", "weaviate-id"}; !slices.Equal(got, want) {
		t.Errorf("ids %q, want %q", got, want)
	}
}
