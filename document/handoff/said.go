package handoff

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/document/words"
)

// comments are hidden from a person who reads the page, so that a successor does not get them either.
var comments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?(-->|$)`) })

// Said returns the items of a section, each on one line: those of its list, else its paragraphs. A section that says
// "None" has none.
func (d *Document) Said(k Kind) (list []string) {
	s := d.Section(k)
	if s == nil {
		return nil
	}
	add := func(text string) {
		if text = strings.Join(strings.Fields(comments().ReplaceAllString(text, "")), " "); text != "" && !isNone(text) {
			list = append(list, text)
		}
	}
	for it := range s.Top {
		add(it.Text)
	}
	if len(s.Items) > 0 {
		return list
	}
	add(s.Inline)
	for _, b := range s.Blocks {
		if b.Kind == Paragraph {
			add(d.Text(b.Lines))
		}
	}
	return list
}

func isNone(text string) bool {
	return slices.Contains([]string{"none", "n/a", "nothing"}, strings.ToLower(strings.Trim(text, "."))) || words.IsNone(text)
}
