package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/reputation"
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

// errNotYet says that a mean is being computed in the background.
var errNotYet = errors.New("core: signatures are being prepared")

// signers makes signatures of query vectors, one signer for each model and
// dimension. A signer's mean is chosen once and kept in the store: a mean that
// moved would make old signatures worthless.
type signers struct {
	mu      sync.Mutex
	byModel map[signerKey]*reputation.Signer
	pending map[signerKey]bool
	without map[signerKey]bool // the source turned out to embed nothing
}

func newSigners() *signers {
	return &signers{
		byModel: make(map[signerKey]*reputation.Signer),
		pending: make(map[signerKey]bool),
		without: make(map[signerKey]bool),
	}
}

type signerKey struct {
	model string
	dim   int
}

// blob names the mean of a model in the store.
func (k signerKey) blob() string {
	return meanBlobs + digest("mean", k.model, fmt.Sprint(k.dim)).String()
}

// signature makes the signature of a query: of its vector where the source let
// it be seen, else of its words. Without either there is none, and outcomes
// count for the documents as a whole only.
func (e *Engine) signature(ctx context.Context, src Source, text string, hits Hits) (reputation.Signature, reputation.Space) {
	if len(hits.QueryVector) == 0 {
		if sig, ok := reputation.SignText(text); ok {
			return sig, reputation.TextSpace
		}
		return reputation.Signature{}, 0
	}
	signer, err := e.signer(ctx, src, signerKey{hits.Model, len(hits.QueryVector)})
	if err != nil {
		if !errors.Is(err, errNotYet) {
			e.opts.Logger.Warn("query not signed", "source", hits.Source, "error", err)
		}
		return reputation.Signature{}, 0
	}
	sig, err := signer.Sign(hits.QueryVector)
	if err != nil {
		return reputation.Signature{}, 0
	}
	return sig, signer.Space()
}

// signer returns the signer of a model, made at its first use.
func (e *Engine) signer(ctx context.Context, src Source, key signerKey) (*reputation.Signer, error) {
	e.signers.mu.Lock()
	defer e.signers.mu.Unlock()
	if s := e.signers.byModel[key]; s != nil {
		return s, nil
	}
	mean, err := e.storedMean(ctx, key)
	if err == nil && mean == nil {
		mean, err = e.chooseMean(ctx, src, key)
	}
	if err != nil {
		return nil, err
	}
	s, err := reputation.NewSigner(key.model, key.dim, mean)
	if err == nil && mean != nil {
		e.signers.byModel[key] = s
	}
	return s, err
}

// chooseMean finds the mean for a model that has none yet: of a sample of the
// source's chunks, else, in the background, of generic questions. It is nil where
// the source can give neither; then vectors are signed as they are.
func (e *Engine) chooseMean(ctx context.Context, src Source, key signerKey) ([]float32, error) {
	if s, ok := src.(Sampler); ok {
		chunks, err := s.Sample(ctx, meanSample, 1)
		if err != nil {
			return nil, err
		}
		vectors := make([][]float32, len(chunks))
		for i, c := range chunks {
			vectors[i] = c.Vector
		}
		if mean := meanOf(vectors, key.dim); mean != nil {
			return e.keepMean(ctx, key, mean)
		}
	}
	if emb, ok := src.(Embedder); ok && !e.signers.without[key] {
		e.meanOfQuestions(emb, key)
		return nil, errNotYet
	}
	return nil, nil
}

// meanOfQuestions computes a mean in the background, one at a time for a model.
func (e *Engine) meanOfQuestions(emb Embedder, key signerKey) {
	if e.signers.pending[key] {
		return
	}
	e.signers.pending[key] = true
	e.start(func(ctx context.Context) {
		var vectors [][]float32
		var err error
		for _, q := range gate.BankQuestions() {
			var v []float32
			if v, err = emb.Embed(ctx, q.Text); err != nil {
				break
			}
			vectors = append(vectors, v)
		}
		mean := meanOf(vectors, key.dim)
		if err == nil && mean != nil {
			_, err = e.keepMean(ctx, key, mean)
		}
		if err != nil && !errors.Is(err, ErrUnsupported) {
			e.opts.Logger.Warn("signatures not prepared", "model", key.model, "error", err)
		}
		e.signers.mu.Lock()
		defer e.signers.mu.Unlock()
		e.signers.without[key] = errors.Is(err, ErrUnsupported)
		delete(e.signers.pending, key)
	})
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

// keepMean stores a mean and returns the one that counts: engines that choose at
// the same moment all end up with the last one written.
func (e *Engine) keepMean(ctx context.Context, key signerKey, mean []float32) ([]float32, error) {
	data := make([]byte, 0, 4*len(mean))
	for _, x := range mean {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	b := store.Blob{Name: key.blob(), Fingerprint: key.model, Data: data, Updated: e.now()}
	if err := e.store.PutBlob(ctx, e.opts.Namespace, b); err != nil {
		return nil, err
	}
	return e.storedMean(ctx, key)
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
