// Package tape keeps tapes: append-only streams of entries, one JSON object a
// line, in the form of Bub. Anchors cut a tape into phases: what a model is
// given begins behind the last one, with its state. Tapes are handed off,
// queried, forked, merged, reset and recovered.
//
// It knows no provider and no prompt: what entries become for a model is for
// package tape/chat.
package tape

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"time"

	"handoff/internal/json/jsontext"
)

// The kinds of entry that Bub knows. There may be others.
const (
	KindAnchor     = "anchor"
	KindEvent      = "event"
	KindSystem     = "system"
	KindMessage    = "message"
	KindToolCall   = "tool_call"
	KindToolResult = "tool_result"
	KindError      = "error"
)

// Entry is one entry of a tape. Payload and Meta are JSON objects, also where
// the line that was read had in them what JSON has not.
type Entry struct {
	// ID is a label: rising and unique in what this package writes, and
	// anything in what others have written. Order is that of the lines.
	ID      int64
	Kind    string
	Payload json.RawMessage
	Meta    json.RawMessage
	// Date is as the line has it, and so may be no date; "" is null. Lines of before Bub
	// 0.3 have a Unix time or none, which is told as Bub tells it: in its form
	// of ISO 8601, 1970 for none.
	Date string
	// Extra are further members of the line, which Bub ignores.
	Extra []Field
	// Source is the tape that a linked fork reads the entry from; "" for an
	// entry of the tape itself.
	Source string

	at   place
	line string
}

// Field is a member of a line that is none of the above.
type Field struct {
	Name  string
	Value json.RawMessage
}

// place is where an entry stands in its file.
type place struct {
	pos  uint64 // of the line
	part int    // on the line: others may have glued several together
}

// NewEntry is an entry to be appended. payload becomes its JSON object, meta
// too: nil is none. Any value will do that encoding/json takes.
func NewEntry(kind string, payload, meta any) (Entry, error) {
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
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, invalid("%s: %w", what, err)
	}
	text := bytes.TrimSpace(b.Bytes())
	if len(text) == 0 || text[0] != '{' {
		return nil, invalid("%s is %s, want a JSON object", what, clip(string(text)))
	}
	return text, nil
}

// Line is the entry as Bub writes it, without its line end:
//
//	{"id": 1, "kind": "message", "payload": {…}, "meta": {}, "date": "…"}
//
// The error is handoff.ErrInvalid: payload or meta is no JSON object, or
// something is of a size that Bub could not read.
func (e Entry) Line() ([]byte, error) {
	buf := make([]byte, 0, len(e.Payload)+len(e.Meta)+160)
	buf = strconv.AppendInt(append(buf, `{"id": `...), e.ID, 10)
	buf = jsontext.AppendText(append(buf, `, "kind": `...), e.Kind)
	var err error
	if buf, err = appendObject(append(buf, `, "payload": `...), "payload", e.Payload); err != nil {
		return nil, err
	}
	if buf, err = appendObject(append(buf, `, "meta": `...), "meta", e.Meta); err != nil {
		return nil, err
	}
	buf = append(buf, `, "date": `...)
	if e.Date == "" {
		buf = append(buf, "null"...)
	} else {
		buf = jsontext.AppendText(buf, e.Date)
	}
	for _, f := range e.Extra {
		if err := jsontext.Python.Check(string(f.Value)); err != nil || isOwn(f.Name) {
			return nil, invalid("%s cannot be an additional member of an entry: %w", clip(f.Name), err)
		}
		buf = append(jsontext.AppendText(append(buf, ", "...), f.Name), ": "...)
		buf = jsontext.Python.AppendValue(buf, string(f.Value))
	}
	return append(buf, '}'), nil
}

func appendObject(buf []byte, what string, value json.RawMessage) ([]byte, error) {
	if len(value) == 0 {
		return append(buf, "{}"...), nil
	}
	members, err := jsontext.Python.Object(string(value))
	if err != nil {
		return buf, invalid("%s: %w", what, err)
	}
	return jsontext.Python.AppendMembers(buf, members), nil
}

func isOwn(name string) bool {
	switch name {
	case "id", "kind", "payload", "meta", "date":
		return true
	}
	return false
}

// MarshalJSON is [Entry.Line].
func (e Entry) MarshalJSON() ([]byte, error) { return e.Line() }

// UnmarshalJSON reads what MarshalJSON has written, as [Parse] does.
func (e *Entry) UnmarshalJSON(src []byte) error {
	entries, err := Parse(src)
	if err == nil && len(entries) != 1 {
		err = invalid("%d entries instead of one", len(entries))
	}
	if err == nil {
		*e = entries[0]
	}
	return err
}

// Raw is the line that the entry was read from, "" if it was not read.
func (e Entry) Raw() string { return e.line }

// Name is what an anchor or an event is called, "" for others.
func (e Entry) Name() string {
	if e.Kind != KindAnchor && e.Kind != KindEvent {
		return ""
	}
	name, _ := memberText(e.Payload, "name")
	return name
}

// State is the state of an anchor: a JSON object, or nil if it has none.
func (e Entry) State() json.RawMessage { return memberObject(e.Payload, "state") }

// Data is the data of an event: a JSON object, or nil if it has none.
func (e Entry) Data() json.RawMessage { return memberObject(e.Payload, "data") }

// Time is the entry's date; ok is false if it is none. A date without a zone
// is UTC, one without a time begins the day.
func (e Entry) Time() (t time.Time, ok bool) { return parseTime(e.Date, false) }

func memberText(value []byte, name string) (string, bool) {
	v := jsontext.Get(value, name)
	return jsontext.Text(v), jsontext.IsText(v)
}

func memberObject(value []byte, name string) json.RawMessage {
	if v := jsontext.Get(value, name); len(v) > 0 && v[0] == '{' {
		return json.RawMessage(v)
	}
	return nil
}

// isoDate writes a time as Python's isoformat does: microseconds only where
// there are some.
func isoDate(t time.Time) string {
	t = t.UTC()
	if t.Nanosecond()/1000 == 0 {
		return t.Format("2006-01-02T15:04:05+00:00")
	}
	return t.Format("2006-01-02T15:04:05.000000+00:00")
}

// noDate is how Bub tells that there is none.
const noDate = "1970-01-01T00:00:00+00:00"

// dateOf is the date of a Unix time as Python rounds it.
func dateOf(timestamp string) string {
	seconds, err := strconv.ParseFloat(timestamp, 64)
	if err != nil || math.Abs(seconds) > 1<<37 {
		return noDate
	}
	whole, part := math.Modf(seconds)
	t := time.Unix(int64(whole), int64(math.RoundToEven(part*1e6))*1000)
	if y := t.UTC().Year(); y < 1 || y > 9999 {
		return noDate
	}
	return isoDate(t)
}

func clip(s string) string {
	const most = 60
	if len(s) > most {
		s = s[:most] + "…"
	}
	return fmt.Sprintf("%q", s)
}
