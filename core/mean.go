package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/store"
)

const (
	// meanSample is the number of chunks whose mean vector centres the
	// signatures, minMeanSample the least that will do.
	meanSample    = 512
	minMeanSample = 20
	// meanBlobs is the prefix of the blobs that keep the means.
	meanBlobs = "signature/"
)

// findMean returns the mean that the store keeps, which settles it, else one that
// is chosen now. It is nil where the source can give none; then vectors are signed
// as they are.
func (e *Engine) findMean(ctx context.Context, src Source, key signerKey, s *signing) (mean []float32, settled bool, err error) {
	if mean, err = e.storedMean(ctx, key); mean != nil || err != nil {
		return mean, mean != nil, err
	}
	mean, err = e.chooseMean(ctx, src, key, s)
	return mean, false, err
}

// chooseMean finds the mean for a model that has none yet: of a sample of the
// source's chunks, else, in the background, of generic questions.
func (e *Engine) chooseMean(ctx context.Context, src Source, key signerKey, s *signing) ([]float32, error) {
	if sampler, ok := src.(Sampler); ok {
		chunks, err := sampler.Sample(ctx, meanSample, 1)
		if err != nil && !errors.Is(err, ErrUnsupported) {
			return nil, err
		}
		vectors := make([][]float32, len(chunks))
		for i := range chunks {
			vectors[i] = chunks[i].Vector
		}
		if mean := meanOf(vectors, key.dim); mean != nil {
			return e.keepMean(ctx, key, mean)
		}
	}
	if emb, ok := src.(Embedder); ok && e.meanOfQuestions(emb, key, s) {
		return nil, errNotYet
	}
	return nil, nil
}

// meanOfQuestions computes a mean in the background, one at a time for a model. It
// reports false where the source is known to embed nothing.
func (e *Engine) meanOfQuestions(emb Embedder, key signerKey, s *signing) bool {
	e.signers.mu.Lock()
	defer e.signers.mu.Unlock()
	if s.mute || s.pending != nil {
		return !s.mute
	}
	done := make(chan struct{})
	started := e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, calibrationTimeout)
		defer cancel()
		defer close(done)
		vectors, err := embedAll(ctx, emb, bankTexts(gate.BankQuestions()))
		mean := meanOf(vectors, key.dim)
		if err == nil && mean != nil {
			mean, err = e.keepMean(ctx, key, mean)
		}
		e.signers.mu.Lock()
		defer e.signers.mu.Unlock()
		s.pending, s.err = nil, s.computed(key, mean, err)
		if s.err != nil && !errors.Is(s.err, context.Canceled) {
			e.opts.Logger.Warn("signatures not prepared", "model", key.model, "error", s.err)
		}
	})
	if started {
		s.pending = done
	}
	return started
}

// computed takes in what the questions came to. Without a mean vectors are signed as
// they are. The lock must be held.
func (s *signing) computed(key signerKey, mean []float32, err error) error {
	s.mute = errors.Is(err, ErrUnsupported) || err == nil && mean == nil
	switch {
	case s.mute:
		return s.use(key, nil, false)
	case err == nil && !s.settled:
		return s.use(key, mean, false)
	}
	return err
}

// prepareSignatures finds the mean for the model of a source now instead of at the
// first retrieval. A source that embeds nothing needs none.
func (e *Engine) prepareSignatures(ctx context.Context, src Source) error {
	emb, ok := src.(Embedder)
	if !ok {
		return nil
	}
	probe, err := emb.Embed(ctx, gate.BankQuestions()[0].Text)
	if errors.Is(err, ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	key := signerKey{src.Info().Model, len(probe)}
	if signer, err := e.signer(ctx, src, key); signer != nil || err != nil {
		return err
	}
	return e.signers.await(ctx, key)
}

// await returns once the mean of a model is no longer being computed.
func (s *signers) await(ctx context.Context, key signerKey) error {
	s.mu.Lock()
	known := s.byModel[key]
	if known == nil || known.pending == nil {
		s.mu.Unlock()
		return nil
	}
	done := known.pending
	s.mu.Unlock()
	select {
	case <-done:
		s.mu.Lock()
		defer s.mu.Unlock()
		return known.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// storedMean reads the mean that some engine chose; nil if none did.
func (e *Engine) storedMean(ctx context.Context, key signerKey) ([]float32, error) {
	b, ok, err := e.store.Blob(ctx, e.opts.Namespace, key.blob())
	if err != nil || !ok {
		return nil, err
	}
	if len(b.Data) != 4*key.dim {
		return nil, fmt.Errorf("core: mean of %q has %d bytes, not %d", key.model, len(b.Data), 4*key.dim)
	}
	mean := make([]float32, key.dim)
	for i := range mean {
		mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(b.Data[4*i:]))
	}
	return mean, nil
}

// keepMean stores a mean unless there is one by now, and returns the one that
// counts. Of engines that choose at the same moment the last one wins; the others
// find its mean when they look again.
func (e *Engine) keepMean(ctx context.Context, key signerKey, mean []float32) ([]float32, error) {
	if kept, err := e.storedMean(ctx, key); kept != nil || err != nil {
		return kept, err
	}
	data := make([]byte, 0, 4*len(mean))
	for _, x := range mean {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	b := store.Blob{Name: key.blob(), Fingerprint: key.model, Data: data, Updated: e.now()}
	return mean, e.store.PutBlob(ctx, e.opts.Namespace, b)
}

// meanOf returns the mean of the vectors of the right dimension, each scaled to
// length 1; nil if there are too few.
func meanOf(vectors [][]float32, dim int) []float32 {
	sum, n := make([]float64, dim), 0
	for _, v := range vectors {
		if len(v) != dim || checkVector(v) != nil {
			continue
		}
		var norm float64
		for _, x := range v {
			norm += float64(x) * float64(x)
		}
		norm = math.Sqrt(norm)
		for i, x := range v {
			sum[i] += float64(x) / norm
		}
		n++
	}
	if n < minMeanSample {
		return nil
	}
	mean := make([]float32, dim)
	for i, x := range sum {
		mean[i] = float32(x / float64(n))
	}
	return mean
}
