package rules

import (
	"path"
	"strings"

	"handoff"
	"handoff/internal/prose"
	"handoff/lint"
)

// DeadReference flags a path that leads nowhere, where a successor would
// follow it: in the references and the file worked on.
var DeadReference = lint.Rule{
	Name:     "dead-reference",
	Severity: lint.Error,
	Profiles: lint.Handoff,
	Files:    true,
	Check:    deadReference,
}

func deadReference(p *lint.Pass) {
	if archived(p.Path) {
		return
	}
	eachPointer(p.Doc, func(ptr pointer) {
		name, ok := inWorkspace(ptr.path.Text)
		if !ok || !ptr.own && strings.IndexByte(name, '/') < 0 || p.Look(name).Exists {
			return
		}
		if !elsewhere(ptr.around(p.Doc)) {
			ptr.report(p, wholePath(name)+" does not exist in the workspace")
		}
	})
}

// pointer is a path that the document tells its successor to open.
type pointer struct {
	path    prose.Path
	line    int
	own     bool             // it is the file worked on
	section *handoff.Section // of a reference
	label   *handoff.Label   // of the file worked on
}

// eachPointer calls f for all paths that a successor would follow.
func eachPointer(doc *handoff.Document, f func(pointer)) {
	ownPointers(doc, f)
	references(doc, func(string) bool { return true }, f)
}

// ownPointers calls f for the paths in the labels that name the file worked on.
func ownPointers(doc *handoff.Document, f func(pointer)) {
	s := doc.Section(handoff.CurrentState)
	if s == nil {
		return
	}
	for i := range s.Labels {
		if l := &s.Labels[i]; fileLabel(l) {
			valuePointers(doc, l, f)
		}
	}
}

// references calls f for the paths in those lines of the references that are
// wanted.
func references(doc *handoff.Document, wanted func(line string) bool, f func(pointer)) {
	s := doc.Section(handoff.References)
	if s == nil {
		return
	}
	for n, line := range proseOf(doc, s) {
		if !wanted(line) {
			continue
		}
		for p := range prose.Paths(line) {
			f(pointer{path: p, line: n, section: s})
		}
	}
}

// valuePointers finds the paths of a label's value, not those nested below.
func valuePointers(doc *handoff.Document, l *handoff.Label, f func(pointer)) {
	last := l.Lines.First + strings.Count(l.Value, "\n")
	for n := l.Lines.First; n <= min(last, l.Lines.Last); n++ {
		for p := range prose.Paths(doc.Line(n)) {
			f(pointer{path: p, line: n, own: true, label: l})
		}
	}
}

// report puts a message at the path itself.
func (ptr pointer) report(p *lint.Pass, message string) {
	at := p.Doc.Offset(ptr.line)
	reportBytes(p, at+ptr.path.From, at+ptr.path.To, message)
}

// around is what is said about the path: the label's value, the item, or the
// line it stands in.
func (ptr pointer) around(doc *handoff.Document) string {
	if ptr.own {
		return ptr.label.Value
	}
	for it := range ptr.section.Top {
		if it.Lines.Has(ptr.line) {
			return doc.Text(it.Lines)
		}
	}
	return doc.Line(ptr.line)
}

// inWorkspace cleans a path that is meant from the workspace's root. Paths
// from elsewhere cannot be looked at.
func inWorkspace(name string) (string, bool) {
	if name == "" || name[0] == '/' || name[0] == '~' || name[0] == '@' || strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
		return "", false
	}
	if strings.Contains(name, "/.") || strings.Contains(name, "//") || name[0] == '.' || name[len(name)-1] == '/' {
		name = path.Clean(name)
	}
	return name, true
}

// archived reports whether a path lies in a folder that tasks are moved to
// when they are done: all paths in such a document are those of its time.
func archived(p string) bool {
	for p != "" {
		var part string
		part, p, _ = strings.Cut(p, "/")
		if part == "archive" || part == "vault" || part == "archived" {
			return true
		}
	}
	return false
}

// elsewhere reports whether a text says of its path that it is not there: in
// another repository, deleted, or yet to be written.
func elsewhere(text string) bool {
	return hasFold(text, "repo", "repository", "upstream", "external", "deleted", "removed", "gone", "renamed", "moved",
		"create", "created", "new", "missing", "not yet", "does not exist", "doesn't exist", "to be written", "branch")
}
