package core

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/repute-go/repute/core/gate"
	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

// Defaults and bounds of Options.
const (
	// DefaultReceiptTTL is how long a receipt takes signals.
	DefaultReceiptTTL = 30 * 24 * time.Hour
	// DefaultMaxReceipts bounds the receipts of a namespace.
	DefaultMaxReceipts = 200_000
	// DefaultMaxRejected bounds Response.Rejected.
	DefaultMaxRejected = 10
	// CarryShare is the share of its evidence that a document keeps when its
	// text changes.
	CarryShare = .25
)

// Options configures an Engine. The zero value works: state in memory, the
// posterior ranker, the evidence gate.
type Options struct {
	// Store keeps the state; nil means a new in-memory store, which is lost
	// with the process. The engine does not close a store it was given.
	Store store.Store
	// Namespace is the tenant. Reputation is shared by the users of a namespace
	// and holds no text of theirs.
	Namespace string
	// Ranker orders candidates; nil means
	// reputation.Posterior with its defaults.
	Ranker reputation.Ranker
	// Gate judges whether there is evidence; nil means gate.Evidence with its
	// defaults. gate.Off{} switches it off.
	Gate gate.Gate
	// Lifecycle holds the constants of the personal library; the zero value
	// means its defaults.
	Lifecycle lifecycle.Options
	// Library says what the personal library may add to a response.
	Library LibraryOptions
	// OnSuggestion is told of every new suggestion, after it was stored. It runs
	// in the background, one call at a time; its context ends with the engine or
	// after half a minute, and a call that ignores that is left behind. What it
	// misses is still pending: see Response.Suggestions and Library.Suggestions.
	// Nil means none.
	OnSuggestion func(ctx context.Context, s Suggestion)
	// Mode is On, Shadow or Off; 0 means On.
	Mode Mode
	// ReceiptTTL is how long a receipt takes signals; 0 means
	// DefaultReceiptTTL.
	ReceiptTTL time.Duration
	// MaxReceipts bounds the receipts of the namespace, the oldest go first; 0
	// means DefaultMaxReceipts.
	MaxReceipts int
	// IdentityKeys are the metadata keys tried in order for the id of a
	// candidate without one; nil means "id". Where none is present the id is a
	// hash of source and content.
	IdentityKeys []string
	// KeepQueries stores the text of queries with their receipts. Off by
	// default: receipts then hold no user text.
	KeepQueries bool
	// Clock tells the time; nil means time.Now. Times before 1970 are taken as
	// 1970.
	Clock func() time.Time
	// Rand makes receipt ids; nil means crypto/rand. Tests give a seeded source.
	// It is used under a lock.
	Rand rand.Source
	// Logger gets what went wrong in the background; nil means none.
	Logger *slog.Logger
}

func (o Options) validate() error {
	switch {
	case o.Mode > Off:
		return fmt.Errorf("%w: %v", ErrInvalidOptions, o.Mode)
	case o.ReceiptTTL < 0:
		return fmt.Errorf("%w: ReceiptTTL %v is negative", ErrInvalidOptions, o.ReceiptTTL)
	case o.MaxReceipts < 0:
		return fmt.Errorf("%w: MaxReceipts %d is negative", ErrInvalidOptions, o.MaxReceipts)
	}
	if err := o.Library.validate(); err != nil {
		return err
	}
	for _, v := range []any{o.Ranker, o.Gate, o.Lifecycle} {
		if c, ok := v.(interface{ Validate() error }); ok {
			if err := c.Validate(); err != nil {
				return fmt.Errorf("%w: %w", ErrInvalidOptions, err)
			}
		}
	}
	return nil
}

func (o Options) withDefaults() Options {
	if o.Store == nil {
		o.Store = store.NewMemory()
	}
	if o.Ranker == nil {
		o.Ranker = reputation.Posterior{}
	}
	if o.Gate == nil {
		o.Gate = gate.Evidence{}
	}
	o.Library = o.Library.withDefaults()
	if o.Mode == ModeDefault {
		o.Mode = On
	}
	if o.ReceiptTTL == 0 {
		o.ReceiptTTL = DefaultReceiptTTL
	}
	if o.MaxReceipts == 0 {
		o.MaxReceipts = DefaultMaxReceipts
	}
	if o.IdentityKeys == nil {
		o.IdentityKeys = []string{"id"}
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}
