package rules

import (
	"slices"
	"strings"

	"handoff/artifact"
	"handoff/lint"
	"handoff/reconcile"
)

// MissingBlob flags an artifact that is not in the store.
var MissingBlob = Rule{lint.Rule{Name: "missing-blob", Severity: lint.Error}, missingBlob}

func missingBlob(p *Pass) {
	for _, l := range p.Links {
		for _, ref := range reconcile.Bundle(l.Document).Refs.Artifacts {
			if !p.Has(ref.ID) && !p.derives(ref.ID) {
				p.at(reconcile.Problem{Path: l.Path, Line: lineOf(l.Document, ref.ID)}, "references artifact %s, which is not in the store", ref.ID)
			}
		}
	}
	for _, b := range p.bundles {
		if b.state == gone {
			p.value(b.at, "bundle %s is not in the store", b.id)
		}
	}
}

// derives reports whether a blob is the bundle of a document of the task.
func (t *Task) derives(id artifact.ID) bool {
	return slices.ContainsFunc(t.Links, func(l reconcile.Bundled) bool { return l.ID == id })
}

func lineOf(d reconcile.Document, id artifact.ID) int {
	for n := 1; n <= d.Doc.NumLines(); n++ {
		if strings.Contains(d.Doc.Line(n), id.String()) {
			return n
		}
	}
	return 0
}
