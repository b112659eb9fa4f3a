package rules

import (
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/workspace/reconcile"
)

// caseClash flags names that differ only in case.
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

// keptAside flags a file that another program wrote and that was kept aside.
func keptAside(p *Pass) {
	for _, dir := range p.folders() {
		for _, name := range p.Names(dir) {
			if of := atomicfile.SavedOf(name); of != "" {
				p.file(dir+"/"+name, "%s", reconcile.KeptText(of))
			}
		}
	}
}
