package rules

import "handoff/lint"

// draft flags a document that a program wrote and that nobody has checked.
func draft(p *lint.Pass) {
	if p.Doc.Front != nil && p.Doc.Front.Draft {
		p.At(keyLine(p.Doc.Front, "draft"), "a program made this from a transcript: check it, write the next action, then remove the keys draft and source")
	}
}
