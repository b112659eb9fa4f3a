package scaffold

import (
	"slices"

	"handoff/document/handoff"
	"handoff/document/words"
)

// LanguageOf is the code of the language in which most headings of some documents name a section, "" for English and
// for none.
func LanguageOf(docs []*handoff.Document) string {
	count := map[string]int{}
	for _, d := range docs {
		for i := range d.Sections {
			heading := words.Bare(words.Fold(d.Sections[i].Heading.Text))
			if names(words.English, heading) {
				count[words.English.Code]++
			}
			for l := range words.Others(heading) {
				if names(l, heading) {
					count[l.Code]++
				}
			}
		}
	}
	best := words.English.Code
	for _, code := range words.Codes() {
		if count[code] > count[best] {
			best = code
		}
	}
	if best == words.English.Code {
		return ""
	}
	return best
}

// names reports whether a folded heading names a section in a language.
func names(l *words.Language, heading string) bool {
	heading = l.Fold(heading)
	return slices.ContainsFunc(words.Sections[:], func(key string) bool {
		return slices.Contains(l.List(key), heading) || slices.Contains(l.List("layouts."+key), heading)
	})
}
