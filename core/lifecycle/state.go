package lifecycle

import (
	"fmt"
	"slices"
	"strings"
)

// State is a document's standing with one user. The zero value is Global. Its
// text form is upper case ("CLAIMED").
type State uint8

const (
	Global    State = iota // known to the retriever only; no evidence from this user
	Surfaced               // shown to this user before
	Suggested              // offered for the library, waiting for an answer
	Claimed                // in the library, served when it fits the question
	Pinned                 // in the library, always served first
	Demoted                // lost its place; comes back on new evidence after a cool-down
)

var stateNames = []string{"GLOBAL", "SURFACED", "SUGGESTED", "CLAIMED", "PINNED", "DEMOTED"}

// InLibrary reports whether a document in this state belongs to the library.
func (s State) InLibrary() bool { return s == Claimed || s == Pinned }

// next lists the moves between states that evidence, time and users can make.
var next = [...][]State{
	Global:    {Surfaced, Claimed, Demoted},
	Surfaced:  {Global, Suggested, Claimed, Demoted},
	Suggested: {Surfaced, Claimed, Demoted},
	Claimed:   {Surfaced, Pinned, Demoted},
	Pinned:    {Surfaced, Claimed, Demoted},
	Demoted:   {Global, Surfaced, Claimed},
}

// CanBecome reports whether a learned state can turn into another in one move.
// Every state can be reached from every other.
func (s State) CanBecome(to State) bool {
	return int(s) < len(next) && slices.Contains(next[s], to)
}

// String returns the upper-case name, or "STATE(n)" for a value that is none.
func (s State) String() string { return nameOf(stateNames, uint8(s), "STATE") }

// MarshalText implements [encoding.TextMarshaler].
func (s State) MarshalText() ([]byte, error) { return marshalName(stateNames, uint8(s)) }

// UnmarshalText implements [encoding.TextUnmarshaler]; see [ParseState].
func (s *State) UnmarshalText(b []byte) error { return unmarshalName(stateNames, b, (*uint8)(s)) }

// ParseState reads a state's name in any case. Errors match [ErrUnknownName].
func ParseState(name string) (State, error) {
	var s State
	err := s.UnmarshalText([]byte(name))
	return s, err
}

// Cause says why a record changed. The first group are kinds of [Event]; the
// second group follow from evidence or time and are found in a [Move] only.
type Cause uint8

const (
	unknownCause   Cause = iota
	Fetched              // the retriever found it and it was shown
	Served               // it was shown from the library
	Missed               // it was a plausible candidate of a query and was not shown
	Outcome              // an outcome changed the posterior all users share
	Up                   // the user's thumb up
	Down                 // the user's thumb down
	Accept               // the user takes it into the library
	Decline              // the user does not want it suggested
	Remove               // the user takes it out of the library
	Pin                  // the user wants it always
	Unpin                // the user takes back a pin
	Block                // the user wants it never
	Unblock              // the user takes back a block
	ContentChanged       // the source's text differs from the claimed text
	SourceGone           // the source no longer has the document
	Forbidden            // the user may no longer read the document

	Decay        // the score fell under a threshold and stayed there
	Held         // the score stayed over the pin threshold
	CoolDownOver // new evidence after the cool-down
	BadPosterior // outcomes, or the user's own thumbs, speak against it
	Expiry       // a suggestion was not answered in time
)

var causeNames = []string{"unknown", "fetched", "served", "missed", "outcome", "up", "down", "accept",
	"decline", "remove", "pin", "unpin", "block", "unblock", "content changed", "source gone", "forbidden",
	"decay", "held", "cool-down over", "bad posterior", "expiry"}

// String returns the cause in lower-case words, for example "source gone".
func (c Cause) String() string { return nameOf(causeNames, uint8(c), "CAUSE") }

// MarshalText implements [encoding.TextMarshaler].
func (c Cause) MarshalText() ([]byte, error) { return marshalName(causeNames, uint8(c)) }

// UnmarshalText implements [encoding.TextUnmarshaler], in any case. Errors match
// [ErrUnknownName].
func (c *Cause) UnmarshalText(b []byte) error { return unmarshalName(causeNames, b, (*uint8)(c)) }

// external reports whether the cause can be the kind of an Event.
func (c Cause) external() bool { return c >= Fetched && c <= Forbidden }

func (c Cause) thumb() bool { return c == Up || c == Down }

// Choice is the user's own standing order about a document.
type Choice uint8

const (
	NoChoice      Choice = iota // evidence decides
	PinnedByUser                // always in the library, exempt from decay
	BlockedByUser               // never shown, never suggested
)

var choiceNames = []string{"none", "pinned", "blocked"}

// String returns "none", "pinned" or "blocked".
func (c Choice) String() string { return nameOf(choiceNames, uint8(c), "CHOICE") }

// MarshalText implements [encoding.TextMarshaler].
func (c Choice) MarshalText() ([]byte, error) { return marshalName(choiceNames, uint8(c)) }

// UnmarshalText implements [encoding.TextUnmarshaler], in any case. Errors match
// [ErrUnknownName].
func (c *Choice) UnmarshalText(b []byte) error { return unmarshalName(choiceNames, b, (*uint8)(c)) }

// Origin says where a claimed text came from, so that a text the caller made up
// is never mistaken for the source's own.
type Origin uint8

const (
	NoOrigin   Origin = iota // not said; a claim takes it for FromCaller
	FromCaller               // supplied with the accept; its relation to the source is unknown
	FromLoader               // the whole document, as the source's loader returned it
	FromChunks               // the chunks named in Claim.Chunks, as the retriever returned them
)

var originNames = []string{"none", "caller", "loader", "chunks"}

// String returns "none", "caller", "loader" or "chunks".
func (o Origin) String() string { return nameOf(originNames, uint8(o), "ORIGIN") }

// MarshalText implements [encoding.TextMarshaler].
func (o Origin) MarshalText() ([]byte, error) { return marshalName(originNames, uint8(o)) }

// UnmarshalText implements [encoding.TextUnmarshaler], in any case. Errors match
// [ErrUnknownName].
func (o *Origin) UnmarshalText(b []byte) error { return unmarshalName(originNames, b, (*uint8)(o)) }

func nameOf(names []string, i uint8, kind string) string {
	if int(i) < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

func marshalName(names []string, i uint8) ([]byte, error) {
	if int(i) >= len(names) {
		return nil, fmt.Errorf("%w: value %d", ErrUnknownName, i)
	}
	return []byte(names[i]), nil
}

func unmarshalName(names []string, b []byte, to *uint8) error {
	for i, name := range names {
		if strings.EqualFold(name, string(b)) {
			*to = uint8(i)
			return nil
		}
	}
	return fmt.Errorf("%w: %.40q", ErrUnknownName, b)
}
