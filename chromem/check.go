package chromem

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
)

// check looks at the vectors of documents that came into the collection past the
// handles. One without a direction makes chromem's search miss better ones, one
// of another dimension makes it fail: both are errors. One whose length is not 1
// is replaced by the same direction at length 1.
func (s *shelf) check(docs []chromem.Document) error {
	sizes := map[int]int{}
	var longer []chromem.Document
	for _, d := range docs {
		length, err := norm(d.Embedding)
		if err != nil {
			return fmt.Errorf("%w (collection %.80q, document %.80q; see Repair)", err, s.name, d.ID)
		}
		sizes[len(d.Embedding)]++
		if math.Abs(length-1) >= unitTolerance {
			longer = append(longer, chromem.Document{ID: d.ID, Content: d.Content, Metadata: maps.Clone(d.Metadata), Embedding: scaled(d.Embedding, length)})
		}
	}
	if len(sizes) > 1 {
		return s.mixed(docs, sizes)
	}
	for _, d := range longer {
		if err := s.collection.AddDocument(context.Background(), d); err != nil {
			return fmt.Errorf("chromem: normalise %.80q: %w", d.ID, err)
		}
	}
	return nil
}

// mixed names a document whose dimension is not that of most.
func (s *shelf) mixed(docs []chromem.Document, sizes map[int]int) error {
	most := commonest(sizes)
	var odd chromem.Document
	for _, d := range docs {
		if len(d.Embedding) != most && (odd.ID == "" || d.ID < odd.ID) {
			odd = d
		}
	}
	return fmt.Errorf("%w: document %.80q of collection %.80q has %d, most have %d; see Repair", core.ErrDimension, odd.ID, s.name, len(odd.Embedding), most)
}

// commonest returns the most frequent dimension, the smallest of several.
func commonest(sizes map[int]int) int {
	return slices.MinFunc(slices.Collect(maps.Keys(sizes)), func(a, b int) int {
		return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b))
	})
}
