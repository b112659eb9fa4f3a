package reconcile

import (
	"strings"

	"handoff"
)

// continues reports whether a document passes unfinished work to a successor.
// The report of a closed phase may name a next action, too.
func continues(d *handoff.Document) bool {
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

// closes reports whether a status means that nothing is left: it begins with
// COMPLETED and does not qualify that.
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
