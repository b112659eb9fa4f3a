// Package entry reads and writes the lines of a tape: one JSON object a line,
// in the format of Bub. It also makes the entries that have a fixed form:
// anchors, handoffs, events and errors.
//
// It does not know files, tapes or the order of entries.
package entry

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"handoff/internal/json/jsontext"
)

// The kinds of entry that Bub writes. Other kinds are allowed.
const (
	KindAnchor     = "anchor"
	KindEvent      = "event"
	KindSystem     = "system"
	KindMessage    = "message"
	KindToolCall   = "tool_call"
	KindToolResult = "tool_result"
	KindError      = "error"
)

// Entry is one entry of a tape. Payload and Meta are valid JSON objects, even
// if the line used what only Python's JSON allows, such as NaN.
type Entry struct {
	// ID is a label. This package's callers write unique, increasing ids; other programs
	// may repeat them or write lower ones. The order of entries is that of the lines.
	ID      int64
	Kind    string
	Payload json.RawMessage
	Meta    json.RawMessage
	// Date is the text of the line, which may not be a valid date; "" is null.
	// Bub before 0.3 wrote a Unix time or nothing: these become ISO 8601, and
	// 1970 for nothing, as in Bub.
	Date string
	// Extra are further members of the line, which Bub ignores.
	Extra []Field
	// Source is the tape that a linked fork reads the entry from; "" for an
	// entry of the tape itself.
	Source string
	// At is where the entry was read; zero if it was not read from a file.
	At Place

	line string
}

// Field is an additional member of a line.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Place is the position of an entry in its file.
type Place struct {
	Pos  uint64 // of the line, from 1
	Part int    // on the line, from 0: other programs may have joined lines
}

// New is an entry to be appended. payload and meta become JSON objects; nil is
// {}. Both accept whatever encoding/json does.
func New(kind string, payload, meta any) (Entry, error) {
	e := Entry{Kind: kind}
	var err error
	if e.Payload, err = object("payload", payload); err == nil {
		e.Meta, err = object("meta", meta)
	}
	return e, err
}

func object(what string, v any) (json.RawMessage, error) {
	if raw, ok := v.(json.RawMessage); v == nil || ok && raw == nil {
		return json.RawMessage("{}"), nil
	}
	text, err := jsontext.Marshal(v)
	if err != nil {
		return nil, Invalid("%s: %w", what, err)
	}
	if len(text) == 0 || text[0] != '{' {
		return nil, Invalid("%s is %.60q, want a JSON object", what, text)
	}
	return text, nil
}

// Line is the entry as Bub writes it, without the line end:
//
//	{"id": 1, "kind": "message", "payload": {…}, "meta": {}, "date": "…"}
//
// The error is handoff.ErrInvalid: payload or meta is not a JSON object, or has
// a number or nesting that Bub cannot read.
func (e Entry) Line() ([]byte, error) {
	buf := make([]byte, 0, len(e.Payload)+len(e.Meta)+160)
	buf = strconv.AppendInt(append(buf, `{"id": `...), e.ID, 10)
	buf = jsontext.AppendText(append(buf, `, "kind": `...), e.Kind)
	var err error
	if buf, err = appendObject(buf, "payload", e.Payload); err != nil {
		return nil, err
	}
	if buf, err = appendObject(buf, "meta", e.Meta); err != nil {
		return nil, err
	}
	buf = append(buf, `, "date": `...)
	if e.Date == "" {
		buf = append(buf, "null"...)
	} else {
		buf = jsontext.AppendText(buf, e.Date)
	}
	for _, f := range e.Extra {
		if err := jsontext.Python.Check(string(f.Value)); err != nil || slices.Contains(ownMembers[:timestamp], f.Name) {
			return nil, Invalid("%.60q cannot be an additional member of an entry: %w", f.Name, err)
		}
		buf = append(jsontext.AppendText(append(buf, ", "...), f.Name), ": "...)
		buf = jsontext.Python.AppendValue(buf, string(f.Value))
	}
	return append(buf, '}'), nil
}

func appendObject(buf []byte, name string, value json.RawMessage) ([]byte, error) {
	buf = append(append(append(buf, `, "`...), name...), `": `...)
	if len(value) == 0 {
		return append(buf, "{}"...), nil
	}
	members, err := jsontext.Python.Object(string(value))
	if err != nil {
		return buf, Invalid("%s: %w", name, err)
	}
	return jsontext.Python.AppendMembers(buf, members), nil
}

// MarshalJSON is [Entry.Line].
func (e Entry) MarshalJSON() ([]byte, error) { return e.Line() }

// UnmarshalJSON reads what MarshalJSON has written, as [Parse] does.
func (e *Entry) UnmarshalJSON(src []byte) error {
	entries, err := Parse(src)
	if err == nil && len(entries) != 1 {
		err = Invalid("%d entries instead of one", len(entries))
	}
	if err == nil {
		*e = entries[0]
	}
	return err
}

// Raw is the line that the entry was read from, "" if it was not read.
func (e Entry) Raw() string { return e.line }

// Name is the name of an anchor or event, "" for other kinds.
func (e Entry) Name() string {
	if e.Kind != KindAnchor && e.Kind != KindEvent {
		return ""
	}
	name, _ := Text(e.Payload, "name")
	return name
}

// State is the state of an anchor: a JSON object, or nil.
func (e Entry) State() json.RawMessage { return Object(e.Payload, "state") }

// Data is the data of an event: a JSON object, or nil.
func (e Entry) Data() json.RawMessage { return Object(e.Payload, "data") }

// Time is the entry's date; ok is false if it is not valid. A date without a
// zone is UTC, one without a time is the start of the day.
func (e Entry) Time() (t time.Time, ok bool) { return ParseTime(e.Date, false) }

// IsAnchor reports whether the entry is an anchor.
func IsAnchor(e *Entry) bool { return e.Kind == KindAnchor }

// IsAnchorNamed reports whether an entry is an anchor of that name.
func IsAnchorNamed(name string) func(*Entry) bool {
	return func(e *Entry) bool { return e.Kind == KindAnchor && e.Name() == name }
}

// IsEvent reports whether an entry is an event of that name.
func IsEvent(name string) func(*Entry) bool {
	return func(e *Entry) bool { return e.Kind == KindEvent && e.Name() == name }
}

// Same reports whether two entries have the same line, except for id and, if
// other has none, date. So an entry that was stored equals the one that was to
// be appended.
func (e Entry) Same(other Entry) bool {
	if other.ID = e.ID; other.Date == "" {
		other.Date = e.Date
	}
	a, err := e.Line()
	if err != nil {
		return false
	}
	b, err := other.Line()
	return err == nil && bytes.Equal(a, b)
}

// Text is a member of a JSON object that is text; ok is false for others.
func Text(object []byte, name string) (text string, ok bool) {
	v := jsontext.Get(object, name)
	return jsontext.Text(v), jsontext.IsText(v)
}

// Tokens is the context of a model call, in tokens: those of its prompt and its answer. ok
// is false for all entries but events "run" whose usage has the total.
func (e Entry) Tokens() (n int64, ok bool) {
	if e.Kind != "event" || e.Name() != EventRun {
		return 0, false
	}
	n, err := strconv.ParseInt(jsontext.Get(Object(e.Data(), "usage"), "total_tokens"), 10, 64)
	return n, err == nil && n >= 0
}

// Object is a member of a JSON object that is an object itself, else nil.
func Object(object []byte, name string) json.RawMessage {
	if v := jsontext.Get(object, name); len(v) > 0 && v[0] == '{' {
		return json.RawMessage(v)
	}
	return nil
}

// TextMember is a member whose value is text.
func TextMember(name, value string) jsontext.Member {
	return jsontext.Member{Name: name, Value: string(jsontext.AppendText(nil, value))}
}
