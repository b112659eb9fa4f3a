package reconcile

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode/utf8"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/jsonedit"
)

// metadata is the plan for one .return-meta.json.
type metadata struct {
	State
	plan  *Plan
	links []link
	file  *jsonedit.File

	documents map[string]bool // the paths of links, which need not be looked for on the disk
}

// reconcile plans the edit. It reports whether the links may be made: not when
// the file cannot be parsed.
func (m *metadata) reconcile() bool {
	if m.Metadata.Unreadable || len(m.links) == 0 && m.Metadata.Src == nil {
		return false
	}
	src := m.Metadata.Src
	if src == nil {
		src = []byte("{\n  \"status\": \"partial\"\n}\n")
	}
	var err error
	if m.file, err = jsonedit.Parse(src); err != nil {
		m.unparsed(err)
		return false
	}
	if m.file.Root().Kind() != jsonedit.KindObject {
		m.problem(nil, "is no JSON object: left alone")
		return false
	}
	if dup := m.file.Duplicates(); len(dup) > 0 {
		m.problem(dup[0].Path, "key %q stands twice: left alone", dup[0].Path.String())
		return false
	}
	m.documents = make(map[string]bool, len(m.links))
	for _, l := range m.links {
		m.documents[l.Path] = true
	}
	m.progress()
	m.outputs()
	if m.Metadata.Src == nil || m.file.Changed() {
		m.plan.Writes = append(m.plan.Writes, Write{m.Metadata.Path, m.Metadata.Src, m.file.Bytes()})
	}
	return true
}

func (m *metadata) unparsed(err error) {
	p := Problem{Path: m.Metadata.Path, Text: "is not JSON: " + err.Error() + ": left alone"}
	var syntax *jsonedit.SyntaxError
	if errors.As(err, &syntax) {
		p.Line, p.Col, p.Text = syntax.Line, syntax.Col, "is not JSON: "+syntax.Text+": left alone"
	}
	m.plan.Problems = append(m.plan.Problems, p)
}

// problem reports a place in the file.
func (m *metadata) problem(at jsonedit.Path, format string, args ...any) {
	p := Problem{Path: m.Metadata.Path, Text: fmt.Sprintf(format, args...)}
	if v, ok := m.file.Get(at...); ok && at != nil {
		p.Line, p.Col = v.Pos()
	}
	m.plan.Problems = append(m.plan.Problems, p)
}

// set puts a value in its place and says so.
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

// text is the string at a path, "" when there is none.
func (m *metadata) text(at ...any) string {
	v, ok := m.file.Get(at...)
	if !ok {
		return ""
	}
	s, _ := v.Text()
	return s
}

// progress makes partial_progress say what the newest document says.
func (m *metadata) progress() {
	m.repoint("handoff_path of partial_progress", "partial_progress", "handoff_path")
	if len(m.links) == 0 {
		return
	}
	newest := m.links[len(m.links)-1]
	if !m.waits(newest) {
		return
	}
	said, ok := m.object()
	if !ok {
		return
	}
	moved := m.text("partial_progress", "handoff_path") != newest.Path
	if m.text("status") != "partial" {
		m.set("partial", "status partial", "status")
	}
	if m.text("partial_progress", "stage") != handoff.StageHandoff {
		m.set(handoff.StageHandoff, "stage "+handoff.StageHandoff, "partial_progress", "stage")
	}
	if moved && !said || m.text("partial_progress", "details") == "" {
		m.set(details(newest.Doc), "", "partial_progress", "details")
	}
	if moved {
		m.set(newest.Path, "handoff_path set", "partial_progress", "handoff_path")
	}
	m.phases(newest)
}

// waits reports whether the newest document waits for somebody to go on: then
// partial_progress is about it.
func (m *metadata) waits(newest link) bool {
	if !newest.Doc.Continues() {
		return false // a report of a closed phase claims no exhausted context
	}
	switch m.text("status") {
	case "", "in_progress", "partial":
	default:
		return false // a finished status is not moved back
	}
	if v, ok := m.file.Get("requires_user_review"); ok {
		if wait, _ := v.Bool(); wait {
			return false // a person was asked for; a handoff would send the lead on
		}
	}
	return true
}

// object makes sure that partial_progress is an object, where what stands
// there has one meaning only: nothing, or a text, which is its details. said
// reports that such a text was found; it is somebody's words and stays.
func (m *metadata) object() (said, ok bool) {
	v, ok := m.file.Get("partial_progress")
	switch {
	case !ok, v.Kind() == jsonedit.KindObject:
		return false, true
	case v.Kind() == jsonedit.KindNull:
		m.set(jsonedit.Object{}, "", "partial_progress")
	case v.Kind() == jsonedit.KindString:
		text, _ := v.Text()
		m.set(jsonedit.Object{{Key: "details", Value: text}}, "partial_progress made an object", "partial_progress")
		return true, true
	default:
		m.problem(jsonedit.Path{"partial_progress"}, "partial_progress is %s: left alone", v.Kind())
		return false, false
	}
	return false, true
}

// phases sets the counts: from the plan, else as they are, else from the
// phase of the document.
func (m *metadata) phases(newest link) {
	completed, total := phasesOf(m.Plan.Src)
	if total > 0 {
		m.count("phases_completed", completed, true)
		m.count("phases_total", total, true)
		return
	}
	if newest.Name.Phase > 0 {
		m.count("phases_completed", newest.Name.Phase-1, false)
		m.count("phases_total", newest.Name.Phase, false)
	}
}

// count sets a number. One that is there stays, unless known is better; a list
// of phases is as many as it has entries; anything else is left alone.
func (m *metadata) count(key string, n int, known bool) {
	at := jsonedit.Path{"partial_progress", key}
	v, ok := m.file.Get(at...)
	if ok && v.Kind() != jsonedit.KindNull {
		_, whole := v.Int64()
		switch {
		case whole && !known:
			return
		case v.Kind() == jsonedit.KindArray && !known:
			n = v.Len()
		case !whole && v.Kind() != jsonedit.KindArray:
			m.problem(at, "%s is %s, not a whole number: left alone", key, v.Raw())
			return
		}
	}
	m.set(n, key+" "+strconv.Itoa(n), at...)
}

// maxDetails is about two lines of a terminal.
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

// outputs makes the list of outputs name every document with its bundle.
func (m *metadata) outputs() {
	at := jsonedit.Path{"artifacts"}
	list, ok := m.file.Get(at...)
	if ok && list.Kind() != jsonedit.KindArray && list.Kind() != jsonedit.KindNull {
		m.problem(at, "artifacts is %s, not a list: left alone", list.Kind())
		return
	}
	if ok && list.Kind() == jsonedit.KindNull && len(m.links) > 0 {
		m.set([]any{}, "", at...)
	}
	entries := m.entries()
	for i := range entries {
		if entries[i].object {
			m.repoint("path of an output", "artifacts", i, "path")
		}
	}
	entries = m.entries() // with the paths as they are now
	first := make(map[string]int, len(entries))
	for i := len(entries) - 1; i >= 0; i-- {
		first[entries[i].path] = i // the first of a path counts
	}
	var unnamed []link
	linked := map[string]bool{}
	for _, l := range m.links {
		if i, ok := first[l.Path]; !ok {
			unnamed = append(unnamed, l)
		} else if m.output(l, i, entries[i].object) {
			linked[l.Path] = true
		}
	}
	if m.appendOutputs(unnamed) {
		for _, l := range unnamed {
			linked[l.Path] = true
		}
	}
	for _, l := range m.links { // the newest last
		if linked[l.Path] {
			m.plan.Links = append(m.plan.Links, Link{l.Path, l.id})
		}
	}
}

// entry is an output as it stands in the list.
type entry struct {
	path   string
	object bool // a plain string otherwise
}

func (m *metadata) entries() []entry {
	list, ok := m.file.Get("artifacts")
	if !ok || list.Kind() != jsonedit.KindArray {
		return nil
	}
	var out []entry
	for _, v := range list.Elements() {
		e := entry{object: v.Kind() == jsonedit.KindObject}
		if p, ok := v.Get("path"); e.object && ok {
			e.path, _ = p.Text()
		} else if s, ok := v.Text(); ok {
			e.path = s
		}
		out = append(out, e)
	}
	return out
}

// output links a document in the entry that names it, and reports whether it
// was not.
func (m *metadata) output(l link, i int, object bool) bool {
	before := len(m.plan.Changes)
	switch {
	case !object:
		m.set(l.entry(), l.what(), "artifacts", i)
	case m.text("artifacts", i, "bundle_artifact_id") != l.id.String():
		m.set(l.id.String(), l.what(), "artifacts", i, "bundle_artifact_id")
	}
	return len(m.plan.Changes) > before
}

// appendOutputs links documents in new entries behind all others, because
// readers take the first for the task's result. It reports whether it could.
func (m *metadata) appendOutputs(links []link) bool {
	if len(links) == 0 {
		return true
	}
	entries := make([]any, len(links))
	for i, l := range links {
		entries[i] = l.entry()
	}
	if err := m.file.Append(jsonedit.Path{"artifacts"}, entries...); err != nil {
		m.problem(jsonedit.Path{"artifacts"}, "%v", err)
		return false
	}
	for _, l := range links {
		m.plan.Changes = append(m.plan.Changes, l.what())
	}
	return true
}

// what says that the document is linked.
func (l link) what() string { return "linked " + l.id.String()[:12] + " " + path.Base(l.Path) }

// entry is the output of a document.
func (l link) entry() jsonedit.Object {
	return jsonedit.Object{
		{Key: "type", Value: "handoff"},
		{Key: "path", Value: l.Path},
		{Key: "summary", Value: l.summary()},
		{Key: "bundle_artifact_id", Value: l.id.String()},
	}
}

func (l link) summary() string {
	what := "Handoff"
	if !l.Doc.Continues() {
		what = "Report"
	}
	if l.Name.PhaseText != "" {
		what += " of phase " + l.Name.PhaseText
	}
	if s := l.Doc.Section(handoff.NextAction); s != nil {
		return what + ": " + details(l.Doc)
	}
	if l.Doc.Title.Text != "" {
		return what + ": " + l.Doc.Title.Text
	}
	return what
}

// repoint follows a document that a path no longer leads to: one of the same
// name in the task's own folder, which was moved or renumbered, or one whose
// text is that of the bundle the output names, which was renamed.
func (m *metadata) repoint(what string, at ...any) {
	p := m.text(at...)
	if p == "" || m.documents[p] || path.Base(path.Dir(p)) != handoff.Folder || m.Exists(p) {
		return
	}
	for _, l := range m.links {
		if path.Base(l.Path) == path.Base(p) {
			m.set(l.Path, "path follows "+path.Base(p), at...)
			return
		}
	}
	if len(at) == 3 { // an output: its bundle tells what the text was
		id, err := artifact.ParseID(m.text("artifacts", at[1], "bundle_artifact_id"))
		if err == nil {
			if b, err := bundle.ParseHandoff(m.Blob(id)); err == nil {
				for _, l := range m.links {
					if Body(l.Doc) == b.SummaryMarkdown {
						m.set(l.Path, "path follows "+path.Base(l.Path), at...)
						return
					}
				}
			}
		}
	}
	m.problem(at, "%s leads nowhere: %s", what, p)
}
