package sqlite

import (
	"context"
	"fmt"

	"github.com/repute-go/repute/core/store"
)

// migrations[i] takes a file from version i+1 to version i+2.
var migrations = []string{fromVersion1}

// fromVersion1 moves evidence and texts out of their rows and names users by
// number. Row ids of the old tables become those of the moved parts.
const fromVersion1 = `
ALTER TABLE namespaces RENAME TO old_namespaces;
ALTER TABLE sources RENAME TO old_sources;
ALTER TABLE users RENAME TO old_users;
ALTER TABLE documents RENAME TO old_documents;
ALTER TABLE aliases RENAME TO old_aliases;
ALTER TABLE receipts RENAME TO old_receipts;
ALTER TABLE personal RENAME TO old_personal;
ALTER TABLE tallies RENAME TO old_tallies;
ALTER TABLE blobs RENAME TO old_blobs;
` + schema + `
INSERT INTO namespaces SELECT id, name FROM old_namespaces;
INSERT INTO sources SELECT id, namespace, name FROM old_sources;
INSERT INTO users SELECT id, namespace, name, sequence,
	(SELECT count(*) FROM old_personal p WHERE p.namespace = u.namespace AND p.user = u.name) FROM old_users u;
INSERT INTO users (namespace, name, sequence, entries)
	SELECT namespace, user, 0, 0 FROM old_receipts WHERE user <> x''
	EXCEPT SELECT namespace, name, 0, 0 FROM users;
INSERT INTO evidence SELECT rowid, evidence FROM old_documents WHERE evidence IS NOT NULL;
INSERT INTO documents SELECT namespace, hash, uses, last_used, CASE WHEN evidence IS NOT NULL THEN rowid END FROM old_documents;
INSERT INTO aliases SELECT source, id, hash, previous, seen FROM old_aliases;
INSERT INTO receipts SELECT r.rowid, r.namespace, r.receipt,
	(SELECT u.id FROM users u WHERE u.namespace = r.namespace AND u.name = r.user), r.created, r.expires, r.body FROM old_receipts r;
INSERT INTO texts SELECT rowid, text FROM old_personal WHERE text IS NOT NULL;
INSERT INTO personal SELECT u.id, p.document, p.active, p.updated, p.version, p.body, CASE WHEN p.text IS NOT NULL THEN p.rowid END
	FROM old_personal p JOIN users u ON u.namespace = p.namespace AND u.name = p.user;
INSERT INTO tallies SELECT namespace, name, amounts FROM old_tallies;
INSERT INTO blobs SELECT rowid, namespace, name, fingerprint, updated, body FROM old_blobs;
DROP TABLE old_namespaces;
DROP TABLE old_sources;
DROP TABLE old_users;
DROP TABLE old_documents;
DROP TABLE old_aliases;
DROP TABLE old_receipts;
DROP TABLE old_personal;
DROP TABLE old_tallies;
DROP TABLE old_blobs;
`

// migrate makes or upgrades the schema. The version is read again inside the
// transaction, because another process may be doing the same.
func (s *Store) migrate(ctx context.Context) error {
	if done, err := s.current(ctx); done || err != nil {
		return err
	}
	if s.opts.ReadOnly || s.immutable {
		return fmt.Errorf("%w: sqlite: a file of an older version must be upgraded first", store.ErrReadOnly)
	}
	return s.persist(ctx, func() error {
		if _, err := s.main.exec("BEGIN IMMEDIATE"); err != nil {
			return err
		}
		err := s.upgrade()
		if err == nil {
			_, err = s.main.exec("COMMIT")
		}
		if err != nil {
			s.rollback()
		}
		return err
	})
}

// current reports whether the schema is of the newest version.
func (s *Store) current(ctx context.Context) (done bool, err error) {
	err = s.persist(ctx, func() error {
		version, err := s.version()
		done = version == schemaVersion
		return err
	})
	return done, err
}

// version reads the version of the file's schema, 0 for an empty file. It is one
// statement: what another process makes meanwhile is seen whole or not at all.
func (s *Store) version() (int, error) {
	var id, version, tables int
	err := s.main.c.QueryRowContext(context.Background(), `SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
		FROM pragma_application_id, pragma_user_version`).Scan(&id, &version, &tables)
	switch {
	case err != nil:
		return 0, err
	case id == 0 && version == 0 && tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, fmt.Errorf("%w: the file is another program's database", store.ErrInvalid)
	case version > schemaVersion:
		return 0, fmt.Errorf("%w: its version is %d, this library knows %d", store.ErrVersion, version, schemaVersion)
	}
	return version, nil
}

// upgrade runs inside a transaction.
func (s *Store) upgrade() error {
	version, err := s.version()
	if err != nil || version == schemaVersion {
		return err
	}
	if version == 0 {
		if err := s.set(schema); err != nil {
			return err
		}
	} else {
		for _, step := range migrations[version-1:] {
			if err := s.set(step); err != nil {
				return fmt.Errorf("upgrade from version %d: %w", version, err)
			}
		}
	}
	return s.set(fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, schemaVersion))
}
