package main

var aliases = []problem{
	{"branches", "alias", "The second list overwrites the first list after append: both end with the same value.", `package p

func Branches(base []int, x, y int) (a, b []int) {
	a = append(base, x)
	b = append(base, y)
	return a, b
}
`, `package p

import "testing"

func TestBranches(t *testing.T) {
	a, b := Branches(append(make([]int, 0, 8), 1, 2), 3, 4)
	if len(a) != 3 || a[2] != 3 || b[2] != 4 {
		t.Fatalf("got %v and %v", a, b)
	}
}
`},
	{"paths", "alias", "All paths end with the same last node, appending to the base list changes an earlier list.", `package p

func Paths(base []string, next ...string) [][]string {
	var out [][]string
	for _, n := range next {
		out = append(out, append(base, n))
	}
	return out
}
`, `package p

import "testing"

func TestPaths(t *testing.T) {
	got := Paths(append(make([]string, 0, 4), "root"), "a", "b")
	if got[0][1] != "a" || got[1][1] != "b" || got[0][0] != "root" {
		t.Fatalf("got %v", got)
	}
}
`},
	{"options", "alias", "Extending shared options for one user changes the options of another user after append.", `package p

func With(base []string, option string) []string { return append(base, option) }
`, `package p

import "testing"

func TestWith(t *testing.T) {
	shared := append(make([]string, 0, 8), "v")
	a := With(shared, "x")
	With(shared, "y")
	if len(a) != 2 || a[0] != "v" || a[1] != "x" {
		t.Fatalf("got %v", a)
	}
}
`},
}

var units = []problem{
	{"timeout", "unit", "The timeout in seconds is far too short, the wait ends at once.", `package p

import "time"

func Timeout(n int) time.Duration { return time.Duration(n) }
`, `package p

import (
	"testing"
	"time"
)

func TestTimeout(t *testing.T) {
	if got := Timeout(3); got != 3*time.Second {
		t.Fatalf("got %v, want 3s", got)
	}
}
`},
	{"deadline", "unit", "A deadline some seconds ahead is over at once, the duration is too short.", `package p

import "time"

func Deadline(from time.Time, n int) time.Time { return from.Add(time.Duration(n)) }
`, `package p

import (
	"testing"
	"time"
)

func TestDeadline(t *testing.T) {
	from := time.Unix(100, 0)
	if got := Deadline(from, 60); !got.Equal(time.Unix(160, 0)) {
		t.Fatalf("got %v", got)
	}
}
`},
	{"backoff", "unit", "The delay between tries prints as 4ns instead of seconds, it is far too short.", `package p

import "time"

func Backoff(try int) time.Duration {
	n := 1 << try
	return time.Duration(n)
}
`, `package p

import (
	"testing"
	"time"
)

func TestBackoff(t *testing.T) {
	if got := Backoff(2); got != 4*time.Second {
		t.Fatalf("got %v, want 4s", got)
	}
}
`},
}

var waits = []problem{
	{"workers", "wait", "The total of the goroutines is zero or too small when the function returns.", `package p

import (
	"sync"
	"sync/atomic"
	"time"
)

func Total(xs []int64) int64 {
	var total atomic.Int64
	var wg sync.WaitGroup
	for _, x := range xs {
		wg.Go(func() {
			time.Sleep(5 * time.Millisecond)
			total.Add(x)
		})
	}
	return total.Load()
}
`, `package p

import "testing"

func TestTotal(t *testing.T) {
	if got := Total([]int64{1, 2, 3}); got != 6 {
		t.Fatalf("got %d, want 6", got)
	}
}
`},
	{"downloads", "wait", "The sum of the sizes is incomplete, goroutines still run when the total is returned.", `package p

import (
	"sync"
	"sync/atomic"
	"time"
)

func Sizes(files map[string]int64) int64 {
	total, wg := new(atomic.Int64), new(sync.WaitGroup)
	for range files {
		wg.Add(1)
	}
	for _, size := range files {
		go func() {
			defer wg.Done()
			time.Sleep(5 * time.Millisecond)
			total.Add(size)
		}()
	}
	return total.Load()
}
`, `package p

import "testing"

func TestSizes(t *testing.T) {
	if got := Sizes(map[string]int64{"a": 10, "b": 20}); got != 30 {
		t.Fatalf("got %d, want 30", got)
	}
}
`},
	{"visits", "wait", "Workers count visits, but the total that is returned is too small, often zero.", `package p

import (
	"sync"
	"sync/atomic"
	"time"
)

func Visits(workers int) int64 {
	var (
		total atomic.Int64
		wg    sync.WaitGroup
	)
	for range workers {
		wg.Go(func() { time.Sleep(5 * time.Millisecond); total.Add(1) })
	}
	return total.Load()
}
`, `package p

import "testing"

func TestVisits(t *testing.T) {
	if got := Visits(4); got != 4 {
		t.Fatalf("got %d, want 4", got)
	}
}
`},
}

var shadows = []problem{
	{"parse", "shadow", "The function should return an error for a bad number, but the error is nil.", `package p

import "strconv"

func Sum(words []string) (int, error) {
	var err error
	sum := 0
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			break
		}
		sum += n
	}
	return sum, err
}
`, `package p

import "testing"

func TestSum(t *testing.T) {
	if _, err := Sum([]string{"1", "x"}); err == nil {
		t.Fatal("no error")
	}
	if got, err := Sum([]string{"1", "2"}); got != 3 || err != nil {
		t.Fatalf("got %d, %v", got, err)
	}
}
`},
	{"limits", "shadow", "No error is returned although parsing a number of the limits failed, err is nil at the end.", `package p

import (
	"strconv"
	"strings"
)

func Largest(list string) (int, error) {
	var err error
	best := 0
	for _, w := range strings.Split(list, ",") {
		n, err := strconv.Atoi(w)
		if err != nil {
			break
		}
		best = max(best, n)
	}
	return best, err
}
`, `package p

import "testing"

func TestLargest(t *testing.T) {
	if _, err := Largest("4,many"); err == nil {
		t.Fatal("no error")
	}
}
`},
	{"ports", "shadow", "A bad port number should be an error, the function returns nil for the error.", `package p

import "strconv"

func Ports(words ...string) (ports []int, failure error) {
	var err error
	for _, w := range words {
		n, err := strconv.Atoi(w)
		if err != nil {
			break
		}
		ports = append(ports, n)
	}
	return ports, err
}
`, `package p

import "testing"

func TestPorts(t *testing.T) {
	if _, err := Ports("80", "http"); err == nil {
		t.Fatal("no error")
	}
	if got, err := Ports("80"); len(got) != 1 || err != nil {
		t.Fatalf("got %v, %v", got, err)
	}
}
`},
}
