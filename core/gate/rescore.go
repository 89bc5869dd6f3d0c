package gate

// Stale lists the bank questions (indexes into BankQuestions) whose best passage
// was deleted and is to be searched again. Until then the old score stands as an
// upper bound. Seldom more than a few: the best four passages are remembered.
func (m *Model) Stale() []int {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []int
	if m.board == nil {
		return out
	}
	for j := range m.board.leaders {
		if m.board.leaders[j].stale() {
			out = append(out, j)
		}
	}
	return out
}

// Rescore finds the best passages of the stale bank questions anew. list calls
// its argument for every passage of the collection, with the key and the vector it
// was inserted with, and returns an error if it could not, which Rescore passes on
// without changing anything. Writes may go on meanwhile, whether the list holds
// them or not.
func (m *Model) Rescore(list func(each func(key uint64, vector []float32)) error) error {
	m.rescoring.Lock()
	defer m.rescoring.Unlock()
	stale := m.Stale()
	if len(stale) == 0 {
		return nil
	}
	m.hearArrivals(true)
	defer m.hearArrivals(false)
	fresh := make([]leaders, len(stale))
	err := list(func(key uint64, vector []float32) {
		if u, err := m.board.direction(vector); err == nil {
			for i, j := range stale {
				fresh[i].insert(hit{key: key, score: dot(m.board.vectors[j], u)})
			}
		}
	})
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for i, j := range stale {
		m.board.leaders[j] = m.reconciled(&fresh[i], &m.board.arrived[j])
	}
	m.publishMoments()
	return nil
}

// hearArrivals has the board note what is inserted from now on, or no longer.
func (m *Model) hearArrivals(on bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.board.arrived, m.board.arrivals = nil, nil
	if on {
		m.board.arrived, m.board.arrivals = make([]leaders, BankSize), make(map[uint64]bool)
	}
}

// reconciled brings leaders that were found while writes went on up to date: what
// was deleted since goes, what was inserted since comes, with the score it has now.
func (m *Model) reconciled(fresh, arrived *leaders) leaders {
	out := leaders{more: fresh.more, bound: fresh.bound}
	for _, h := range fresh.hits[:fresh.n] {
		if _, ok := m.keys[h.key]; ok && !m.board.arrivals[h.key] {
			out.insert(h)
		}
	}
	for _, h := range arrived.hits[:arrived.n] {
		if !out.lists(h.key) {
			out.insert(h)
		}
	}
	if arrived.more {
		out.unlist(arrived.bound)
		out.cut()
	}
	return out
}
