package rules

import (
	"handoff/internal/file/atomicfile"
	"handoff/lint"
)

// KeptAside flags a file that another program wrote and that was kept aside.
var KeptAside = Rule{lint.Rule{Name: "kept-aside", Severity: lint.Error}, keptAside}

func keptAside(p *Pass) {
	for _, dir := range p.folders() {
		for _, name := range p.Names(dir) {
			if of := atomicfile.SavedOf(name); of != "" {
				p.file(dir+"/"+name, "%s", KeptText(of))
			}
		}
	}
}

// KeptText describes a file that was kept aside. of is the name of the file that
// the other program wrote.
func KeptText(of string) string {
	return "was written to " + of + " by another program at the same time: copy over what is missing there, then delete it"
}
