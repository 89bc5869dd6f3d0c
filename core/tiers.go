package core

import (
	"context"
	"math"
	"slices"
	"strings"

	"github.com/repute-go/repute/core/lifecycle"
)

// maxLost is the number of pins without a text that one retrieval asks for.
const maxLost = 3

// entry is one place in the answer: a candidate, or a library text with the
// candidates that it stands for.
type entry struct {
	candidate int // -1: a library text
	text      *libraryText
	holds     []int // candidates
	pinned    bool
	why       string
}

// libraryText is a text of the user's library on its way into an answer.
type libraryText struct {
	key     string
	record  lifecycle.Record
	passage lifecycle.Passage
	text    string // once it was read
	changed bool   // not what the source says now
	fits    bool   // the question, or was found; else it is there because it is pinned
	extra   int    // index among the retrieval's extras, -1: it holds candidates
	note    int    // its place among the retrieval's notes, from 1; 0 = none
}

// arrange puts pinned, claimed and retrieved texts into one order.
func (r *retrieval) arrange(ctx context.Context) []entry {
	shown := r.shown(On)
	t := r.tiers(shown)
	if len(t.pinned)+len(t.claimed)+len(t.unclear)+len(t.lost) == 0 && !anyPinned(t.Retrieved) {
		return retrieved(shown)
	}
	t.fit(ctx, r)
	t.validate(ctx, r)
	return t.entries(r)
}

func retrieved(shown []int) []entry {
	out := make([]entry, len(shown))
	for i, c := range shown {
		out[i].candidate = c
	}
	return out
}

func anyPinned(ps []lifecycle.Passage) bool {
	for i := range ps {
		if ps[i].State == lifecycle.Pinned {
			return true
		}
	}
	return false
}

// tiers are the three lists of lifecycle.Tiers with the texts behind them.
type tiers struct {
	lifecycle.Tiers
	pinned, claimed []*libraryText // aligned with Pinned and Claimed
	unclear         []*libraryText // in the library, and may fit
	lost            []*libraryText // pinned, without a text since the source had none
	shown           []int          // candidates, aligned with Retrieved
	budget          lifecycle.Budget
}

func (r *retrieval) tiers(shown []int) *tiers {
	t := &tiers{Tiers: lifecycle.Tiers{Retrieved: make([]lifecycle.Passage, len(shown))}, shown: shown}
	for i, j := range shown {
		c := &r.candidates[j]
		t.Retrieved[i] = lifecycle.Passage{
			Doc: c.DocID, Chunk: storable(c.ID), Tokens: EstimateTokens(c.Text),
			Similarity: c.Similarity, State: r.personal.of(c.DocID).State(),
		}
		t.budget.Tokens += t.Retrieved[i].Tokens
	}
	t.budget.Items = allowed(len(shown), r.engine.opts.Library.Items)
	t.budget.Tokens = allowed(t.budget.Tokens, r.engine.opts.Library.Tokens)
	t.choose(r)
	return t
}

// choose looks through the user's library for what may have a place in this
// answer: what is pinned, what the retriever found too, and what fits the question
// as well as what it found. Texts of which vectors do not tell are left to words.
// Where the query has a filter, only its source can tell what passes it: then
// nothing is chosen that was not found.
func (t *tiers) choose(r *retrieval) {
	found := make(map[string]bool, len(t.shown))
	for _, j := range t.shown {
		found[r.personal.keys[j]] = true
	}
	bar, like := lifecycle.BarOf(t.Retrieved), r.likeness()
	for _, key := range r.personal.texts {
		row := r.personal.loaded[key]
		similarity := like.to(&row.Record.Claim)
		mayBePinned := row.Record.State() == lifecycle.Pinned || !row.Record.AboveSince.IsZero()
		unclear := bar.Similarity == 0 || math.IsNaN(similarity)
		fits := found[key] || !unclear && bar.Passes(similarity, 0)
		if r.query.Filter != nil && !found[key] {
			r.noteFiltered(key, mayBePinned)
			continue
		}
		if !mayBePinned && !fits && (!unclear || len(t.shown) == 0) {
			continue
		}
		rec := r.personal.record(key)
		if !rec.Serves() {
			continue // time has taken it out of the library
		}
		text := t.libraryText(r, key, rec, similarity)
		text.fits = fits
		switch pinned := rec.State() == lifecycle.Pinned; {
		case pinned:
			t.pinned = append(t.pinned, text)
		case fits:
			t.claimed = append(t.claimed, text)
		}
		if !fits && unclear && len(t.shown) > 0 {
			t.unclear = append(t.unclear, text)
		}
	}
	t.chooseLost(r, found)
}

// chooseLost takes some of the pins whose source had no text to give: it may have
// one again. They come in no order, so each has its turn.
func (t *tiers) chooseLost(r *retrieval, found map[string]bool) {
	for _, key := range r.personal.lost {
		if len(t.lost) == maxLost {
			return
		}
		if r.query.Filter == nil || found[key] {
			text := t.libraryText(r, key, r.personal.record(key), math.NaN())
			text.fits = found[key]
			t.lost = append(t.lost, text)
		}
	}
}

func (t *tiers) libraryText(r *retrieval, key string, rec lifecycle.Record, similarity float64) *libraryText {
	text := &libraryText{key: key, record: rec, passage: lifecycle.PassageOf(r.personal.doc(key), rec), extra: -1}
	text.passage.Tokens = (rec.Claim.Size + 3) / 4
	text.passage.Similarity = similarity
	for i, j := range t.shown { // chunks whose text is the library's own
		if c := &r.candidates[j]; c.DocID == text.passage.Doc && c.hash.String() == rec.Claim.Hash {
			text.passage.Holds = append(slices.Clip(text.passage.Holds), t.Retrieved[i].Chunk)
		}
	}
	return text
}

// allowed is a bound for all that is shown: what was retrieved and an allowance.
func allowed(retrieved, allowance int) int {
	if allowance < 0 {
		return -1
	}
	return max(retrieved+allowance, 1)
}

// list brings the passages in line with the texts.
func (t *tiers) list() {
	t.Pinned, t.Claimed = passagesOf(t.pinned), passagesOf(t.claimed)
}

func passagesOf(texts []*libraryText) []lifecycle.Passage {
	ps := make([]lifecycle.Passage, len(texts))
	for i, t := range texts {
		ps[i] = t.passage
	}
	return ps
}

// fit decides by words about the texts of which vectors do not tell: they must have
// as much in common with the question as what the retriever found.
func (t *tiers) fit(ctx context.Context, r *retrieval) {
	if len(t.unclear) > 0 {
		slices.SortFunc(t.unclear, func(a, b *libraryText) int { return strings.Compare(a.key, b.key) })
		t.byWords(ctx, r, t.unclear)
		bar := lifecycle.BarOf(t.Retrieved)
		for _, c := range t.unclear {
			if c.fits = bar.Passes(math.NaN(), c.passage.Lexical); c.fits && c.record.State() != lifecycle.Pinned {
				t.claimed = append(t.claimed, c)
			}
		}
	}
	t.list()
}

// validate reads the texts that would be served and asks their source what they
// are now. Those that may not be served leave the lists.
func (t *tiers) validate(ctx context.Context, r *retrieval) {
	plan := lifecycle.Merge(t.Tiers, t.budget)
	var serve []*libraryText
	for _, p := range plan.Items {
		if text := t.at(p); text != nil {
			serve = append(serve, text)
		}
	}
	t.noteLeft(r, plan)
	valid := r.revalidate(ctx, append(serve, t.lost...))
	t.pinned, t.claimed = t.pinned[:0:0], t.claimed[:0:0]
	for i, j := range t.shown {
		t.Retrieved[i].Text = r.candidates[j].hash.String()
	}
	for _, text := range valid {
		t.known(r, text)
		if text.record.State() == lifecycle.Pinned {
			t.pinned = append(t.pinned, text)
		} else {
			t.claimed = append(t.claimed, text)
		}
	}
	t.list()
}

// known fills in what a text says, now that it was read. It holds the chunks of its
// document that are part of it, as they were found. A text of the user's own holds
// none but its like: it stands beside what the source says.
func (t *tiers) known(r *retrieval, text *libraryText) {
	p := &text.passage
	p.Tokens, p.Text = EstimateTokens(text.text), contentHash(text.text).String()
	p.Whole, p.Holds = false, nil
	if text.record.Claim.Origin == lifecycle.FromCaller {
		return
	}
	whole := container{text: text.text}
	for i, j := range t.shown {
		if c := &r.candidates[j]; c.DocID == p.Doc && whole.holds(c.Text) {
			p.Holds = append(p.Holds, t.Retrieved[i].Chunk)
		}
	}
}

// noteLeft notes which texts found no place: those that are pinned, and those of
// which another note says that they did.
func (t *tiers) noteLeft(r *retrieval, plan lifecycle.Plan) {
	for _, l := range plan.Left {
		if texts := t.from(l.From); texts != nil {
			r.noteLeft(texts[l.Index], l.Reason)
		}
	}
}

func (t *tiers) from(tier lifecycle.Tier) []*libraryText {
	switch tier {
	case lifecycle.PinnedTier:
		return t.pinned
	case lifecycle.ClaimedTier:
		return t.claimed
	}
	return nil
}

// at returns the library text of a place, nil for a retrieved one.
func (t *tiers) at(p lifecycle.Placed) *libraryText {
	if p.From == lifecycle.RetrievedTier {
		return nil
	}
	return t.from(p.From)[p.Index]
}

// entries makes the final order.
func (t *tiers) entries(r *retrieval) []entry {
	plan := lifecycle.Merge(t.Tiers, t.budget)
	t.noteLeft(r, plan)
	out := make([]entry, len(plan.Items))
	var extras []*libraryText
	for i, p := range plan.Items {
		out[i] = entry{candidate: -1, text: t.at(p), pinned: p.State == lifecycle.Pinned, why: p.Why()}
		if out[i].text == nil {
			out[i].candidate = t.shown[p.Index]
			continue
		}
		for _, j := range p.Holds {
			out[i].holds = append(out[i].holds, t.shown[j])
		}
		if len(p.Holds) == 0 {
			out[i].text.extra = len(extras)
			extras = append(extras, out[i].text)
		}
	}
	return out
}
