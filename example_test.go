package repute_test

import (
	"context"
	"fmt"

	"github.com/philippgille/chromem-go"
	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
)

func Example() {
	ctx := context.Background()
	eng, _ := core.New(core.Options{})
	local, _ := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	notes, _ := repchromem.Open(eng, chromem.NewDB(), "notes", local.Func(), repchromem.Options{})
	docs := []repchromem.Document{{ID: "helpdesk", Text: "To reset your VPN password, call the help desk."}, {ID: "portal", Text: "A VPN password is changed in the account portal, which can reset it."}}
	for i := range 120 {
		docs = append(docs, repchromem.Document{ID: fmt.Sprint("printer", i), Text: fmt.Sprintf("Printer %d in room %d takes toner %c.", i, 7*i, 'A'+i%7)})
	}
	notes.IngestDocuments(ctx, docs, repchromem.IngestOptions{})
	eng.Calibrate(ctx, notes)

	ask := func(question string) *core.Response {
		r, _ := notes.Retrieve(ctx, core.Query{Text: question})
		fmt.Println(r.Verdict, r.IDs())
		return r
	}
	r := ask("how do I reset my VPN password?")
	eng.Feedback(ctx, r.Receipt, core.Verified(false).On("helpdesk"), core.VerifiedBy("ticket", 1).On("portal"))
	fmt.Println(ask("how can I reset the password of my VPN?").Items[0].Reason)
	ask("who won the last football world cup?")
	// Output:
	// evidence [helpdesk#0 portal#0]
	// evidence [portal#0 helpdesk#0]
	// up 1 place: 1.0 good and 0.0 bad outcomes, 1.0 of them for questions like this; helps with probability 0.68
	// no evidence []
}
