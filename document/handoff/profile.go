package handoff

import (
	"slices"
	"strings"
)

// Continues reports whether the document passes work to a successor: it has a
// next action that somebody wrote, and its frontmatter does not call it a completion report.
func (d *Document) Continues() bool {
	if d.Front != nil && d.Front.Profile == "completion" {
		return false
	}
	s := d.Section(NextAction)
	return s != nil && (s.Body.First > 0 || s.Inline != "") && !d.Unfilled()
}

// Unfilled reports whether the next action is still the text of a template: a single text in
// braces, as in "{Single specific step - not a list.}".
func (d *Document) Unfilled() bool {
	s := d.Section(NextAction)
	if s == nil || s.Inline != "" && s.Body.First > 0 {
		return false
	}
	text := s.Inline
	if text == "" {
		text = strings.TrimSpace(d.Text(s.Body))
	}
	return strings.HasPrefix(text, "{") && strings.IndexByte(text, '}') == len(text)-1
}

// ClaimsCompletion reports whether the title or a status states that the phase
// is done: "**Status**: COMPLETED", "## Status: done", "# Phase 2 Handoff: … (complete)".
func (d *Document) ClaimsCompletion() bool {
	if l := d.Preamble.Label("Status"); l != nil && saysDone(l.Value) {
		return true
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		name, text, _ := strings.Cut(s.Heading.Text, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "status") {
			continue
		}
		if saysDone(text) || s.Body.First > 0 && saysDone(d.Line(s.Body.First)) {
			return true
		}
	}
	return saysDone(d.Title.Text)
}

// saysDone reports whether a status or title calls all of the work complete.
func saysDone(s string) bool {
	s = strings.ToLower(s)
	for _, open := range [...]string{"in progress", "in_progress", "partial", "not started", "not_started", "blocked", "remain", "except", "ready for"} {
		if strings.Contains(s, open) {
			return false
		}
	}
	before := ""
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return r != '%' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) {
		switch word {
		case "complete", "completed", "completion":
			share := strings.HasSuffix(before, "%") && before != "100%"
			if !share && !slices.Contains(unfinished[:], before) {
				return true
			}
		case "done":
			if before == "" {
				return true
			}
		}
		before = word
	}
	return false
}

// unfinished are words that revoke "complete".
var unfinished = [...]string{"not", "yet", "to", "partly", "almost", "nearly", "mostly", "half", "until", "before", "never", "cannot"}
