package rules

import (
	"handoff/lint"
	"handoff/parse/hidden"
)

// hiddenText flags text that agents read but that the rendered page does not
// display, or displays out of sight.
func hiddenText(p *lint.Pass) {
	for _, piece := range hidden.Text(p.Doc) {
		switch {
		case piece.Comment: // hidden-comment flags it
		case piece.Blanks:
			reportBytes(p, piece.From, piece.To, piece.What+" is out of sight, but the successor reads it: move it to the left or remove it")
		default:
			reportBytes(p, piece.From, piece.To, piece.What+" does not show on the rendered page, but the successor reads it: write it as visible text or remove it")
		}
	}
}
