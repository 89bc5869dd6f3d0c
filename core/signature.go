package core

import (
	"context"
	"errors"
	"strconv"
	"sync"

	"github.com/repute-go/repute/core/reputation"
)

// maxSigners bounds the models and dimensions that an engine signs queries of.
const maxSigners = 100

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
	signer  *reputation.Signer // nil = queries are signed by their words for now
	settled bool               // the mean is the one that the store keeps, for good
	able    bool               // a source that might give a mean has been asked
	asking  bool               // a retrieval is looking for the mean
	pending chan struct{}      // closed once the mean was computed in the background; nil = it is not being
	err     error              // of computing it last
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
