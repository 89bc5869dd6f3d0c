package core

import (
	"context"
	"slices"

	"github.com/repute-go/repute/core/gate"
)

// maxBanks bounds the embedders whose vectors of the bank an engine remembers.
const maxBanks = 8

// bank is what an embedder makes of the bank's questions.
type bank struct {
	embedder gate.Fingerprint
	vectors  [][]float32
}

// bank returns the bank's vectors by an embedder, which is asked for them once.
func (cs *calibrations) bank(ctx context.Context, emb Embedder, of gate.Fingerprint) ([][]float32, error) {
	if vectors := cs.knownBank(of); vectors != nil {
		return vectors, nil
	}
	vectors, err := embedAll(ctx, emb, bankTexts(gate.BankQuestions()))
	if err == nil {
		cs.keepBank(of, vectors)
	}
	return vectors, err
}

func (cs *calibrations) knownBank(of gate.Fingerprint) [][]float32 {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, b := range cs.banks {
		if b.embedder.Matches(of) {
			return b.vectors
		}
	}
	return nil
}

// keepBank remembers the bank's vectors by an embedder.
func (cs *calibrations) keepBank(of gate.Fingerprint, vectors [][]float32) {
	if vectors == nil || of.IsZero() || cs.knownBank(of) != nil {
		return
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	cs.banks = append(cs.banks, bank{of, vectors})
	cs.banks = slices.Clip(cs.banks[max(0, len(cs.banks)-maxBanks):])
}
