package reconcile

import (
	"slices"
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
	return (strings.HasPrefix(s, "complete") || strings.HasPrefix(s, "done")) &&
		!containsOne(s, "partial", "blocked", "remain", "in progress", "except", "not ")
}

// containsOne reports whether a text contains one of the words.
func containsOne(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}
