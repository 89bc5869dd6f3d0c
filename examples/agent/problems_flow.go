package main

var aliases = []problem{
	{"branches", "alias", [...]string{
		"Branches: got [1 2 4] and [1 2 4], want [1 2 3] first. Appending to a slice twice overwrites what was appended before.",
		"The second list that is made of the same base changes the first one.",
	}, `package p

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
	{"paths", "alias", [...]string{
		"Paths: all paths end with b, want a first. Appending to a slice twice overwrites what was appended before.",
		"Every list that is made of the same base ends with the last node, the first list is changed.",
	}, `package p

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
	{"options", "alias", [...]string{
		"With: got [v y], want [v x]. Appending to a slice twice overwrites what was appended before.",
		"Options of one user show up in the list of another that is made of the same base.",
	}, `package p

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
	{"timeout", "unit", [...]string{
		"Timeout of 3: got 3ns, want 3s. The duration is far too short.",
		"The timeout is given in seconds, yet the wait is over at once.",
	}, `package p

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
	{"deadline", "unit", [...]string{
		"Deadline in 60: got 60ns later, want 1m0s later. The duration is far too short.",
		"The deadline is some seconds ahead, yet it is over at once.",
	}, `package p

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
	{"backoff", "unit", [...]string{
		"Backoff of 2: got 4ns, want 4s. The duration is far too short.",
		"The delay between two tries should be seconds, yet it is over at once.",
	}, `package p

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
	{"workers", "wait", [...]string{
		"Total: got 0, want 6. The goroutines are still running when the sum is returned.",
		"The total of what the workers add up in parallel is too small, mostly zero.",
	}, `package p

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

import (
	"testing"
	"testing/synctest"
)

func TestTotal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes only while everybody waits
		if got := Total([]int64{1, 2, 3}); got != 6 {
			t.Fatalf("got %d, want 6", got)
		}
	})
}
`},
	{"downloads", "wait", [...]string{
		"Sizes: got 0, want 30. The goroutines are still running when the sum is returned.",
		"The total size of the files that are loaded in parallel is too small, mostly zero.",
	}, `package p

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

import (
	"testing"
	"testing/synctest"
)

func TestSizes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes only while everybody waits
		if got := Sizes(map[string]int64{"a": 10, "b": 20}); got != 30 {
			t.Fatalf("got %d, want 30", got)
		}
	})
}
`},
	{"visits", "wait", [...]string{
		"Visits: got 0, want 4. The goroutines are still running when the sum is returned.",
		"The total of visits that workers count in parallel is too small, mostly zero.",
	}, `package p

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

import (
	"testing"
	"testing/synctest"
)

func TestVisits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // time passes only while everybody waits
		if got := Visits(4); got != 4 {
			t.Fatalf("got %d, want 4", got)
		}
	})
}
`},
}

var shadows = []problem{
	{"parse", "shadow", [...]string{
		"Sum of 1 and x: got no error, want one. The error of parsing a number is lost.",
		"A word that is no number stops the loop, but err is nil at the end.",
	}, `package p

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
	{"limits", "shadow", [...]string{
		"Largest of 4,many: got no error, want one. The error of parsing a number is lost.",
		"A limit that is no number ends the loop, yet nil is returned for err.",
	}, `package p

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
	{"ports", "shadow", [...]string{
		"Ports of 80 and http: got no error, want one. The error of parsing a number is lost.",
		"A port that is no number stops the loop, but the err that is returned is nil.",
	}, `package p

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
