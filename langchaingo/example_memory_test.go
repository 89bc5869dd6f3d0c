package langchaingo_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/philippgille/chromem-go"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	replc "github.com/repute-go/repute/langchaingo"
)

// The tools of an agent's memory, called here as the agent would call them. Give
// them to agents.NewOneShotAgent as tools.Tool.
func ExampleNewMemoryTools() {
	eng, _ := core.New(core.Options{})
	defer eng.Close()
	local, _ := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	notes, _ := repchromem.Open(eng, chromem.NewDB(), "notes of u1", local.Func(), repchromem.Options{})
	tools, err := replc.NewMemoryTools(eng, notes, replc.MemoryOptions{User: "u1", K: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	recall, remember, report := tools[0], tools[1], tools[2]

	ctx := context.Background()
	for range 2 { // the same text twice is one memory
		if _, err := remember.Call(ctx, "The build of the parser needs the tag purego on arm64."); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(notes.Count(), "memory")
	for range 2 {
		out, _ := recall.Call(ctx, "why does the parser build fail on arm64?")
		why, _, _ := strings.Cut(out, "\n") // it stands before the fence
		fmt.Println("tried before:", !strings.Contains(why, "no outcomes yet"))
		said, _ := report.Call(ctx, "success")
		fmt.Println(said)
	}
	// Output:
	// 1 memory
	// tried before: false
	// Noted.
	// tried before: true
	// Noted.
}
