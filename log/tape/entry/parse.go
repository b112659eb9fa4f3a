package entry

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// Parse reads a line of a tape in any format that Bub has had. It accepts more
// than Bub does: invalid UTF-8 and a byte order mark do not hide the line. If
// another program has appended to a line that was torn or lacked its line end,
// all whole entries on it are returned, so there may be several.
//
// The error explains why there is none.
func Parse(line []byte) ([]Entry, error) {
	src := strings.TrimPrefix(string(line), "\ufeff")
	e, end, err := parseEntry(src)
	if err == nil && strings.Trim(src[end:], jsontext.Blanks) == "" {
		e.line = src
		return []Entry{e}, nil
	}
	if entries := split(src); len(entries) > 0 {
		return entries, nil
	}
	if err == nil {
		err = errors.New("more text after the end of the entry")
	}
	return nil, err
}

// start is how programs that append without a line end begin an entry.
const start = `{"id"`

// split finds the entries on a line that has more than one, or one after torn
// text. A line that merely ends too soon has none: an object inside its payload
// may look like an entry and is not.
func split(src string) (entries []Entry) {
	for src = strings.Trim(src, jsontext.Blanks); src != ""; {
		e, end, err := parseEntry(src)
		rest := strings.TrimLeft(src[end:], jsontext.Blanks)
		syntax := (*jsontext.Error)(nil)
		if errors.As(err, &syntax) {
			if syntax.Torn {
				return entries
			}
			src = afterTorn(src, syntax.Stop)
			continue
		}
		if rest != "" && !strings.HasPrefix(rest, start) {
			if rest = afterTorn(rest, 0); rest == "" { // else a line end was overwritten
				return entries
			}
		}
		if err == nil { // else it is an object that is not an entry
			e.line, e.At.Part = src[:end], len(entries)
			entries = append(entries, e)
		}
		src = rest
	}
	return entries
}

// afterTorn is the text from the entry that made a torn line invalid at an
// offset: the last that starts at or before it, else the first after it. From
// there to the end there must be only entries.
func afterTorn(src string, offset int) string {
	at := strings.LastIndex(src[1:min(len(src), offset+len(start))], start) + 1
	for at < len(src) {
		if at > 0 && startsWithEntry(src[at:]) {
			return src[at:]
		}
		next := strings.Index(src[at+1:], start)
		if next < 0 {
			return ""
		}
		at += 1 + next
	}
	return ""
}

// startsWithEntry reports whether a text starts with an entry, followed by
// nothing or by the start of another.
func startsWithEntry(src string) bool {
	_, end, err := parseEntry(src)
	if err != nil {
		return false
	}
	rest := strings.TrimLeft(src[end:], jsontext.Blanks)
	return rest == "" || strings.HasPrefix(rest, start)
}

// parseEntry reads the entry at the start of a text, by Bub's rules.
func parseEntry(src string) (e Entry, end int, err error) {
	members, end, err := jsontext.Python.FirstObject(src)
	if err != nil {
		return Entry{}, 0, err
	}
	var m [len(ownMembers)]jsontext.Member
	for _, member := range members {
		if i := slices.Index(ownMembers[:], member.Name); i >= 0 {
			m[i] = member
		} else {
			e.Extra = append(e.Extra, Field{member.Name, valueOf(member)})
		}
	}
	var whole bool
	switch e.ID, whole = wholeNumber(m[id].Value); {
	case !whole:
		return Entry{}, end, errors.New("id is not a whole number")
	case !jsontext.IsText(m[kind].Value):
		return Entry{}, end, errors.New("kind is not text")
	case !strings.HasPrefix(m[payload].Value, "{"):
		return Entry{}, end, errors.New("payload is not an object")
	}
	e.Kind, e.Payload, e.Meta, e.Date = jsontext.Text(m[kind].Value), valueOf(m[payload]), json.RawMessage("{}"), jsontext.Text(m[date].Value)
	if strings.HasPrefix(m[meta].Value, "{") {
		e.Meta = valueOf(m[meta])
	}
	switch {
	case m[date].Value == "":
		e.Date = unixDate(m[timestamp].Value)
	case m[timestamp].Value != "":
		e.Extra = append(e.Extra, Field{ownMembers[timestamp], valueOf(m[timestamp])})
	}
	return e, end, nil
}

// The members of a line that an entry has fields for. timestamp is the date of
// lines that have no other: see [Entry.Date].
const (
	id = iota
	kind
	payload
	meta
	date
	timestamp
)

var ownMembers = [...]string{"id", "kind", "payload", "meta", "date", "timestamp"}

// valueOf is a value as JSON.
func valueOf(m jsontext.Member) json.RawMessage {
	if !m.Odd {
		return json.RawMessage(m.Value)
	}
	return jsontext.Python.AppendValue(nil, m.Value)
}

// wholeNumber reads an id as Python does, for which true is 1. One outside the
// range of int64 becomes the nearest int64.
func wholeNumber(value string) (n int64, ok bool) {
	switch value {
	case "true":
		return 1, true
	case "false":
		return 0, true
	}
	if value == "" || strings.ContainsAny(value, `.eE"{[NIntf`) {
		return 0, false
	}
	n, err := strconv.ParseInt(value, 10, 64)
	return n, err == nil || errors.Is(err, strconv.ErrRange)
}
