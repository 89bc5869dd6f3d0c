package chromem

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"strings"

	"github.com/philippgille/chromem-go"
)

// list returns every document of a collection, in no order. chromem has no
// method for it. A query for as many results as there are documents lists them,
// if its vector has their dimension; where dimensions are mixed, only an export
// does, and nobody may write meanwhile. The documents share memory with the
// collection.
func list(db *chromem.DB, name string, c *chromem.Collection) ([]chromem.Document, error) {
	var failed error
	for range listTries { // somebody may delete past the handles between count and query
		n := c.Count()
		if n == 0 {
			return nil, nil
		}
		dim := dimensionOf(c)
		if dim == 0 {
			continue
		}
		probe := make([]float32, dim)
		probe[0] = 1
		found, err := c.QueryEmbedding(context.Background(), probe, n, nil, nil)
		if err == nil {
			return documentsOf(found), nil
		}
		failed = err
		if strings.Contains(err.Error(), "same length") {
			return exported(db, name)
		}
	}
	if failed == nil { // no document tells its dimension
		return exported(db, name)
	}
	return nil, fmt.Errorf("chromem: list %.80q: %w", name, failed)
}

const listTries = 5

func documentsOf(found []chromem.Result) []chromem.Document {
	docs := make([]chromem.Document, len(found))
	for i, r := range found {
		docs[i] = chromem.Document{ID: r.ID, Metadata: r.Metadata, Embedding: r.Embedding, Content: r.Content}
	}
	return docs
}

// dimensionOf returns the dimension of some document of a collection whose ids
// are not known, 0 if it cannot tell. A query with a vector of one component
// fails with an error that names a document of another dimension.
func dimensionOf(c *chromem.Collection) int {
	_, err := c.QueryEmbedding(context.Background(), []float32{1}, 1, nil, nil)
	if err == nil {
		return 1
	}
	_, id, ok := strings.Cut(err.Error(), "document '")
	end := strings.LastIndex(id, "': ")
	if !ok || end < 0 {
		return 0
	}
	d, err := c.GetByID(context.Background(), id[:end])
	if err != nil {
		return 0
	}
	return len(d.Embedding)
}

// exported lists a collection by way of an export.
func exported(db *chromem.DB, name string) ([]chromem.Document, error) {
	var dump bytes.Buffer
	if err := db.ExportToWriter(&dump, false, "", name); err != nil {
		return nil, fmt.Errorf("chromem: list %.80q: %w", name, err)
	}
	var state struct {
		Collections map[string]*struct {
			Name      string
			Metadata  map[string]string
			Documents map[string]*chromem.Document
		}
	}
	if err := gob.NewDecoder(&dump).Decode(&state); err != nil {
		return nil, fmt.Errorf("chromem: list %.80q: %w", name, err)
	}
	var docs []chromem.Document
	if c := state.Collections[name]; c != nil {
		for _, d := range c.Documents {
			docs = append(docs, *d)
		}
	}
	return docs, nil
}
