package rules

import (
	"strings"

	"handoff"
	"handoff/internal/prose"
	"handoff/lint"
)

// MissingFile flags a current state that does not say which file is worked on.
var MissingFile = lint.Rule{
	Name:     "missing-file",
	Severity: lint.Warning,
	Profiles: lint.Handoff,
	Check:    missingFile,
}

func missingFile(p *lint.Pass) {
	s := p.Doc.Section(handoff.CurrentState)
	if s == nil || !holdsText(p.Doc, s) {
		return
	}
	for l, in := range p.Doc.WorkFiles {
		if l.Value != "" || in.Count() > 1 {
			return
		}
	}
	for n, line := range proseOf(p.Doc, s) {
		for named := range prose.Paths(line) {
			if !strings.HasPrefix(named.Text, handoff.Root+"/") {
				p.At(handoff.Lines{First: n, Last: n}, "current state names %s, but not as the file worked on: write \"- **File**: \" before it", wholePath(named.Text))
				return
			}
		}
	}
	p.At(s.Heading.Lines, "current state names no file: write \"- **File**: path/of/the/file\"")
}

// holdsText reports whether a section is more than its heading.
func holdsText(doc *handoff.Document, s *handoff.Section) bool {
	if len(s.Fences) > 0 {
		return true
	}
	_, text := opening(doc, s)
	return text != ""
}
