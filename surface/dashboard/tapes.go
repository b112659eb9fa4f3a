package dashboard

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/text/shellword"
	"handoff/internal/text/visible"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/graphs"
	"handoff/workspace/tapes"
)

const tapesPath = Prefix + "tapes"

// tapeURL is the address of a tape.
func tapeURL(name string) string { return tapesPath + "?" + url.Values{"name": {name}}.Encode() }

type tapesPage struct {
	Rows    []tapeRow // of all tapes
	Paging  paging
	Info    *tape.Info    // of the tape that is shown; nil for all
	Picture template.HTML // its forks; "" for none
	Marks   []mark
	More    bool // there are earlier ones
	Curve   curve
	Parts   []spoken // entries, the last ones unless the address says otherwise
	Older   string   // the address of those before; "" for none
	Newest  string   // of the last ones; "" if they are shown
}

// tapeRow is a tape in the list of all.
type tapeRow struct {
	Depth  int // 0 for a tape that is no fork
	Name   string
	URL    string // "" if it cannot be opened
	State  string
	Sign   string
	Anchor string     // the last one
	Entry  int64      // id of the last entry
	At     *time.Time // of it
}

// spoken is an entry of a tape as a part of a conversation.
type spoken struct {
	ID        int64
	Kind      string
	Who, Text string
	Fold      bool // a tool call, its result or an event: the text is shown on a click
	At        time.Time
	From      string // the tape that a fork has it from; "" for its own
}

// mark is something on the time line of a tape.
type mark struct {
	Sign, What, Name, Detail string
	ID                       int64
	At                       time.Time // zero if unknown
	Anchor                   bool
	From                     string // the tape that a fork has it from; "" for its own
}

// loadTapes shows all tapes with their anchors and forks, or the time line of one.
func loadTapes(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	t, err := tapes.In(ws, "", false)
	if err != nil {
		return page{}, err
	}
	defer t.Close()
	name := q.Get("name")
	if name != "" {
		return oneTape(ctx, t, name, q.Get("before"))
	}
	roots, err := t.Store.Trees(ctx, "")
	data := tapesPage{Paging: paged(tapesPath, q.Values, len(roots), d.PageSize)}
	for _, root := range roots[data.Paging.First:data.Paging.End] {
		if ctx.Err() != nil {
			return page{}, ctx.Err()
		}
		data.add(t, root, 0)
	}
	return page{Title: "Tapes", Command: "handoff graph --tape all", JSON: "/tapes", Problem: sentences(err), Data: data}, nil
}

// add adds a tape and its forks to the list.
func (p *tapesPage) add(t *tapes.Tapes, n *tape.Node, depth int) {
	row := tapeRow{Depth: depth, Name: n.Tape, State: cmp.Or(n.Status, "open"), Sign: "·"}
	switch {
	case n.Missing:
		row.State, row.Sign = "missing", "✕"
	case n.Status != "" && n.Status != "active":
		row.Sign = "✓" // it is in the archive
	default:
		row.URL = tapeURL(n.Tape)
		if err := row.read(t, n.Tape); err != nil {
			row.State, row.Sign, row.Anchor = "broken", "✕", visible.Line(err.Error())
		}
	}
	p.Rows = append(p.Rows, row)
	for _, child := range n.Children {
		p.add(t, child, depth+1)
	}
}

// read reads the end of a tape.
func (r *tapeRow) read(t *tapes.Tapes, name string) error {
	one, err := t.Store.Tape(name)
	if err != nil {
		return err
	}
	anchors, err := one.Anchors(1)
	if err == nil && len(anchors) > 0 {
		r.Anchor = anchors[0].Name
	}
	last, bad := one.Last()
	r.Entry = last.ID
	if at, ok := last.Time(); ok {
		r.At = &at
	}
	return errors.Join(err, bad)
}

func oneTape(ctx context.Context, t *tapes.Tapes, name, before string) (page, error) {
	one, err := t.Store.Tape(name)
	exists := false
	if err == nil {
		exists, err = one.Exists()
	}
	if err != nil {
		return page{}, &failure{http.StatusBadRequest, err.Error()}
	}
	if !exists {
		return page{}, &failure{http.StatusNotFound, "There is no such tape: it was reset, merged or deleted, or never created."}
	}
	info, err := one.Info()
	if err != nil {
		return page{}, err
	}
	roots, problem := graphs.Tape(ctx, t, name, graphs.Links{Tape: tapeURL})
	data := tapesPage{Info: &info, Picture: picture("Forks of this tape", roots)}
	last, err := one.Last()
	if err != nil {
		return page{}, err
	}
	if data.Marks, data.More, err = timeLine(ctx, one, last.ID-mostLooked, data.Curve.add); err != nil {
		return page{}, err
	}
	end, err := strconv.ParseInt(before, 10, 64)
	if err != nil || end > last.ID || end < 1 {
		end = last.ID + 1
	} else {
		data.Newest = tapeURL(name)
	}
	if data.Parts, err = spokenOn(ctx, one, end); err != nil {
		return page{}, err
	}
	if first := end - mostSpoken; first > 1 {
		data.Older = tapesPath + "?" + url.Values{"name": {name}, "before": {strconv.FormatInt(first, 10)}}.Encode() + "#conversation"
	}
	data.Curve.draw()
	return page{Title: name, Command: "handoff tape read --tape " + shellword.Quote(name), JSON: "/tapes/" + url.PathEscape(name) + "/anchors",
		Problem: sentences(problem), Data: data}, nil
}

// mostSpoken is how many entries of a tape are shown at once. mostLooked is how many of the last ones are read for
// the time line: a tape may have millions.
const (
	mostSpoken = 100
	mostLooked = 10_000
)

// spokenOn are the entries of a tape with the ids before end, as many as are shown, oldest first. Those before
// them are not read.
func spokenOn(ctx context.Context, t *tape.Tape, end int64) (list []spoken, err error) {
	first := max(1, end-mostSpoken)
	for e, err := range t.Query(tape.Query{FromID: &first}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if e.ID >= end {
			break
		}
		list = append(list, spokenOf(e))
	}
	return list, nil
}

func spokenOf(e tape.Entry) spoken {
	s := spoken{ID: e.ID, Kind: strings.ReplaceAll(e.Kind, "_", " "), Text: tapes.Gist(e), From: e.Source}
	if at, ok := e.Time(); ok {
		s.At = at
	}
	if who, text, ok := tapes.Said(e); ok {
		s.Who, s.Text = who, text
	}
	switch e.Kind {
	case tape.KindAnchor:
		s.Who, s.Text = e.Name(), detail(e.State())
	case tape.KindEvent:
		s.Who, s.Text, s.Fold = e.Name(), string(e.Data()), true
	case tape.KindToolCall, tape.KindToolResult:
		s.Fold = true
	}
	return s
}

// mostMarks is how many marks of a tape are shown: the last ones.
const mostMarks = 200

// timeLine are the anchors of a tape from an id on, and what else cuts it or moves it, newest first. each
// is called with all anchors and events, oldest first.
func timeLine(ctx context.Context, t *tape.Tape, from int64, each func(tape.Entry)) (list []mark, more bool, err error) {
	more = from > 1
	for e, err := range t.Query(tape.Query{Kinds: []string{"anchor", "event"}, FromID: &from}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, err
		}
		each(e)
		m, ok := markOf(e)
		if !ok {
			continue
		}
		if list = append(list, m); len(list) > 2*mostMarks {
			list, more = slices.Clone(list[len(list)-mostMarks:]), true
		}
	}
	if n := len(list) - mostMarks; n > 0 {
		list, more = list[n:], true
	}
	slices.Reverse(list)
	return list, more, nil
}

// markNames are the events of a time line: the symbol, and the word for people.
var markNames = map[string][2]string{
	"tape.fork": {"⑂", "fork"}, "tape.merge": {"⤶", "merge"}, "tape.discard": {"✕", "fork discarded"}, "tape.closed": {"■", "closed"},
	"context_handoff.sent": {"→", "handed over"}, "context_handoff.received": {"←", "received"},
}

// overflow is the anchor that is written when the context of a model is full.
const overflow = "auto_handoff/context_overflow"

func markOf(e tape.Entry) (mark, bool) {
	m := mark{Name: visible.Line(e.Name()), ID: e.ID, From: e.Source}
	if at, ok := e.Time(); ok {
		m.At = at
	}
	if e.Kind == "anchor" {
		m.Sign, m.What, m.Anchor = "◆", "anchor", true
		if e.Name() == overflow {
			m.Sign, m.What = "⇊", "compaction"
		}
		m.Detail = detail(e.State())
		return m, true
	}
	known, ok := markNames[e.Name()]
	m.Sign, m.What, m.Detail, m.Name = known[0], known[1], detail(e.Data()), ""
	return m, ok
}

// mostDetail is how much of a state is shown, in characters.
const mostDetail = 300

// detail is a JSON object on one line; "" for an empty one.
func detail(object []byte) string {
	text := []rune(visible.Line(string(object)))
	switch {
	case len(text) <= len("{}"):
		return ""
	case len(text) > mostDetail:
		return string(text[:mostDetail-1]) + "…"
	}
	return string(text)
}
