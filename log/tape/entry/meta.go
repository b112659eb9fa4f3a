package entry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
)

// requestMember is the member of meta that names the request by which entries
// were appended.
const requestMember = "append_request"

// Request is the idempotency key of the request that appended an entry. It is
// in the meta of the request's first entry.
type Request struct {
	Key     string `json:"key"`
	Entries int    `json:"entries"` // of the whole request
	// Digest identifies the entries of a request that has several. With it, entries
	// that are missing after the first were lost by an interrupted write.
	Digest string `json:"digest,omitempty"`
	// From is how many entries were on the tape already when a repetition
	// continued an interrupted write with this entry.
	From  int    `json:"from,omitempty"`
	Reset string `json:"reset,omitempty"` // "archive" or "destroy" if it reset the tape
}

// NewRequest is the request to append these entries.
func NewRequest(key string, entries []Entry) (r Request, err error) {
	r = Request{Key: key, Entries: len(entries)}
	if len(entries) < 2 {
		return r, nil
	}
	hash := sha256.New()
	for _, e := range entries {
		e.ID = 0
		line, err := e.Line()
		if err != nil {
			return r, err
		}
		hash.Write(append(line, '\n'))
	}
	r.Digest = hex.EncodeToString(hash.Sum(nil))[:digestDigits]
	return r, nil
}

// ErrKeyUsed is [handoff.ErrKeyUsed].
var ErrKeyUsed = handoff.ErrKeyUsed

// MaxKey is the longest idempotency key, in bytes.
const MaxKey = 255

// CheckKey reports whether a text can be an idempotency key.
func CheckKey(key string) error {
	if len(key) > MaxKey || !utf8.ValidString(key) {
		return Invalid("want an idempotency key of at most %d bytes, in UTF-8", MaxKey)
	}
	return nil
}

// WithRequest returns a copy of the entries whose first names the request.
func WithRequest(entries []Entry, r Request) ([]Entry, error) {
	if err := CheckKey(r.Key); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, Invalid("an idempotency key needs entries")
	}
	value, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	entries = slices.Clone(entries)
	entries[0].Meta, err = setMeta(entries[0].Meta, requestMember, string(value))
	return entries, err
}

// Request is the request whose first entry this is; ok is false if there is
// none. A copy of an entry does not have its request.
func (e *Entry) Request() (r Request, ok bool) {
	if !bytes.Contains(e.Meta, []byte(`"`+requestMember+`"`)) || e.IsCopy() {
		return r, false
	}
	value := Object(e.Meta, requestMember)
	return r, value != nil && json.Unmarshal(value, &r) == nil && r.Key != ""
}

// setMeta replaces a member of meta, or removes it if the value is "".
func setMeta(meta json.RawMessage, name, value string) (json.RawMessage, error) {
	if len(meta) == 0 {
		meta = json.RawMessage("{}")
	}
	members, err := jsontext.Python.Object(string(meta))
	if err != nil {
		return nil, Invalid("meta: %w", err)
	}
	members = slices.DeleteFunc(members, func(m jsontext.Member) bool { return m.Name == name })
	if value != "" {
		members = append(members, jsontext.Member{Name: name, Value: value})
	}
	return jsontext.Python.AppendMembers(nil, members), nil
}

// bookkeeping are the members of meta that this program writes for itself.
var bookkeeping = []string{requestMember, originMember, stateMember, queuedMember}

// queuedMember marks an entry that is not on the tape yet.
const queuedMember = "queued"

// Waiting is the line of an entry that waits for the tape: without an id, with "queued" in
// meta, and the date of the request if it has none.
func (e Entry) Waiting(at time.Time) (line []byte, err error) {
	if e.ID = 0; e.Date == "" {
		e.Date = FormatTime(at)
	}
	if e.Meta, err = setMeta(e.Meta, queuedMember, "true"); err != nil {
		return nil, err
	}
	return e.Line()
}

// OwnMeta is meta without the members that this program writes for itself, in which a
// search would find every entry that has a key or is a copy.
func (e *Entry) OwnMeta() json.RawMessage {
	if !slices.ContainsFunc(bookkeeping, func(name string) bool { return bytes.Contains(e.Meta, []byte(`"`+name+`"`)) }) {
		return e.Meta
	}
	members, err := jsontext.Python.Object(string(e.Meta))
	if err != nil {
		return e.Meta
	}
	members = slices.DeleteFunc(members, func(m jsontext.Member) bool { return slices.Contains(bookkeeping, m.Name) })
	return jsontext.Python.AppendMembers(nil, members)
}

const originMember = "origin"

// IsCopy reports whether the entry names the entry that it was copied from.
func (e *Entry) IsCopy() bool { return jsontext.Get(e.Meta, originMember) != "" }

// Origin is the JSON of what the entry was copied from, in one spelling; "" if
// it is not a copy.
func (e *Entry) Origin() string {
	value := jsontext.Get(e.Meta, originMember)
	if value == "" {
		return ""
	}
	return string(jsontext.Python.AppendValue(nil, value))
}

// CopiedFrom is the entry for another tape: meta.origin names the tape that it
// comes from. A copy keeps the origin that it has.
func (e Entry) CopiedFrom(tape string) Entry {
	if e.IsCopy() {
		return e
	}
	origin := jsontext.Python.AppendMembers(nil, []jsontext.Member{TextMember("tape", tape), {Name: "id", Value: strconv.FormatInt(e.ID, 10)}})
	if meta, err := setMeta(e.Meta, originMember, string(origin)); err == nil {
		e.Meta = meta
	}
	return e
}
