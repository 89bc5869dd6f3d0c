package worlds

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/repute-go/repute/core/reputation"
)

func TestScratch(t *testing.T) {
	var seeds []uint64
	n := 8
	fmt.Sscan(os.Getenv("SEEDS"), &n)
	for i := range n {
		seeds = append(seeds, uint64(1000+i))
	}
	arms := []Arm{Retriever(), RRL("rrl", .55, .30, .15, 0, .15), Library("ours", reputation.Constants{})}
	for _, r := range Rows() {
		at := time.Now()
		cells, err := compare(context.Background(), r.World, arms, seeds)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%-40s bar %.2f", r.World.Name, r.Bar)
		for _, c := range cells[1:] {
			fmt.Printf("   %s %.3f±%.3f (late %.2f)", c.Arm, c.Regret.Mean, c.Regret.Half, c.Late.Mean)
		}
		if cells[len(cells)-1].Regret.Upper() > r.Bar {
			fmt.Print(" FAIL")
		}
		fmt.Println("  ", time.Since(at).Round(time.Millisecond))
	}
}
