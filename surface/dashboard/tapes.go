package dashboard

import (
	"context"
	"html/template"
	"net/http"
	"net/url"
	"slices"
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
	Picture template.HTML // "" for none
	Paging  paging
	Info    *tape.Info // of the tape that is shown; nil for all
	Marks   []mark
	More    bool // there are earlier ones
	Curve   curve
	Parts   []spoken // the last entries
	Earlier bool     // there are earlier ones
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
		return oneTape(ctx, t, name)
	}
	var data tapesPage
	roots, err := graphs.Tapes(ctx, t, data.Paging.part(tapesPath, q.Values, d.PageSize), graphs.Links{Tape: tapeURL})
	if ctx.Err() != nil {
		return page{}, ctx.Err()
	}
	data.Picture = picture("Tapes", roots)
	return page{Title: "Tapes", Command: "handoff graph --tape all", JSON: "/tapes", Problem: sentences(err), Data: data}, nil
}

func oneTape(ctx context.Context, t *tapes.Tapes, name string) (page, error) {
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
	if data.Marks, data.More, err = timeLine(ctx, one, data.Curve.add); err != nil {
		return page{}, err
	}
	if data.Parts, data.Earlier, err = spokenOn(ctx, one); err != nil {
		return page{}, err
	}
	data.Curve.draw()
	return page{Title: name, Command: "handoff tape read --tape " + shellword.Quote(name), JSON: "/tapes/" + url.PathEscape(name) + "/anchors",
		Problem: sentences(problem), Data: data}, nil
}

// mostSpoken is how many entries of a tape are shown: the last ones.
const mostSpoken = 100

// spokenOn are the last entries of a tape, oldest first.
func spokenOn(ctx context.Context, t *tape.Tape) (list []spoken, earlier bool, err error) {
	for e, err := range t.Query(tape.Query{}) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, false, err
		}
		if list = append(list, spokenOf(e)); len(list) > 2*mostSpoken {
			list, earlier = slices.Clone(list[len(list)-mostSpoken:]), true
		}
	}
	if n := len(list) - mostSpoken; n > 0 {
		list, earlier = list[n:], true
	}
	return list, earlier, nil
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

// timeLine are the anchors of a tape, and what else cuts it or moves it, newest first. each
// is called with all anchors and events, oldest first.
func timeLine(ctx context.Context, t *tape.Tape, each func(tape.Entry)) (list []mark, more bool, err error) {
	for e, err := range t.Query(tape.Query{Kinds: []string{"anchor", "event"}}) {
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
