// Package reputation learns from outcomes which documents help with which
// questions, and ranks candidates by it.
//
// Relevance, as a retriever reports it, is the prior: how likely a document is
// to help before anything has happened. Outcomes are the evidence and are added
// as counts. Evidence is local: each outcome is kept with a 128-bit [Signature]
// of its query and counts by how alike two queries are; what is left over counts
// for the document as a whole, at a weight that is itself learned. Without
// evidence the order is exactly the retriever's.
//
// The package is pure. It reads no clock, draws no random number, does no I/O
// and logs nothing: time and seeds are arguments. [Ranker] implementations are
// functions of the candidates' records and a snapshot of about fifteen slow
// running means ([Statistics]); [Fold] is a function of a receipt, its signals
// and its documents' records. [Record] and [Receipt] are immutable once handed
// out: every change makes a new one, so that stores and engines can share
// pointers without locks.
package reputation
