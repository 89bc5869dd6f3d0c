package langchaingo_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/philippgille/chromem-go"

	"github.com/repute-go/repute/core"
	"github.com/repute-go/repute/core/gate"
	replc "github.com/repute-go/repute/langchaingo"
)

func remembered(said string) (id string) {
	return strings.TrimSuffix(strings.TrimPrefix(said, "Remembered as "), ".")
}

// What the model was not shown is neither listed nor spoken about.
func TestReportsAreAboutWhatWasShown(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	c := &cabinet{}
	for i := range 3 {
		c.held = append(c.held, core.Candidate{ID: fmt.Sprint("m", i), Text: fmt.Sprint("memory number ", i, strings.Repeat(" word", 3000))})
	}
	m := memoryTools(t, eng, c, replc.MemoryOptions{})
	ctx, trace := core.WithTrace(context.Background())
	out := call(t, m["recall"], ctx, "memory")
	shown := trace.Last().Items[0].ID
	if strings.Count(out, "memory number") != 1 || strings.Count(out, "] id ") != 1 || !strings.Contains(out, "[1] id "+shown+":") {
		t.Fatalf("recall: %.300s", out)
	}
	call(t, m["report_outcome"], ctx, "failure")
	resp, err := eng.Retrieve(ctx, c, core.Query{Text: "memory"})
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range resp.Items {
		if untold := strings.Contains(it.Reason, "no outcomes"); untold != (it.ID != shown) {
			t.Errorf("%s, shown was %s: %s", it.ID, shown, it.Reason)
		}
	}
}

// The same text remembered by two users is two memories: one that each of them finds.
func TestTheSameTextOfTwoUsers(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	c := collection(t, eng, chromem.NewDB(), "shared")
	users := []string{"alice", "bob", ""}
	for i, user := range users {
		m := memoryTools(t, eng, c, replc.MemoryOptions{User: user})
		call(t, m["remember"], context.Background(), "use a mutex around the map")
		if c.Count() != i+1 {
			t.Errorf("%d memories after %q", c.Count(), user)
		}
	}
	for _, user := range users {
		m := memoryTools(t, eng, c, replc.MemoryOptions{User: user})
		ctx, trace := core.WithTrace(context.Background())
		if out := call(t, m["recall"], ctx, "use a mutex"); strings.Count(out, "mutex around") != 1 {
			t.Errorf("%q recalls %s", user, out)
		}
		if r := trace.Last().Rejected; user == "" && len(r) != 0 {
			t.Errorf("what %q is told of others: %+v", user, r)
		}
	}
}

// Without a user too, only what remember kept can be forgotten, and not by another.
func TestOnlyOnesOwnIsForgotten(t *testing.T) {
	eng := newEngine(t, core.Options{Gate: gate.Off{}})
	c := &cabinet{held: []core.Candidate{{ID: "manual#1", Text: "a document"}, {ID: "memory-manual", Text: "another"}}}
	ctx := context.Background()
	ids := map[string]string{}
	for _, user := range []string{"", "alice", "bob"} {
		ids[user] = remembered(call(t, memoryTools(t, eng, c, replc.MemoryOptions{User: user})["remember"], ctx, "the secret of "+user))
	}
	for _, user := range []string{"", "alice"} {
		c.kills = nil
		m := memoryTools(t, eng, c, replc.MemoryOptions{User: user})
		for _, id := range []string{"manual#1", "memory-manual", "memory-", ids[""], ids["alice"], ids["bob"], ids[user] + "0", strings.ToUpper(ids[user])} {
			call(t, m["forget"], ctx, id)
		}
		if !slices.Equal(c.kills, []string{ids[user]}) {
			t.Errorf("%q forgot %q, not %q alone", user, c.kills, ids[user])
		}
	}
}

// What is forgotten leaves the user's library too.
func TestForgettingReachesTheLibrary(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	eng := newEngine(t, core.Options{Gate: gate.Off{}, Clock: func() time.Time { return now }})
	c := &cabinet{}
	m := memoryTools(t, eng, c, replc.MemoryOptions{User: "alice"})
	ctx := core.WithUser(context.Background(), "alice")
	lib := eng.Library("alice").In(c)
	export := func() string {
		var b bytes.Buffer
		if err := lib.Export(ctx, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	id := remembered(call(t, m["remember"], ctx, "the door code is 4711"))
	if _, err := lib.AddText(ctx, id, "the door code is 4711"); err != nil || !strings.Contains(export(), "4711") {
		t.Fatalf("%v, %s", err, export())
	}
	for range 2 { // again: nothing is left, and that is no error
		if got := call(t, m["forget"], ctx, id); got != "Forgotten." {
			t.Fatal(got)
		}
	}
	c.held = nil
	if out := call(t, m["recall"], ctx, "the door code"); strings.Contains(export()+out, "4711") {
		t.Errorf("still there: %s, %s", out, export())
	}
}
