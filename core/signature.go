package core

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
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
	// maxSigners bounds the models and dimensions that an engine signs queries of.
	maxSigners = 100
)

// errNotYet says that a mean is being looked for.
var errNotYet = errors.New("core: signatures are being prepared")

// signers make signatures of query vectors, one for each model and dimension. A
// signer's mean is chosen once and kept in the store: a mean that moved would make
// old signatures worthless.
type signers struct {
	mu      sync.Mutex
	byModel map[signerKey]*signing
}

func newSigners() *signers { return &signers{byModel: make(map[signerKey]*signing)} }

// of returns what is known of a model, nil if there are too many. The lock must be
// held.
func (s *signers) of(key signerKey) *signing {
	known := s.byModel[key]
	if known == nil && len(s.byModel) < maxSigners {
		known = &signing{}
		s.byModel[key] = known
	}
	return known
}

type signerKey struct {
	model string
	dim   int
}

// blob names the mean of a model in the store.
func (k signerKey) blob() string {
	return meanBlobs + digest("mean", k.model, strconv.Itoa(k.dim)).String()
}

// signing is what an engine knows about signatures of one model and dimension. The
// lock of the signers guards it; nobody holds that while asking a store or a source.
type signing struct {
	signer  *reputation.Signer // nil = queries go unsigned for now
	settled bool               // the mean is the one that the store keeps, for good
	able    bool               // a source that might give a mean has been asked
	asking  bool               // a retrieval is looking for the mean
	pending bool               // the mean is being computed in the background
	mute    bool               // the source turned out to embed nothing
	next    int64              // when to look again
}

// current returns the signer; a nil signing has none.
func (s *signing) current() *reputation.Signer {
	if s == nil {
		return nil
	}
	return s.signer
}

// due reports whether it is time to look for the mean.
func (s *signing) due(now int64, able bool) bool {
	if s.settled || s.asking {
		return false
	}
	return able && !s.able || now >= s.next || now < s.next-int64(refreshEvery)
}

// signature makes the signature of a query: of its vector where the source let
// it be seen and the mean is known, else of its words. Without either there is
// none, and outcomes count for the documents as a whole only.
func (e *Engine) signature(ctx context.Context, src Source, text string, hits Hits) (reputation.Signature, reputation.Space) {
	if len(hits.QueryVector) == 0 {
		return wordSignature(text)
	}
	signer, err := e.signer(ctx, src, signerKey{hits.Model, len(hits.QueryVector)})
	if err != nil {
		e.opts.Logger.Warn("mean of query vectors not found", "source", hits.Source, "error", err)
	}
	if signer == nil {
		return wordSignature(text)
	}
	sig, err := signer.Sign(hits.QueryVector)
	if err != nil {
		return reputation.Signature{}, 0
	}
	return sig, signer.Space()
}

// wordSignature is the signature of the words of a query, if it has any.
func wordSignature(text string) (reputation.Signature, reputation.Space) {
	sig, ok := reputation.SignText(text)
	if !ok {
		return reputation.Signature{}, 0
	}
	return sig, reputation.TextSpace
}

// signer returns the signer of a model, nil while there is none. It looks for the
// model's mean at the first use, and again after a while until it is settled.
func (e *Engine) signer(ctx context.Context, src Source, key signerKey) (*reputation.Signer, error) {
	able, now := canTellMean(src), e.now()
	e.signers.mu.Lock()
	s := e.signers.of(key)
	if s == nil || !s.due(now, able) {
		defer e.signers.mu.Unlock()
		return s.current(), nil
	}
	s.asking = true
	e.signers.mu.Unlock()

	mean, settled, err := e.findMean(ctx, src, key, s)
	e.signers.mu.Lock()
	defer e.signers.mu.Unlock()
	s.asking, s.able, s.next = false, s.able || able, now+int64(refreshEvery)
	switch {
	case err == errNotYet:
		return s.signer, nil
	case err != nil:
		return s.signer, err
	}
	return s.signer, s.use(key, mean, settled)
}

func canTellMean(src Source) bool {
	_, sampler := src.(Sampler)
	_, embedder := src.(Embedder)
	return sampler || embedder
}

// use makes the signer of a mean.
func (s *signing) use(key signerKey, mean []float32, settled bool) error {
	signer, err := reputation.NewSigner(key.model, key.dim, mean)
	if err == nil {
		s.signer, s.settled = signer, settled
	}
	return err
}

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
	if s.mute || s.pending {
		return s.pending
	}
	s.pending = e.start(func(ctx context.Context) {
		ctx, cancel := within(ctx, calibrationTimeout)
		defer cancel()
		vectors, err := embedAll(ctx, emb, bankTexts(gate.BankQuestions()))
		mean := meanOf(vectors, key.dim)
		if err == nil && mean != nil {
			mean, err = e.keepMean(ctx, key, mean)
		}
		e.signers.mu.Lock()
		defer e.signers.mu.Unlock()
		s.pending, s.mute = false, errors.Is(err, ErrUnsupported)
		switch {
		case s.mute || err == nil && mean == nil:
			s.mute = true
			err = s.use(key, nil, false)
		case err == nil && !s.settled:
			err = s.use(key, mean, false)
		}
		if err != nil && !errors.Is(err, context.Canceled) {
			e.opts.Logger.Warn("signatures not prepared", "model", key.model, "error", err)
		}
	})
	return s.pending
}

// prepareSignatures finds the mean for the model of a source now instead of at the
// first retrieval. A source that embeds nothing needs none.
func (e *Engine) prepareSignatures(ctx context.Context, src Source) error {
	emb, ok := src.(Embedder)
	if !ok {
		return nil
	}
	questions := bankTexts(gate.BankQuestions())
	probe, err := emb.Embed(ctx, questions[0])
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
	vectors, err := embedAll(ctx, emb, questions)
	if err != nil {
		return err
	}
	mean := meanOf(vectors, key.dim)
	if mean != nil {
		if mean, err = e.keepMean(ctx, key, mean); err != nil {
			return err
		}
	}
	e.signers.mu.Lock()
	defer e.signers.mu.Unlock()
	if s := e.signers.of(key); s != nil && s.signer == nil {
		return s.use(key, mean, mean != nil)
	}
	return nil
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
