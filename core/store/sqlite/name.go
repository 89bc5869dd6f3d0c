package sqlite

// table is one of the tables that number names.
type table uint8

const (
	namespaces table = iota
	sources
	users
)

var selectName = [...]string{
	namespaces: "SELECT id FROM namespaces WHERE ? = 0 AND name = ?",
	sources:    "SELECT id FROM sources WHERE namespace = ? AND name = ?",
	users:      "SELECT id FROM users WHERE namespace = ? AND name = ?",
}

// number returns the number of a name, 0 if it has none. parent is the namespace,
// 0 for a namespace itself.
func (r rows) number(t table, parent int64, name string) (id int64, err error) {
	key := nameKey{t, parent, name}
	if id, ok := r.cache.names.get(key); ok {
		return id, nil
	}
	if _, err = r.one(selectName[t], []any{parent, blob(name)}, &id); err != nil {
		return 0, err
	}
	if id != 0 {
		r.cache.names.put(key, id)
	}
	return id, nil
}

func (r rows) namespace(name string) (int64, error) { return r.number(namespaces, 0, name) }

var insertName = [...]string{
	namespaces: "INSERT INTO namespaces (name) SELECT ?2 WHERE ?1 = 0",
	sources:    "INSERT INTO sources (namespace, name) VALUES (?, ?)",
	users:      "INSERT INTO users (namespace, name, sequence, entries) VALUES (?, ?, 0, 0)",
}

// makeNumber returns the number of a name, and gives it one if it has none.
func (t *tx) makeNumber(tab table, parent int64, name string) (int64, error) {
	id, err := t.number(tab, parent, name)
	if id != 0 || err != nil {
		return id, err
	}
	if id, err = t.insert(insertName[tab], parent, blob(name)); err != nil {
		return 0, err
	}
	t.after(func(c *cache) { c.names.put(nameKey{tab, parent, name}, id) })
	return id, nil
}

func (t *tx) makeNamespace(name string) (int64, error) { return t.makeNumber(namespaces, 0, name) }
