package judge

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// primaryShare is the part of the remaining time the first judge of a Fallback may use when ctx has a deadline; the rest is
// kept for the second, so that a first judge that hangs does not silence both.
const primaryShare = 0.9

// Fallback returns a Judge that asks primary and, where that fails or has no usable verdict, secondary. A verdict of the
// secondary has Fallback set and keeps its own rater, so that the two are never mixed up in what is learned; its Reason
// says what kind of failure silenced the primary.
//
// When ctx has a deadline the primary gets nine tenths of the time left. The secondary is not asked when ctx has ended or
// the case is invalid. If both are silent the error wraps both errors. A judge that panics counts as one that failed. A
// nil primary is one that is never there; a nil secondary one that is never asked.
func Fallback(primary, secondary Judge) Judge {
	return fallback{primary: primary, secondary: secondary}
}

type fallback struct{ primary, secondary Judge }

func (f fallback) Judge(ctx context.Context, c Case) (Verdict, error) {
	if err := c.Validate(); err != nil {
		return Verdict{}, err
	}
	v, first := f.askPrimary(ctx, c)
	if first == nil {
		return v, nil
	}
	if err := ctx.Err(); err != nil {
		return Verdict{}, errors.Join(first, err)
	}
	if f.secondary == nil || errors.Is(first, ErrInvalidCase) {
		return Verdict{}, first
	}
	v, second := ask(ctx, f.secondary, c)
	if second != nil {
		return Verdict{}, errors.Join(first, second)
	}
	return standIn(v, first), nil
}

func (f fallback) askPrimary(ctx context.Context, c Case) (Verdict, error) {
	deadline, ok := ctx.Deadline()
	if !ok || f.secondary == nil {
		return ask(ctx, f.primary, c)
	}
	left := time.Duration(float64(time.Until(deadline)) * primaryShare)
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	return ask(ctx, f.primary, c)
}

// standIn marks v as the verdict of a judge that spoke because the one asked first failed with cause.
func standIn(v Verdict, cause error) Verdict {
	v.Fallback = true
	why := brief(cause)
	if v.Reason == "" {
		v.Reason = "in place of a silent judge (" + why + ")"
	} else {
		v.Reason += "; in place of a silent judge (" + why + ")"
	}
	return v
}

// ask asks j, keeps a panic of j from its caller and a verdict that is out of range from everybody.
func ask(ctx context.Context, j Judge, c Case) (v Verdict, err error) {
	if j == nil {
		return Verdict{}, fmt.Errorf("%w: there is none", ErrUnavailable)
	}
	defer func() {
		if r := recover(); r != nil {
			v, err = Verdict{}, fmt.Errorf("%w: %w: %s", ErrUnavailable, errPanicked, shorten(fmt.Sprint(r), 200))
		}
	}()
	if v, err = j.Judge(ctx, c); err != nil {
		return Verdict{}, err
	}
	if err = v.Validate(c); err != nil {
		return Verdict{}, err
	}
	return v, nil
}
