package rules

import "handoff/lint"

// ForeignPath flags a path or an id of the metadata that leads out of the workspace.
var ForeignPath = Rule{lint.Rule{Name: "foreign-path", Severity: lint.Error, Fixable: true}, foreignPath}

func foreignPath(p *Pass) {
	for _, n := range p.paths {
		if n.leads == elsewhere {
			p.value(n.at, "%s leads out of the workspace: %q", n.what, n.path)
			p.atMost(n.most)
		}
	}
	for _, b := range p.bundles {
		if b.state == malformedID {
			p.value(b.at, "bundle_artifact_id is %s, want 64 digits of lower-case hex", clip(b.raw))
		}
	}
}
