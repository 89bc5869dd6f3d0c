package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/repute-go/repute/core/store"
	"github.com/repute-go/repute/core/store/sqlite"
)

// childEnv holds "what path" for a process that a test has started.
const childEnv = "REPUTE_SQLITE_CHILD"

func TestMain(m *testing.M) {
	if task := os.Getenv(childEnv); task != "" {
		what, path, _ := strings.Cut(task, " ")
		if err := children[what](path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are what started processes do.
var children = map[string]func(path string) error{"update": updateShared, "feedback": feedForever}

// child starts this test binary as another process.
func child(t *testing.T, what, path string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+what+" "+path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	return cmd, out
}

const (
	sharedWorkers = 4
	sharedUpdates = 25
)

// updateShared makes updates of one receipt and retrievals of one user from
// several goroutines.
func updateShared(path string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	errs := make(chan error, sharedWorkers)
	for w := range sharedWorkers {
		go func() {
			var err error
			for i := 0; i < sharedUpdates && err == nil; i++ {
				if err = s.Update(ctx, store.UpdateRequest{Receipt: retrieval("shared", 1).Receipt.ID}, count); err == nil {
					err = s.Record(ctx, personalRetrieval(fmt.Sprint(os.Getpid(), w, i)))
				}
			}
			errs <- err
		}()
	}
	for range sharedWorkers {
		if e := <-errs; e != nil {
			err = e
		}
	}
	if e := s.Close(); err == nil {
		err = e
	}
	return err
}

// personalRetrieval counts in a personal row.
func personalRetrieval(name string) store.Retrieval {
	r := retrieval(name, 1, "a")
	r.Receipt.User = "u"
	r.Personal = []store.Personal{{Document: "d"}}
	r.Fold = func(_ int64, rows []store.Personal) ([]store.PersonalChange, error) {
		rows[0].Record.Uses.Value++
		return []store.PersonalChange{{Personal: rows[0], KeepText: true}}, nil
	}
	return r
}

// TestProcesses lets two processes and this one write to one file. Nothing is
// lost.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	s := open(t, path)
	must(t, s.Record(t.Context(), retrieval("shared", 1, names("text", 4)...)))
	var wg sync.WaitGroup
	for range 2 {
		cmd, _ := child(t, "update", path)
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	if err := updateShared(path); err != nil {
		t.Error(err)
	}
	wg.Wait()
	const want = 3 * sharedWorkers * sharedUpdates
	tally, docs := counts(t, s)
	l, err := s.Load(t.Context(), store.LoadRequest{User: "u", Personal: []string{"d"}, Hashes: []store.Hash{hash("a")}})
	must(t, err)
	if tally != want || l.Sequence != want || l.Personal["d"].Record.Uses.Value != want || l.Documents[hash("a")].Uses != want {
		t.Errorf("%d updates and retrievals left: tally %v, sequence %d, %v in the row, %d uses",
			want, tally, l.Sequence, l.Personal["d"].Record.Uses.Value, l.Documents[hash("a")].Uses)
	}
	for _, n := range docs {
		if n != want && n != 0 { // 0: document "a", which has no evidence
			t.Errorf("a document counted %v of %d updates", n, want)
		}
	}
}

// feedForever records retrievals and feeds each back, and says so, until it is
// killed.
func feedForever(path string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		name := fmt.Sprint(os.Getpid(), " ", i)
		if err := s.Record(ctx, retrieval(name, 1, names("text", 5)...)); err != nil {
			return err
		}
		fmt.Println("recorded", name)
		if err := s.Update(ctx, store.UpdateRequest{Receipt: retrieval(name, 1).Receipt.ID}, count); err != nil {
			return err
		}
		fmt.Println("fed", name)
	}
}

// TestKilled kills a process at a random point of its feedback, again and again on
// one file. What it has reported is there, nothing is there by half, and the
// receipt it was at can be fed back.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.db")
	var fed float64
	for range 5 {
		cmd, out := child(t, "feedback", path)
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatal("the process said nothing")
		}
		recorded := []string{lines.Text()}
		kill := time.AfterFunc(time.Duration(20+rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), "fed") {
				fed++
			} else {
				recorded = append(recorded, lines.Text())
			}
		}
		_ = cmd.Wait()
		kill.Stop()
		fed = checkSurvivors(t, path, recorded, fed)
	}
}

// checkSurvivors returns the number of feedbacks that are there at the end.
func checkSurvivors(t *testing.T, path string, recorded []string, fed float64) float64 {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	must(t, err)
	defer s.Close()
	tally, docs := counts(t, s)
	if tally != fed && tally != fed+1 {
		t.Errorf("%v feedbacks were reported, %v are there", fed, tally)
	}
	for _, n := range docs {
		if float64(n) != tally {
			t.Errorf("a document has %v of %v feedbacks", n, tally)
		}
	}
	for _, line := range recorded {
		id := retrieval(strings.TrimPrefix(line, "recorded "), 1).Receipt.ID
		// All of them can be fed back again; the last may not have been.
		if err := s.Update(t.Context(), store.UpdateRequest{Receipt: id}, func(v store.View) (store.Changes, error) {
			if len(v.Documents) != 5 {
				t.Errorf("a receipt shows %d documents", len(v.Documents))
			}
			return store.Changes{}, nil
		}); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	last := retrieval(strings.TrimPrefix(recorded[len(recorded)-1], "recorded "), 1).Receipt.ID
	must(t, s.Update(t.Context(), store.UpdateRequest{Receipt: last}, count))
	return tally + 1
}
