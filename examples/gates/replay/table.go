package replay

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// WriteTable writes the report as text: what each arm reached in the first and the
// last epoch, and its last lead over the retriever alone with a 95 % interval.
func (r *Report) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "\nQuestions asked %d times, judgements as the verifier (%d seeds, 95 %%)\n", r.Epochs, r.Seeds)
	fmt.Fprintln(t, "collection\twording\tbase\tk\tarm\tsuccess first\tlast\tgain\tnDCG@10 first\tlast\tgain\t")
	for _, row := range r.Rows {
		last := len(row.Success) - 1
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%s\t%.3f\t%.3f\t%s\t%.3f\t%.3f\t%s\t\n", row.Collection, row.Wording, row.Base, row.K, row.Arm,
			row.Success[0], row.Success[last], row.GainSuccess, row.NDCG[0], row.NDCG[last], row.GainNDCG)
	}
	return t.Flush()
}

// Row returns the row with these coordinates, or nil.
func (r *Report) Row(collection, wording, base string, k int, arm string) *Row {
	for i := range r.Rows {
		x := &r.Rows[i]
		if x.Collection == collection && x.Wording == wording && x.Base == base && x.K == k && x.Arm == arm {
			return x
		}
	}
	return nil
}
