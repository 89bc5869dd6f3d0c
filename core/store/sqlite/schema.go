package sqlite

// schemaVersion is the newest version of the schema, in the file's user_version.
// Version 1 kept evidence and texts inside the rows, knew no tombstones and had
// no index by user.
const schemaVersion = 2

// applicationID marks the file as ours: "RPUT".
const applicationID = 0x52505554

// schema makes an empty file of the newest version.
//
// Namespaces, sources and users are numbered, so that rows need not repeat their
// names. Evidence and texts lie apart from the rows that name them: counting a use
// or listing a library then does not touch them. Keys of callers are blobs and
// compare byte for byte.
const schema = `
CREATE TABLE namespaces (
	id   INTEGER PRIMARY KEY,
	name BLOB NOT NULL UNIQUE
) STRICT;
CREATE TABLE sources (
	id        INTEGER PRIMARY KEY,
	namespace INTEGER NOT NULL,
	name      BLOB NOT NULL,
	UNIQUE (namespace, name)
) STRICT;
CREATE TABLE users (
	id        INTEGER PRIMARY KEY,
	namespace INTEGER NOT NULL,
	name      BLOB NOT NULL,
	sequence  INTEGER NOT NULL,
	entries   INTEGER NOT NULL, -- rows in personal
	UNIQUE (namespace, name)
) STRICT;
CREATE TABLE documents (
	namespace INTEGER NOT NULL,
	hash      BLOB NOT NULL,
	uses      INTEGER NOT NULL,
	last_used INTEGER NOT NULL,
	evidence  INTEGER, -- row in evidence
	PRIMARY KEY (namespace, hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE evidence (
	id   INTEGER PRIMARY KEY,
	body BLOB NOT NULL
) STRICT;
CREATE TABLE aliases (
	source   INTEGER NOT NULL,
	id       BLOB NOT NULL,
	hash     BLOB NOT NULL,
	previous BLOB,
	seen     INTEGER NOT NULL,
	PRIMARY KEY (source, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX aliases_hash ON aliases (hash);
CREATE INDEX aliases_previous ON aliases (previous) WHERE previous IS NOT NULL;
CREATE TABLE receipts (
	id        INTEGER PRIMARY KEY,
	namespace INTEGER NOT NULL,
	receipt   BLOB NOT NULL,
	user      INTEGER, -- row in users
	created   INTEGER NOT NULL,
	expires   INTEGER NOT NULL,
	body      BLOB NOT NULL,
	UNIQUE (namespace, receipt)
) STRICT;
CREATE INDEX receipts_age ON receipts (namespace, created, receipt, expires);
CREATE INDEX receipts_user ON receipts (user, receipt) WHERE user IS NOT NULL;
CREATE TABLE personal (
	user     INTEGER NOT NULL,
	document BLOB NOT NULL,
	active   INTEGER NOT NULL,
	updated  INTEGER NOT NULL,
	version  INTEGER NOT NULL,
	body     BLOB NOT NULL,
	text     INTEGER, -- row in texts
	PRIMARY KEY (user, document)
) STRICT, WITHOUT ROWID;
CREATE INDEX personal_active ON personal (user) WHERE active = 1;
CREATE INDEX personal_age ON personal (user, updated, document) WHERE active = 0;
CREATE TABLE texts (
	id   INTEGER PRIMARY KEY,
	body BLOB NOT NULL
) STRICT;
CREATE TABLE tallies (
	namespace INTEGER NOT NULL,
	name      BLOB NOT NULL,
	amounts   BLOB NOT NULL, -- float64, little endian
	PRIMARY KEY (namespace, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE blobs (
	id          INTEGER PRIMARY KEY,
	namespace   INTEGER NOT NULL,
	name        BLOB NOT NULL,
	fingerprint BLOB NOT NULL,
	updated     INTEGER NOT NULL,
	body        BLOB NOT NULL,
	UNIQUE (namespace, name)
) STRICT;
CREATE TABLE tombstones (
	namespace INTEGER NOT NULL,
	actor     BLOB NOT NULL,
	erased    INTEGER NOT NULL,
	PRIMARY KEY (namespace, actor)
) STRICT, WITHOUT ROWID;
`
