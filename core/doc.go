// Package core is the engine of Repute: it sits between a retriever and a
// model, inside the caller's process.
//
// An [Engine] asks a [Source] for candidates, judges whether the query has
// evidence at all (package core/gate), orders the candidates by what is known
// of them (core/reputation), adds the user's own documents (core/lifecycle) and
// returns a [Response] with a receipt. What happened afterwards (a test passed,
// a judge spoke, a user clicked) comes back through [Engine.Feedback] under that
// receipt and changes the next ranking.
//
//	eng, err := core.New(core.Options{})
//	resp, err := eng.Retrieve(ctx, source, core.Query{Text: "how do I ...", K: 5})
//	upd, err := eng.Feedback(ctx, resp.Receipt, core.Verified(true))
//
// A query that names a user also reads and fills that user's library
// ([Engine.Library]): documents used often are suggested ([Response.Suggestions]),
// accepted and pinned ones are served beside what the retriever finds, checked
// against their source first, and [Response.Provenance] says what came from where.
//
// The engine orders the steps and computes nothing itself: every rule lives in
// a pure package, every row in a store (core/store).
//
// # Promises
//
//   - Without evidence the order is exactly the retriever's own.
//   - Nothing that the gate lets through is lost to the lifecycle.
//   - A retrieval changes nothing that is learned.
//   - The signals of one receipt may come late, twice, revised, in any order.
//   - Neither the caller's nor the source's maps, slices or vectors are modified.
//   - A failing store never fails a retrieval: the response says that it could
//     not be recorded ([Response.Unlearned]).
package core
