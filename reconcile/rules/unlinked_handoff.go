package rules

import (
	"path"

	"handoff/internal/json/jsonedit"
	"handoff/lint"
)

// UnlinkedHandoff flags a document that no output names with its bundle.
var UnlinkedHandoff = Rule{lint.Rule{Name: "unlinked-handoff", Severity: lint.Warning, Fixable: true}, unlinkedHandoff}

func unlinkedHandoff(p *Pass) {
	if p.Object == nil {
		if n := len(p.Links); n > 0 && p.Metadata.Src == nil && !p.unreadable(p.Metadata.Path) {
			p.file(p.Metadata.Path, "does not exist, and the task has %s", plural(n, "handoff"))
			p.atMost(lint.Note) // leads delete metadata that they are done with
		}
		return
	}
	if list, ok := p.get("artifacts"); ok && list.Kind() != jsonedit.KindArray && list.Kind() != jsonedit.KindNull {
		return // malformed-output
	}
	named, linked := map[string]bool{}, map[string]bool{}
	for i := range p.outputs() {
		of, _ := p.outputPath(i)
		named[path.Clean(of)] = true
	}
	for _, b := range p.bundles {
		if b.of != nil {
			linked[b.of.Path] = true
		}
	}
	for _, l := range p.Links {
		switch {
		case linked[l.Path]:
			continue
		case named[l.Path]:
			p.file(l.Path, "its output in %s names no bundle", path.Base(p.Metadata.Path))
		default:
			p.file(l.Path, "no output of %s names it", path.Base(p.Metadata.Path))
		}
		if p.archived() {
			p.atMost(lint.Note)
		}
	}
}
