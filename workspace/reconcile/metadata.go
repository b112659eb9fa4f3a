package reconcile

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
)

// metadata plans the edits of one .return-meta.json.
type metadata struct {
	State
	plan  *Plan
	links []link
	file  *jsonedit.File
	was   string // the task's former folder; "" if it was not renamed

	documents map[string]bool   // the paths of links, which exist
	ended     map[string]string // when documents were done, as their outputs must record it
}

// reconcile plans the edits. It reports whether documents may be linked: not if
// the file cannot be parsed.
func (m *metadata) reconcile() bool {
	src := m.Metadata.Src
	if m.Metadata.Unreadable || src == nil && !m.creates() {
		return false
	}
	if src == nil {
		src = []byte("{\n  \"status\": \"partial\"\n}\n")
	}
	var ok bool
	if m.file, ok = editable(File{Path: m.Metadata.Path, Src: src}, m.plan); !ok {
		return false
	}
	m.know()
	w, gone := m.progress()
	m.outputs()
	m.note(w, gone)
	switch {
	case m.Metadata.Src == nil, m.file.Changed() && !m.leave(m.Metadata):
		m.plan.Writes = append(m.plan.Writes, Write{m.Metadata.Path, m.Metadata.Src, m.file.Bytes()})
	case m.file.Changed():
		m.plan.Left = append(m.plan.Left, m.Metadata.Path)
		m.plan.Changes, m.plan.Links = nil, nil
	}
	return true
}

// know makes the paths of the links known.
func (m *metadata) know() {
	m.documents = make(map[string]bool, len(m.links))
	for _, l := range m.links {
		m.documents[l.Path] = true
	}
}

// creates reports whether missing metadata is created: only on request, for the
// newest handoff. It is unknown what became of older ones, and a report of a
// closed phase leaves nothing partial.
func (m *metadata) creates() bool {
	if len(m.Create) == 0 {
		return false
	}
	best, _ := m.order().choose("")
	if best < 0 || !slices.Contains(m.Create, m.links[best].Path) || m.links[best].refused() != nil {
		return false
	}
	if slices.Contains(m.Owed, m.links[best].Path) && !m.links[best].fresh {
		r, err := m.Receipt(m.links[best].Path)
		return r.Done && err == nil // else the command was killed before it recorded the step
	}
	return true
}

// editable parses a file before it is changed. A file that cannot be parsed is
// a problem of the plan and is not changed.
func editable(f File, plan *Plan) (*jsonedit.File, bool) {
	file, problem := f.Object()
	if problem != nil {
		problem.Text += ": left alone"
		plan.Problems = append(plan.Problems, *problem)
	}
	return file, problem == nil
}

// problem reports a problem at a place in the file.
func (m *metadata) problem(at jsonedit.Path, format string, args ...any) {
	p := Problem{Path: m.Metadata.Path, Text: fmt.Sprintf(format, args...)}
	if v, ok := m.file.Get(at...); ok && at != nil {
		p.Line, p.Col = v.Pos()
	}
	m.plan.Problems = append(m.plan.Problems, p)
}

// set sets a value and records the change.
func (m *metadata) set(value any, what string, at ...any) {
	before := m.file.String()
	if err := m.file.Set(at, value); err != nil {
		m.problem(at, "%v", err)
		return
	}
	if what != "" && before != m.file.String() {
		m.plan.Changes = append(m.plan.Changes, what)
	}
}

// text is the string at a path, "" if there is none.
func (m *metadata) text(at ...any) string {
	v, ok := m.file.Get(at...)
	if !ok {
		return ""
	}
	s, _ := v.Text()
	return s
}

// progress brings partial_progress up to date with the handoff that waits. gone reports whether
// handoff_path then names no file.
func (m *metadata) progress() (w waiting, gone bool) {
	at := jsonedit.Path{"partial_progress", "handoff_path"}
	found := m.repoint(at...)
	m.share(m.Owed...)
	m.resume()
	w = m.waiting()
	if !slices.Contains(m.Owed, w.Path) {
		m.share(w.Path)
	}
	switch {
	case w.doubt != "":
		m.problem(at, "%s: partial_progress left alone", w.doubt)
	case w.waits && w.refused() != nil:
		m.plan.Problems = append(m.plan.Problems, Problem{Path: w.Path, Line: w.refused().Conflict.First, Text: w.refused().What()})
	case w.waits:
		m.present(w)
	case w.done:
		m.withdraw(w)
	}
	if gone = !found && m.lost(m.text(at...)); gone {
		m.problem(at, "handoff_path of partial_progress does not exist: %s", m.text(at...))
	}
	return w, gone
}

// note tells a lead that reads nothing but the metadata what is wrong with handoff_path, and
// takes that back when nothing is. Another text is an agent's, and stays. If nothing else has
// changed, the document has not, and neither have its faults.
func (m *metadata) note(w waiting, gone bool) {
	at := jsonedit.Path{"partial_progress", "handoff_problem"}
	if v, _ := m.file.Get("partial_progress"); v.Kind() != jsonedit.KindObject {
		return
	}
	said, problem := m.text(at...), ""
	if gone {
		problem = problemGone
	} else if w.waits && m.World.Faults != nil && (said != "" || m.file.Changed()) {
		if faults := m.faultsOf(w.Document); faults != "" {
			problem = problemFaults + faults
		}
	}
	ours := said == problemGone || strings.HasPrefix(said, problemFaults)
	switch {
	case problem != "" && said != problem && (said == "" || ours):
		m.set(problem, "handoff_problem set", at...)
	case problem == "" && ours:
		m.set(nil, "handoff_problem gone", at...)
	}
}

// The texts of handoff_problem in partial_progress.
const (
	problemGone   = "handoff_path names a file that does not exist"
	problemFaults = "a successor cannot begin with this handoff: "
)

// present writes a handoff that waits into partial_progress.
func (m *metadata) present(w waiting) {
	if !m.textOrNone("partial_progress left alone", "status") {
		return
	}
	said, ok := m.object()
	if !ok {
		return
	}
	before := m.text("partial_progress", "handoff_path")
	if m.text("status") != "partial" {
		m.set("partial", "status partial", "status")
	}
	if m.text("partial_progress", "stage") != handoff.StageHandoff {
		m.set(handoff.StageHandoff, "stage "+handoff.StageHandoff, "partial_progress", "stage")
	}
	at := jsonedit.Path{"partial_progress", "details"}
	if text := m.text(at...); m.textOrNone("left alone", at...) && (text == "" || m.isOurs(text) || !said && w.newer() || m.wasDetails(text)) {
		what := "details replaced" // may replace what an agent wrote, so it is recorded
		if text == "" {
			what = ""
		}
		m.set(details(w.Doc), what, at...)
	}
	if m.local(before) != w.Path { // an absolute path of an agent stays as written
		m.set(w.Path, "handoff_path set", "partial_progress", "handoff_path")
	}
	for _, k := range besides {
		m.beside(k, w.Doc)
	}
	m.phases()
}

// besides are the sections that a lead reads in partial_progress, beside the next action.
var besides = [...]handoff.Kind{handoff.Understand, handoff.WaitingFor, handoff.Background}

// beside writes what a section of the document that waits says, on one line. The text of another document of the task is
// replaced or removed; any other is an agent's, and stays.
func (m *metadata) beside(k handoff.Kind, doc *handoff.Document) {
	at, text := jsonedit.Path{"partial_progress", handoff.SpecOf(k).Key}, onOneLine(doc, k)
	old := m.text(at...)
	if old == text || !m.textOrNone("left alone", at...) || old != "" && !slices.ContainsFunc(m.links, func(l link) bool { return onOneLine(l.Doc, k) == old }) {
		return
	}
	if text == "" {
		m.remove(at...)
		return
	}
	m.set(text, "", at...)
}

func onOneLine(doc *handoff.Document, k handoff.Kind) string {
	return strings.Join(doc.Said(k), "; ")
}

// textOrNone reports whether there is a string at a path, or nothing. The
// meaning of any other value is unknown: it is reported with what follows from
// it.
func (m *metadata) textOrNone(follows string, at ...any) bool {
	v, ok := m.file.Get(at...)
	if !ok || v.Kind() == jsonedit.KindString || v.Kind() == jsonedit.KindNull {
		return true
	}
	m.problem(at, "%v is %s: %s", at[len(at)-1], v.Kind(), follows)
	return false
}

// object makes an object of partial_progress if that has only one meaning: it
// is missing, null, or a string, which becomes its details. said reports such a
// string, which we did not write and which stays.
func (m *metadata) object() (said, ok bool) {
	v, ok := m.file.Get("partial_progress")
	switch {
	case !ok, v.Kind() == jsonedit.KindObject:
		return false, true
	case v.Kind() == jsonedit.KindNull:
		m.set(jsonedit.Object{}, "", "partial_progress")
	case v.Kind() == jsonedit.KindString:
		text, _ := v.Text()
		made := jsonedit.Object{{Key: "stage", Value: handoff.StageHandoff}, {Key: "details", Value: text}} // in the order of the schema
		m.set(made, "partial_progress is now an object", "partial_progress")
		return true, true
	default:
		m.problem(jsonedit.Path{"partial_progress"}, "partial_progress is %s: left alone", v.Kind())
		return false, false
	}
	return false, true
}

// maxDetails is about two lines on a terminal.
const maxDetails = 200

// details is the next action on one line.
func details(doc *handoff.Document) string {
	s := doc.Section(handoff.NextAction)
	text := strings.Join(strings.Fields(s.Inline+" "+doc.Text(s.Body)), " ")
	if utf8.RuneCountInString(text) <= maxDetails {
		return text
	}
	cut := string([]rune(text)[:maxDetails-1])
	if i := strings.LastIndexByte(cut, ' '); i > maxDetails/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
