package tapes

import (
	"fmt"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"handoff/internal/text/say"
	"handoff/internal/text/visible"
	"handoff/log/tape"
	"handoff/surface/command"
	"handoff/workspace/tapes"
)

// entryText is an entry on one line, for people.
func entryText(e tape.Entry, columns int) string {
	head := fmt.Sprintf("%5d  %s  %-11s  ", e.ID, shortDate(e.Date), e.Kind)
	room := 100
	if columns > 0 {
		room = max(columns-displaywidth.String(head), 20)
	}
	return head + displaywidth.TruncateString(say.Line(tapes.Gist(e)), room, "…")
}

// shortDate is a date without its fraction.
func shortDate(date string) string {
	const long = len("2026-02-12T16:05:00")
	if len(date) >= long && date[10] == 'T' {
		return date[:10] + " " + date[11:long]
	}
	return fmt.Sprintf("%-19s", date)
}

// anchorText is an anchor for people.
func anchorText(a tape.Anchor) string {
	state := string(a.State)
	if state == "{}" {
		state = ""
	}
	return strings.TrimRight(fmt.Sprintf("%5d  %s  %s  %s", a.ID, shortDate(a.Date), a.Name, displaywidth.TruncateString(say.Line(state), 100, "…")), " ")
}

// forModel is a text for a model, without invisible characters; their number is
// printed to stderr. JSON is left unchanged.
func forModel(w *command.Process, text string) string {
	clean, removed := visible.Model(text)
	if removed > 0 {
		w.Say("%d invisible characters were removed (--json prints them)", removed)
	}
	return clean
}

// recoveryText shows an agent where to resume.
func recoveryText(r tape.Recovery, columns int) string {
	var b strings.Builder
	if r.Anchor == nil {
		fmt.Fprintf(&b, "tape %s has no anchor\n", r.Tape)
	} else {
		fmt.Fprintf(&b, "tape %s resumes after anchor %s (entry %d, %s)\n", r.Tape, r.Anchor.Name, r.Anchor.ID, strings.TrimSpace(shortDate(r.Anchor.Date)))
		fmt.Fprintf(&b, "state: %s\n", r.State)
	}
	if r.Intention != nil {
		fmt.Fprintf(&b, "intention: %s\n", r.Intention)
	}
	for _, call := range r.Unfinished {
		fmt.Fprintf(&b, "unfinished: %s %s (entry %d): it may or may not have run\n", call.Name, call.Arguments, call.Entry)
	}
	if n := len(r.Passed); n > 0 {
		fmt.Fprintf(&b, "%s could not be read: %v\n", command.Plural(n, "line"), r.Passed)
	}
	fmt.Fprintf(&b, "%s since then", command.Plural(len(r.Entries), "entry"))
	for _, e := range r.Entries {
		b.WriteString("\n" + entryText(e, columns))
	}
	return b.String()
}
