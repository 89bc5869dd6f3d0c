package worlds

// Row is a world with the bar that the default configuration must reach: the upper
// end of the 95 % interval of its regret, the retriever alone being 1 and an oracle 0.
type Row struct {
	World World
	Bar   float64
}

// Rows returns the worlds in which rankings are compared.
func Rows() []Row {
	cited := func(w World) World { w.Cited, w.Strays, w.Blind = .8, .15, .4; return w }
	return []Row{
		{cited(World{Name: "k=3, delta .6, attribution 80/15", K: 3, Visits: 6000, Delta: .6}), .13},
		{cited(World{Name: "k=3, delta .245, attribution 80/15", K: 3, Visits: 6000, Delta: .245}), .42},
		{World{Name: "k=3, delta .6, no attribution", K: 3, Visits: 3000, Delta: .6}, .22},
		{World{Name: "k=3, delta .6, attribution 40/40", K: 3, Visits: 3000, Delta: .6, Cited: .4, Strays: .4, Blind: .4}, .25},
		{World{Name: "k=1, delta .6, uniform", K: 1, Visits: 480, Delta: .6, Uniform: true}, .85},
		{World{Name: "k=1, delta .6", K: 1, Visits: 3000, Delta: .6}, .36},
		{World{Name: "k=1, global, uniform", K: 1, Visits: 480, Global: true, Uniform: true}, .62},
		{World{Name: "k=3, global, uniform", K: 3, Visits: 480, Global: true, Uniform: true}, .95},
		{World{Name: "k=1, change", K: 1, Visits: 3000, Delta: .6, Changes: 1}, .58},
		{cited(World{Name: "k=3, change, attribution 80/15", K: 3, Visits: 6000, Delta: .6, Changes: 1}), .26},
		{World{Name: "one-shot, k=1", K: 1, Visits: 6000, Delta: .6, OneShot: true}, 1.05},
		{World{Name: "one-shot, k=3", K: 3, Visits: 6000, Delta: .6, OneShot: true}, 1.08},
		{World{Name: "one-shot, global, k=1", K: 1, Visits: 3000, Global: true, OneShot: true}, .78},
		{World{Name: "one-shot, global, k=3", K: 3, Visits: 3000, Global: true, OneShot: true}, .90},
		{World{Name: "one-shot, p0 .80-.88, delta .1", K: 1, Visits: 2000, Delta: .1, Low: .80, High: .88, OneShot: true}, 1.03},
		{World{Name: "p0 .02-.08, delta .2, k=1", K: 1, Visits: 3000, Delta: .2, Low: .02, High: .08}, .70},
		{World{Name: "delta .05, k=1", K: 1, Visits: 3000, Delta: .05}, 1.08},
		{World{Name: "delta .05, k=3, no attribution", K: 3, Visits: 3000, Delta: .05}, 1.35},
		{World{Name: "50 documents, 500 types, Zipf 1", K: 1, Visits: 10000, Delta: .6, Documents: 50, Types: 500, Zipf: 1}, .38},
		{World{Name: "a candidate at relevance 0", K: 1, Visits: 480, Delta: .6, Uniform: true, Outlier: true}, .82},
	}
}
