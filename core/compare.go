package core

import (
	"context"

	"github.com/repute-go/repute/core/gate"
)

// Comparison shows one question answered in three ways from the same search.
type Comparison struct {
	// Plain is the retriever's first K. Sigma is sigma-rag's rule at 2 sigma:
	// what exceeds the noise floor of random pairs of chunks. Ours is what
	// Retrieve would return in mode On to the same user.
	Plain, Sigma, Ours Arm
}

// Arm is one way of a Comparison.
type Arm struct {
	// Name says which.
	Name string
	// Verdict and Decision are the gate's; Empty or Uncalibrated for Plain.
	Verdict  Verdict
	Decision gate.Decision
	// Items are what would reach the model.
	Items []Item
	// Tokens estimates what they cost in a prompt.
	Tokens int
}

// Compare asks the source once and shows what plain top-k, sigma-rag's rule and
// this engine would pass on, side by side. It records nothing and learns nothing,
// but where the gate does not know the source yet it starts to measure it, as
// Retrieve does. Sigma-rag's rule needs vectors of random chunks (Sampler or Lister); without
// them its verdict is Uncalibrated. Errors are those of Retrieve.
func (e *Engine) Compare(ctx context.Context, src Source, q Query) (*Comparison, error) {
	q, hits, err := e.search(ctx, src, q)
	if err != nil {
		return nil, err
	}
	r := &retrieval{engine: e, source: src, query: q, hits: hits, time: e.now(), work: &workspace{}}
	if r.candidates, r.dropped, err = e.opts.prepare(q, hits, r.work); err != nil {
		return nil, err
	}
	r.personal = e.newPersonal(q.User, hits.Source, r.time)
	r.load(ctx)
	r.rank(ctx)
	r.decide(ctx)
	ours, _ := r.results(ctx)
	if r.personal != nil {
		for i := range ours {
			r.stand(&ours[i], r.personal.of(ours[i].DocID))
		}
	}
	c := &Comparison{Ours: r.arm("repute", ours), Plain: r.arm("plain top-k", r.items(r.shown(Shadow)))}
	c.Plain.Verdict, c.Plain.Decision = plainVerdict(len(c.Plain.Items)), gate.Decision{}
	for i := range c.Plain.Items {
		c.Plain.Items[i].Reason = "the retriever's own order"
	}
	if err := r.judgeBySigma(ctx, 2); err != nil {
		return nil, err
	}
	c.Sigma = r.arm("sigma-rag, 2 sigma", r.items(r.passed()))
	for i := range c.Sigma.Items {
		c.Sigma.Items[i].Reason = c.Sigma.Items[i].Judgement.Explain()
	}
	return c, nil
}

func plainVerdict(n int) Verdict {
	if n == 0 {
		return Empty
	}
	return Uncalibrated
}

func (r *retrieval) arm(name string, items []Item) Arm {
	a := Arm{Name: name, Verdict: r.decision.Verdict, Decision: r.decision, Items: items}
	a.Decision.Judgements = nil
	for _, it := range a.Items {
		a.Tokens += EstimateTokens(it.Text)
	}
	return a
}

// judgeBySigma replaces the decision by that of sigma-rag's rule, which knows no
// outcomes and no false-alarm rate of a question's own.
func (r *retrieval) judgeBySigma(ctx context.Context, sigma float64) error {
	model, err := gate.NewModel(gate.ModelOptions{})
	if err != nil {
		return err
	}
	floor, ok, err := r.engine.noiseFloor(ctx, r.hits.Source, r.source)
	if err != nil {
		return err
	}
	if ok {
		model.SetFloor(floor)
	}
	q := r.gateQuery()
	q.Alpha = 0
	r.decision = gate.Fixed{Sigma: sigma}.Decide(q, r.unproven(), model)
	return nil
}

// passed returns what the gate lets through in the retriever's own order, at most
// K: sigma-rag does not rank.
func (r *retrieval) passed() (out []int) {
	for i, j := range r.decision.Judgements {
		if j.Pass && len(out) < r.query.K {
			out = append(out, i)
		}
	}
	return out
}
