package core

import "sync"

// maxSources bounds the sources that an engine remembers.
const maxSources = 1000

// sources remembers the sources that an engine was used with, by name, so that
// the library can ask them about documents later. It is safe for concurrent use.
type sources struct {
	mu     sync.RWMutex
	byName map[string]Source
}

func newSources() *sources { return &sources{byName: make(map[string]Source)} }

// remember keeps the newest source of a name. Beyond maxSources none is added.
func (s *sources) remember(name string, src Source) {
	s.mu.RLock()
	_, known := s.byName[name]
	full := len(s.byName) >= maxSources
	s.mu.RUnlock()
	if full && !known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.byName[name] = src
}

func (s *sources) get(name string) Source {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.byName[name]
}

// only returns the name of the only source there is.
func (s *sources) only() (name string, ok bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for name = range s.byName {
	}
	return name, len(s.byName) == 1
}

// loaderOf returns the loader of a source, nil if it has none. A retrieval by Rank
// has no source at hand, but the engine may know one of that name.
func (e *Engine) loaderOf(src Source, name string) Loader {
	if src == nil {
		src = e.sources.get(name)
	}
	l, _ := src.(Loader)
	return l
}
