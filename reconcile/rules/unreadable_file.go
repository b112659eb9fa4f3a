package rules

import (
	"strings"

	"handoff/lint"
	"handoff/reconcile"
)

// UnreadableFile flags a file of the task that cannot be read.
var UnreadableFile = Rule{lint.Rule{Name: "unreadable-file", Severity: lint.Error}, unreadableFile}

func unreadableFile(p *Pass) {
	for _, problem := range p.Problems {
		if !p.Outside(problem.Path) {
			p.problem(unread(problem))
		}
	}
	for _, problem := range p.Unlinked {
		p.problem(problem)
	}
}

// unread is a problem of loading a task without what follows from it for sync.
func unread(p reconcile.Problem) reconcile.Problem {
	p.Text = strings.TrimSuffix(p.Text, ": left alone")
	return p
}
