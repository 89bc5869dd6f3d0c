// Package replay measures learning on judged collections: real documents, real
// questions and human judgements. Every question is asked once an epoch, verbatim or
// reworded; the documents come from a cosine, BM25 or hybrid search; the judgement is
// the verifier: an answer succeeds if a relevant document is among the k shown.
//
// The questions of these collections do not repeat by themselves, and nobody has
// reworded them by hand. So rewording is simulated: a quarter of the words is left
// out, and the vector is turned by a random angle of cosine .9.
package replay
