// Package gate decides whether a question has evidence in a collection at all,
// and which of the retrieved passages stand out from the noise.
//
// Three gates share one interface. [Evidence], the default, asks how much of
// the question's information the passages contain and promises a false-alarm
// rate per question that does not depend on the size of the collection.
// [Fixed] is the rule of sigma-rag: a passage is significant when its cosine
// lies a fixed number of standard deviations above the cosines of random pairs
// of passages. [Off] lets everything through.
//
// What a gate must know about a collection lives in a [Model]: word
// statistics, the best scores of a small bank of generic questions, the noise
// floor. A model is kept up to date insert by insert and can be stored.
//
// The package is pure: it reads no clock, does no I/O and draws no random
// number that the caller did not hand in.
package gate
