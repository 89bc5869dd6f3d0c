package core_test

import (
	"bytes"
	"context"
	"log/slog"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
)

// mute is a gate that judges no candidate.
type mute struct{ gate.Off }

func (mute) Decide(gate.Query, []gate.Candidate, *gate.Model) gate.Decision {
	return gate.Decision{Verdict: gate.VerdictNoEvidence}
}

// muddled is a ranker whose answer somebody spoils.
type muddled struct{ spoil func(*reputation.Ranking) }

func (muddled) Name() string { return "muddled" }
func (m muddled) Rank(q reputation.Query, c []reputation.Candidate, s *reputation.Statistics) reputation.Ranking {
	r := reputation.Posterior{}.Rank(q, c, s)
	m.spoil(&r)
	return r
}

func TestAnswersThatAreNone(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	for name, opts := range map[string]core.Options{
		"no judgements": {Gate: mute{}},
		"empty":         {Ranker: muddled{func(r *reputation.Ranking) { *r = reputation.Ranking{} }}},
		"short order":   {Ranker: muddled{func(r *reputation.Ranking) { r.Order = r.Order[:1] }}},
		"few scores":    {Ranker: muddled{func(r *reputation.Ranking) { r.Scores = r.Scores[:1] }}},
		"twice":         {Ranker: muddled{func(r *reputation.Ranking) { r.Order[1] = r.Order[0] }}},
		"beyond":        {Ranker: muddled{func(r *reputation.Ranking) { r.Order[0] = len(r.Order) }}},
		"negative":      {Ranker: muddled{func(r *reputation.Ranking) { r.Order[0] = -1 }}},
		"not finite":    {Ranker: muddled{func(r *reputation.Ranking) { r.Scores[1].Value = math.NaN() }}},
	} {
		t.Run(name, func(t *testing.T) {
			log.Reset()
			opts.Logger = logger
			if opts.Gate == nil {
				opts.Gate = gate.Off{}
			}
			eng := newEngine(t, opts)
			r := retrieve(t, eng, fixed(letters(3)...), core.Query{Text: "which letter", User: "u"})
			if !slices.Equal(r.IDs(), []string{"a", "b", "c"}) || r.Verdict != core.Uncalibrated || r.Receipt.IsZero() {
				t.Errorf("%v %v", r.IDs(), r.Verdict)
			}
			checkFinite(t, r.Items)
			if !strings.Contains(log.String(), "not usable") {
				t.Errorf("the log says %q", log.String())
			}
			feed(t, eng, r.Receipt, core.Verified(true).On("b"))
		})
	}
}

// A text of the library is scored in a second call of the ranker.
func TestARankerThatForgetsTheLibrary(t *testing.T) {
	ctx := context.Background()
	src := newCabinet("docs", map[string]string{"a": "The harbour opens at six.", "p": "Rules of the pier."})
	forget := muddled{func(r *reputation.Ranking) {
		if len(r.Scores) > 2 {
			r.Scores = r.Scores[:1]
		}
	}}
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Ranker: forget, Logger: slog.New(slog.DiscardHandler)})
	if _, err := eng.Library("u").In(src).Pin(ctx, "p"); err != nil {
		t.Fatal(err)
	}
	src.put("b", "The harbour closes at nine.")
	r := retrieve(t, eng, src, core.Query{Text: "harbour", User: "u", K: 2, Depth: 2})
	if len(r.Items) != 3 || r.Items[0].DocID != "p" {
		t.Errorf("%v", r.IDs())
	}
	checkFinite(t, r.Items)
}
