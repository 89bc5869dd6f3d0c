package gate_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/repute-go/repute/core/gate"
)

func TestUpperTail(t *testing.T) {
	for z, want := range map[float64]float64{
		-1: .8413447460685429, 0: .5, 1: .15865525393145707, 1.5: .06680720126885809, 2: .02275013194817922,
		2.5: .006209665325776139, 3: .0013498980316300957, 5: 2.866515718791946e-07, 8: 6.220960574271819e-16,
	} {
		near(t, "tail", gate.UpperTail(z), want, want*1e-12)
		near(t, "quantile", gate.UpperQuantile(want), z, 1e-9)
	}
}

func floorModel(t *testing.T, f gate.Floor, chunks int) *gate.Model {
	m := modelOf(t, library(chunks, 9))
	m.SetFloor(f)
	return m
}

func TestFixedReferenceVectors(t *testing.T) {
	f := gate.Floor{Mean: .2, SD: .05, Chunks: 12}
	if f.Threshold(2) != .30000000000000004 || f.Threshold(3) != .35000000000000003 {
		t.Errorf("thresholds %v %v", f.Threshold(2), f.Threshold(3))
	}
	m := floorModel(t, f, 12)
	tests := []struct {
		cosine, z, p float64
		pass         bool
	}{
		{.15, -1, .841344746, false}, {.2, 0, .5, false}, {.2999, 1.998, .022858330, false},
		{.3, 2, .022750132, false}, {.30000001, 2.0000002, .02275012, true},
		{.35, 3, .001349898, true}, {.41, 4.2, 1.334574902e-05, true},
	}
	for _, tt := range tests {
		d := gate.Fixed{}.Decide(gate.Query{}, []gate.Candidate{{Similarity: tt.cosine}}, m)
		near(t, "z", d.Judgements[0].Evidence, tt.z, 1e-9)
		near(t, "p", d.P, tt.p, 1e-8)
		if d.Judgements[0].Pass != tt.pass || (d.Verdict == gate.VerdictEvidence) != tt.pass {
			t.Errorf("%v: pass %v, verdict %v", tt.cosine, d.Judgements[0].Pass, d.Verdict)
		}
	}
}

func TestFixedToyCollection(t *testing.T) {
	f := gate.Floor{Mean: .1934424788, SD: .2344093621, Chunks: 12}
	cosines := []float64{.866025, .408248, .408248, .707107, 0, 0, 0, 0, .948683, .408248, 0, .353553}
	var c []gate.Candidate
	for _, s := range cosines {
		c = append(c, gate.Candidate{Similarity: s})
	}
	passed := func(sigma float64) (out []int) {
		for i, j := range (gate.Fixed{Sigma: sigma}).Decide(gate.Query{}, c, floorModel(t, f, 12)).Judgements {
			if j.Pass {
				out = append(out, i)
			}
		}
		return out
	}
	if got := passed(2); len(got) != 3 || got[0] != 0 || got[1] != 3 || got[2] != 8 {
		t.Errorf("two sigma: %v", got)
	}
	if got := passed(3); len(got) != 1 || got[0] != 8 {
		t.Errorf("three sigma: %v", got)
	}
	for i, want := range map[int]float64{8: 3.2219, 0: 2.8693, 3: 2.1913} {
		near(t, "z", f.Z(cosines[i]), want, 1e-4)
	}
	near(t, "relaxed level", f.Relax(cosines, 9, 2), 2.5, 0)
	near(t, "level that nothing reaches", f.Relax(cosines, 9, 13), 9, 0)
	near(t, "mean plus two deviations", gate.Floor{Mean: .1885115024, SD: .2331180844}.Threshold(2), .65474767, 1e-8)
}

func TestKolmogorovSmirnov(t *testing.T) {
	f, err := gate.FitFloor([]float64{-2, -1, -.5, 0, .25, .5, 1, 1.5, 3})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "mean", f.Mean, .3055555555555556, 1e-15)
	near(t, "sd", f.SD, 1.4565465244123779, 1e-15)
	near(t, "D", f.KS, .1135668748966856, 1e-14)
	near(t, "p", f.KSP, .9998218015324312, 1e-10)
	for x, want := range map[float64]float64{
		0: 1, -1: 1, .2: 1, .5: .9639452436649004, 1: .26999967167735456, 1.3581: .0499996304316674,
		1.6276: .010001537333060776, 2: .0006709252557796953, 3.5: 4.579469691291106e-11, 3.6: 0,
	} {
		near(t, "Q", gate.KolmogorovQ(x), want, want*1e-9)
	}
	if gate.KolmogorovQ(math.NaN()) != 1 {
		t.Error("NaN")
	}
}

func TestFamilyWise(t *testing.T) {
	tests := []struct {
		n     int
		sigma float64
		want  float64
	}{
		{10, 2, .205569}, {10, 3, .0134173}, {100, 2, .899871}, {100, 3, .126355}, {1000, 2, 1}, {1000, 3, .74097},
		{1000, 4, .0311754}, {5000, 3, .998834}, {5000, 4, .146456}, {10_000, 4, .271463}, {10_000, 5, .00286241},
		{100_000, 4, .957878}, {100_000, 5, .0282582},
	}
	for _, tt := range tests {
		near(t, "family-wise", gate.FamilyWise(gate.UpperTail(tt.sigma), tt.n), tt.want, 1e-5*tt.want)
	}
	for n, want := range map[int]float64{
		1: 1.64485, 10: 2.56788, 100: 3.28341, 1000: 3.8844, 5000: 4.25919, 10_000: 4.41165, 100_000: 4.88661, 1_000_000: 5.32208,
	} {
		near(t, "level", gate.UpperQuantile(gate.PerTest(.05, n)), want, 5e-5)
	}
}

func TestFixedPerQuery(t *testing.T) {
	m := floorModel(t, gate.Floor{Mean: 0, SD: .1, Chunks: 1000}, 12)
	q := gate.Query{Alpha: .05}
	d := gate.Fixed{PerQuery: true}.Decide(q, []gate.Candidate{{Similarity: .38}, {Similarity: .2}}, m)
	near(t, "level", d.Bar, 3.8844, 5e-5)
	near(t, "p", d.P, gate.FamilyWise(gate.UpperTail(3.8), 1000), 1e-12)
	if d.Verdict != gate.VerdictNoEvidence {
		t.Error(d.Verdict)
	}
	if d = (gate.Fixed{PerQuery: true}).Decide(q, []gate.Candidate{{Similarity: .4}}, m); d.Verdict != gate.VerdictEvidence {
		t.Error(d.Verdict)
	}
}

func TestFixedWithoutFloor(t *testing.T) {
	c := []gate.Candidate{{Similarity: .1}}
	if d := (gate.Fixed{}).Decide(gate.Query{}, c, modelOf(t, physics)); d.Verdict != gate.VerdictUncalibrated || !d.Judgements[0].Pass {
		t.Errorf("no floor: %v", d.Verdict)
	}
	m := floorModel(t, gate.Floor{Mean: .2, SD: .1, Chunks: 12}, 12)
	c[0].Similarity = nan
	if d := (gate.Fixed{}).Decide(gate.Query{}, c, m); d.Verdict != gate.VerdictUncalibrated || d.Reason != gate.ReasonNoText {
		t.Errorf("no cosine: %v %v", d.Verdict, d.Reason)
	}
}

func TestMeasureFloor(t *testing.T) {
	vectors := randomVectors(300, 64, 4)
	documents := make([]string, len(vectors))
	for i := range documents {
		documents[i] = string(rune('a' + i/3))
	}
	all, err := gate.MeasureFloor(vectors, documents, 100_000, nil)
	if err != nil {
		t.Fatal(err)
	}
	if all.Pairs != 300*299/2-300 || all.Chunks != 300 || all.SameDocument {
		t.Errorf("%+v", all)
	}
	near(t, "mean", all.Mean, 0, .01)
	near(t, "sd", all.SD, .125, .005)
	some, err := gate.MeasureFloor(vectors, documents, 2000, rand.NewPCG(1, 2))
	if err != nil || some.Pairs != 2000 {
		t.Fatal(some, err)
	}
	near(t, "sampled mean", some.Mean, all.Mean, 4*.125/math.Sqrt(2000))
	again, _ := gate.MeasureFloor(vectors, documents, 2000, rand.NewPCG(1, 2))
	if some != again {
		t.Error("the same source must give the same floor")
	}
	one, err := gate.MeasureFloor(vectors[:12], make([]string, 12), 0, nil)
	if err != nil || !one.SameDocument || one.Pairs != 66 {
		t.Errorf("one document: %+v %v", one, err)
	}
}

// One document that holds nearly everything must not stall the sampling.
func TestMeasureFloorLopsided(t *testing.T) {
	vectors := randomVectors(5000, 4, 4)
	documents := make([]string, len(vectors))
	documents[17] = "the other"
	f, err := gate.MeasureFloor(vectors, documents, 1000, rand.NewPCG(1, 2))
	if err != nil || f.Pairs != 1000 {
		t.Errorf("%+v %v", f, err)
	}
}

func TestMeasureFloorRefuses(t *testing.T) {
	keys := make([]string, 12)
	bad := func(change func([][]float32)) error {
		v := randomVectors(12, 8, 1)
		change(v)
		_, err := gate.MeasureFloor(v, keys, 0, nil)
		return err
	}
	for name, err := range map[string]error{
		"zero":     bad(func(v [][]float32) { v[3] = make([]float32, 8) }),
		"NaN":      bad(func(v [][]float32) { v[3][1] = float32(nan) }),
		"infinite": bad(func(v [][]float32) { v[3][1] = float32(math.Inf(1)) }),
		"length":   bad(func(v [][]float32) { v[3] = v[3][:7] }),
		"empty":    bad(func(v [][]float32) { v[0] = nil }),
	} {
		if !errors.Is(err, gate.ErrSample) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := gate.MeasureFloor(randomVectors(9, 8, 1), keys[:9], 0, nil); !errors.Is(err, gate.ErrSample) {
		t.Error("nine passages")
	}
	if _, err := gate.MeasureFloor(randomVectors(12, 8, 1), keys[:9], 0, nil); !errors.Is(err, gate.ErrSample) {
		t.Error("missing keys")
	}
	if _, err := gate.FitFloor([]float64{1}); !errors.Is(err, gate.ErrSample) {
		t.Error("one pair")
	}
}

func TestFixedValidate(t *testing.T) {
	for _, sigma := range []float64{-1, nan, math.Inf(1)} {
		if err := (gate.Fixed{Sigma: sigma}).Validate(); !errors.Is(err, gate.ErrOptions) {
			t.Errorf("%v: %v", sigma, err)
		}
	}
	if err := (gate.Fixed{}).Validate(); err != nil {
		t.Error(err)
	}
}
