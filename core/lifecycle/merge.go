package lifecycle

import (
	"cmp"
	"math"
	"slices"
)

// Tier says which of the three lists put a passage where it stands. The order of
// the values is the order of the tiers.
type Tier uint8

const (
	PinnedTier    Tier = iota // pinned documents, always first
	ClaimedTier               // claimed documents that fit the question
	RetrievedTier             // what the retriever found and the gate let through
)

// String returns "pinned", "claimed" or "retrieved".
func (t Tier) String() string {
	return nameOf([]string{"pinned", "claimed", "retrieved"}, uint8(t), "TIER")
}

// Passage is what Merge needs to know of one piece of text: a retrieved chunk, or
// a library text.
type Passage struct {
	Doc    string // document; "" = unidentified, never merged with another
	Chunk  string // retrieved: the chunk; "" = unidentified, never a duplicate
	Tokens int    // length in the prompt
	Text   string // names the text: the same name, the same text; "" = unknown

	// Similarity is the cosine similarity to the question, and Lexical a score of
	// shared words on one scale for all passages of the call (BM25 over the set).
	// Values that are NaN or not positive are unknown.
	Similarity, Lexical float64

	State   State // the record's State
	Blocked bool  // the record's Blocked

	// The rest is for library texts.
	Whole  bool     // the text holds every chunk of the document
	Holds  []string // chunks the text holds, if not Whole
	Pinned Stamp    // since when it is pinned: the order among pinned
}

// PassageOf describes the library text of a record before anybody has read it: a
// whole document is taken to hold all chunks of it. Tokens, scores and Text are left
// for the caller.
func PassageOf(doc string, r Record) Passage {
	return Passage{
		Doc: doc, State: r.State(), Blocked: r.Blocked(),
		Whole: r.Claim.Origin == FromLoader, Holds: r.Claim.Chunks,
		Pinned: r.pinnedSince(),
	}
}

func (r *Record) pinnedSince() Stamp {
	if r.Intent.Choice == PinnedByUser {
		return r.Intent.ChosenAt
	}
	return r.Since
}

// Tiers are the candidates of one retrieval: of the rows whose text may be served
// ([Record.Serves], checked against the source) those whose State is Pinned, those
// that are Claimed, and what was retrieved, in the final order of the ranker, after
// the gate. The order of the first two is of no consequence.
type Tiers struct {
	Pinned, Claimed, Retrieved []Passage
}

// Budget bounds the whole result. 0 means no bound, a negative value that the
// library adds nothing. Room for what was retrieved is set aside first, so a
// budget only ever limits what the library adds.
type Budget struct {
	Items  int // passages
	Tokens int // sum of Passage.Tokens
}

// Placed is one passage of a plan.
type Placed struct {
	Tier  Tier  // the tier it stands in
	From  Tier  // the list it comes from
	Index int   // its index in that list
	State State // how to mark it
	Holds []int // library text: indices of the retrieved chunks whose place it takes
	Found bool  // library text: the retriever found the document too
}

// Why says in words why the passage stands where it stands, for [Use.Why].
func (p Placed) Why() string {
	switch {
	case p.Tier == PinnedTier:
		return "pinned in your library"
	case p.Tier == ClaimedTier && p.Found:
		return "in your library, and found by the retriever too"
	case p.Tier == ClaimedTier:
		return "in your library, and as close to the question as the results"
	}
	return "found by the retriever"
}

// Reason says why a passage is not in the plan.
type Reason uint8

const (
	OverBudget     Reason = iota // no room beside what was retrieved
	NoMatch                      // a claimed document that does not fit the question
	Duplicate                    // the same chunk, text, or document's text, is there
	BlockedByOrder               // the user blocked the document
)

// String returns the reason in words, for example "over budget".
func (r Reason) String() string {
	return nameOf([]string{"over budget", "no match", "duplicate", "blocked by the user"}, uint8(r), "REASON")
}

// Left is a passage that is not in the plan.
type Left struct {
	From   Tier
	Index  int
	Reason Reason
}

// Plan is the result of Merge. Items and Left together name every passage that
// is not held by a library text exactly once.
type Plan struct {
	Items []Placed
	Left  []Left
}

// Merge puts pinned, claimed and retrieved passages into one order under one
// budget. Its rules:
//
//   - Nothing retrieved is lost: each chunk is in the plan, or held by a library
//     text of its own document. The user's blocks are the one exception.
//   - Nothing appears twice, by chunk, by document and by text: a library text
//     takes the place of the retrieved chunks it holds, and stands beside those it
//     does not. One whose text was retrieved as another document's, or is there
//     already, is left out.
//   - Pinned documents come first, the longest pinned at the top, and are marked;
//     where a pinned text finds no room its retrieved chunks come first instead, and
//     where it is left out as a duplicate, so does the chunk with its text.
//   - Claimed documents follow, if the retriever found them too or they fit as
//     well as what it found (see [Bar]); the others change nothing.
//   - Everything else keeps the order of the retriever.
func Merge(t Tiers, b Budget) Plan {
	m := merger{
		in: t, budget: b, placed: make([]bool, len(t.Retrieved)),
		texts: map[string]bool{}, owner: map[string]string{}, raised: map[string]bool{}, shown: map[string]bool{},
	}
	m.reserve()
	for _, i := range order(t.Pinned, comparePinned) {
		m.text(PinnedTier, i, &t.Pinned[i])
	}
	m.chunks(PinnedTier)
	bar := m.bar()
	for _, i := range order(t.Claimed, compareClaimed) {
		if p := &t.Claimed[i]; m.found(p.Doc) || bar.Passes(p.Similarity, p.Lexical) {
			m.text(ClaimedTier, i, p)
		} else {
			m.leave(ClaimedTier, i, NoMatch)
		}
	}
	m.chunks(RetrievedTier)
	return m.plan
}

type merger struct {
	in     Tiers
	budget Budget
	plan   Plan
	used   Budget          // what is set aside or placed
	kept   []int           // retrieved passages that count, in order
	placed []bool          // per retrieved passage: in the plan, or held
	texts  map[string]bool // documents whose library text was looked at; true: pinned

	owner  map[string]string // the document of each named text that is there
	raised map[string]bool   // named texts that are pinned as another document's
	shown  map[string]bool   // named texts that stand in the plan as retrieved chunks
}

// reserve drops blocked and repeated chunks and sets room aside for the rest.
func (m *merger) reserve() {
	type id struct{ doc, chunk string }
	seen := make(map[id]bool, len(m.in.Retrieved))
	for i := range m.in.Retrieved {
		p := &m.in.Retrieved[i]
		key := id{p.Doc, p.Chunk}
		switch {
		case p.Blocked:
			m.leave(RetrievedTier, i, BlockedByOrder)
		case p.Chunk != "" && seen[key], m.there(p.Text):
			m.leave(RetrievedTier, i, Duplicate)
		default:
			seen[key] = true
			m.note(p)
			m.kept = append(m.kept, i)
			m.used.Items++
			m.used.Tokens += p.Tokens
		}
	}
}

// note remembers that a text is there, and there that it is.
func (m *merger) note(p *Passage) {
	if p.Text != "" {
		m.owner[p.Text] = p.Doc
	}
}

func (m *merger) there(text string) bool {
	_, ok := m.owner[text]
	return ok
}

func (m *merger) leave(from Tier, i int, why Reason) {
	m.plan.Left = append(m.plan.Left, Left{From: from, Index: i, Reason: why})
}

// text places a library text if there is room for it beside everything retrieved,
// less the chunks it holds.
func (m *merger) text(from Tier, i int, p *Passage) {
	_, again := m.texts[p.Doc]
	switch {
	case p.Blocked:
		m.leave(from, i, BlockedByOrder)
		return
	case again && p.Doc != "":
		m.leave(from, i, Duplicate)
		return
	case m.there(p.Text) && (p.Doc == "" || m.owner[p.Text] != p.Doc || m.shown[p.Text]):
		m.raised[p.Text] = m.raised[p.Text] || from == PinnedTier
		m.leave(from, i, Duplicate)
		return
	}
	m.texts[p.Doc] = from == PinnedTier
	holds, items, tokens := m.held(p)
	if !within(m.budget.Items, m.used.Items, items) || !within(m.budget.Tokens, m.used.Tokens, tokens) {
		m.leave(from, i, OverBudget)
		return
	}
	m.used.Items += items
	m.used.Tokens += tokens
	m.note(p)
	for _, j := range holds {
		m.placed[j] = true
	}
	state := Pinned
	if from == ClaimedTier {
		state = Claimed
	}
	m.plan.Items = append(m.plan.Items, Placed{
		Tier: from, From: from, Index: i, State: state, Holds: holds, Found: m.found(p.Doc),
	})
}

// held returns the retrieved chunks the text stands for, and what placing it
// costs beyond them.
func (m *merger) held(p *Passage) (holds []int, items, tokens int) {
	items, tokens = 1, p.Tokens
	for _, j := range m.kept {
		q := &m.in.Retrieved[j]
		same := p.Doc != "" && q.Doc == p.Doc && !m.placed[j]
		if same && (p.Whole || p.Text != "" && q.Text == p.Text || q.Chunk != "" && slices.Contains(p.Holds, q.Chunk)) {
			holds = append(holds, j)
			items--
			tokens -= q.Tokens
		}
	}
	return holds, items, tokens
}

// within reports whether a cost fits a bound, of which 0 means none.
func within(bound, used, cost int) bool {
	return bound == 0 || bound > 0 && (cost <= 0 || used+cost <= bound)
}

// found reports whether the retriever returned the document.
func (m *merger) found(doc string) bool {
	return doc != "" && slices.ContainsFunc(m.kept, func(j int) bool { return m.in.Retrieved[j].Doc == doc })
}

// chunks places the retrieved chunks that are left, all of them or those of
// pinned documents.
func (m *merger) chunks(tier Tier) {
	for _, j := range m.kept {
		p := &m.in.Retrieved[j]
		pinned := p.State == Pinned || p.Doc != "" && m.texts[p.Doc] || m.raised[p.Text]
		if m.placed[j] || tier == PinnedTier && !pinned {
			continue
		}
		m.placed[j], m.shown[p.Text] = true, true
		state := p.State
		if pinned {
			state = Pinned
		}
		m.plan.Items = append(m.plan.Items, Placed{Tier: tier, From: RetrievedTier, Index: j, State: state})
	}
}

func (m *merger) bar() Bar {
	passages := make([]Passage, len(m.kept))
	for i, j := range m.kept {
		passages[i] = m.in.Retrieved[j]
	}
	return BarOf(passages)
}

// order sorts indices by a total order, so the order of the input is of no
// consequence.
func order(ps []Passage, by func(a, b *Passage) int) []int {
	is := make([]int, len(ps))
	for i := range is {
		is[i] = i
	}
	slices.SortStableFunc(is, func(i, j int) int { return by(&ps[i], &ps[j]) })
	return is
}

func comparePinned(a, b *Passage) int {
	return cmp.Or(cmp.Compare(a.Pinned, b.Pinned), cmp.Compare(a.Doc, b.Doc))
}

func compareClaimed(a, b *Passage) int {
	return cmp.Or(cmp.Compare(known(b.Similarity), known(a.Similarity)),
		cmp.Compare(known(b.Lexical), known(a.Lexical)), cmp.Compare(a.Doc, b.Doc))
}

// Bar is how well a claimed document must fit the question to be served: as well
// as what the retriever itself found for it. A fixed threshold would mean
// something else for every embedding model, and a test on words alone lets any
// short question match any long text. The zero value lets nothing pass.
type Bar struct {
	Similarity float64 // lowest similarity among what was retrieved; 0 = unknown
	Lexical    float64 // median word score among what was retrieved; 0 = none
}

// BarOf computes the bar from what was retrieved and passed the gate. Where
// nothing passed, nothing claimed passes either.
func BarOf(retrieved []Passage) Bar {
	var b Bar
	words := make([]float64, 0, len(retrieved))
	for i := range retrieved {
		if s := known(retrieved[i].Similarity); s > 0 && (b.Similarity == 0 || s < b.Similarity) {
			b.Similarity = s
		}
		words = append(words, known(retrieved[i].Lexical))
	}
	if slices.Sort(words); len(words) > 0 {
		b.Lexical = words[len(words)/2]
	}
	return b
}

// Passes decides by similarity where it is known on both sides, else by words.
func (b Bar) Passes(similarity, lexical float64) bool {
	if s := known(similarity); s > 0 && b.Similarity > 0 {
		return s >= b.Similarity
	}
	l := known(lexical)
	return l > 0 && b.Lexical > 0 && l >= b.Lexical
}

// known returns a usable score, and 0 for one that is not.
func known(x float64) float64 {
	if x > 0 && !math.IsInf(x, 1) {
		return x
	}
	return 0
}
