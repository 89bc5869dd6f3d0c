// Package worlds measures how fast rankings learn from outcomes, in made-up worlds
// whose truth is known: queries that recur, documents that suit some of them, a
// retriever that knows a little, verifiers, citations, raters that lie.
//
// Every way of ranking meets the same worlds and the same luck, so that they can be
// compared in pairs. Regret is the success lost to an oracle, relative to what the
// retriever's own order loses: 1 learns nothing, 0 is perfect, above 1 does harm.
package worlds
