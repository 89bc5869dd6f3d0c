package judge_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/repute-go/repute/judge"
)

var apples = judge.Case{Question: "what grows here", Answer: "apples", Documents: docs("apples grow here", "pears do not")}

// says is a judge that always gives v.
func says(v judge.Verdict) judge.Judge {
	return judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { return v, nil })
}

// fails is a judge that always gives err.
func fails(err error) judge.Judge {
	return judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { return judge.Verdict{}, err })
}

func TestVerdictValidate(t *testing.T) {
	good := judge.Verdict{Score: 1, Rater: "judge:x", Support: map[string]float64{"d0": 0, "d1": 1}, Sufficiency: new(0.5)}
	if err := good.Validate(apples); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(*judge.Verdict){
		"score NaN":           func(v *judge.Verdict) { v.Score = math.NaN() },
		"score infinite":      func(v *judge.Verdict) { v.Score = math.Inf(1) },
		"score 7":             func(v *judge.Verdict) { v.Score = 7 },
		"score negative":      func(v *judge.Verdict) { v.Score = -.1 },
		"support NaN":         func(v *judge.Verdict) { v.Support["d0"] = math.NaN() },
		"support 2":           func(v *judge.Verdict) { v.Support["d0"] = 2 },
		"support for nobody":  func(v *judge.Verdict) { v.Support["elsewhere"] = 1 },
		"sufficiency NaN":     func(v *judge.Verdict) { v.Sufficiency = new(math.NaN()) },
		"sufficiency -1":      func(v *judge.Verdict) { v.Sufficiency = new(-1.0) },
		"no rater":            func(v *judge.Verdict) { v.Rater = "" },
		"rater without class": func(v *judge.Verdict) { v.Rater = ":x" },
		"rater without id":    func(v *judge.Verdict) { v.Rater = "judge:" },
		"rater with a space":  func(v *judge.Verdict) { v.Rater = "judge:x y" },
		"rater too long":      func(v *judge.Verdict) { v.Rater = "judge:" + strings.Repeat("x", 200) },
		"a verifier":          func(v *judge.Verdict) { v.Rater = "verifier:x" },
	} {
		v := good.Clone()
		spoil(&v)
		if err := v.Validate(apples); !errors.Is(err, judge.ErrNoVerdict) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	v := judge.Verdict{Support: map[string]float64{"a": 1}, Sufficiency: new(1.0)}
	c := v.Clone()
	c.Support["a"], *c.Sufficiency = 0, 0
	if v.Support["a"] != 1 || *v.Sufficiency != 1 {
		t.Fatalf("the original changed: %+v", v)
	}
	if z := (judge.Verdict{}).Clone(); z.Support != nil || z.Sufficiency != nil {
		t.Fatalf("clone of the zero verdict: %+v", z)
	}
}

func TestFallbackMarksWhoSpoke(t *testing.T) {
	model := says(judge.Verdict{Score: .9, Rater: "judge:model"})
	v, err := judge.Fallback(model, judge.Overlap{}).Judge(context.Background(), apples)
	if err != nil || v.Fallback || v.Rater != "judge:model" {
		t.Fatalf("primary spoke: %+v, %v", v, err)
	}
	silent := map[string]judge.Judge{
		"unavailable":       fails(judge.ErrUnavailable),
		"no verdict":        fails(judge.ErrNoVerdict),
		"any other error":   fails(errors.New("boom")),
		"verdict of 7":      says(judge.Verdict{Score: 7, Rater: "judge:model"}),
		"verdict of nobody": says(judge.Verdict{Score: 1}),
		"panic":             judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) { panic("boom") }),
		"nil":               nil,
	}
	for name, primary := range silent {
		v, err := judge.Fallback(primary, judge.Overlap{}).Judge(context.Background(), apples)
		if err != nil || !v.Fallback || v.Rater != judge.OverlapRater || v.Reason == "" {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func TestFallbackOfTwoSilentJudges(t *testing.T) {
	_, err := judge.Fallback(fails(judge.ErrUnavailable), fails(judge.ErrNoVerdict)).Judge(context.Background(), apples)
	if !errors.Is(err, judge.ErrUnavailable) || !errors.Is(err, judge.ErrNoVerdict) {
		t.Fatalf("error %v", err)
	}
	if _, err = judge.Fallback(fails(judge.ErrNoVerdict), nil).Judge(context.Background(), apples); !errors.Is(err, judge.ErrNoVerdict) {
		t.Fatalf("without a secondary: %v", err)
	}
}

func TestFallbackDoesNotAskInVain(t *testing.T) {
	never := judge.Func(func(context.Context, judge.Case) (judge.Verdict, error) {
		t.Error("asked")
		return judge.Verdict{}, judge.ErrNoVerdict
	})
	if _, err := judge.Fallback(never, never).Judge(context.Background(), judge.Case{}); !errors.Is(err, judge.ErrInvalidCase) {
		t.Errorf("invalid case: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancelled := judge.Func(func(ctx context.Context, _ judge.Case) (judge.Verdict, error) {
		cancel()
		return judge.Verdict{}, ctx.Err()
	})
	if _, err := judge.Fallback(cancelled, never).Judge(ctx, apples); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestFallbackLeavesTimeForTheSecond(t *testing.T) {
	hangs := judge.Func(func(ctx context.Context, _ judge.Case) (judge.Verdict, error) {
		<-ctx.Done()
		return judge.Verdict{}, ctx.Err()
	})
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	v, err := judge.Fallback(hangs, judge.Overlap{}).Judge(ctx, apples)
	if err != nil || !v.Fallback {
		t.Fatalf("%+v, %v", v, err)
	}
}
