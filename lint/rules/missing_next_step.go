package rules

import (
	"strings"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/document/words"
	"handoff/internal/text/prose"
	"handoff/lint"
)

// missingNextStep flags a report on a closed phase without the next step.
func missingNextStep(p *lint.Pass) {
	if p.Doc.NotText != "" {
		return // another rule says so
	}
	if _, ok := p.Doc.NextStep(); !ok && !isLastPhase(p.Doc) && !saysWhatRemains(p) {
		if next := p.Settings.Next; next != "" {
			p.File("document does not say what comes next: add \"## %s\" with the first step, or say that nothing remains", next)
			return
		}
		p.File("document does not say what comes next: add \"## Next Phase\" with its first step, or say that nothing remains")
	}
}

// isLastPhase reports whether the document is about the last phase: "**Phase**:
// 5 of 5", "# Phase 4/4 Handoff".
func isLastPhase(doc *handoff.Document) bool {
	if l := doc.Preamble.Label("Phase", "Phases", "Phases completed"); l != nil && allOf(l.Value) {
		return true
	}
	at := findFold(doc.Title.Text, "phase")
	return at >= 0 && allOf(doc.Title.Text[at+len("phase"):])
}

// allOf reports whether a text begins with "4 of 4" or "4/4".
func allOf(text string) bool {
	number, rest := cutDigits(prose.TrimLeft(text, " "))
	rest = prose.TrimLeft(rest, " ")
	of, ok := strings.CutPrefix(rest, "of ")
	if !ok {
		of, ok = strings.CutPrefix(rest, "/")
	}
	total, _ := cutDigits(prose.TrimLeft(of, " "))
	return ok && number != "" && number == total
}

// cutDigits cuts the number at the start of a text.
func cutDigits(text string) (number, rest string) {
	n := 0
	for prose.DigitAt(text, n) {
		n++
	}
	return text[:n], text[n:]
}

// saysWhatRemains reports whether the document says that the work is done, or
// which phases were not started.
func saysWhatRemains(p *lint.Pass) bool {
	other := claims.OtherLanguage(p.Doc)
	for n := 1; n <= p.Doc.NumLines(); n++ {
		if line := p.Doc.Line(n); (over(line) || hasFold(line, "not started") || other && words.Over(line)) && !inFence(p, n) {
			return true
		}
	}
	return false
}

func over(text string) bool {
	if hasFold(text, words.English.List("over")...) {
		return true
	}
	i := findFold(text, "all")
	if i < 0 {
		return false
	}
	word, rest := nextWord(text[i+len("all"):])
	next, _ := nextWord(rest)
	return word != "" && strings.EqualFold(strings.Trim(next, ".,;:*"), "phases")
}
