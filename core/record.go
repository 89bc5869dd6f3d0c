package core

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// aliasRefresh is how old an alias may get before it is written again although
// nothing changed: it keeps the alias from expiring while it is in use.
const aliasRefresh = 24 * time.Hour

// record writes the receipt with the documents shown. A store that fails leaves
// the response without a receipt.
func (r *retrieval) record(ctx context.Context, resp *Response) {
	if r.unlearned != nil || len(resp.Items) == 0 {
		return
	}
	id := ReceiptID(r.engine.random.bytes())
	err := r.engine.store.Record(ctx, store.Retrieval{
		Namespace:   r.engine.opts.Namespace,
		Receipt:     r.receipt(id, resp),
		Aliases:     r.aliases(resp),
		MaxReceipts: r.engine.opts.MaxReceipts,
	})
	if err != nil {
		r.fail(fmt.Errorf("core: record: %w", err))
		resp.Unlearned = r.unlearned
		return
	}
	resp.Receipt = id
}

func (r *retrieval) receipt(id ReceiptID, resp *Response) store.Receipt {
	order := make([]int, len(resp.Items))
	shown := make([]store.Shown, len(resp.Items))
	for i, it := range resp.Items {
		c := &r.candidates[it.BaseRank]
		order[i] = it.BaseRank
		shown[i] = store.Shown{ID: c.ID, Document: c.DocID, Hash: c.hash, Previous: c.previous}
	}
	evidence := reputation.NewReceipt(r.asked, r.ranking, order)
	evidence.Tag = receiptTag(id)
	if resp.User != "" {
		evidence.User = reputation.ActorTag(store.UserActor(resp.User))
	}
	rc := store.Receipt{
		ID: id, User: resp.User, Session: resp.Session, Source: resp.Source,
		Created: r.time, Expires: later(r.time, r.engine.opts.ReceiptTTL),
		Shown: shown, Evidence: evidence,
	}
	if r.engine.opts.KeepQueries {
		rc.Query = resp.Query
	}
	return rc
}

// aliases returns the aliases that are new, changed or about to be forgotten.
func (r *retrieval) aliases(resp *Response) []store.Alias {
	var out []store.Alias
	for _, it := range resp.Items {
		c := &r.candidates[it.BaseRank]
		want := store.Alias{Source: r.hits.Source, ID: c.ID, Hash: c.hash, Previous: c.previous, Seen: r.time}
		fresh := r.time-c.alias.Seen < int64(aliasRefresh)
		if c.alias.Hash == want.Hash && c.alias.Previous == want.Previous && fresh {
			continue
		}
		out = append(out, want)
	}
	return out
}

// later adds to a time without running over its end in the year 2262.
func later(t int64, d time.Duration) int64 {
	if t > math.MaxInt64-int64(d) {
		return math.MaxInt64
	}
	return t + int64(d)
}

// receiptTag is the short name of a receipt inside events.
func receiptTag(id ReceiptID) uint64 { return binary.LittleEndian.Uint64(id[:8]) }
