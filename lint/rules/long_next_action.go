package rules

import (
	"handoff"
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

// wordCount counts the words between blanks.
func wordCount(line string) int {
	n, blank := 0, true
	for i := 0; i < len(line); i++ {
		b := line[i] == ' ' || line[i] == '\t'
		if blank && !b {
			n++
		}
		blank = b
	}
	return n
}
