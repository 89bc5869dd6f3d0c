package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// aliasRefresh is how old an alias may get before it is written again although
// nothing changed: it keeps the alias from expiring while it is in use.
const aliasRefresh = 24 * time.Hour

// record writes the receipt with the documents shown, and what happened to the
// user's rows. A store that fails leaves the response without a receipt.
func (r *retrieval) record(ctx context.Context, resp *Response) {
	if r.unlearned != nil {
		return
	}
	r.witness(resp)
	if len(resp.Items) == 0 {
		r.recordNews(ctx)
		return
	}
	id := ReceiptID(r.engine.random.bytes())
	row := store.Retrieval{
		Namespace:   r.engine.opts.Namespace,
		Receipt:     r.receipt(id, resp),
		Aliases:     r.aliases(),
		MaxReceipts: r.engine.opts.MaxReceipts,
	}
	if p := r.personal; p != nil && len(p.touched) > 0 {
		row.Personal, row.Fold = p.requested(), p.fold
		row.MaxPersonal = r.engine.maxPersonal()
	}
	if err := r.engine.store.Record(ctx, row); err != nil {
		if errors.Is(err, store.ErrErased) {
			err = fmt.Errorf("%w: %w", ErrErased, err)
		}
		r.fail(fmt.Errorf("core: record: %w", err))
		resp.Unlearned = r.unlearned
		return
	}
	resp.Receipt = id
	r.suggest(resp)
}

func (r *retrieval) receipt(id ReceiptID, resp *Response) store.Receipt {
	shown := make([]store.Shown, len(r.onReceipt))
	for i, j := range r.onReceipt {
		c := r.candidate(j)
		shown[i] = store.Shown{ID: c.ID, Document: c.DocID, Hash: c.hash, Previous: c.previous}
	}
	evidence := reputation.NewReceipt(r.asked, r.ranking, r.onReceipt)
	evidence.Tag = receiptTag(id)
	r.standBy(shown, evidence.Shown)
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

// standBy sees to it that texts shown whatever was asked learn nothing from the
// answer, by which nobody could tell what they are good for. Signals on them reach
// the user's own row.
func (r *retrieval) standBy(shown []store.Shown, evidence []reputation.Shown) {
	first := len(shown) - len(r.idle)
	for i := first; i < len(shown); i++ {
		shown[i].Hash, shown[i].Previous = store.Hash{}, store.Hash{}
		evidence[i] = reputation.Bystander(evidence[:first])
	}
}

// aliases returns the aliases that are new, changed or about to be forgotten.
// A library text that the retriever did not find has none.
func (r *retrieval) aliases() []store.Alias {
	var out []store.Alias
	for _, i := range r.onReceipt {
		if i >= len(r.candidates) {
			continue
		}
		c := &r.candidates[i]
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
