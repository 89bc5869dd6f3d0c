package chromem

import "strings"

// keep returns the filter as a function of an id, nil if it narrows nothing.
func (s *shelf) keep(where Where) func(id string) bool {
	if where.empty() {
		return nil
	}
	return func(id string) bool {
		d, ok := s.document(id)
		return ok && where.matches(d.Metadata, d.Content)
	}
}

// matches decides as chromem does.
func (w Where) matches(metadata map[string]string, content string) bool {
	for k, v := range w.Metadata {
		if metadata[k] != v {
			return false
		}
	}
	for op, v := range w.Document {
		if strings.Contains(content, v) != (op == "$contains") {
			return false
		}
	}
	return true
}
