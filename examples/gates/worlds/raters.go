package worlds

import (
	"context"
	"math/rand/v2"

	"github.com/repute-go/repute/core/reputation"
	"golang.org/x/sync/errgroup"
)

const (
	ratedDocuments = 60
	ratedOutcomes  = 20 // of each document
	goodRate       = .8 // how often a good document helps
	badRate        = .2
	honesty        = .9 // how often an honest rater is right
)

// Feedback is a way in which raters behave, and how often a verifier speaks too.
type Feedback struct {
	Name     string
	Raters   int
	YesMen   float64 // share of raters that say yes to everything
	Inverted float64 // share of raters that say the opposite of what is true, honesty of the time
	Charm    float64 // how often a bad document's failures are accepted by every rater
	Verified float64 // share of outcomes that a verifier sees
	// Bar is what the area under the ROC curve must reach; for the share of good
	// documents judged under .5, what it may reach at most.
	Bar float64
	// Misjudged reports the share of good documents judged under .5 instead.
	Misjudged bool
}

// Feedbacks returns the situations in which rater calibration is measured.
func Feedbacks() []Feedback {
	return []Feedback{
		{Name: "30 % yes-men, 10 raters", Raters: 10, YesMen: .3, Verified: .1, Bar: .99},
		{Name: "30 % yes-men, 40 raters", Raters: 40, YesMen: .3, Verified: .1, Bar: .99},
		{Name: "60 % yes-men, 10 raters", Raters: 10, YesMen: .6, Verified: .1, Bar: .96},
		{Name: "60 % yes-men, 40 raters", Raters: 40, YesMen: .6, Verified: .1, Bar: .96},
		{Name: "80 % yes-men, 10 raters", Raters: 10, YesMen: .8, Verified: .1, Bar: .94},
		{Name: "80 % yes-men, 40 raters", Raters: 40, YesMen: .8, Verified: .1, Bar: .94},
		{Name: "70 % inverted, 10 raters", Raters: 10, Inverted: .7, Verified: .1, Bar: .985},
		{Name: "70 % inverted, 40 raters", Raters: 40, Inverted: .7, Verified: .1, Bar: .946},
		{Name: "70 % inverted, 200 raters", Raters: 200, Inverted: .7, Verified: .1, Bar: .911},
		{Name: "bad documents charm, 10 raters", Raters: 10, Charm: .9, Verified: .1, Bar: .78},
		{Name: "70 % inverted, nothing verified", Raters: 10, Inverted: .7, Bar: .1},
		{Name: "honest, 5 % verified: good judged bad", Raters: 10, Verified: .05, Bar: .07, Misjudged: true},
	}
}

// rated is one outcome of one document, and what was said about it.
type rated struct {
	doc, rater  int
	true_, said bool
	verified    bool
}

// drawRated draws all outcomes and what raters say, in a random order. Even documents
// are good.
func (f Feedback) drawRated(rng *rand.Rand) []rated {
	yes, inverted := int(f.YesMen*float64(f.Raters)+.5), int(f.Inverted*float64(f.Raters)+.5)
	var all []rated
	for i := range ratedDocuments * ratedOutcomes {
		r := rated{doc: i % ratedDocuments, rater: rng.IntN(f.Raters), verified: rng.Float64() < f.Verified}
		rate := goodRate
		if r.doc%2 == 1 {
			rate = badRate
		}
		r.true_ = rng.Float64() < rate
		right := rng.Float64() < honesty
		charmed := rng.Float64() < f.Charm
		switch {
		case r.rater < yes:
			r.said = true
		case r.rater < yes+inverted:
			r.said = r.true_ != right
		default:
			r.said = r.true_ == right
		}
		if r.doc%2 == 1 && !r.true_ && f.Charm > 0 {
			r.said = charmed
		}
		all = append(all, r)
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// calibrated estimates each document's success with the library.
func calibrated(all []rated, raters bool) []float64 {
	ranker := reputation.Posterior{}
	records := make([]*reputation.Record, ratedDocuments)
	tallies := map[string][]float64{}
	var stats reputation.Statistics
	for i, r := range all {
		if !r.verified && !raters {
			continue
		}
		now := int64(i+1) * 1e9
		q := reputation.Query{Space: 1, Time: now, K: 1}
		cands := []reputation.Candidate{{ID: names[r.doc], Relevance: .5, Record: records[r.doc]}}
		receipt := reputation.NewReceipt(q, ranker.Rank(q, cands, &stats), []int{0})
		receipt.Tag = uint64(i + 1)
		f, err := reputation.Fold(receipt, r.opinions(raters), []*reputation.Record{records[r.doc]},
			reputation.NewRaters(now, tallies, reputation.Constants{}), reputation.Constants{})
		if err != nil {
			panic(err)
		}
		records[r.doc] = f.Records[0]
		stats.Apply(f.Stats)
		sum(tallies, f.Tallies)
	}
	return judge(ranker, records, &stats)
}

// opinions are the signals of one outcome.
func (r *rated) opinions(raters bool) []reputation.Opinion {
	var o []reputation.Opinion
	if raters {
		o = append(o, reputation.Opinion{Rater: "user:" + names[r.rater], Value: number(r.said)})
	}
	if r.verified {
		o = append(o, reputation.Opinion{Verified: true, Value: number(r.true_)})
	}
	return o
}

// judge is the posterior mean of every document.
func judge(ranker reputation.Ranker, records []*reputation.Record, stats *reputation.Statistics) []float64 {
	cands := make([]reputation.Candidate, len(records))
	for i, r := range records {
		cands[i] = reputation.Candidate{ID: names[i], Relevance: .5, Base: i, Record: r}
	}
	means := make([]float64, len(records))
	for i, s := range ranker.Rank(reputation.Query{Space: 1, Time: 1 << 50, K: 1}, cands, stats).Scores {
		means[i] = s.Mean
	}
	return means
}

// rrlRated estimates each document's success by RRL's rule: the verifier where it
// speaks, else thumbs times the document's trust, weighted by how decided they are.
func rrlRated(all []rated) []float64 {
	type doc struct{ alpha, beta, fooled, verified float64 }
	docs := make([]doc, ratedDocuments)
	for i := range docs {
		docs[i].alpha, docs[i].beta = 1, 1
	}
	for _, r := range all {
		d := &docs[r.doc]
		y := number(r.said)
		if d.verified > 0 {
			y *= 1 - min(max(d.fooled/d.verified, 0), 1)
		}
		y = min(y, .75) // what users do is never believed more than this
		if r.verified {
			y = number(r.true_)
			d.verified++
			d.fooled += number(r.said && !r.true_)
		}
		decided := 2 * max(y-.5, .5-y)
		d.alpha += decided * y
		d.beta += decided * (1 - y)
	}
	means := make([]float64, len(docs))
	for i, d := range docs {
		means[i] = d.alpha / (d.alpha + d.beta)
	}
	return means
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// auc is the probability that a good document's mean is above a bad one's.
func auc(means []float64) float64 {
	won, pairs := 0.0, 0.0
	for i := 0; i < len(means); i += 2 {
		for j := 1; j < len(means); j += 2 {
			pairs++
			switch {
			case means[i] > means[j]:
				won++
			case means[i] == means[j]:
				won += .5
			}
		}
	}
	return won / pairs
}

// misjudged is the share of good documents judged under .5.
func misjudged(means []float64) float64 {
	n := 0.0
	for i := 0; i < len(means); i += 2 {
		n += number(means[i] < .5)
	}
	return n / float64(len(means)/2)
}

// Ratings is what three ways of using feedback reached.
type Ratings struct {
	Name          string  `json:"name"`
	Bar           float64 `json:"bar"`
	Misjudged     bool    `json:"misjudged"` // the share of good documents judged under .5, not the area under the ROC curve
	RRL           Measure `json:"rrl"`
	VerifierAlone Measure `json:"verifier_alone"`
	Calibrated    Measure `json:"calibrated"`
}

// Reached reports whether the library's mean is at the bar or better. An interval that
// merely includes it is not enough.
func (r Ratings) Reached() bool {
	if r.Misjudged {
		return r.Calibrated.Mean <= r.Bar
	}
	return r.Calibrated.Mean >= r.Bar
}

// rate measures one situation over the seeds.
func (f Feedback) rate(ctx context.Context, seeds []uint64) (Ratings, error) {
	score := auc
	if f.Misjudged {
		score = misjudged
	}
	var values [3][]float64
	for i := range values {
		values[i] = make([]float64, len(seeds))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(cores)
	for n, seed := range seeds {
		g.Go(func() error {
			all := f.drawRated(rand.New(rand.NewPCG(seed, 0x72617465)))
			values[0][n] = score(rrlRated(all))
			values[1][n] = score(calibrated(all, false))
			values[2][n] = score(calibrated(all, true))
			return ctx.Err()
		})
	}
	err := g.Wait()
	return Ratings{f.Name, f.Bar, f.Misjudged, MeasureOf(values[0]), MeasureOf(values[1]), MeasureOf(values[2])}, err
}
