// Package pinned follows items of What NOT to Try and Critical Context from one handoff of
// a task to the next: what was kept, what was retired and why, and what is lost. Those are
// the items that cost most to find out a second time.
package pinned

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/document/evidence"
	"handoff/document/handoff"
)

// Fate is what became of an item in the next document.
type Fate string

// The fates.
const (
	New     Fate = "new"     // the document before does not have it
	Kept    Fate = "kept"    // word for word, or under its id
	Retired Fate = "retired" // struck out, or named in a line "Retired: …", with a reason
	Lost    Fate = "lost"    // the item is missing and no reason is given
)

// Item is a pinned item.
type Item struct {
	Section handoff.Kind
	Text    string // its first paragraph, without its mark and its id, on one line
	ID      string // "k3f9" of "… ^k3f9"; "" for none
	Source  string // all of it as written, without the marker and the indentation of the list
	Line    int    // line of the document; for a moved item, of the line that replaces it
	Moved   bool   // it is in an artifact: see [handoff.Moved]
	Reason  string // of one that is struck out: why it was retired
	struck  bool
}

// Key is what two documents have in common if they have the same item: its id, else its
// words.
func (it Item) Key() string {
	if it.ID != "" {
		return "^" + it.ID
	}
	return words(it.Text)
}

// Change is an item and its fate.
type Change struct {
	Item   Item
	Fate   Fate
	Reason string // why it was retired
	Edited bool   // it was kept with another text
	Moved  bool   // it was kept in an artifact
}

// All are the items of a document and those that it has in artifacts.
func All(d *handoff.Document, blobs Blobs) []Item { return append(Items(d), moved(d, blobs)...) }

// Items are the pinned items of a document, in its order. Items that only say "none"
// are left out, and so are retired ones. Paragraphs are not items: drafts rely on that where
// they have none (package workspace/draft).
func Items(d *handoff.Document) (list []Item) {
	for it := range all(d) {
		if !it.struck && !isRetiredLine(it.Text) && !saysNone(it.Text) {
			list = append(list, it)
		}
	}
	return list
}

// all yields the items of the pinned sections, retired ones too.
func all(d *handoff.Document) func(func(Item) bool) {
	return func(yield func(Item) bool) {
		if d == nil {
			return
		}
		for _, kind := range handoff.PinnedSections {
			for i := range d.Sections {
				s := &d.Sections[i]
				if s.Kind != kind {
					continue
				}
				for it := range s.Top {
					if text := strings.TrimSpace(it.Text); text != "" && !yield(itemOf(kind, text, sourceOf(d, it.Lines), it.Lines.First)) {
						return
					}
				}
			}
		}
	}
}

func itemOf(kind handoff.Kind, text, source string, line int) Item {
	it := Item{Section: kind, Source: source, Line: line}
	text, _, _ = evidence.Split(text)
	text, it.ID = cutID(text)
	if inner, ok := strings.CutPrefix(text, "~~"); ok {
		if struck, reason, closed := strings.Cut(inner, "~~"); closed {
			text, it.struck = struck, true
			it.Reason = strings.Trim(strings.TrimSpace(reason), "():- ")
			text, _, _ = evidence.Split(text)
			if struck, id := cutID(text); id != "" {
				text, it.ID = struck, id
			}
		}
	}
	it.Text = strings.Join(strings.Fields(text), " ")
	return it
}

// sourceOf is an item of a list without its marker and the indentation of its other lines.
func sourceOf(d *handoff.Document, lines handoff.Lines) string {
	first := strings.TrimLeft(d.Line(lines.First), " ")
	marker := strings.TrimLeft(first, "0123456789")
	all := []string{strings.TrimLeft(marker[min(1, len(marker)):], " \t")}
	least := len(d.Source)
	for n := lines.First + 1; n <= lines.Last; n++ {
		line := strings.TrimRight(d.Line(n), " \t\r")
		if trimmed := strings.TrimLeft(line, " "); trimmed != "" {
			least = min(least, len(line)-len(trimmed))
		}
		all = append(all, line)
	}
	for i, line := range all[1:] {
		all[i+1] = line[min(least, len(line)):]
	}
	return strings.TrimSpace(strings.Join(all, "\n"))
}

// cutID separates an item and the id at its end: "simp loops ^k3f9".
func cutID(text string) (rest, id string) {
	i := strings.LastIndex(text, " ^")
	if i < 0 || i+2 == len(text) || strings.Trim(text[i+2:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") != "" {
		return text, ""
	}
	return strings.TrimRight(text[:i], " \t\n"), text[i+2:]
}

// retiredWord begins a line that names a retired item: "Retired: simp - it works since
// 4.2".
const retiredWord = "retired:"

func isRetiredLine(text string) bool {
	return len(text) >= len(retiredWord) && strings.EqualFold(text[:len(retiredWord)], retiredWord)
}

func saysNone(text string) bool {
	switch strings.ToLower(strings.Trim(text, ".* _")) {
	case "none", "n/a", "nothing", "-":
		return true
	}
	return false
}

// words are a text without what editors and Markdown change: case, white space, emphasis,
// a full stop at the end.
func words(text string) string {
	text = strings.NewReplacer("*", "", "_", "", "`", "").Replace(strings.ToLower(text))
	return strings.TrimRight(strings.Join(strings.Fields(text), " "), ".")
}

// Compare returns what became of the pinned items of a document in the next one, in
// their order, and then the new items. Without blobs, moved items are unknown.
func Compare(before, after *handoff.Document, blobs Blobs) []Change {
	return compare(All(before, blobs), after, blobs)
}

func compare(before []Item, after *handoff.Document, blobs Blobs) (changes []Change) {
	present, retired := map[string]Item{}, map[string]string{}
	var lines []string // "Retired: …", without that word
	for it := range all(after) {
		switch {
		case it.struck:
			retired[it.Key()], retired[words(it.Text)] = it.Reason, it.Reason
		case isRetiredLine(it.Text):
			lines = append(lines, strings.TrimSpace(it.Text[len(retiredWord):]))
		default:
			present[it.Key()], present[words(it.Text)] = it, it
		}
	}
	for _, it := range moved(after, blobs) {
		for _, key := range [...]string{it.Key(), words(it.Text)} {
			if _, shown := present[key]; !shown {
				present[key] = it
			}
		}
	}
	seen := map[string]bool{}
	for _, it := range before {
		seen[it.Key()], seen[words(it.Text)] = true, true
		changes = append(changes, fate(it, present, retired, lines))
	}
	for _, it := range All(after, blobs) {
		if !seen[it.Key()] && !seen[words(it.Text)] {
			changes = append(changes, Change{Item: it, Fate: New})
		}
	}
	return changes
}

func fate(it Item, present map[string]Item, retired map[string]string, lines []string) Change {
	for _, key := range [...]string{it.Key(), words(it.Text)} {
		if now, ok := present[key]; ok {
			return Change{Item: it, Fate: Kept, Edited: now.Text != it.Text, Moved: now.Moved}
		}
		if why, ok := retired[key]; ok {
			return Change{Item: it, Fate: Retired, Reason: why}
		}
	}
	subject, _, _ := strings.Cut(it.Text, ": ") // "simp" of "simp: it loops"
	for _, line := range lines {
		what := words(line)
		for _, name := range [...]string{words(it.Text), words("^" + it.ID), words(subject)} {
			if rest, ok := strings.CutPrefix(what, name); ok && name != "^" && endsWord(rest) {
				return Change{Item: it, Fate: Retired, Reason: strings.Trim(rest, " -:()—–")}
			}
		}
	}
	return Change{Item: it, Fate: Lost}
}

// endsWord reports whether a word ends before a text.
func endsWord(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}
