package chromem

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
)

// Metadata keys that the package writes. The first five carry what a
// core.Candidate has fields for: whoever sets them through a Candidate's Metadata
// is heard where the field is empty.
const (
	KeyDocID       = "doc_id"          // Candidate.DocID
	KeyTitle       = "doc_title"       // Candidate.Title
	KeyPath        = "doc_path"        // Candidate.Path
	KeyChunkIndex  = "chunk_index"     // Candidate.ChunkIndex, decimal, from 0
	KeyTotalChunks = "total_chunks"    // Candidate.TotalChunks, decimal
	KeyContentHash = "content_hash"    // 32 hexadecimal digits of the SHA-256 of the text
	KeyModel       = "embedding_model" // Options.Model
	KeyOverlap     = "chunk_overlap"   // bytes at the start of the text that repeat the chunk before
	KeySet         = "ingest_set"      // IngestOptions.Set
)

// contentHash names a text in the metadata.
func contentHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// toDocument makes a chromem document of a candidate, sharing nothing with it.
// Its embedding is normalised, or nil if the text has to be embedded.
func toDocument(c core.Candidate, model string) (chromem.Document, error) {
	doc := chromem.Document{ID: c.ID, Content: c.Text, Metadata: metadataOf(c)}
	if c.Text == "" && len(c.Vector) == 0 {
		return doc, fmt.Errorf("%w: chunk %.80q has neither text nor vector", ErrText, c.ID)
	}
	if !utf8.ValidString(c.Text) || !utf8.ValidString(c.ID) {
		return doc, fmt.Errorf("%w: chunk %.80q is not valid UTF-8", ErrText, c.ID)
	}
	if doc.ID == "" {
		doc.ID = derivedID(c)
	}
	if c.Text != "" {
		doc.Metadata[KeyContentHash] = contentHash(c.Text)
	}
	if model != "" {
		doc.Metadata[KeyModel] = model
	}
	if len(c.Vector) == 0 {
		return doc, nil
	}
	var err error
	if doc.Embedding, err = normalized(c.Vector); err != nil {
		return doc, fmt.Errorf("chunk %.80q: %w", doc.ID, err)
	}
	return doc, nil
}

// derivedID makes an id of what a chunk holds: the same text twice is one chunk.
func derivedID(c core.Candidate) string {
	if c.Text != "" {
		return contentHash(c.Text)
	}
	return contentHash(fmt.Sprint(c.Vector))
}

func metadataOf(c core.Candidate) map[string]string {
	m := make(map[string]string, len(c.Metadata)+6)
	for k, v := range c.Metadata {
		if v != nil {
			m[k] = core.CanonicalID(v)
		}
	}
	set := func(key, value string) {
		if value != "" {
			m[key] = value
		}
	}
	set(KeyDocID, c.DocID)
	set(KeyTitle, c.Title)
	set(KeyPath, c.Path)
	if c.TotalChunks > 0 {
		m[KeyChunkIndex] = strconv.Itoa(c.ChunkIndex)
		m[KeyTotalChunks] = strconv.Itoa(c.TotalChunks)
	}
	return m
}

// toCandidate copies a stored document.
func toCandidate(id, text string, metadata map[string]string, vector []float32) core.Candidate {
	c := core.Candidate{
		ID: id, Text: text, Vector: slices.Clone(vector), Similarity: math.NaN(),
		DocID: metadata[KeyDocID], Title: metadata[KeyTitle], Path: metadata[KeyPath],
		Metadata: make(map[string]any, len(metadata)),
	}
	for k, v := range metadata {
		c.Metadata[k] = v
	}
	index, err := strconv.Atoi(metadata[KeyChunkIndex])
	total, err2 := strconv.Atoi(metadata[KeyTotalChunks])
	if err == nil && err2 == nil && index >= 0 && total > index {
		c.ChunkIndex, c.TotalChunks = index, total
	}
	return c
}

func candidateOf(d chromem.Document) core.Candidate {
	return toCandidate(d.ID, d.Content, d.Metadata, d.Embedding)
}
