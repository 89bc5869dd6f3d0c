package reputation_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/repute-go/repute/core/reputation"
)

// asked is a query that is always the same, at different times.
func asked(time int64) reputation.Query { return reputation.Query{Space: 1, K: 1, Time: time} }

// rate has one rater speak on n new receipts, of the given user if any, and returns them.
func rate(t *testing.T, rec *reputation.Record, from, n int, user, rater string, value float64) (*reputation.Record, []*reputation.Receipt) {
	t.Helper()
	var all []*reputation.Receipt
	for i := from; i < from+n; i++ {
		rc := receiptFor(asked(int64(i)), rec, uint64(i))
		rc.User = reputation.ActorTag(user)
		f := foldOne(t, rc, rec, reputation.Raters{}, rated(rater, value))
		rec = f.Records[0]
		all = append(all, f.Receipt)
	}
	return rec, all
}

// verified are the record's verified events.
func verified(rec *reputation.Record) []reputation.Event {
	return slices.DeleteFunc(slices.Clone(rec.Events), func(e reputation.Event) bool { return e.Class != 0 })
}

// A rater has at most four events in a record, on answers of others and on their own.
func TestOneRaterIsLimited(t *testing.T) {
	for _, user := range []string{"", "user:fan", "user:other"} {
		rec, _ := rate(t, nil, 1, 1000, user, "user:fan", 1)
		if len(rec.Events) != 4 || rec.Events[3].Receipt != 1000 {
			t.Errorf("user %q: %d events, the last from receipt %d", user, len(rec.Events), rec.Events[len(rec.Events)-1].Receipt)
		}
		if left, n := rec.Erase(reputation.ActorTag("user:fan")); n != 4 || !left.Empty() {
			t.Errorf("user %q: %d events erased", user, n)
		}
	}
}

// The limit counts what a rater said, not what others said of their answers.
func TestOwnersAreNotLimitedByTheirJudges(t *testing.T) {
	var rec *reputation.Record
	for i := range 8 { // judged by eight judges
		rec, _ = rate(t, rec, i+1, 1, "user:owner", fmt.Sprint("judge:", i), 1)
	}
	rec, _ = rate(t, rec, 100, 5, "user:owner", "user:owner", 0)
	if judged := 12; len(rec.Events) != judged {
		t.Errorf("%d events of 8 by judges and 4 by the owner", len(rec.Events))
	}
}

// Who joins in on answers that others rated is limited too.
func TestJoiningIsLimited(t *testing.T) {
	var rec *reputation.Record
	for i := range 20 {
		f := foldOne(t, receiptFor(asked(int64(i)), rec, uint64(i)), rec, reputation.Raters{}, rated(fmt.Sprint("user:", i), 1))
		rec = foldOne(t, f.Receipt, f.Records[0], reputation.Raters{}, rated("judge:joining", 1)).Records[0]
	}
	if len(rec.Events) != 4 {
		t.Errorf("%d events with one rater", len(rec.Events))
	}
}

// An opinion on an old answer does not push out newer ones of the same rater.
func TestOldOpinionsComeTooLate(t *testing.T) {
	rec, _ := rate(t, nil, 100, 4, "", "user:u", 1)
	f := foldOne(t, receiptFor(asked(1), rec, 1), rec, reputation.Raters{}, rated("user:u", 0))
	if pos, neg := f.Delta(0); !f.TooLate || f.Records[0] != rec || pos != 0 || neg != 0 {
		t.Errorf("too late = %v, added %v and %v", f.TooLate, pos, neg)
	}
}

// Whatever a rater revises, a verifier's outcomes stay as they are, and nothing more
// than four opinions can be made of theirs.
func TestRevisionsAreLimited(t *testing.T) {
	for _, crowd := range []int{0, 60} {
		rec := feed(t, nil, same, reputation.Raters{}, yes, yes, yes)
		for i := range crowd {
			rec, _ = rate(t, rec, 10+i, 1, "", fmt.Sprint("user:", i), 1)
		}
		plain, _ := rate(t, rec, 1000, 50, "", "user:m", 0)
		rec, all := rate(t, rec, 1000, 50, "", "user:m", 1)
		before := verified(rec)
		late := 0
		for _, rc := range all {
			f := foldOne(t, rc, rec, reputation.Raters{}, rated("user:m", 0))
			rec = f.Records[0]
			late += int(boolInt(f.TooLate))
		}
		if late != 46 {
			t.Errorf("%d others: %d of 50 revisions came too late, want 46", crowd, late)
		}
		if got := verified(rec); fmt.Sprint(got) != fmt.Sprint(before) {
			t.Errorf("%d others: verified events became %+v", crowd, got)
		}
		a, b := score(rec), score(plain)
		near(t, "mean after revisions", a.Mean, b.Mean, .01)
		near(t, "mass after revisions", float64(a.LocalMass), float64(b.LocalMass), .01)
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A verdict on one answer makes no verified evidence of what raters said of others.
func TestLateVerdictsVerifyTheirOwnAnswer(t *testing.T) {
	var rec *reputation.Record
	receipts := map[uint64]*reputation.Receipt{}
	for i := range 110 {
		one, all := rate(t, rec, 100+i, 1, "", fmt.Sprint("user:", i), 1)
		rec, receipts[uint64(100+i)] = one, all[0]
	}
	mass := func(rec *reputation.Record) (sum float64) {
		for _, e := range rec.Events {
			if e.Class != 0 {
				sum += e.Mass()
			}
		}
		return sum
	}
	oldest, before := rec.Events[0], mass(rec)
	f := foldOne(t, receipts[oldest.Receipt], rec, reputation.Raters{}, no)
	if got := verified(f.Records[0]); len(got) != 1 || got[0].Pos != 0 || got[0].Neg != 1 || got[0].Receipt != oldest.Receipt {
		t.Errorf("verified evidence after one failure: %+v", got)
	}
	if s := score(f.Records[0]); s.Successes != 0 {
		t.Errorf("a verified failure made %v verified successes", s.Successes)
	}
	pos, neg := f.Delta(0)
	near(t, "opinions left", mass(f.Records[0]), before+pos+neg-1, .5) // one more event is folded, and fades
	// It is one answer's event: a second verdict revises it.
	g := foldOne(t, f.Receipt, f.Records[0], reputation.Raters{}, yes)
	if got := verified(g.Records[0]); len(got) != 1 || got[0].Pos != 1 || got[0].Neg != 0 {
		t.Errorf("verified evidence after the revision: %+v", got)
	}
}

// A verdict takes an opinion back where that has been folded into another one.
func TestVerdictsTakeFoldedOpinionsBack(t *testing.T) {
	rec, first := rate(t, nil, 1, 1, "", "judge:j", 1)
	rec, _ = rate(t, rec, 2, 1, "", "judge:j", 1)
	for i := range reputation.RingSize - 1 {
		rec = foldOne(t, receiptFor(asked(int64(i+10)), rec, uint64(i+10)), rec, reputation.Raters{}, yes).Records[0]
	}
	if e := rec.Events[0]; e.Receipt != 2 || e.Class == 0 {
		t.Fatalf("the first opinion should have been folded: %+v", e)
	}
	held := rec.Events[0].Mass()
	f := foldOne(t, first[0], rec, reputation.Raters{}, no)
	for _, e := range f.Records[0].Events {
		if e.Receipt == 2 && e.Mass() > held*.6 {
			t.Errorf("%v of the mass %v left of two opinions, one of them taken back", e.Mass(), held)
		}
	}
	failed := float32(0)
	for _, e := range verified(f.Records[0]) {
		failed += e.Neg
	}
	if f.TooLate || failed < .9 || failed > 1 {
		t.Errorf("too late = %v, verified failures %v", f.TooLate, failed)
	}
}

// Correcting what is gone cannot make more of an event than was put in.
func TestCorrectionsOfWhatIsGoneRunDry(t *testing.T) {
	q := func(i int) reputation.Query {
		s := unlike(i)
		if i%70 == 0 {
			s = reputation.Signature{}
		}
		return reputation.Query{Space: 1, Signature: s, K: 1, Time: int64(i + 1)}
	}
	var rec *reputation.Record
	var alike []*reputation.Receipt
	for i := range 700 { // the ones that are alike are dropped between each other
		f := foldOne(t, receiptFor(q(i), rec, uint64(i+1)), rec, reputation.Raters{}, yes)
		rec = f.Records[0]
		if i%70 == 0 {
			alike = append(alike, f.Receipt)
		}
	}
	rec = foldOne(t, receiptFor(asked(1e4), rec, 1e4), rec, reputation.Raters{}, yes).Records[0]
	late := 0
	for _, rc := range alike {
		f := foldOne(t, rc, rec, reputation.Raters{}, no)
		rec = f.Records[0]
		late += boolInt(f.TooLate)
	}
	last := rec.Events[len(rec.Events)-1]
	near(t, "mass of the only one left", last.Mass(), 1, 1e-5)
	if late != len(alike)-1 {
		t.Errorf("%d of %d revisions came too late", late, len(alike))
	}
}

// A first signal that a full ring cannot take in is not reported as learned.
func TestLateFirstSignals(t *testing.T) {
	many := make([]reputation.Opinion, reputation.RingSize)
	for i := range many {
		many[i] = yes
	}
	for _, tt := range []struct {
		name string
		q    reputation.Query
		late bool
	}{
		{"unlike anything", reputation.Query{Space: 1, Signature: unlike(1000), K: 1}, true},
		{"like a newer one", reputation.Query{Space: 1, Signature: unlike(7), K: 1}, false},
	} {
		rec := feed(t, nil, unlike, reputation.Raters{}, many...)
		f := foldOne(t, receiptFor(tt.q, nil, 999), rec, reputation.Raters{}, no)
		pos, neg := f.Delta(0)
		if f.TooLate != tt.late || (pos+neg == 0) != tt.late || (f.Records[0] == rec) != tt.late {
			t.Errorf("%s: too late = %v, added %v and %v", tt.name, f.TooLate, pos, neg)
		}
		// The receipt takes part in nothing it was too late for.
		g := foldOne(t, f.Receipt, f.Records[0], reputation.Raters{}, yes)
		if pos, neg := g.Delta(0); tt.late && (pos != 0 || neg != 0 || !g.TooLate) {
			t.Errorf("%s: a revision of nothing added %v and %v", tt.name, pos, neg)
		}
	}
}

// What raters say between takes nothing off a verifier's outcomes, in a full ring too.
func TestOpinionsFadeNoVerifiedOutcome(t *testing.T) {
	var rec, alone *reputation.Record
	for i, o := range []reputation.Opinion{yes, no, yes} {
		at := 100 * i
		rec = foldOne(t, receiptFor(asked(int64(at)), rec, uint64(at)), rec, reputation.Raters{}, o).Records[0]
		alone = foldOne(t, receiptFor(asked(int64(at)), alone, uint64(at)), alone, reputation.Raters{}, o).Records[0]
		for j := range 20 + 40*(i/2) {
			rec, _ = rate(t, rec, at+j+1, 1, "", fmt.Sprint("user:", i, "/", j), 1)
		}
	}
	left := verified(rec)
	if len(left) == 3 || len(rec.Events) != reputation.RingSize {
		t.Fatalf("%d verified events among %d: nothing was folded", len(left), len(rec.Events))
	}
	before, after := score(alone), score(&reputation.Record{Space: 1, Local: 1<<len(left) - 1, Events: left})
	near(t, "verified mass", float64(after.LocalMass), float64(before.LocalMass), 1e-4)
	near(t, "verified mean", float64(after.Thetas[0]), float64(before.Thetas[0]), 1e-4)
}

// With a half-life a proof ages like all other evidence.
func TestProofsAge(t *testing.T) {
	c := reputation.DefaultConstants()
	c.HalfLife = 1000
	rec := feed(t, nil, same, reputation.Raters{}, yes, yes)
	for _, tt := range []struct {
		at   int64
		want float64
	}{{2, 2}, {1001, 1}, {2001, .5}} {
		s := reputation.Posterior{Constants: c}.Rank(asked(tt.at), []reputation.Candidate{{ID: "d", Record: rec}}, nil).Scores[0]
		near(t, fmt.Sprint("successes at ", tt.at), s.Successes, tt.want, .01)
	}
}

func TestOutcomesOfARecord(t *testing.T) {
	rec := feed(t, nil, same, reputation.Raters{}, yes, no)
	for i := range 40 {
		rec, _ = rate(t, rec, 10+i, 1, "", fmt.Sprint("user:", i), 1)
		rec, _ = rate(t, rec, 100+i, 1, "", fmt.Sprint("judge:", i), 1)
	}
	good, bad := rec.Outcomes(reputation.Constants{})
	near(t, "all", good+bad, 2+5+5, .06) // the verified ones were folded into one
	if good <= bad {
		t.Errorf("%v good and %v bad", good, bad)
	}
	if good, bad := (*reputation.Record)(nil).Outcomes(reputation.Constants{}); good != 0 || bad != 0 {
		t.Error("no record has outcomes")
	}
}
