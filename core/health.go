package core

import (
	"context"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Rater is what is known of a source of opinion.
type Rater struct {
	// Name is "class:id", Class what comes before the colon.
	Name, Class string
	// TruePositive is the probability, in (0,1), that the rater says yes to what a
	// verifier calls good, FalsePositive that it says yes to what a verifier calls
	// bad. Where they are equal, the rater's opinions move nothing; where the second
	// is larger, they count the other way round. Few checks leave them near those
	// of the class.
	TruePositive, FalsePositive float64
	// Checks is the number of opinions that a verifier's verdict on the same thing
	// was held against; older ones count less.
	Checks float64
}

// Raters lists the raters that were checked by a verifier, by name, as all engines
// of the namespace know them; Page.After is the name of the last one of the previous
// page, empty for the first. Of a class with more than reputation.MaxRaters the rest
// have no table of their own and are not listed, nor are raters that no verifier
// ever spoke with. EraseRater removes one. It returns ErrClosed, or the store's
// error.
func (e *Engine) Raters(ctx context.Context, page store.Page) ([]Rater, error) {
	if err := e.alive(); err != nil {
		return nil, err
	}
	if err := e.readLearned(ctx); err != nil {
		return nil, err
	}
	if page.After != "" {
		page.After = reputation.RaterTally + page.After
	}
	tallies, err := e.store.Tallies(ctx, e.opts.Namespace, reputation.RaterTally, page)
	if err != nil {
		return nil, err
	}
	known, c := e.learned.view.Load().ratersAt(e.now()), e.constants()
	out := make([]Rater, 0, len(tallies))
	for _, t := range tallies {
		r := Rater{Name: t.Name[len(reputation.RaterTally):]}
		r.Class = reputation.ClassOf(r.Name)
		r.TruePositive, r.FalsePositive = known.Rates(r.Name, c)
		table := known.Tables[r.Name]
		r.Checks = table.YesTrue + table.NoTrue + table.YesFalse + table.NoFalse
		out = append(out, r)
	}
	return out, nil
}

// Health says what the outcomes of all engines of the namespace taught beyond single
// documents, in numbers for people and dashboards. "Documents hardly matter", the
// last of the Weights, winning is the sign that outcomes cannot teach here. What
// another engine heard within the last half minute may be missing. It reads the
// store, and returns ErrClosed or the store's error.
func (e *Engine) Health(ctx context.Context) (reputation.Health, error) {
	if err := e.alive(); err != nil {
		return reputation.Health{}, err
	}
	if err := e.readLearned(ctx); err != nil {
		return reputation.Health{}, err
	}
	stats := e.learned.view.Load().stats
	return stats.Health(e.constants()), nil
}
