package rules

import (
	"strings"

	"handoff"
	"handoff/internal/prose"
	"handoff/lint"
)

// MissingLocation flags a current state that names no place in the file.
var MissingLocation = lint.Rule{
	Name:     "missing-location",
	Severity: lint.Warning,
	Profiles: lint.Handoff,
	Check:    missingLocation,
}

func missingLocation(p *lint.Pass) {
	s := p.Doc.Section(handoff.CurrentState)
	if s == nil || !holdsText(p.Doc, s) {
		return
	}
	for i := range s.Labels {
		if locationName(s.Labels[i].Name) || startsFold(s.Labels[i].Name, "files") { // several files have no one place
			return
		}
	}
	for _, line := range proseOf(p.Doc, s) {
		if namesPlace(line) {
			return
		}
	}
	p.At(s.Heading.Lines, "current state names no place in the file: write \"- **Location**: line 42, after `name`\"")
}

// locationName reports whether a label says where in the file.
func locationName(name string) bool {
	for _, w := range [...]string{"location", "locations", "line", "lines", "position", "where", "function", "theorem", "lemma", "method", "class", "symbol"} {
		if startsFold(name, w) {
			return true
		}
	}
	return false
}

// namesPlace knows "line 342", "lines ~12-40", "x.go:12" and "inside `name`".
func namesPlace(text string) bool {
	for at := 0; at < len(text); {
		next := strings.IndexAny(text[at:], "lL:`(")
		if next < 0 {
			return false
		}
		at += next
		switch c := text[at]; {
		case c == ':':
			if at > 0 && prose.WordByte(text[at-1]) && prose.DigitAt(text, at+1) {
				return true
			}
		case c == '`':
			if placeWord(text[:at]) {
				return true
			}
		case (c == 'l' || c == 'L') && (at == 0 || !prose.WordByte(text[at-1])):
			if linesAt(text[at:]) {
				return true
			}
		}
		at++
	}
	return false
}

// linesAt reads "line 12", "Lines ~12", "L12", and the heading of a column "| Line |".
func linesAt(text string) bool {
	for _, w := range [...]string{"lines", "line"} {
		if startsFold(text, w) {
			rest := prose.TrimLeft(text[len(w):], " *~:")
			return prose.DigitAt(rest, 0) || strings.HasPrefix(rest, "|")
		}
	}
	return prose.DigitAt(text, 1)
}

// placeWord reports whether text ends with a word that places what follows.
func placeWord(text string) bool {
	text = prose.TrimRight(text, " ")
	word := text[strings.LastIndexAny(text, " (,:")+1:]
	for _, w := range [...]string{"after", "inside", "in", "within", "before", "at", "near", "below", "above", "under"} {
		if strings.EqualFold(word, w) {
			return true
		}
	}
	return false
}
