package storetest

import (
	"bytes"
	"context"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// calls makes one valid call of every method and returns their errors.
func (b *bench) calls(ctx context.Context) map[string]error {
	errs := make(map[string]error)
	_, errs["Load"] = b.Load(ctx, store.LoadRequest{IDs: []string{"a"}})
	errs["Record"] = b.Record(ctx, store.Retrieval{Receipt: receipt("calls", 20, "a"), Aliases: aliases(20, "a")})
	errs["Update"] = b.Update(ctx, store.UpdateRequest{Receipt: receiptID("r")}, evidence(counter(9), "a"))
	errs["Add"] = b.Add(ctx, "", []store.Tally{{Name: "t", Values: []float64{1}}})
	_, errs["Tallies"] = b.Store.Tallies(ctx, "", "", store.Page{})
	_, _, errs["Blob"] = b.Blob(ctx, "", "b")
	_, errs["Blobs"] = b.Blobs(ctx, "", "", store.Page{})
	errs["PutBlob"] = b.PutBlob(ctx, "", store.Blob{Name: "b"})
	_, errs["SwapBlob"] = b.SwapBlob(ctx, "", nil, store.Blob{Name: "swapped"})
	errs["DeleteBlob"] = b.DeleteBlob(ctx, "", "b")
	_, errs["Documents"] = b.Documents(ctx, "", store.Page{})
	_, errs["Aliases"] = b.Aliases(ctx, "", "src", store.Page{})
	_, errs["Receipts"] = b.Receipts(ctx, "", "", store.Page{})
	_, errs["Personal"] = b.Personal(ctx, "", "u", store.Page{})
	_, errs["Users"] = b.Users(ctx, "", store.Page{})
	_, errs["Texts"] = b.Texts(ctx, "", "u", []string{"d"})
	_, errs["Expire"] = b.Expire(ctx, "", store.Bounds{Now: 1 << 62})
	_, errs["Erase"] = b.Erase(ctx, "", erasure(store.Erasure{User: "u"}))
	errs["Export"] = b.Export(ctx, "", &bytes.Buffer{})
	errs["Import"] = b.Import(ctx, "", export(store.Tally{Name: "t", Values: []float64{1}}))
	return errs
}

// erasure completes an erasure of an actor with the rewriting of records.
func erasure(e store.Erasure) store.Erasure {
	if e.Document.IsZero() {
		tag := reputation.ActorTag(e.Actor())
		e.Rewrite = func(r *reputation.Record) (*reputation.Record, int) { return r.Erase(tag) }
		e.RewriteReceipt = func(r *reputation.Receipt) (*reputation.Receipt, int) { return r.Erase(e.Actor()) }
	}
	return e
}

// export is an export that holds these rows.
func export(rows ...store.Row) *bytes.Buffer {
	var buf bytes.Buffer
	w := store.NewWriter(&buf)
	for _, r := range rows {
		if err := w.Write(r); err != nil {
			panic("storetest: " + err.Error())
		}
	}
	if err := w.Close(); err != nil {
		panic("storetest: " + err.Error())
	}
	return &buf
}
