package langchaingo

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/vectorstores"

	"github.com/repute-go/repute/core"
)

// ErrPreset says that a preset contradicts the type of the vector store it was
// given with, or does not exist.
var ErrPreset = errors.New("langchaingo: preset does not fit the vector store")

// Preset says what the Document.Score of a vector store means under one metric,
// where ids are and how it reports that nothing was found. The same store with
// another metric has another preset: nothing in the documents tells them apart.
type Preset uint8

// Presets, by store and metric. Where a comment names a default, it is the
// store's own.
const (
	presetNone Preset = iota
	// ChromaL2 is chroma with its default metric, squared L2. The store drops
	// every hit with a cosine below .5.
	ChromaL2
	// ChromaCosine is chroma with cosine distance.
	ChromaCosine
	// ChromaInnerProduct is chroma with ip.
	ChromaInnerProduct
	// PGVector is pgvector, which always searches by cosine distance.
	PGVector
	// PineconeCosine is a pinecone index with metric cosine.
	PineconeCosine
	// PineconeDotProduct is a pinecone index with metric dotproduct.
	PineconeDotProduct
	// PineconeEuclidean is a pinecone index with metric euclidean (squared,
	// lower is better).
	PineconeEuclidean
	// QdrantCosine is a qdrant collection with distance Cosine.
	QdrantCosine
	// QdrantDot is a qdrant collection with distance Dot.
	QdrantDot
	// QdrantEuclid is a qdrant collection with distance Euclid.
	QdrantEuclid
	// QdrantManhattan is a qdrant collection with distance Manhattan. Its scores
	// only order.
	QdrantManhattan
	// WeaviateCosine is a weaviate class with metric cosine.
	WeaviateCosine
	// WeaviateOther is a weaviate class with any other metric: scores are 0.
	WeaviateOther
	// RedisCosine is redisvector with its default metric, cosine distance.
	RedisCosine
	// RedisL2 is redisvector with L2 (squared).
	RedisL2
	// RedisInnerProduct is redisvector with IP, a distance of 1 - product.
	RedisInnerProduct
	// MilvusL2 is milvus with L2 (squared), the default of its version 1.
	MilvusL2
	// MilvusInnerProduct is milvus with IP.
	MilvusInnerProduct
	// MilvusCosine is milvus with COSINE, the server's default in version 2.
	MilvusCosine
	// MongoCosine is mongovector with similarity cosine.
	MongoCosine
	// MongoDotProduct is mongovector with similarity dotProduct.
	MongoDotProduct
	// MongoEuclidean is mongovector with similarity euclidean.
	MongoEuclidean
	// AzureAISearch is azureaisearch with metric cosine.
	AzureAISearch
	// OpenSearchL2 is opensearch with space l2.
	OpenSearchL2
	// OpenSearchCosine is opensearch with space cosinesimil.
	OpenSearchCosine
	// Bedrock is bedrockknowledgebases, whose scores only order.
	Bedrock
	// AlloyDBCosine is alloydb with its default strategy, cosine distance.
	AlloyDBCosine
	// AlloyDBL2 is alloydb with Euclidean distance.
	AlloyDBL2
	// AlloyDBInnerProduct is alloydb with inner product.
	AlloyDBInnerProduct
	// CloudSQLCosine is cloudsql with its default strategy, cosine distance.
	CloudSQLCosine
	// CloudSQLL2 is cloudsql with Euclidean distance.
	CloudSQLL2
	// CloudSQLInnerProduct is cloudsql with inner product.
	CloudSQLInnerProduct
	// MariaDB is mariadb, which searches by cosine distance.
	MariaDB
	// Dolt is dolt, which searches by squared L2.
	Dolt
	// OtherCosine is any store whose score is a cosine similarity.
	OtherCosine
	// OtherCosineDistance is any store whose score is a cosine distance.
	OtherCosineDistance
	// OtherOpaque is any store of which only "higher is better" is known.
	OtherOpaque
	// OtherUnscored is any store whose scores mean nothing: only its order
	// counts.
	OtherUnscored

	presets
)

// traits is what a preset stands for.
type traits struct {
	name string
	// pkg is the package of the store under langchaingo's vectorstores; empty
	// fits any.
	pkg  string
	kind core.ScoreKind
	// ignoresCount says that the number of documents asked for has no effect: the
	// store has an option of its own.
	ignoresCount bool
}

var presetTraits = [presets]traits{
	ChromaL2:             {"chroma L2", "chroma", core.OneMinusSquaredL2, false},
	ChromaCosine:         {"chroma cosine", "chroma", core.CosineSimilarity, false},
	ChromaInnerProduct:   {"chroma ip", "chroma", core.InnerProduct, false},
	PGVector:             {"pgvector", "pgvector", core.CosineSimilarity, false},
	PineconeCosine:       {"pinecone cosine", "pinecone", core.CosineSimilarity, false},
	PineconeDotProduct:   {"pinecone dotproduct", "pinecone", core.InnerProduct, false},
	PineconeEuclidean:    {"pinecone euclidean", "pinecone", core.SquaredL2Distance, false},
	QdrantCosine:         {"qdrant Cosine", "qdrant", core.CosineSimilarity, false},
	QdrantDot:            {"qdrant Dot", "qdrant", core.InnerProduct, false},
	QdrantEuclid:         {"qdrant Euclid", "qdrant", core.L2Distance, false},
	QdrantManhattan:      {"qdrant Manhattan", "qdrant", core.NoScore, false},
	WeaviateCosine:       {"weaviate cosine", "weaviate", core.Certainty, false},
	WeaviateOther:        {"weaviate other", "weaviate", core.NoScore, false},
	RedisCosine:          {"redis COSINE", "redisvector", core.CosineDistance, false},
	RedisL2:              {"redis L2", "redisvector", core.SquaredL2Distance, false},
	RedisInnerProduct:    {"redis IP", "redisvector", core.CosineDistance, false},
	MilvusL2:             {"milvus L2", "milvus", core.SquaredL2Distance, false},
	MilvusInnerProduct:   {"milvus IP", "milvus", core.InnerProduct, false},
	MilvusCosine:         {"milvus COSINE", "milvus", core.CosineSimilarity, false},
	MongoCosine:          {"mongo cosine", "mongovector", core.Certainty, false},
	MongoDotProduct:      {"mongo dotProduct", "mongovector", core.Certainty, false},
	MongoEuclidean:       {"mongo euclidean", "mongovector", core.InverseL2Distance, false},
	AzureAISearch:        {"azure cosine", "azureaisearch", core.InverseCosineDistance, false},
	OpenSearchL2:         {"opensearch l2", "opensearch", core.InverseSquaredL2Distance, false},
	OpenSearchCosine:     {"opensearch cosinesimil", "opensearch", core.Certainty, false},
	Bedrock:              {"bedrock", "bedrockknowledgebases", core.Opaque, false},
	AlloyDBCosine:        {"alloydb cosine", "alloydb", core.CosineDistance, true},
	AlloyDBL2:            {"alloydb L2", "alloydb", core.L2Distance, true},
	AlloyDBInnerProduct:  {"alloydb inner product", "alloydb", core.InnerProduct, true},
	CloudSQLCosine:       {"cloudsql cosine", "cloudsql", core.CosineDistance, true},
	CloudSQLL2:           {"cloudsql L2", "cloudsql", core.L2Distance, true},
	CloudSQLInnerProduct: {"cloudsql inner product", "cloudsql", core.InnerProduct, true},
	MariaDB:              {"mariadb", "mariadb", core.CosineSimilarity, false},
	Dolt:                 {"dolt", "dolt", core.OneMinusSquaredL2, false},
	OtherCosine:          {"other, cosine", "", core.CosineSimilarity, false},
	OtherCosineDistance:  {"other, cosine distance", "", core.CosineDistance, false},
	OtherOpaque:          {"other, opaque", "", core.Opaque, false},
	OtherUnscored:        {"other, unscored", "", core.NoScore, false},
}

// String returns the name of the preset.
func (p Preset) String() string {
	if p > presetNone && p < presets {
		return presetTraits[p].name
	}
	return fmt.Sprintf("Preset(%d)", uint8(p))
}

// Kind returns what the scores mean.
func (p Preset) Kind() core.ScoreKind {
	if p < presets {
		return presetTraits[p].kind
	}
	return core.ScoreUndeclared
}

// storesPath is where langchaingo keeps its vector stores.
const storesPath = "github.com/tmc/langchaingo/vectorstores/"

// check refuses a preset for one store with a value of another. Types from
// elsewhere (wrappers, stores of other modules) fit every preset: only their
// owner knows.
func (p Preset) check(vs vectorstores.VectorStore) error {
	if p == presetNone || p >= presets {
		return fmt.Errorf("%w: %v", ErrPreset, p)
	}
	t := reflect.TypeOf(vs)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	rest, ours := strings.CutPrefix(t.PkgPath(), storesPath)
	pkg, _, _ := strings.Cut(rest, "/") // milvus/v2 is milvus
	if want := presetTraits[p].pkg; ours && want != "" && pkg != want {
		return fmt.Errorf("%w: %v for a %v", ErrPreset, p, t)
	}
	return nil
}

// nothingFound reports whether an error of the store means "no hits". Weaviate
// has one; its package is too heavy to import for a comparison, so its text is
// compared.
func (p Preset) nothingFound(err error) bool {
	return presetTraits[p].pkg == "weaviate" && strings.HasSuffix(err.Error(), "empty response")
}
