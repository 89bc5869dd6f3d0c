// Package repute is the root of a library that sits between a retriever and a
// model, inside the caller's process. It learns from what happened after
// retrieval which documents really help, passes on only what stands out from the
// noise, keeps a personal library for each user and closes the loop with a
// judge.
//
// The package itself is empty. Start with
//
//   - chromem, for an embedded chromem-go collection,
//   - langchaingo, for a schema.Retriever over any vector store,
//   - core, for anything else that returns scored documents.
package repute
