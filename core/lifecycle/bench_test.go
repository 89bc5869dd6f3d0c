package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	lc "github.com/repute-go/repute/core/lifecycle"
)

func BenchmarkApplyUse(b *testing.B) {
	r := sampleRecord()
	now := start
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		now = now.Add(time.Minute)
		r, _, _ = lc.Apply(r, lc.Event{Kind: lc.Fetched, Query: int64(i + 100), Posterior: lc.Posterior{Mean: .6, Mass: 4}}, now, lc.Options{})
	}
}

func BenchmarkEvaluate(b *testing.B) {
	r := sampleRecord()
	b.ReportAllocs()
	for b.Loop() {
		lc.Evaluate(r, start.Add(day), lc.Options{})
	}
}

func BenchmarkMerge(b *testing.B) {
	var in lc.Tiers
	for i := range 50 {
		in.Retrieved = append(in.Retrieved, chunk(fmt.Sprint(i/2), fmt.Sprint(i)))
	}
	for i := range 10 {
		in.Pinned = append(in.Pinned, text(fmt.Sprint(i), lc.Pinned))
		in.Claimed = append(in.Claimed, text(fmt.Sprint(20+i), lc.Claimed))
	}
	b.ReportAllocs()
	for b.Loop() {
		lc.Merge(in, lc.Budget{Tokens: 1000})
	}
}

func BenchmarkMarshal(b *testing.B) {
	r, _ := sampleRecord().Detach()
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = r.AppendBinary(buf[:0])
	}
	b.ReportMetric(float64(len(buf)), "B/record")
}

func BenchmarkUnmarshal(b *testing.B) {
	data, _ := sampleRecord().MarshalBinary()
	b.ReportAllocs()
	for b.Loop() {
		var r lc.Record
		if err := r.UnmarshalBinary(data); err != nil {
			b.Fatal(err)
		}
	}
}
