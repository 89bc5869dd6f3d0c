package core_test

import (
	"context"
	"testing"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/store"
)

func TestCompareShowsThreeWaysAndRecordsNothing(t *testing.T) {
	src := newShelf(prose(200)...)
	eng := calibrated(t, core.Options{}, src)
	for _, text := range []string{"harbour ferry timetable number20", "best way to cook basmati rice"} {
		c, err := eng.Compare(context.Background(), src, core.Query{Text: text, K: 3})
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Plain.Items) != 3 || c.Plain.Tokens == 0 {
			t.Errorf("%q: plain passes %d", text, len(c.Plain.Items))
		}
		if c.Sigma.Verdict == core.Uncalibrated {
			t.Errorf("%q: the noise floor was not measured: %+v", text, c.Sigma.Decision)
		}
		resp := retrieve(t, eng, src, core.Query{Text: text, K: 3})
		if resp.Verdict != c.Ours.Verdict || len(resp.Items) != len(c.Ours.Items) {
			t.Errorf("%q: compared %v with %d items, retrieved %v with %d", text, c.Ours.Verdict, len(c.Ours.Items), resp.Verdict, len(resp.Items))
		}
	}
	receipts, err := eng.Store().Receipts(context.Background(), "", "", store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	before := len(receipts)
	if _, err := eng.Compare(context.Background(), src, core.Query{Text: "harbour", K: 3}); err != nil {
		t.Fatal(err)
	}
	if after, _ := eng.Store().Receipts(context.Background(), "", "", store.Page{}); len(after) != before {
		t.Errorf("%d receipts, then %d", before, len(after))
	}
}
