// Package shop sells things. It is small.
//
// See [Shop.Sell] for how.
package shop

import "errors"

// A Shop sells things.
type Shop struct {
	// Name is painted over the door.
	Name string
	// Owner is who runs it.
	//
	// Deprecated: Use Keeper.
	Owner, Landlord string
	Keeper          string
	secret          int
}

// Sell sells one thing
// to a customer.
//
// Deprecated: Use [Shop.Offer],
// which may be refused.
func (s *Shop) Sell(thing string, price int) (err error) { return nil }

// Offer offers one thing. It is not Deprecated: the word alone says nothing.
func (s *Shop) Offer(thing string) error { return nil }

func (s *Shop) Undocumented() {}

// Stall is a shop without walls.
//
// Deprecated: Build a [Shop].
type Stall struct{}

// Fold packs the stall up.
func (Stall) Fold() {}

// Seller is anything that sells.
type Seller[T any] interface {
	// Price says what a thing costs.
	Price(thing T) int
	Thing() T
}

// base is shared.
type base struct{}

// Ring rings the bell.
func (base) Ring() {}

// Kiosk is a small shop.
type Kiosk struct{ base }

// Errors of a shop.
var (
	// ErrClosed means that nobody is in.
	ErrClosed  = errors.New("closed")
	ErrSoldOut = errors.New("sold out") // nothing left
)

// Days of the week.
const (
	Monday = iota // first
	Tuesday
	// Sunday is the day of rest.
	Sunday
)

// Size constants.
//
// Deprecated: Measure yourself.
const (
	Small = 1
	Large = 2
)

// New opens a shop.
func New[T ~string](name T) *Shop { return nil }

func hidden() {}
