package store

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/repute-go/repute/core/lifecycle"
	"github.com/repute-go/repute/core/reputation"
)

// Row is a row of any kind in its binary form: [Document], [Alias], [Receipt],
// [Entry], [Sequence], [Tally], [Blob] or [Tombstone].
//
// The form is a version byte and the fields in their order, little endian;
// strings and byte slices are preceded by a length of 4 bytes, records are in
// their own codec, preceded likewise, with length 0 for none. The UnmarshalBinary
// of each kind keeps no reference to its argument and changes nothing on an
// error: [ErrVersion] for bytes of a newer version, else [ErrInvalid].
type Row interface {
	encoding.BinaryAppender
	kind() byte
}

// rowVersion is the first byte of every row.
const rowVersion = 1

// Entry is a personal row together with its user.
type Entry struct {
	// User is the first part of the key, Personal.Document the second.
	User string
	Personal
}

// Sequence is the number of retrievals recorded for a user.
type Sequence struct {
	// User is the key.
	User string
	// Number is 0 or more. A user without a row has 0; exports leave it out.
	Number int64
}

// Kinds of rows in an export. They are part of the format.
const (
	kindEnd byte = iota
	kindDocument
	kindAlias
	kindReceipt
	kindEntry
	kindSequence
	kindTally
	kindBlob
	kindTombstone
)

func (Document) kind() byte  { return kindDocument }
func (Alias) kind() byte     { return kindAlias }
func (Receipt) kind() byte   { return kindReceipt }
func (Entry) kind() byte     { return kindEntry }
func (Sequence) kind() byte  { return kindSequence }
func (Tally) kind() byte     { return kindTally }
func (Blob) kind() byte      { return kindBlob }
func (Tombstone) kind() byte { return kindTombstone }

// decodeRow reads the binary form of a kind of row.
func decodeRow(kind byte, b []byte) (Row, error) {
	switch kind {
	case kindDocument:
		return decodeAs[Document](b)
	case kindAlias:
		return decodeAs[Alias](b)
	case kindReceipt:
		return decodeAs[Receipt](b)
	case kindEntry:
		return decodeAs[Entry](b)
	case kindSequence:
		return decodeAs[Sequence](b)
	case kindTally:
		return decodeAs[Tally](b)
	case kindBlob:
		return decodeAs[Blob](b)
	case kindTombstone:
		return decodeAs[Tombstone](b)
	}
	return nil, fmt.Errorf("%w: a row of unknown kind %d", ErrVersion, kind)
}

func decodeAs[R Row, P interface {
	*R
	encoding.BinaryUnmarshaler
}](b []byte) (Row, error) {
	var r R
	err := P(&r).UnmarshalBinary(b)
	return r, err
}

// AppendBinary implements [Row].
func (d Document) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, rowVersion)
	b = append(b, d.Hash[:]...)
	b = appendInts(b, d.Uses, d.LastUsed)
	if d.Evidence == nil {
		return appendText(b, ""), nil
	}
	return appendNested(b, d.Evidence)
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (d *Document) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Document{Hash: Hash(in.key()), Uses: in.int(), LastUsed: in.int()}
	out.Evidence = nested[reputation.Record](in)
	return in.into(func() { *d = out })
}

// AppendBinary implements [Row].
func (a Alias) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, rowVersion)
	b = appendText(b, a.Source)
	b = appendText(b, a.ID)
	b = append(b, a.Hash[:]...)
	b = append(b, a.Previous[:]...)
	return appendInts(b, a.Seen), nil
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (a *Alias) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Alias{Source: in.text(), ID: in.text(), Hash: Hash(in.key()), Previous: Hash(in.key()), Seen: in.int()}
	return in.into(func() { *a = out })
}

// AppendBinary implements [Row].
func (rc Receipt) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, rowVersion)
	b = append(b, rc.ID[:]...)
	for _, s := range [...]string{rc.User, rc.Session, rc.Source, rc.Query} {
		b = appendText(b, s)
	}
	b = appendInts(b, rc.Created, rc.Expires, int64(len(rc.Shown)))
	for i := range rc.Shown {
		s := &rc.Shown[i]
		b = appendText(b, s.ID)
		b = appendText(b, s.Document)
		b = append(b, s.Hash[:]...)
		b = append(b, s.Previous[:]...)
	}
	if rc.Evidence == nil {
		return appendText(b, ""), nil
	}
	return appendNested(b, rc.Evidence)
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (rc *Receipt) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Receipt{ID: ReceiptID(in.key()), User: in.text(), Session: in.text(), Source: in.text(), Query: in.text()}
	out.Created, out.Expires = in.int(), in.int()
	if n := in.count(4 + 4 + 16 + 16); n > 0 {
		out.Shown = make([]Shown, n)
	}
	for i := range out.Shown {
		out.Shown[i] = Shown{ID: in.text(), Document: in.text(), Hash: Hash(in.key()), Previous: Hash(in.key())}
	}
	out.Evidence = nested[reputation.Receipt](in)
	return in.into(func() { *rc = out })
}

// AppendBinary implements [Row].
func (e Entry) AppendBinary(b []byte) ([]byte, error) {
	b = append(b, rowVersion)
	b = appendText(b, e.User)
	b = appendText(b, e.Document)
	active := int64(0)
	if e.Active {
		active = 1
	}
	b = appendInts(b, active, e.Updated, int64(e.Version))
	b = appendText(b, e.Text)
	return appendNested(b, e.Record)
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (e *Entry) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Entry{User: in.text()}
	out.Document, out.Active, out.Updated, out.Version = in.text(), in.bool(), in.int(), uint64(in.int())
	out.Text = in.text()
	if r := nested[lifecycle.Record](in); r != nil {
		out.Record = *r
	} else {
		in.fail(errors.New("a personal row without a record"))
	}
	return in.into(func() { *e = out })
}

// AppendBinary implements [Row].
func (s Sequence) AppendBinary(b []byte) ([]byte, error) {
	return appendInts(appendText(append(b, rowVersion), s.User), s.Number), nil
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (s *Sequence) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Sequence{User: in.text(), Number: in.int()}
	if out.Number < 0 {
		in.fail(errors.New("a negative sequence"))
	}
	return in.into(func() { *s = out })
}

// AppendBinary implements [Row].
func (t Tally) AppendBinary(b []byte) ([]byte, error) {
	b = appendText(append(b, rowVersion), t.Name)
	b = appendInts(b, int64(len(t.Values)))
	for _, x := range t.Values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b, nil
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (t *Tally) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Tally{Name: in.text()}
	if n := in.count(8); n > 0 {
		out.Values = make([]float64, n)
	}
	for i := range out.Values {
		out.Values[i] = math.Float64frombits(uint64(in.int()))
	}
	return in.into(func() { *t = out })
}

// AppendBinary implements [Row].
func (x Blob) AppendBinary(b []byte) ([]byte, error) {
	b = appendText(append(b, rowVersion), x.Name)
	b = appendText(b, x.Fingerprint)
	b = appendInts(b, x.Updated)
	return appendText(b, x.Data), nil
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (x *Blob) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Blob{Name: in.text(), Fingerprint: in.text(), Updated: in.int(), Data: in.bytes()}
	return in.into(func() { *x = out })
}

// AppendBinary implements [Row].
func (t Tombstone) AppendBinary(b []byte) ([]byte, error) {
	return appendInts(appendText(append(b, rowVersion), t.Actor), t.Erased), nil
}

// UnmarshalBinary decodes what AppendBinary wrote; see [Row].
func (t *Tombstone) UnmarshalBinary(b []byte) error {
	in := newReader(b)
	out := Tombstone{Actor: in.text(), Erased: in.int()}
	return in.into(func() { *t = out })
}
