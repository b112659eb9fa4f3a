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
		bare := strings.IndexByte(name, '/') < 0
		if !ok || bare && (!ptr.own || ptr.label.Value == "") || p.Look(name).Exists {
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

// ownPointers calls f for the paths in the labels that name the files worked on.
func ownPointers(doc *handoff.Document, f func(pointer)) {
	for l, in := range doc.WorkFiles {
		for n := in.First; n <= in.Last; n++ {
			for p := range prose.Paths(doc.Line(n)) {
				f(pointer{path: p, line: n, own: true, label: l})
			}
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

// report puts a message at the path itself.
func (ptr pointer) report(p *lint.Pass, message string) {
	at := p.Doc.Offset(ptr.line)
	reportBytes(p, at+ptr.path.From, at+ptr.path.To, message)
}

// around is what is said about the path: the label's value and the line, or the
// item that it is in.
func (ptr pointer) around(doc *handoff.Document) string {
	if ptr.own {
		if line := doc.Line(ptr.line); ptr.line != ptr.label.Lines.First {
			return line
		}
		return ptr.label.Value
	}
	for it := range ptr.section.Top {
		if it.Lines.Has(ptr.line) {
			return doc.Text(it.Lines)
		}
	}
	return doc.Line(ptr.line)
}

// inWorkspace cleans a path that can be looked at: one that is meant from the
// workspace's root, or an absolute one, of which Look knows whether it is
// inside.
func inWorkspace(name string) (string, bool) {
	if name == "" || name[0] == '~' || name[0] == '@' || strings.HasPrefix(name, "../") || len(name) > 1 && name[1] == ':' {
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
