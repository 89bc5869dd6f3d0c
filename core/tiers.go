package core

import (
	"context"
	"math"
	"slices"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/internal/lexical"
)

// maxWordsRead bounds the library texts that one retrieval reads only to know
// their words; the engine remembers the words.
const maxWordsRead = 32

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
	extra   int    // index among the retrieval's extras, -1: it holds candidates
}

// arrange puts pinned, claimed and retrieved texts into one order. Without a user
// it is what the gate let through in the ranker's order.
func (r *retrieval) arrange(ctx context.Context) []entry {
	shown := r.shown(On)
	if r.personal == nil {
		return retrieved(shown)
	}
	t := r.tiers(shown)
	if len(t.pinned)+len(t.claimed)+len(t.unclear) == 0 && !anyPinned(t.Retrieved) {
		return retrieved(shown)
	}
	t.fit(ctx, r)
	t.validate(ctx, r)
	return t.entries(r, shown)
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
	unclear         []*libraryText // claimed, and may fit
	budget          lifecycle.Budget
}

func (r *retrieval) tiers(shown []int) *tiers {
	t := &tiers{Tiers: lifecycle.Tiers{Retrieved: make([]lifecycle.Passage, len(shown))}}
	for i, j := range shown {
		c := &r.candidates[j]
		t.Retrieved[i] = lifecycle.Passage{
			Doc: c.DocID, Chunk: c.ID, Tokens: EstimateTokens(c.Text),
			Similarity: c.Similarity, State: r.personal.of(c.DocID).State(),
		}
		t.budget.Tokens += t.Retrieved[i].Tokens
	}
	t.budget.Items = allowed(len(shown), r.engine.opts.Library.Items)
	t.budget.Tokens = allowed(t.budget.Tokens, r.engine.opts.Library.Tokens)
	t.choose(r, shown)
	return t
}

// choose looks through the user's library for what may have a place in this
// answer: what is pinned, what the retriever found too, and what fits the question
// as well as what it found. Texts of which vectors do not tell are left to words.
func (t *tiers) choose(r *retrieval, shown []int) {
	found := make(map[string]bool, len(shown))
	for _, j := range shown {
		found[r.personal.keys[j]] = true
	}
	bar := lifecycle.BarOf(t.Retrieved)
	for _, key := range r.personal.texts {
		row := r.personal.loaded[key]
		similarity := r.similarity(&row.Record.Claim)
		mayBePinned := row.Record.State() == lifecycle.Pinned || !row.Record.AboveSince.IsZero()
		unclear := bar.Similarity == 0 || math.IsNaN(similarity)
		fits := found[key] || !unclear && bar.Passes(similarity, 0)
		if !mayBePinned && !fits && (!unclear || len(shown) == 0) {
			continue
		}
		rec := r.personal.record(key)
		if !rec.Serves() {
			continue // time has taken it out of the library
		}
		switch text := r.libraryText(key, rec, similarity, shown); {
		case rec.State() == lifecycle.Pinned:
			t.pinned = append(t.pinned, text)
		case fits:
			t.claimed = append(t.claimed, text)
		case unclear && len(shown) > 0:
			t.unclear = append(t.unclear, text)
		}
	}
}

func (r *retrieval) libraryText(key string, rec lifecycle.Record, similarity float64, shown []int) *libraryText {
	t := &libraryText{key: key, record: rec, passage: lifecycle.PassageOf(r.personal.doc(key), rec), extra: -1}
	t.passage.Tokens = (rec.Claim.Size + 3) / 4
	t.passage.Similarity = similarity
	for _, j := range shown { // chunks whose text is the library's own
		if c := &r.candidates[j]; c.DocID == t.passage.Doc && c.hash.String() == rec.Claim.Hash {
			t.passage.Holds = append(slices.Clip(t.passage.Holds), c.ID)
		}
	}
	return t
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

// similarity is the cosine of a claimed text to the question, NaN where unknown:
// vectors of different models are never compared.
func (r *retrieval) similarity(c *lifecycle.Claim) float64 {
	q := r.hits.QueryVector
	if len(c.Vector) == 0 || len(c.Vector) != len(q) || c.Model != r.hits.Model {
		return math.NaN()
	}
	return cosine(c.Vector, q)
}

// cosine is NaN for a zero vector.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i, x := range a {
		x, y := float64(x), float64(b[i])
		dot += x * y
		aa += x * x
		bb += y * y
	}
	return dot / math.Sqrt(aa*bb)
}

// fit decides by words about the texts of which vectors do not tell: they must have
// as much in common with the question as what the retriever found.
func (t *tiers) fit(ctx context.Context, r *retrieval) {
	if len(t.unclear) > 0 {
		t.byWords(ctx, r, t.unclear)
		bar := lifecycle.BarOf(t.Retrieved)
		for _, c := range t.unclear {
			if bar.Passes(math.NaN(), c.passage.Lexical) {
				t.claimed = append(t.claimed, c)
			}
		}
	}
	t.list()
}

// byWords gives the retrieved passages and the texts a score of the words they
// share with the question, over the set of all of them.
func (t *tiers) byWords(ctx context.Context, r *retrieval, texts []*libraryText) {
	cache := r.engine.words
	sets := make([]lexical.Set, 0, len(t.Retrieved)+len(texts))
	byID := make(map[string]*candidate, len(r.candidates))
	for i := range r.candidates {
		byID[r.candidates[i].ID] = &r.candidates[i]
	}
	for i := range t.Retrieved {
		c := byID[t.Retrieved[i].Chunk]
		sets = append(sets, cache.words(c.hash, c.Text))
	}
	sets = append(sets, r.wordsOf(ctx, texts)...)
	scores := lexical.BM25{}.SetScores(lexical.Unique(lexical.Terms(r.query.Text)), sets)
	for i := range t.Retrieved {
		t.Retrieved[i].Lexical = scores[i]
	}
	for i, text := range texts {
		text.passage.Lexical = scores[len(t.Retrieved)+i]
	}
}

// wordsOf returns the words of library texts, read at most maxWordsRead at a time.
// The words of texts beyond that are empty until a later question reads them.
func (r *retrieval) wordsOf(ctx context.Context, texts []*libraryText) []lexical.Set {
	sets := make([]lexical.Set, len(texts))
	var missing []string
	at := make(map[string]int)
	for i, t := range texts {
		if set, ok := r.engine.words.sets.Get(r.wordsKey(t)); ok {
			sets[i] = set
		} else if len(missing) < maxWordsRead {
			missing = append(missing, t.key)
			at[t.key] = i
		}
	}
	if len(missing) == 0 {
		return sets
	}
	read, err := r.engine.store.Texts(ctx, r.engine.opts.Namespace, r.personal.user, missing)
	if err != nil {
		r.engine.opts.Logger.Warn("library texts not read", "error", err)
		return sets
	}
	for key, text := range read {
		i := at[key]
		sets[i] = r.engine.words.words(r.wordsKey(texts[i]), text)
	}
	return sets
}

// wordsKey names a claimed text of this user among the engine's word sets.
func (r *retrieval) wordsKey(t *libraryText) store.Hash {
	return digest("claim", r.personal.user, t.key, t.record.Claim.Hash, t.record.Claim.At.String())
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
	for _, l := range plan.Left {
		if l.Reason == lifecycle.OverBudget {
			r.noteOverBudget(t.from(l.From)[l.Index])
		}
	}
	valid := r.revalidate(ctx, serve)
	t.pinned, t.claimed = t.pinned[:0:0], t.claimed[:0:0]
	for _, text := range valid {
		text.passage.Tokens = EstimateTokens(text.text)
		if text.record.State() == lifecycle.Pinned {
			t.pinned = append(t.pinned, text)
		} else {
			t.claimed = append(t.claimed, text)
		}
	}
	t.list()
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
func (t *tiers) entries(r *retrieval, shown []int) []entry {
	plan := lifecycle.Merge(t.Tiers, t.budget)
	out := make([]entry, len(plan.Items))
	var extras []*libraryText
	for i, p := range plan.Items {
		out[i] = entry{candidate: -1, text: t.at(p), pinned: p.State == lifecycle.Pinned, why: p.Why()}
		if out[i].text == nil {
			out[i].candidate = shown[p.Index]
			continue
		}
		for _, j := range p.Holds {
			out[i].holds = append(out[i].holds, shown[j])
		}
		if len(p.Holds) == 0 {
			out[i].text.extra = len(extras)
			extras = append(extras, out[i].text)
		}
	}
	return out
}

// libraryID is the id on a receipt of a library text that stands for no chunk.
func libraryID(doc string) string { return "library:" + doc }

// addExtras makes candidates of the library texts that stand for no retrieved
// chunk, so that a receipt can show them and signals reach them. They are scored
// among the others without moving them: the ranking of what was retrieved is
// done.
func (r *retrieval) addExtras(ctx context.Context, entries []entry) {
	for _, e := range entries {
		if e.text != nil && e.text.extra >= 0 {
			r.extras = append(r.extras, r.extra(e.text))
		}
	}
	if len(r.extras) == 0 {
		return
	}
	r.loadExtras(ctx)
	all := r.rankable()
	for i := range r.extras {
		x := &r.extras[i]
		c := rankable(x, len(r.candidates))
		for j := range r.candidates {
			if r.candidates[j].relevance <= x.relevance {
				c.Base = j
				break
			}
		}
		all = append(all, c)
	}
	scores := r.engine.opts.Ranker.Rank(r.asked, all, r.stats).Scores
	r.ranking.Scores = append(r.ranking.Scores[:len(r.candidates):len(r.candidates)], scores[len(r.candidates):]...)
}

func (r *retrieval) extra(t *libraryText) candidate {
	c := candidate{
		Candidate: Candidate{ID: libraryID(t.passage.Doc), DocID: t.passage.Doc, Title: t.record.Title, Path: t.record.Path, Text: t.text},
		hash:      contentHash(t.text), relevance: r.relevanceOf(t.passage.Similarity),
	}
	if finite(t.passage.Similarity) {
		c.Similarity, c.Score = t.passage.Similarity, t.passage.Similarity
	}
	return c
}

// relevanceOf is the relevance of the candidate that is as similar to the question,
// or of the middle one where that is unknown.
func (r *retrieval) relevanceOf(similarity float64) float64 {
	if len(r.candidates) == 0 {
		return math.NaN()
	}
	best, least := len(r.candidates)/2, math.Inf(1)
	for i := range r.candidates {
		if d := math.Abs(r.candidates[i].Similarity - similarity); d < least {
			best, least = i, d
		}
	}
	return r.candidates[best].relevance
}

// loadExtras reads what outcomes said about the texts.
func (r *retrieval) loadExtras(ctx context.Context) {
	hashes := make([]store.Hash, len(r.extras))
	for i := range r.extras {
		hashes[i] = r.extras[i].hash
	}
	known, err := r.engine.store.Load(ctx, store.LoadRequest{Namespace: r.engine.opts.Namespace, Hashes: hashes})
	if err != nil {
		r.engine.opts.Logger.Warn("evidence of library texts not read", "error", err)
		return
	}
	for i, h := range hashes {
		r.extras[i].record = known.Documents[h].Evidence
	}
}

func rankable(c *candidate, base int) reputation.Candidate {
	return reputation.Candidate{
		ID: c.ID, Relevance: c.relevance, Base: base, Record: c.record,
		Text: c.Text, Metadata: c.Metadata,
	}
}

// candidate returns one by its index on the receipt: those of the retriever first,
// then the extras.
func (r *retrieval) candidate(i int) *candidate {
	if i < len(r.candidates) {
		return &r.candidates[i]
	}
	return &r.extras[i-len(r.candidates)]
}

// merged makes the items of the final order and notes what the receipt shows.
func (r *retrieval) merged(entries []entry) (items []Item, onReceipt []int) {
	var shown []int
	for _, e := range entries {
		if e.candidate >= 0 {
			shown = append(shown, e.candidate)
		}
	}
	plain := r.items(shown)
	for _, e := range entries {
		switch {
		case e.candidate >= 0:
			it := plain[0]
			plain = plain[1:]
			if e.pinned {
				it.Pinned, it.Reason = true, e.why
			}
			items, onReceipt = append(items, it), append(onReceipt, e.candidate)
		case len(e.holds) > 0:
			items, onReceipt = append(items, r.standIn(e)), append(onReceipt, e.holds...)
		default:
			i := len(r.candidates) + e.text.extra
			items, onReceipt = append(items, r.added(e, i)), append(onReceipt, i)
		}
		items[len(items)-1].Rank = len(items) - 1
	}
	return items, onReceipt
}

// standIn is a library text in the place of retrieved chunks. It is what the best
// of them is, but for the text. Where there is one chunk it keeps its id.
func (r *retrieval) standIn(e entry) Item {
	it := r.items(e.holds[:1])[0]
	for _, i := range e.holds {
		it.Holds = append(it.Holds, r.candidates[i].ID)
	}
	if len(e.holds) > 1 {
		it.ID = it.DocID
	}
	it.Text, it.Vector = e.text.text, nil
	it.ChunkIndex, it.TotalChunks = 0, 0
	r.fromLibrary(&it, e)
	return it
}

// added is a library text that the retriever did not find.
func (r *retrieval) added(e entry, i int) Item {
	c, s := r.candidate(i), r.ranking.Scores[i]
	it := Item{
		Candidate: c.Candidate.clone(), Hash: c.hash, BaseRank: -1,
		Final: s.Value, Posterior: s.Estimate(), Bonus: s.Bonus,
	}
	if finite(c.relevance) {
		it.Relevance = c.relevance
	}
	r.fromLibrary(&it, e)
	return it
}

func (r *retrieval) fromLibrary(it *Item, e entry) {
	it.FromLibrary, it.Changed, it.Origin = true, e.text.changed, e.text.record.Claim.Origin
	it.Pinned, it.Reason = e.pinned, e.why
	if it.Title == "" {
		it.Title = e.text.record.Title
	}
	if it.Path == "" {
		it.Path = e.text.record.Path
	}
}
