package lifecycle

import "errors"

var (
	// ErrOptions is returned by [Options.Validate] for settings that contradict
	// themselves or lie outside their range.
	ErrOptions = errors.New("lifecycle: invalid options")

	// ErrEvent is returned by [Apply] for an event that cannot come from outside
	// (decay, expiry), has an unknown kind, or carries numbers that are not finite
	// or out of range.
	ErrEvent = errors.New("lifecycle: invalid event")

	// ErrNoTime is returned by [Apply] when now is the zero time.
	ErrNoTime = errors.New("lifecycle: the time is missing")

	// ErrNoContent is returned when a document is accepted or pinned without a
	// text and the record holds none: an empty claim would only hide the document.
	ErrNoContent = errors.New("lifecycle: nothing to keep, the text is empty")

	// ErrInvalidText is returned for a claim whose text is not valid UTF-8.
	ErrInvalidText = errors.New("lifecycle: the text is not valid UTF-8")

	// ErrTooLarge is returned for a claim or a record beyond its stated bound.
	ErrTooLarge = errors.New("lifecycle: too large")

	// ErrClaimed is returned when a document is declined that is already in the
	// library; [Remove] takes it out.
	ErrClaimed = errors.New("lifecycle: the document is in the library")

	// ErrNotClaimed is returned when a document is removed that is not in the
	// library.
	ErrNotClaimed = errors.New("lifecycle: the document is not in the library")

	// ErrUnknownSuggestion is returned for an answer to a suggestion that was
	// never made.
	ErrUnknownSuggestion = errors.New("lifecycle: unknown suggestion")

	// ErrFull is for engines to return when a user's rows are all kept by the
	// user (see [Record.Kept]) and reach [Options.MaxRecords].
	ErrFull = errors.New("lifecycle: the library is full")

	// ErrUnknownName is returned by the parsers of states, causes, choices and
	// origins.
	ErrUnknownName = errors.New("lifecycle: unknown name")

	// ErrVersion is returned for bytes that a newer version of this package wrote.
	ErrVersion = errors.New("lifecycle: record written by a newer version")

	// ErrCorrupt is returned for bytes that are not a record, and for a record
	// whose values no record can have.
	ErrCorrupt = errors.New("lifecycle: corrupt record")
)
