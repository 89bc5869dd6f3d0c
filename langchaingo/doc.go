// Package langchaingo brings Repute into programs built on
// github.com/tmc/langchaingo: a schema.Retriever over any vector store or
// retriever, a vector store over any source, an embedder that lets the engine see
// query vectors, and memory tools for agents.
//
// The package has the name of the one it serves; import it as replc:
//
//	import replc "github.com/repute-go/repute/langchaingo"
//
//	src, err := replc.FromVectorStore(vs, replc.PGVector)
//	retriever, err := replc.NewRetriever(eng, src, replc.RetrieverOptions{K: 5})
//	chain := chains.NewRetrievalQAFromLLM(llm, retriever)
//
// The receipts of what a chain retrieved are in the trace of its context:
//
//	ctx, trace := core.WithTrace(ctx)
//	answer, err := chains.Run(ctx, chain, question)
//	trace.Feedback(ctx, core.Verified(testsPass(answer)))
//
// It imports schema, callbacks, vectorstores and embeddings of langchaingo and
// nothing else of it; package chain wraps chains.
package langchaingo
