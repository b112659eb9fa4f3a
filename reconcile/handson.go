package reconcile

import (
	"strings"

	"handoff"
)

// handsOn reports whether a document hands work on. The report of a phase that
// was closed may name a next action all the same.
func handsOn(d *handoff.Document) bool {
	if !d.Continues() {
		return false
	}
	if l := d.Preamble.Label("Status"); l != nil && closes(l.Value) {
		return false
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		name, text, _ := strings.Cut(s.Heading.Text, ":")
		if !strings.EqualFold(strings.TrimSpace(name), "status") {
			continue
		}
		if closes(text + " " + d.Text(s.Body)) {
			return false
		}
	}
	title := strings.ToLower(strings.TrimRight(d.Title.Text, ") "))
	return !strings.HasSuffix(title, "complete") && !strings.HasSuffix(title, "completed")
}

// closes reports whether a status says that nothing is left: it begins with
// COMPLETED, and takes nothing back.
func closes(status string) bool {
	s := strings.ToLower(strings.TrimLeft(status, " *_`[✅\n"))
	if !strings.HasPrefix(s, "complete") && !strings.HasPrefix(s, "done") {
		return false
	}
	for _, word := range []string{"partial", "blocked", "remain", "in progress", "except", "not "} {
		if strings.Contains(s, word) {
			return false
		}
	}
	return true
}
