//go:build ignore

// Command version1 writes version1.sqlite, a file as the first version of the schema
// kept it. Run it in this folder; the test of migration reads the result.
package main

import (
	"database/sql"
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"

	_ "modernc.org/sqlite"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
	"github.com/repute-go/repute/core/store"
)

const schema = `
PRAGMA page_size = 1024;
PRAGMA journal_mode = WAL;
CREATE TABLE namespaces (id INTEGER PRIMARY KEY, name BLOB NOT NULL UNIQUE) STRICT;
CREATE TABLE sources (id INTEGER PRIMARY KEY, namespace INTEGER NOT NULL, name BLOB NOT NULL, UNIQUE (namespace, name)) STRICT;
CREATE TABLE users (id INTEGER PRIMARY KEY, namespace INTEGER NOT NULL, name BLOB NOT NULL, sequence INTEGER NOT NULL, UNIQUE (namespace, name)) STRICT;
CREATE TABLE documents (namespace INTEGER NOT NULL, hash BLOB NOT NULL, uses INTEGER NOT NULL, last_used INTEGER NOT NULL, evidence BLOB, PRIMARY KEY (namespace, hash)) STRICT;
CREATE TABLE aliases (source INTEGER NOT NULL, id BLOB NOT NULL, hash BLOB NOT NULL, previous BLOB, seen INTEGER NOT NULL, PRIMARY KEY (source, id)) STRICT;
CREATE TABLE receipts (namespace INTEGER NOT NULL, receipt BLOB NOT NULL, user BLOB NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (namespace, receipt)) STRICT;
CREATE TABLE personal (namespace INTEGER NOT NULL, user BLOB NOT NULL, document BLOB NOT NULL, active INTEGER NOT NULL, updated INTEGER NOT NULL, version INTEGER NOT NULL, body BLOB NOT NULL, text BLOB, PRIMARY KEY (namespace, user, document)) STRICT;
CREATE TABLE tallies (namespace INTEGER NOT NULL, name BLOB NOT NULL, amounts BLOB NOT NULL, PRIMARY KEY (namespace, name)) STRICT;
CREATE TABLE blobs (namespace INTEGER NOT NULL, name BLOB NOT NULL, fingerprint BLOB NOT NULL, updated INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (namespace, name)) STRICT;
PRAGMA application_id = 1380996436;
PRAGMA user_version = 1;
`

func main() {
	_ = os.Remove("version1.sqlite")
	db, err := sql.Open("sqlite", "file:version1.sqlite")
	check(err)
	exec := func(query string, args ...any) {
		_, err := db.Exec(query, args...)
		check(err)
	}
	exec(schema)
	for ns := 1; ns <= 2; ns++ {
		exec("INSERT INTO namespaces VALUES (?, ?)", ns, []byte(fmt.Sprint("tenant ", ns)))
		exec("INSERT INTO sources VALUES (?, ?, ?)", ns, ns, []byte("src"))
		exec("INSERT INTO users VALUES (?, ?, ?, ?)", ns, ns, []byte("u"), 7)
		for i := range 5 {
			fill(exec, ns, i)
		}
		exec("INSERT INTO tallies VALUES (?, ?, ?)", ns, []byte("n"), binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5)))
		exec("INSERT INTO blobs VALUES (?, ?, ?, ?, ?)", ns, []byte("state"), []byte("model"), 9, []byte{1, 2, 3})
	}
	check(db.Close())
}

// fill writes one row of the other kinds; the test expects the same.
func fill(exec func(string, ...any), ns, i int) {
	h := store.Hash{byte(ns), byte(i), 1}
	var evidence any
	if i%2 == 0 {
		evidence = encode(&reputation.Record{Space: 7, Local: 1, Events: []reputation.Event{{Receipt: uint64(i), Time: int64(i), Pos: 1}}})
	}
	exec("INSERT INTO documents VALUES (?, ?, ?, ?, ?)", ns, h[:], i, 10*i, evidence)
	exec("INSERT INTO aliases VALUES (?, ?, ?, ?, ?)", ns, []byte(fmt.Sprint("chunk ", i)), h[:], nil, i)
	rc := store.Receipt{ID: store.ReceiptID{byte(ns), byte(i)}, Source: "src", Created: int64(i), Expires: int64(100 + i), Shown: []store.Shown{{ID: "chunk", Document: "d", Hash: h}}}
	if i > 1 {
		rc.User = []string{"u", "without rows"}[i%2]
	}
	exec("INSERT INTO receipts VALUES (?, ?, ?, ?, ?, ?)", ns, rc.ID[:], []byte(rc.User), rc.Created, rc.Expires, encode(rc))
	var text any
	if i%2 == 1 {
		text = []byte(fmt.Sprint("text ", i))
	}
	exec("INSERT INTO personal VALUES (?, ?, ?, ?, ?, ?, ?, ?)", ns, []byte("u"), []byte(fmt.Sprint("d", i)), i%2, i, i+1,
		encode(lifecycle.Record{Title: fmt.Sprint("title ", i)}), text)
}

func encode(r interface{ AppendBinary([]byte) ([]byte, error) }) []byte {
	b, err := r.AppendBinary(nil)
	check(err)
	return b
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
