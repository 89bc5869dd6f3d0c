package store

import "strings"

// userRows is one user's library. The rows are immutable: a write replaces them.
type userRows struct {
	sequence int64
	rows     map[string]*Personal
	active   map[string]struct{}
	// ages holds the inactive rows once the user reached a bound, nil before.
	ages *ageQueue
}

// get returns a row without its text.
func (u *userRows) get(document string) (Personal, bool) {
	if u == nil {
		return Personal{}, false
	}
	p, ok := u.rows[document]
	if !ok {
		return Personal{}, false
	}
	return p.withoutText(), true
}

func (p *Personal) withoutText() Personal {
	c := *p
	c.Text = ""
	return c
}

// apply makes one change. The change owns its record.
func (u *userRows) apply(c PersonalChange) {
	old := u.rows[c.Document]
	if c.Delete {
		delete(u.rows, c.Document)
		delete(u.active, c.Document)
		return
	}
	row := c.Personal
	row.Version = 1
	switch {
	case old != nil:
		row.Document, row.Version = old.Document, old.Version+1
	default:
		row.Document = strings.Clone(row.Document)
	}
	if c.KeepText {
		row.Text = ""
		if old != nil {
			row.Text = old.Text
		}
	}
	u.put(&row)
}

// put stores a row as it is.
func (u *userRows) put(row *Personal) {
	if u.rows == nil {
		u.rows = make(map[string]*Personal)
	}
	u.rows[row.Document] = row
	if row.Active {
		if u.active == nil {
			u.active = make(map[string]struct{})
		}
		u.active[row.Document] = struct{}{}
		return
	}
	delete(u.active, row.Document)
	if u.ages != nil {
		u.ages.push(row.Document, row.Updated)
		if len(u.ages.heap) > 3*len(u.rows)+64 {
			u.rebuildAges()
		}
	}
}

// bound removes the inactive rows updated longest ago until at most limit rows
// are left. Active rows stay, even above the limit.
func (u *userRows) bound(limit int) {
	if limit <= 0 || len(u.rows) <= limit {
		return
	}
	if u.ages == nil {
		u.rebuildAges()
	}
	for len(u.rows) > limit {
		e, ok := u.ages.pop()
		if !ok {
			return
		}
		if row := u.rows[e.key]; row != nil && !row.Active && row.Updated == e.time {
			delete(u.rows, e.key)
		}
	}
}

func (u *userRows) rebuildAges() {
	u.ages = &ageQueue{heap: make(ageHeap, 0, len(u.rows))}
	for document, row := range u.rows {
		if !row.Active {
			u.ages.push(document, row.Updated)
		}
	}
}
