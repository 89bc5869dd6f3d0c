package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/philippgille/chromem-go"
	"github.com/tmc/langchaingo/tools"

	repchromem "github.com/repute-go/repute/chromem"
	"github.com/repute-go/repute/core"
	replc "github.com/repute-go/repute/langchaingo"
)

// memoryOf is one arm's memory: the patterns in a chromem collection behind an
// engine, and the tool through which the agent reaches them. Outcomes are reported
// by the program, not by the model, so the agent gets no tool for that.
type memoryOf struct {
	recall tools.Tool
	learns bool
	eng    *core.Engine
	src    core.Source
}

// newMemory fills a memory with patterns. Without learning the engine is off and
// recall returns what the collection alone finds.
func newMemory(ctx context.Context, known []pattern, learns bool, seed uint64) (*memoryOf, error) {
	mode := core.Off
	if learns {
		mode = core.On
	}
	eng, err := core.New(core.Options{Mode: mode, Rand: rand.NewPCG(seed, 1)})
	if err != nil {
		return nil, err
	}
	local, err := repchromem.NewLocalEmbedder(repchromem.LocalOptions{})
	if err != nil {
		return nil, err
	}
	c, err := repchromem.Open(eng, chromem.NewDB(), "patterns", local.Func(), repchromem.Options{Model: local.Fingerprint()})
	if err != nil {
		return nil, err
	}
	chunks := make([]core.Candidate, len(known))
	for i, p := range known {
		chunks[i] = core.Candidate{ID: p.name, Title: p.name, Text: p.text()}
	}
	if _, err := c.Add(ctx, chunks); err != nil {
		return nil, err
	}
	if learns {
		// What the first questions teach must not depend on how soon the
		// engine knows the collection.
		if err := eng.Calibrate(ctx, c); err != nil {
			return nil, err
		}
	}
	kit, err := replc.NewMemoryTools(eng, c, replc.MemoryOptions{})
	if err != nil {
		return nil, err
	}
	m := &memoryOf{learns: learns, eng: eng, src: c}
	for _, t := range kit {
		if t.Name() == "recall" {
			m.recall = t
		}
	}
	return m, nil
}

// close ends the engine of a memory; nil has none.
func (m *memoryOf) close() error {
	if m == nil {
		return nil
	}
	if err := m.eng.Close(); err != nil {
		return fmt.Errorf("close the engine: %w", err)
	}
	return nil
}
