package rules

import (
	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// DanglingPath flags a path of the metadata that leads to no file.
var DanglingPath = Rule{lint.Rule{Name: "dangling-path", Severity: lint.Error, Fixable: true}, danglingPath}

func danglingPath(p *Pass) {
	v, ok := p.get(handoffPath...)
	if text, isText := v.Text(); ok && v.Kind() != jsonedit.KindNull && (!isText || text == "") {
		p.value(handoffPath, "handoff_path is %s, want a path", clip(string(v.Raw())))
	}
	for _, n := range p.paths {
		if n.leads == nowhere {
			p.value(n.at, "%s does not exist: %s", n.what, n.path)
			p.atMost(n.most)
		}
	}
}
