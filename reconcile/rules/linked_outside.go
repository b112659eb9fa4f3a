package rules

import "handoff/lint"

// LinkedOutside flags a symlink that leads out of the workspace.
var LinkedOutside = Rule{lint.Rule{Name: "linked-outside", Severity: lint.Error}, linkedOutside}

func linkedOutside(p *Pass) {
	for _, problem := range p.Problems {
		if p.Outside(problem.Path) {
			p.problem(unread(problem))
		}
	}
	for _, n := range p.paths {
		if n.leads == throughLink {
			p.value(n.at, "%s leads through a symbolic link out of the workspace: %s", n.what, n.path)
			p.atMost(n.most)
		}
	}
	for _, b := range p.bundles {
		if b.state == storedElsewhere {
			p.file(blobPath(b.id), "is a symbolic link out of the workspace")
		}
	}
}
