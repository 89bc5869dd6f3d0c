// Package chain wraps chains of github.com/tmc/langchaingo: Guard answers with a
// fixed sentence, without calling a model, where there is no evidence; Learn has
// every answer judged and feeds the verdict back. Both are chains.Chain, keep the
// keys, the memory and the callbacks of the chain inside, and pass its options
// through.
package chain
