package core

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/internal/lexical"
)

const (
	searchesAtOnce = 4
	// bankDepth is the number of hits a bank question asks for where the texts
	// found are all that is known of a collection.
	bankDepth = 10
	// floorSample is the number of chunks the noise floor is measured on,
	// floorPairs that of their pairs.
	floorSample = 2000
	floorPairs  = 10_000
)

// measured makes a model of a source from the source.
func (c *calibration) measured(ctx context.Context, src Source) (*gate.Model, error) {
	needs := c.engine.opts.Gate.Needs()
	m, err := c.words(ctx, src, needs)
	if err != nil {
		return nil, fmt.Errorf("core: calibrating %q: %w", c.source, err)
	}
	if needs.Bank && m.Chunks() > 0 { // asked later of an empty source, see Model.Outgrown
		if err := c.bankEvidence(ctx, src, m); err != nil {
			return nil, fmt.Errorf("core: calibrating %q: %w", c.source, err)
		}
	}
	if needs.Vectors {
		floor, ok, err := c.engine.noiseFloor(ctx, c.source, src)
		if err != nil {
			return nil, fmt.Errorf("core: calibrating %q: %w", c.source, err)
		}
		if ok {
			m.SetFloor(floor)
		}
	}
	return m, nil
}

func (c *calibration) words(ctx context.Context, src Source, needs gate.Needs) (*gate.Model, error) {
	emb, fingerprint, err := embedderOf(ctx, src)
	if err != nil {
		return nil, err
	}
	o := gate.ModelOptions{Fingerprint: fingerprint}
	if !needs.Words && !needs.Scores {
		return gate.NewModel(o)
	}
	if l := listerOf(ctx, src); l != nil {
		return c.listed(ctx, src, l, emb, o)
	}
	return c.searched(ctx, src, o)
}

// listed makes the model of a source that lists its chunks. With an embedder and
// vectors the bank's scores are computed and kept up to date without a search.
func (c *calibration) listed(ctx context.Context, src Source, l Lister, emb Embedder, o gate.ModelOptions) (*gate.Model, error) {
	var err error
	if emb != nil {
		if o.Bank, err = c.engine.calibrations.bank(ctx, emb, o.Fingerprint); err != nil {
			return nil, err
		}
	}
	m, err := c.listedWith(ctx, l, o)
	if errors.Is(err, gate.ErrDimension) && o.Bank != nil { // some chunk has no usable vector
		o.Bank = nil
		m, err = c.listedWith(ctx, l, o)
	}
	if err != nil || m.HasBank() || m.Chunks() == 0 {
		return m, err
	}
	return m, c.askScores(ctx, src, m)
}

// askScores gives a model the bank's best scores over a source that was asked. Of a
// source that only answers it also counts the texts found.
func (c *calibration) askScores(ctx context.Context, src Source, m *gate.Model) error {
	questions, depth := gate.BankQuestions(), 1
	if m.Sampled() {
		questions, depth = gate.Bank(), bankDepth
	}
	answers, err := c.ask(ctx, src, bankTexts(questions), depth)
	if err != nil {
		return err
	}
	if m.Sampled() {
		if err := c.countFound(m, answers); err != nil {
			return err
		}
	}
	setBankScores(m, answers)
	return nil
}

// refreshScores asks a source again for what its model has outgrown.
func (c *calibration) refreshScores(ctx context.Context, src Source, m *gate.Model) error {
	needs := c.engine.opts.Gate.Needs()
	if !m.Outgrown(needs) {
		return nil
	}
	if !m.HasBank() {
		if err := c.askScores(ctx, src, m); err != nil {
			return fmt.Errorf("core: calibrating %q: %w", c.source, err)
		}
	}
	if needs.Bank {
		if err := c.bankEvidence(ctx, src, m); err != nil {
			return fmt.Errorf("core: calibrating %q: %w", c.source, err)
		}
	}
	c.dirty.Store(true)
	c.save(ctx)
	return nil
}

func (c *calibration) listedWith(ctx context.Context, l Lister, o gate.ModelOptions) (*gate.Model, error) {
	m, err := gate.NewModel(o)
	if err != nil {
		return nil, err
	}
	for chunk, err := range l.Chunks(ctx) {
		if err != nil {
			return nil, err
		}
		if _, err := m.Insert(c.chunkKey(chunk), lexical.NewSet(chunk.Text), chunk.Vector); err != nil {
			return nil, err
		}
	}
	return m, ctx.Err()
}

// searched makes the model of a source that can only be asked: from the texts and
// scores that the bank's questions bring up.
func (c *calibration) searched(ctx context.Context, src Source, o gate.ModelOptions) (*gate.Model, error) {
	o.Sampled = true
	m, err := gate.NewModel(o)
	if err != nil {
		return nil, err
	}
	return m, c.askScores(ctx, src, m)
}

// countFound counts the texts of the answers, each once.
func (c *calibration) countFound(m *gate.Model, answers []Hits) error {
	texts := map[string]bool{"": true}
	for _, hits := range answers {
		for _, cand := range hits.Candidates {
			if texts[cand.Text] {
				continue // one text answers many questions
			}
			texts[cand.Text] = true
			h := contentHash(cand.Text)
			if _, err := m.Insert(textKey(h), c.engine.words.words(h, cand.Text), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// ask puts questions to a source, a few at a time. One in ten may fail.
func (c *calibration) ask(ctx context.Context, src Source, questions []string, k int) ([]Hits, error) {
	answers := make([]Hits, len(questions))
	var failures atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(searchesAtOnce)
	for i, text := range questions {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			q, err := Query{Text: text, K: k, Depth: k}.normalize()
			if err != nil {
				return err
			}
			hits, err := src.Search(ctx, q, k)
			if err != nil {
				if failures.Add(1) > int64(len(questions)/10) || ctx.Err() != nil {
					return fmt.Errorf("source %q: %w", c.source, err)
				}
				return nil
			}
			if hits.Kind == ScoreUndeclared {
				hits.Kind = src.Info().Kind
			}
			answers[i] = hits
			return nil
		})
	}
	return answers, group.Wait()
}

// setBankScores gives a model the best score of each answer: as cosines if the
// scores stand for them, else as they are, if they can be compared at all.
func setBankScores(m *gate.Model, answers []Hits) {
	var cosines, scores []float64
	for _, hits := range answers {
		cosine, score := math.NaN(), math.NaN()
		for _, cand := range hits.Candidates {
			cosine = larger(cosine, similarity(hits.Kind, &cand))
			if hits.Kind.comparable() {
				score = larger(score, hits.Kind.upward(cand.Score))
			}
		}
		cosines, scores = append(cosines, cosine), append(scores, score)
	}
	if known(cosines) > 0 && known(cosines) >= known(scores) {
		_ = m.SetScores(cosines, gate.ScaleCosine) // refused only if there are too few, and then there is no score side
		return
	}
	_ = m.SetScores(scores, gate.ScaleRetriever)
}

// bankEvidence judges the bank's own questions, as if users had asked them.
func (c *calibration) bankEvidence(ctx context.Context, src Source, m *gate.Model) error {
	questions := gate.Bank()
	answers, err := c.ask(ctx, src, bankTexts(questions), DefaultK)
	if err != nil {
		return err
	}
	evidence, work := make([]float64, len(questions)), &workspace{}
	for i, hits := range answers {
		q := Query{Text: questions[i].Text, K: DefaultK, Depth: DefaultK}
		cands, _, err := c.engine.opts.prepare(q, hits, work)
		if err != nil {
			return err
		}
		r := retrieval{engine: c.engine, query: q, hits: hits, candidates: cands, work: work}
		evidence[i] = c.engine.opts.Gate.Decide(r.gateQuery(), r.unproven(), m).E
	}
	return m.SetBankEvidence(evidence)
}

// larger returns the larger of two numbers; NaN is no number.
func larger(a, b float64) float64 {
	if math.IsNaN(a) || b > a {
		return b
	}
	return a
}

func known(xs []float64) (n int) {
	for _, x := range xs {
		if !math.IsNaN(x) {
			n++
		}
	}
	return n
}

func bankTexts(questions []gate.BankQuestion) []string {
	out := make([]string, len(questions))
	for i, q := range questions {
		out[i] = q.Text
	}
	return out
}

// embedAll embeds texts, a few at a time, in order.
func embedAll(ctx context.Context, emb Embedder, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(searchesAtOnce)
	for i, text := range texts {
		group.Go(func() (err error) {
			if err = ctx.Err(); err != nil {
				return err
			}
			out[i], err = emb.Embed(ctx, text)
			return err
		})
	}
	return out, group.Wait()
}

// noiseFloor measures the cosines of random chunks of different documents; ok is
// false where the source shows too few vectors.
func (e *Engine) noiseFloor(ctx context.Context, name string, src Source) (f gate.Floor, ok bool, err error) {
	chunks, total, err := sample(ctx, src, floorSample)
	if err != nil {
		return gate.Floor{}, false, err
	}
	var vectors [][]float32
	var documents []string
	for _, chunk := range chunks {
		_, doc, _, err := e.opts.identify(name, &chunk)
		if err != nil || len(chunk.Vector) == 0 || checkVector(chunk.Vector) != nil {
			continue
		}
		if len(vectors) == 0 || len(chunk.Vector) == len(vectors[0]) {
			vectors, documents = append(vectors, chunk.Vector), append(documents, doc)
		}
	}
	f, err = gate.MeasureFloor(vectors, documents, floorPairs, rand.NewPCG(1, 1))
	if errors.Is(err, gate.ErrSample) {
		return gate.Floor{}, false, nil
	}
	f.Chunks = max(f.Chunks, total)
	return f, err == nil, err
}

// sample draws at most n chunks and returns how many there are, as far as known.
func sample(ctx context.Context, src Source, n int) (chunks []Candidate, total int, err error) {
	lister := listerOf(ctx, src)
	if lister != nil {
		total = lister.Count()
	}
	if s, ok := src.(Sampler); ok {
		chunks, err = s.Sample(ctx, n, 1)
		if !errors.Is(err, ErrUnsupported) {
			return chunks, total, err
		}
	}
	if lister == nil {
		return nil, 0, nil
	}
	r, seen := rand.New(rand.NewPCG(1, 2)), 0
	for chunk, err := range lister.Chunks(ctx) {
		if err != nil {
			return nil, total, err
		}
		seen++
		if len(chunks) < n {
			chunks = append(chunks, chunk)
		} else if at := r.IntN(seen); at < n { // reservoir sampling
			chunks[at] = chunk
		}
	}
	return chunks, total, nil
}
