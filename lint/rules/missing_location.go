package rules

import (
	"strings"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// missingLocation flags a current state without a place in the file.
func missingLocation(p *lint.Pass) {
	s := p.Doc.Section(handoff.CurrentState)
	if s == nil || !holdsText(p, s) || isLabel(p, s) {
		return
	}
	other := claims.OtherLanguage(p.Doc)
	for i := range s.Labels {
		if locationName(s.Labels[i].Name, other) || startsFold(s.Labels[i].Name, "files") { // several files have no one place
			return
		}
	}
	for _, line := range proseOf(p, s) {
		if namesPlace(line, other) || namesOpenPart(line) || other && words.Line(line) {
			return
		}
	}
	p.At(s.Heading.Lines, "current state names no place in the file: write \"- **Location**: line 42, after `name`\"")
}

// locationName reports whether a label is about the place in the file. other means that the document may be in another
// language than English.
func locationName(name string, other bool) bool {
	return startsAny(name, "location", "locations", "line", "lines", "position", "where", "function", "theorem", "lemma", "method", "class", "symbol") ||
		other && words.Begins("place", name)
}

// namesPlace recognizes "line 342", "lines ~12-40", "x.go:12" and "inside
// `name`", and with other also such words of other languages.
func namesPlace(text string, other bool) bool {
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
			after := text[prose.AfterCode(text, at):]
			if placeWord(text[:at]) || symbolBefore(text[:at]) || symbolAfter(after) || other && words.Near(ending(text[:at]), after[:min(len(after), longestWord)]) {
				return true
			}
			for at+1 < len(text) && text[at+1] == '`' { // the rest of the run
				at++
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

// namesOpenPart recognizes "2 goals remain (lex_all, lex_one)": a name in a
// text about what is open.
func namesOpenPart(text string) bool {
	if !hasFold(text, "remain", "remains", "open", "sorry", "sorries", "fails", "failing", "error", "errors", "todo") {
		return false
	}
	for at := 1; at+1 < len(text); at++ {
		if text[at] == '_' && isLetter(text[at-1]) && isLetter(text[at+1]) {
			return true
		}
	}
	return false
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

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

// longestWord bounds how far rules read next to a name, because text without
// blanks may be of any length. It is longer than any word they look for.
const longestWord = 64

// ending is the end of a text, as far as rules read it.
func ending(text string) string { return text[max(0, len(text)-longestWord):] }

// symbolBefore reports whether text ends with the kind of the name after it:
// "theorem `completeness`".
func symbolBefore(text string) bool {
	text = ending(prose.TrimRight(text, " *"))
	return symbolWord(text[strings.LastIndexAny(text, " (*|")+1:])
}

// symbolAfter reports whether text begins with the kind of the name before it:
// "the `completeness` theorem".
func symbolAfter(text string) bool {
	text = prose.TrimLeft(text, " \t")
	word, _ := nextWord(text[:min(len(text), longestWord)])
	return symbolWord(strings.TrimRight(word, ".,;:)*"))
}

func symbolWord(word string) bool {
	return prose.OneOf(word, "theorem", "lemma", "function", "functions", "method", "class", "block", "blocks", "case", "test", "definition")
}

// placeWord reports whether text ends with a word such as "inside".
func placeWord(text string) bool {
	text = ending(prose.TrimRight(text, " "))
	word := text[strings.LastIndexAny(text, " (,:")+1:]
	return prose.OneOf(word, "after", "inside", "in", "within", "before", "at", "near", "below", "above", "under")
}
