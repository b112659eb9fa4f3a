package view

import (
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/log/tape/entry"
)

// Search finds entries by text.
type Search struct {
	Text string // in any case and script; blank finds nothing
	// Fuzzy also finds misspelled words: up to a quarter of the letters of
	// adjacent words may differ. It needs three letters.
	Fuzzy bool
	Kinds []string // all if empty
	// From and To are dates, as those of a [Query].
	From, To string
	Limit    int // 20 if 0, none if negative
}

// Search finds entries, the newest first. It looks at the kind, the texts in
// payload and meta, and the names of their members. A handoff is found once, as
// its anchor. The event of a command is found only if the query asks for
// events, because its output may be that of an earlier search.
func (v *View) Search(s Search) (found []entry.Entry, err error) {
	m := matcher{text: fold(strings.TrimSpace(s.Text))}
	if m.text == "" {
		return nil, nil
	}
	if s.Fuzzy && utf8.RuneCountInString(m.text) >= 3 {
		m.words = words(m.text)
	}
	if s.Limit == 0 {
		s.Limit = 20
	}
	span, err := entry.ParseSpan(s.From, s.To)
	if err != nil {
		return nil, err
	}
	isCommand := entry.IsEvent(entry.EventCommand)
	for e, err := range v.FromEnd() {
		if err != nil {
			return nil, err
		}
		if len(s.Kinds) == 0 && isCommand(&e) || len(s.Kinds) > 0 && !slices.Contains(s.Kinds, e.Kind) || !span.Has(&e) || !m.inTexts(&e) {
			continue
		}
		if i := len(found) - 1; e.Kind == entry.KindAnchor && i >= 0 && found[i].IsEventOf(&e) {
			found[i] = e
			continue
		}
		if len(found) == s.Limit {
			break
		}
		found = append(found, e)
	}
	return found, nil
}
