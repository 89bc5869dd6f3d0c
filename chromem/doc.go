// Package chromem puts Repute in front of a chromem-go collection.
//
// [Open] keeps a collection and its embedding function together. The
// [Collection] it returns answers Query in the shape of the wrapped one and
// Retrieve with everything the engine knows; it is also the engine's source,
// sampler, embedder, adder, lister and loader. [Collection.Ingest] reads
// documents from a file system, cuts them into passages and keeps the collection
// in step with them.
//
// The package has the name of the one it wraps. Import it as repchromem:
//
//	import (
//		"github.com/philippgille/chromem-go"
//		repchromem "github.com/repute-go/repute/chromem"
//	)
//
// # What is different from the wrapped collection
//
//   - n may exceed the number of documents, and an empty collection gives an
//     empty result.
//   - Vectors that are zero, not finite or of another dimension are refused when
//     added and when asked with; others are brought to length 1.
//   - A cancelled context is an error, not an empty or partial result.
//   - Results share no memory with the collection; neither do additions.
//   - Equal similarities are ordered by id.
//   - Additions are all or none.
//   - Ids whose files would overwrite each other are refused.
//   - Nothing is embedded by a default that calls OpenAI.
//
// Filters keep chromem's meaning: values are compared exactly, all conditions
// must hold, and a condition with the empty value also matches documents that
// lack the key.
//
// All handles of one collection in a process share their state, so any number of
// them may be used at the same time. Writes past them, through the wrapped
// collection, are noticed by the changed count on the next use.
package chromem
