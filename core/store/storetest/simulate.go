package storetest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

const (
	simulatedSteps = 1_200
	comparedEvery  = 40
)

func (b *bench) seed() uint64 {
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("REPUTE_SEED"), 10, 64); err == nil {
		seed = s
	}
	b.Logf("REPUTE_SEED=%d", seed)
	return seed
}

// testSimulation runs random operations on the store and on the model.
func testSimulation(b *bench) {
	newSimulation(b, b.seed(), "").run(simulatedSteps)
}

// testConcurrentSimulation runs one simulation per namespace at the same time.
func testConcurrentSimulation(b *bench) {
	seed := b.seed()
	var wg sync.WaitGroup
	for i := range uint64(4) {
		wg.Go(func() { newSimulation(b, seed+i, fmt.Sprint("space ", i)).run(simulatedSteps / 4) })
	}
	wg.Wait()
}

type simulation struct {
	*bench
	rng       *rand.Rand
	seed      uint64
	namespace string
	model     *model
	step      int
	done      []string // the last operations, for the report
}

func newSimulation(b *bench, seed uint64, namespace string) *simulation {
	return &simulation{bench: b, rng: rand.New(rand.NewPCG(seed, 0)), seed: seed, namespace: namespace, model: newModel()}
}

func (s *simulation) run(steps int) {
	for s.step = range steps {
		s.operate()
		if s.step%comparedEvery == 0 || s.step == steps-1 {
			got, err := dump(s.ctx, s.Store, s.namespace)
			s.expect(err, nil)
			s.same("state", got, s.model.contents())
		}
		if s.Failed() {
			return
		}
	}
}

func (s *simulation) operate() {
	op := pick(s, []struct {
		name string
		do   func()
	}{
		{"record", s.record}, {"record", s.record}, {"record", s.record}, {"record", s.record}, {"record", s.record},
		{"update", s.update}, {"update", s.update}, {"update", s.update}, {"update personal", s.updatePersonal},
		{"load", s.load}, {"load", s.load}, {"load", s.load}, {"add", s.addTallies}, {"blob", s.blob},
		{"lists", s.lists}, {"expire", s.expireSome}, {"erase", s.eraseSome},
	})
	s.done = append(s.done, op.name)
	op.do()
}

// same reports a difference with what is needed to repeat it.
func (s *simulation) same(what string, got, want contents) {
	if d := got.diff(want); d != "" {
		s.Errorf("seed %d, step %d, after %q: %s differs:\n%s", s.seed, s.step, s.done[max(0, len(s.done)-comparedEvery):], what, d)
	}
}

func (s *simulation) expect(err, want error) {
	if !errors.Is(err, want) {
		s.Errorf("seed %d, step %d, %s: %v, want %v", s.seed, s.step, s.done[len(s.done)-1], err, want)
	}
}

func (s *simulation) expectCount(got int, err error, want int) {
	s.expect(err, nil)
	if got != want {
		s.Errorf("seed %d, step %d, %s: %d rows, want %d", s.seed, s.step, s.done[len(s.done)-1], got, want)
	}
}

func pick[T any](s *simulation, from []T) T { return from[s.rng.IntN(len(from))] }

func (s *simulation) text() string { return fmt.Sprint("text", s.rng.IntN(12)) }
func (s *simulation) user() string { return pick(s, []string{"u0", "u1", "u2"}) }
func (s *simulation) time() int64  { return int64(s.step + s.rng.IntN(20)) }
func (s *simulation) row() string  { return pick(s, []string{"d0", "d1", "d2", "d3"}) }

func (s *simulation) maybeHash() store.Hash {
	if s.rng.IntN(3) > 0 {
		return store.Hash{}
	}
	return hash(s.text())
}

func (s *simulation) evidence() *reputation.Record {
	if s.rng.IntN(5) == 0 {
		return nil
	}
	var events []reputation.Event
	for i := range 1 + s.rng.IntN(5) {
		events = append(events, event(int64(1+i), "user:"+s.user(), pick(s, []string{"judge:a", "judge:b"})))
	}
	return record(events...)
}

// changes are changes of personal rows among these.
func (s *simulation) changes(rows []string) (out []store.PersonalChange) {
	for _, d := range rows {
		if s.rng.IntN(3) == 0 {
			continue
		}
		c := write(personal(d, float64(s.rng.IntN(9)), s.time()), pick(s, []string{"", "text", "another text"}))
		c.Active = s.rng.IntN(4) == 0
		c.KeepText = s.rng.IntN(2) == 0
		c.Delete = s.rng.IntN(5) == 0
		out = append(out, c)
	}
	return out
}

func (s *simulation) record() {
	rc := receipt(fmt.Sprint(s.rng.IntN(80)), s.time())
	rc.Expires = rc.Created + int64(s.rng.IntN(200))
	rc.Query = pick(s, []string{"", "what?"})
	for range s.rng.IntN(4) {
		text := s.text()
		rc.Shown = append(rc.Shown, store.Shown{ID: text, Document: s.row(), Hash: hash(text), Previous: s.maybeHash()})
	}
	rc.Evidence = judgement(len(rc.Shown))
	r := store.Retrieval{Namespace: s.namespace, Receipt: rc, MaxReceipts: pick(s, []int{0, 0, 30, 50}), MaxPersonal: pick(s, []int{0, 0, 2, 4})}
	if s.rng.IntN(4) > 0 {
		r.Receipt.User = s.user()
		rows := []string{s.row(), store.PersonalKey("src", s.row())}
		changes := s.changes(rows)
		for _, d := range rows {
			r.Personal = append(r.Personal, store.Personal{Document: d})
		}
		r.Fold = func(sequence int64, _ []store.Personal) ([]store.PersonalChange, error) {
			for i := range changes {
				changes[i].Record.Uses.Value = float64(sequence)
			}
			return changes, nil
		}
	}
	for range s.rng.IntN(3) {
		a := aliases(s.time(), s.text())[0]
		a.Source = pick(s, []string{"src", "other"})
		a.Hash, a.Previous = hash(s.text()), s.maybeHash()
		r.Aliases = append(r.Aliases, a)
	}
	if s.rng.IntN(5) == 0 {
		r.Receipt.Created -= 100 // it was under way for long
	}
	err := s.Store.Record(s.ctx, r)
	s.expect(err, s.model.record(r))
}

func (s *simulation) update() {
	ids := slices.SortedFunc(maps.Keys(s.model.receipts), func(a, b store.ReceiptID) int { return store.CompareHashes(store.Hash(a), store.Hash(b)) })
	req := store.UpdateRequest{Namespace: s.namespace, Receipt: receiptID("none"), Actors: []string{"user:u0", "user:u1", "judge:a"}, MaxPersonal: pick(s, []int{0, 0, 3})}
	if len(ids) > 0 && s.rng.IntN(10) > 0 {
		req.Receipt = pick(s, ids)
	}
	rc, ok := s.model.receipts[req.Receipt]
	if rc.User != "" {
		req.Personal = []string{s.row()}
	}
	ch := store.Changes{Documents: make(map[store.Hash]*reputation.Record)}
	for _, shown := range rc.Shown {
		if s.rng.IntN(3) > 0 {
			ch.Documents[shown.Hash] = s.evidence()
		}
	}
	if s.rng.IntN(2) == 0 {
		ch.Receipt = judgement(len(rc.Shown), "user:"+s.user(), "judge:a")
	}
	ch.Personal = s.changes(req.Personal)
	if s.rng.IntN(2) == 0 {
		ch.Tallies = s.tallies()
	}
	err := s.Update(s.ctx, req, s.fold(req, rc.User, ch))
	if !ok {
		s.expect(err, store.ErrUnknownReceipt)
		return
	}
	s.expect(err, nil)
	s.model.apply(req, ch)
}

// fold compares the view with the model's and returns the changes.
func (s *simulation) fold(req store.UpdateRequest, user string, ch store.Changes) store.Fold {
	return func(v store.View) (store.Changes, error) {
		got := make(contents)
		if v.Receipt != nil {
			got.add(*v.Receipt)
		}
		for _, d := range v.Documents {
			got.add(d)
		}
		for _, p := range v.Personal {
			got.add(store.Entry{User: user, Personal: p})
		}
		for a, at := range v.Erased {
			got.add(store.Tombstone{Actor: a, Erased: at})
		}
		s.same("the view", got, s.model.view(req))
		return ch, nil
	}
}

func (s *simulation) updatePersonal() {
	req := store.UpdateRequest{Namespace: s.namespace, User: s.user(), Personal: []string{s.row()}, MaxPersonal: pick(s, []int{0, 0, 2, 4})}
	ch := store.Changes{Personal: s.changes(req.Personal)}
	s.expect(s.Update(s.ctx, req, s.fold(req, req.User, ch)), nil)
	s.model.apply(req, ch)
}

func (s *simulation) load() {
	req := store.LoadRequest{
		Namespace: s.namespace, Source: pick(s, []string{"src", "other", "none"}),
		IDs: []string{s.text(), s.text(), s.text()}, Hashes: []store.Hash{hash(s.text()), s.maybeHash()},
	}
	if s.rng.IntN(2) == 0 {
		req.User, req.Personal = s.user(), []string{s.row(), store.PersonalKey("src", s.row())}
	}
	l, err := s.Load(s.ctx, req)
	s.expect(err, nil)
	if err != nil {
		return
	}
	got := make(contents)
	for _, a := range l.Aliases {
		got.add(a)
	}
	for _, d := range l.Documents {
		got.add(d)
	}
	for _, p := range l.Personal {
		got.add(store.Entry{User: req.User, Personal: p})
	}
	if l.Sequence > 0 {
		got.add(store.Sequence{User: req.User, Number: l.Sequence})
	}
	s.same("what was loaded", got, s.model.load(req))
}

func (s *simulation) tallies() []store.Tally {
	t := store.Tally{Name: pick(s, []string{"user:a", "user:b", "user:c", "judge:a", "judge:b", "n"})}
	for range s.rng.IntN(4) {
		t.Values = append(t.Values, float64(s.rng.IntN(9)-4))
	}
	return []store.Tally{t}
}

func (s *simulation) addTallies() {
	deltas := s.tallies()
	s.expect(s.Add(s.ctx, s.namespace, deltas), nil)
	s.model.add(deltas)
}

func (s *simulation) blob() {
	x := store.Blob{Name: s.row(), Fingerprint: s.row(), Data: []byte(s.text()), Updated: s.time()}
	if s.rng.IntN(3) == 0 {
		s.swapBlob(x)
		return
	}
	if s.rng.IntN(3) == 0 {
		s.expect(s.DeleteBlob(s.ctx, s.namespace, x.Name), nil)
		delete(s.model.blobs, x.Name)
		return
	}
	s.expect(s.PutBlob(s.ctx, s.namespace, x), nil)
	s.model.blobs[x.Name] = x
}

func (s *simulation) swapBlob(x store.Blob) {
	var old *store.Blob
	stored, ok := s.model.blobs[x.Name]
	if s.rng.IntN(4) > 0 {
		if old = &stored; s.rng.IntN(3) == 0 {
			stored.Updated++ // a blob that was there before, or will be
		}
	}
	want := ok == (old != nil) && (!ok || stored.Updated == s.model.blobs[x.Name].Updated)
	swapped, err := s.SwapBlob(s.ctx, s.namespace, old, x)
	if s.expect(err, nil); swapped != want {
		s.Errorf("seed %d, step %d: swapped %v, want %v", s.seed, s.step, swapped, want)
	}
	if want {
		s.model.blobs[x.Name] = x
	}
}

func (s *simulation) expireSome() {
	bounds := store.Bounds{Now: int64(s.step)}
	if s.rng.IntN(2) == 0 {
		bounds.AliasesBefore = int64(s.step - 100)
	}
	if s.rng.IntN(2) == 0 {
		bounds.DocumentsBefore = int64(s.step - 50)
	}
	if s.rng.IntN(2) == 0 {
		bounds.EvidenceBefore = int64(s.step - 80)
	}
	if s.rng.IntN(2) == 0 {
		bounds.UsersBefore = int64(s.step + s.rng.IntN(40) - 20)
	}
	if s.rng.IntN(2) == 0 {
		bounds.TombstonesBefore = int64(s.step - 50)
	}
	if s.rng.IntN(2) == 0 {
		bounds.MaxTallies = map[string]int{"user:": 1 + s.rng.IntN(2)}
	}
	n, err := s.Expire(s.ctx, s.namespace, bounds)
	s.expectCount(n, err, s.model.expire(bounds))
}

func (s *simulation) eraseSome() {
	e := store.Erasure{Now: int64(s.step)}
	switch s.rng.IntN(4) {
	case 0:
		e.User, e.Tallies = s.user(), []string{"user:a"}
	case 1:
		e.Rater, e.Tallies = pick(s, []string{"judge:a", "user:u0"}), []string{"judge:a"}
	case 2:
		e.Document, e.Personal = hash(s.text()), []string{s.row()}
	default:
		return // not too often
	}
	e = erasure(e)
	n, err := s.Erase(s.ctx, s.namespace, e)
	s.expectCount(n, err, s.model.erase(e))
}
