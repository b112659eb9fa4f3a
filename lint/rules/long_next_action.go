package rules

import (
	"unicode"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/lint"
)

// longNextAction flags a next action with more words than one step needs.
func longNextAction(p *lint.Pass) {
	s, most := p.Doc.Section(handoff.NextAction), p.Settings.MaxWords
	if s == nil || most <= 0 {
		return
	}
	count, lines := 0, handoff.Lines{}
	for n, line := range proseOf(p, s) {
		if count += wordCount(line); lines.First == 0 {
			lines.First = n
		}
		lines.Last = n
	}
	if count > most {
		p.At(lines, "next action has %d words, at most %d: keep the one step, move the rest to the plan", count, most)
	}
}

// wordCount counts the words between blanks. Two characters of a script without blanks are a word.
func wordCount(line string) int {
	n, wide, blank := 0, 0, true
	for _, r := range line {
		if words.Unspaced(r) {
			wide++
			blank = true
			continue
		}
		b := r == ' ' || r == '\t' || r == '\u3000'
		if blank && !b && (r < utf8.RuneSelf || unicode.IsLetter(r) || wide == 0) {
			n++
		}
		blank = b
	}
	return n + (wide+1)/2
}
