package worlds

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the report as text: regrets with 95 % intervals, one world a
// line.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	r.results(t, fmt.Sprintf("Regret after learning from outcomes (retriever alone 1, oracle 0; %d seeds, 95 %%)", r.Seeds), r.Worlds)
	r.results(t, "A corpus that changes", r.Staleness)
	r.ratings(t)
	if len(r.Attacks) > 0 {
		fmt.Fprintf(t, "\nOne rater, %d ratings\textra regret a visit\tbar\t\n", attackRatings)
	}
	for _, a := range r.Attacks {
		fmt.Fprintf(t, "%s\t%s\t%.2f\t%s\n", a.Name, a.Extra, a.Bar, mark(a.Extra.Upper() <= a.Bar))
	}
	return t.Flush()
}

// String is the mean and half the width of the interval.
func (m Measure) String() string { return fmt.Sprintf("%.3f ±%.3f", m.Mean, m.Half) }

func mark(reached bool) string {
	if reached {
		return ""
	}
	return "NOT REACHED"
}

func (r *Report) results(w io.Writer, title string, results []Result) {
	if len(results) == 0 {
		return
	}
	var names []string
	for _, c := range results[0].Cells[1:] {
		names = append(names, c.Arm)
	}
	fmt.Fprintf(w, "\n%s\tbar\t%s\t\n", title, strings.Join(names, "\t"))
	for i := range results {
		res := &results[i]
		fmt.Fprintf(w, "%s\t", res.World)
		if res.Bar > 0 {
			fmt.Fprintf(w, "%.2f", res.Bar)
		}
		for _, c := range res.Cells[1:] {
			fmt.Fprintf(w, "\t%s", c.Regret)
		}
		fmt.Fprintf(w, "\t%s\n", mark(res.Reached()))
	}
}

func (r *Report) ratings(w io.Writer) {
	if len(r.Ratings) == 0 {
		return
	}
	fmt.Fprintf(w, "\nTelling good documents from bad by raters (area under the ROC curve)\tbar\tRRL\tverifier alone\tcalibrated\t\n")
	for _, x := range r.Ratings {
		fmt.Fprintf(w, "%s\t%.3f\t%s\t%s\t%s\t%s\n", x.Name, x.Bar, x.RRL, x.VerifierAlone, x.Calibrated, mark(x.Reached()))
	}
}
