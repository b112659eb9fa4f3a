package tape

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"

	"handoff/internal/journal"
	"handoff/internal/json/jsontext"
)

// Parse reads a line of a tape of any age, as widely as Bub does, and further:
// a byte that is not UTF-8 does not hide the line, nor a byte order mark, and
// entries that a program has glued to the torn end of another, or to one whose
// line end was missing, are found again. So there may be several.
//
// The error says why there is none.
func Parse(line []byte) ([]Entry, error) {
	src := strings.TrimPrefix(string(line), "\ufeff")
	e, end, err := parseEntry(src)
	if err == nil && strings.Trim(src[end:], blanks) == "" {
		e.line = src
		return []Entry{e}, nil
	}
	if entries := unglue(src); len(entries) > 0 {
		return entries, nil
	}
	if err == nil {
		err = errors.New("more text after the end of the entry")
	}
	return nil, err
}

const blanks = " \t\r\n"

// begins is how the programs that glue lines begin an entry.
const begins = `{"id"`

// unglue finds the entries on a line on which there is more than one, or one
// behind something torn. A line that only ends too soon has none: an object
// within its payload may look like an entry and is not.
func unglue(src string) (entries []Entry) {
	for src = strings.Trim(src, blanks); src != ""; {
		e, end, err := parseEntry(src)
		rest := strings.TrimLeft(src[end:], blanks)
		syntax := (*jsontext.Error)(nil)
		if errors.As(err, &syntax) {
			if syntax.Torn {
				return entries
			}
			src = behindTorn(src, syntax.Stop)
			continue
		}
		if rest != "" && !strings.HasPrefix(rest, begins) {
			if rest = behindTorn(rest, 0); rest == "" { // else a line end was spoiled
				return entries
			}
		}
		if err == nil { // else it is an object that is no entry
			e.line, e.at.part = src[:end], len(entries)
			entries = append(entries, e)
		}
		src = rest
	}
	return entries
}

// behindTorn is the text from the entry on that made a torn line wrong at an
// offset: the last that begins there or before, or else the first behind. What
// begins there has to be entries up to the end.
func behindTorn(src string, offset int) string {
	at := strings.LastIndex(src[1:min(len(src), offset+len(begins))], begins) + 1
	for at < len(src) {
		if at > 0 && wholeEntries(src[at:]) {
			return src[at:]
		}
		next := strings.Index(src[at+1:], begins)
		if next < 0 {
			return ""
		}
		at += 1 + next
	}
	return ""
}

// wholeEntries tells whether a text begins with an entry that is followed by
// nothing, or by what begins as another.
func wholeEntries(src string) bool {
	_, end, err := parseEntry(src)
	if err != nil {
		return false
	}
	rest := strings.TrimLeft(src[end:], blanks)
	return rest == "" || strings.HasPrefix(rest, begins)
}

// parseEntry reads the entry that a text begins with, by Bub's rules.
func parseEntry(src string) (e Entry, end int, err error) {
	members, end, err := jsontext.Python.FirstObject(src)
	if err != nil {
		return Entry{}, 0, err
	}
	p := parsed{}
	for _, m := range members {
		p.take(m)
	}
	if m := p.timestamp; m.Value != "" && p.date.Value != "" {
		p.extra = append(p.extra, Field{m.Name, valueOf(m)})
	}
	if err := p.check(); err != nil {
		return Entry{}, end, err
	}
	e = Entry{Kind: jsontext.Text(p.kind.Value), Payload: valueOf(p.payload), Extra: p.extra}
	e.ID, _ = wholeNumber(p.id.Value)
	e.Meta = json.RawMessage("{}")
	if strings.HasPrefix(p.meta.Value, "{") {
		e.Meta = valueOf(p.meta)
	}
	if e.Date = jsontext.Text(p.date.Value); p.date.Value == "" {
		e.Date = dateOf(p.timestamp.Value)
	}
	return e, end, nil
}

// parsed are the members of a line.
type parsed struct {
	id, kind, payload, meta, date, timestamp jsontext.Member
	extra                                    []Field
}

func (p *parsed) take(m jsontext.Member) {
	switch m.Name {
	case "id":
		p.id = m
	case "kind":
		p.kind = m
	case "payload":
		p.payload = m
	case "meta":
		p.meta = m
	case "date":
		p.date = m
	case "timestamp":
		p.timestamp = m
	default:
		p.extra = append(p.extra, Field{m.Name, valueOf(m)})
	}
}

func (p *parsed) check() error {
	if _, ok := wholeNumber(p.id.Value); !ok {
		return errors.New("id is not a whole number")
	}
	if !jsontext.IsText(p.kind.Value) {
		return errors.New("kind is not text")
	}
	if !strings.HasPrefix(p.payload.Value, "{") {
		return errors.New("payload is not an object")
	}
	return nil
}

// valueOf is a value as JSON.
func valueOf(m jsontext.Member) json.RawMessage {
	if !m.Odd {
		return json.RawMessage(m.Value)
	}
	return jsontext.Python.AppendValue(nil, m.Value)
}

// wholeNumber reads an id as Python does, for which true is 1. One that is out
// of the range of int64 is told as its end.
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

// What a journal is asked for.
const (
	listAnchors = "anchor"
	listRuns    = "run"    // events that tell of a model call
	listForks   = "fork"   // what tape this is a fork of: the last one counts
	listClosed  = "closed" // the fork was merged or discarded
	listTitles  = "title"
	listOwners  = "owner" // events that tell whose the tape is
	listGlued   = "glued" // lines with several entries
)

func idKey(id int64) string         { return "i/" + strconv.FormatInt(id, 10) }
func anchorKey(name string) string  { return "a/" + name }
func mergeKey(fork string) string   { return "m/" + fork }
func receiveKey(hash string) string { return "r/" + hash }
func sendKey(hash string) string    { return "s/" + hash }
func requestKey(key string) string  { return "q/" + key }

// lineFormat is what the journal knows of lines.
var lineFormat = journal.Format{Version: 3, First: 1, Tolerant: true, Read: readFacts}

// mostID is the largest id that the next one is counted from. A larger one is
// a label only: nobody's single line shall use the numbers up.
const mostID = math.MaxInt64 / 2

func readFacts(line []byte) (journal.Facts, error) {
	entries, err := Parse(line)
	if err != nil {
		return journal.Facts{}, err
	}
	f := journal.Facts{Keys: make([]string, 0, 2*len(entries))}
	for i := range entries {
		e := &entries[i]
		if e.ID > 0 && e.ID <= mostID {
			f.Number = max(f.Number, uint64(e.ID))
		}
		f.Keys = append(f.Keys, idKey(e.ID))
		if r, ok := requestOf(e); ok {
			f.Keys = append(f.Keys, requestKey(r.Key))
		}
		e.facts(&f)
	}
	if len(entries) > 1 {
		list(&f, listGlued)
	}
	return f, nil
}

// facts adds what is special about the entry.
func (e *Entry) facts(f *journal.Facts) {
	switch e.Kind {
	case KindAnchor:
		list(f, listAnchors)
		f.Keys = append(f.Keys, anchorKey(e.Name()))
	case KindEvent:
		switch e.Name() {
		case eventRun:
			list(f, listRuns)
		case eventFork:
			list(f, listForks)
		case eventClosed:
			list(f, listClosed)
		case eventTitle:
			list(f, listTitles)
		case eventMerge, eventDiscard:
			id, _ := memberText(e.Data(), "fork")
			f.Keys = append(f.Keys, mergeKey(id))
		case eventReceived:
			id, _ := memberText(e.Data(), "sha256")
			f.Keys = append(f.Keys, receiveKey(id))
			list(f, listOwners)
		case eventSent:
			id, _ := memberText(e.Data(), "sha256")
			f.Keys = append(f.Keys, sendKey(id))
			list(f, listOwners)
		}
	}
}

// list puts the line on a list, once.
func list(f *journal.Facts, name string) {
	for _, l := range f.Lists {
		if l == name {
			return
		}
	}
	f.Lists = append(f.Lists, name)
}
