package falsealarm

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// MarshalJSON writes rates that are not defined as null.
func (r Rates) MarshalJSON() ([]byte, error) {
	names := []string{"far", "near", "retention", "passages", "auc_far", "auc_near", "auc_found"}
	out := make(map[string]*float64, len(names))
	for i, f := range r.fields() {
		out[names[i]] = nil
		if !math.IsNaN(*f) {
			out[names[i]] = f
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads what MarshalJSON wrote.
func (r *Rates) UnmarshalJSON(data []byte) error {
	*r = undefined()
	type plain Rates // without this method
	return json.Unmarshal(data, (*plain)(r))
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "Gates at %.0f %% false alarms asked, %d seeds, mean of collections ± half the 95 %% interval over seeds\n", 100*r.Alpha, r.Seeds)
	fmt.Fprintln(w, "passages\tgate\tfar pass\tworst\tnear pass\tretention\tpassages kept\tAUC far\tAUC near\tAUC found")
	for _, row := range r.Rows {
		m, h := row.Mean, row.Half
		fmt.Fprintf(w, "%s\t%s\t%s\t%.3f %s\t%s\t%s\t%s\t%.3f\t%.3f\t%.3f\n", size(row.N), row.Gate, interval(m.Far, h.Far), row.Worst, row.WorstOf,
			interval(m.Near, h.Near), interval(m.Retention, h.Retention), interval(m.Passages, h.Passages), m.AUCFar, m.AUCNear, m.AUCFound)
	}
	fmt.Fprintln(w, "\nThe evidence gate and sigma-rag's 2 sigma by collection (far / near / retention)")
	for _, row := range r.Rows {
		if row.Gate == evidence || row.Gate == "sigma-rag 2 sigma" {
			fmt.Fprintf(w, "%s\t%s\t%s\n", size(row.N), row.Gate, row.collections())
		}
	}
	fmt.Fprintln(w, "\nReliability of the evidence gate: rate asked, far questions that passed (worst collection)")
	for n, line := range r.reliabilityLines() {
		fmt.Fprintf(w, "%s\t%s\n", n, line)
	}
	return w.Flush()
}

func (r *Report) reliabilityLines() func(yield func(string, string) bool) {
	return func(yield func(string, string) bool) {
		var sizes []int
		for _, x := range r.Reliability {
			if !slices.Contains(sizes, x.N) {
				sizes = append(sizes, x.N)
			}
		}
		for _, n := range sizes {
			var cells []string
			for _, x := range r.Reliability {
				if x.N == n {
					cells = append(cells, fmt.Sprintf("%.3g: %.3f (%.3f)", x.Asked, x.Measured, x.Worst))
				}
			}
			if !yield(size(n), strings.Join(cells, "\t")) {
				return
			}
		}
	}
}

func (r Row) collections() string {
	var names []string
	for name := range r.Each {
		names = append(names, name)
	}
	slices.Sort(names)
	var cells []string
	for _, name := range names {
		x := r.Each[name]
		cells = append(cells, fmt.Sprintf("%s %.2f/%.2f/%.2f", name, x.Far, x.Near, x.Retention))
	}
	return strings.Join(cells, "\t")
}

func size(n int) string {
	if n == 0 {
		return "together"
	}
	return fmt.Sprint(n)
}

func interval(mean, half float64) string {
	if math.IsNaN(mean) {
		return "-"
	}
	if math.IsNaN(half) {
		return fmt.Sprintf("%.3f", mean)
	}
	return fmt.Sprintf("%.3f ±%.3f", mean, half)
}
