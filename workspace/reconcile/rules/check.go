package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
	"handoff/internal/text/say"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace/reconcile"
)

// Task is a task as rules see it.
type Task struct {
	reconcile.State
	reconcile.Derived
	Disk

	texts   map[string]*handoff.Document // see [Texts]; nil before the first finding
	paths   []namedPath                  // that the metadata names
	bundles []namedBundle                // that the metadata names
	items   *chain                       // of the documents; see [Task.pins]
}

// Pass is one rule's run over one task.
type Pass struct {
	*Task
	rule  *Rule
	set   *lint.Settings
	found []lint.Finding
}

// Check returns the places where the files of a task disagree, ordered by path,
// line and column. Rules that the settings switch off do not run. A finding is
// derivable if applying [reconcile.Make]'s plan fixes it.
func Check(s reconcile.State, d Disk, set *lint.Settings) []lint.Finding {
	every := func(*Rule) bool { return true }
	found := run(s, d, set, every)
	if len(found) == 0 {
		return nil
	}
	plan := reconcile.Make(s.Strict())
	left := map[string]bool{}
	for _, f := range run(s.After(plan, func(id artifact.ID) bool { return !d.Outside(blobPath(id)) }), d, set, every) {
		left[identity(f)] = true
	}
	for i, f := range found {
		found[i].Derivable = !left[identity(f)]
	}
	return found
}

// identity identifies a finding. It has no line numbers, because an edit changes them.
func identity(f lint.Finding) string {
	return fmt.Sprint(f.Rule, "\x00", f.Severity, "\x00", f.Path, "\x00", f.Message)
}

// run runs the rules that choose selects.
func run(s reconcile.State, d Disk, set *lint.Settings, choose func(*Rule) bool) []lint.Finding {
	t := &Task{State: s, Derived: s.Derive(), Disk: d}
	t.paths, t.bundles = t.namedPaths(), t.namedBundles()
	p := Pass{Task: t, set: set}
	for _, r := range All {
		if r.Check != nil && set.SeverityOf(&r.Rule) != lint.Off && choose(r) {
			p.rule = r
			r.Check(&p)
		}
	}
	slices.SortStableFunc(p.found, func(a, b lint.Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Lines.First, b.Lines.First), cmp.Compare(a.Col, b.Col))
	})
	return p.found
}

// Texts are the documents, metadata and progress files of a task, by path.
func Texts(s reconcile.State) map[string]*handoff.Document {
	texts := map[string]*handoff.Document{}
	for _, d := range s.Documents {
		texts[d.Path] = d.Doc
	}
	texts[s.Metadata.Path] = handoff.NewDocument(string(s.Metadata.Src))
	for _, f := range s.Progress {
		texts[f.Path] = handoff.NewDocument(string(f.Src))
	}
	return texts
}

// file reports a finding about a whole file.
func (p *Pass) file(path, format string, args ...any) {
	p.at(reconcile.Problem{Path: path}, format, args...)
}

// problem reports a problem that reconcile found.
func (p *Pass) problem(at reconcile.Problem) { p.at(at, "%s", at.Text) }

// at reports a finding at the place of a problem.
func (p *Pass) at(place reconcile.Problem, format string, args ...any) {
	found := p.rule.At(p.set, place.Path, place.Line, format, args...)
	found[0].Col, found[0].EndCol = columns(p.doc(place.Path), place.Line, place.Col)
	p.found = append(p.found, found...)
}

// doc is a file of the task as text.
func (p *Pass) doc(path string) *handoff.Document {
	if p.texts == nil {
		p.texts = Texts(p.State)
	}
	return p.texts[path]
}

// value reports a finding at a value of the metadata. If there is none, the
// finding is at the value that should contain it.
func (p *Pass) value(at jsonedit.Path, format string, args ...any) {
	var v jsonedit.Value
	for ok := false; len(at) > 0 && !ok; at = at[:len(at)-1] {
		v, ok = p.Object.Get(at...)
	}
	p.jsonValue(p.Metadata.Path, v, format, args...)
}

// jsonValue reports a finding at a value of a JSON file of the task. It counts no lines and no
// characters: there may be tens of thousands of findings in a file that is one long line.
func (p *Pass) jsonValue(path string, v jsonedit.Value, format string, args ...any) {
	doc, place := p.doc(path), reconcile.Problem{Path: path}
	offset, ok := v.Offset()
	if ok {
		place.Line = doc.LineAt(offset)
	}
	p.at(place, format, args...)
	if ok {
		last := &p.found[len(p.found)-1]
		last.Col, last.EndCol = offset-doc.Offset(place.Line)+1, len(doc.Line(place.Line))+1
	}
}

// atMost lowers the severity of the last finding, unless the settings give one.
func (p *Pass) atMost(severity lint.Severity) {
	if _, set := p.set.Severity[p.rule.Name]; !set {
		last := &p.found[len(p.found)-1]
		last.Severity = min(last.Severity, severity)
	}
}

// columns turns a column in characters into the columns of the first and after
// the last byte from there to the end of the line; 0, 0 if there is no column.
func columns(doc *handoff.Document, line, col int) (from, to int) {
	if doc == nil || line == 0 || col == 0 {
		return 0, 0
	}
	text := doc.Line(line)
	at := 0
	for ; col > 1 && at < len(text); col-- {
		_, n := utf8.DecodeRuneInString(text[at:])
		at += n
	}
	return at + 1, len(text) + 1
}

// get is a value of the metadata.
func (t *Task) get(at ...any) (jsonedit.Value, bool) {
	if t.Object == nil {
		return jsonedit.Value{}, false
	}
	return t.Object.Get(at...)
}

// text is a string of the metadata, "" if there is none.
func (t *Task) text(at ...any) string {
	v, _ := t.get(at...)
	s, _ := v.Text()
	return s
}

// archived reports whether the task is in a folder of archived tasks.
func (t *Task) archived() bool { return handoff.Name{Dir: t.Dir}.Archived() }

// linked is the document at a path, nil if there is none that can be linked.
func (t *Task) linked(path string) *reconcile.Bundled {
	for i := range t.Links {
		if t.Links[i].Path == path {
			return &t.Links[i]
		}
	}
	return nil
}

func blobPath(id artifact.ID) string { return artifact.Blobs + "/" + id.String() }

// shown is a value in a message.
func shown(s string) string { return say.Clip(say.Line(s), 40) }
