package rules

import (
	"strings"

	"handoff/lint"
)

// CaseClash flags names that differ only in case.
var CaseClash = Rule{lint.Rule{Name: "case-clash", Severity: lint.Error, Fixable: true}, caseClash}

func caseClash(p *Pass) {
	for _, other := range p.Twins(p.Dir) {
		p.file(p.Dir, "differs only in case from %s", other)
	}
	for _, dir := range p.folders() {
		seen := map[string]string{}
		for _, name := range p.Names(dir) {
			low := strings.ToLower(name)
			if first, ok := seen[low]; ok {
				p.file(dir+"/"+name, "differs only in case from %s", first)
				continue
			}
			seen[low] = name
		}
	}
	for _, n := range p.paths {
		if n.leads == toOtherCase {
			p.value(n.at, "%s is %s, but the file is %s", n.what, n.path, n.file)
			p.atMost(n.most)
		}
	}
}

// folders are the folders of a task.
func (t *Task) folders() []string {
	return []string{t.Dir, t.Dir + "/handoffs", t.Dir + "/plans", t.Dir + "/progress"}
}
