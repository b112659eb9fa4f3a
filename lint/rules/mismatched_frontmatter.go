package rules

import (
	"handoff/document/handoff"
	"handoff/lint"
)

// mismatchedFrontmatter flags frontmatter with another task or phase than the
// file's path.
func mismatchedFrontmatter(p *lint.Pass) {
	front := p.Doc.Front
	if front == nil || p.Path == "" {
		return
	}
	if front.Task != 0 && p.Name.Width > 0 && front.Task != p.Name.Task {
		p.At(keyLine(front, "task"), "task is %d in the frontmatter, %d in the path: one of them is wrong",
			front.Task, p.Name.Task)
	}
	if front.Phase != "" && p.Name.PhaseText != "" && !samePhase(front.Phase, p.Name.PhaseText) {
		p.At(keyLine(front, "phase"), "phase is %s in the frontmatter, %s in the file name: one of them is wrong",
			quote(front.Phase), p.Name.PhaseText)
	}
}

func keyLine(front *handoff.Front, key string) handoff.Lines {
	n := front.KeyLine[key]
	return handoff.Lines{First: n, Last: n}
}
