package reconcile

import (
	"path"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/json/jsonedit"
)

// outputs adds each document with its bundle to the list of outputs, and takes back what it added
// for a document that is gone.
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
	var gone []int
	for i, e := range entries {
		switch at := e.at(i); {
		case m.repoint(at...):
		case m.onlyDerived(i):
			gone = append(gone, i)
		default:
			m.problem(at, "path of an output does not exist: %s", m.text(at...))
		}
	}
	for i, e := range entries {
		m.moveAlong(e.at(i)...)
	}
	for _, i := range slices.Backward(gone) {
		m.plan.Changes = append(m.plan.Changes, "unlinked "+path.Base(entries[i].path))
		m.remove("artifacts", i)
	}
	m.linkAll(m.entries()) // again, as their paths have changed
}

// linkAll links each document in the output that names it, or in a new one. If
// several outputs name it, the first is linked, and those that already name a
// bundle.
func (m *metadata) linkAll(entries []entry) {
	at := make(map[string][]int, len(entries))
	for i, e := range entries {
		if first := len(at[e.path]) == 0; first || m.text("artifacts", i, "bundle_artifact_id") != "" {
			at[e.path] = append(at[e.path], i)
		}
	}
	var unnamed []link
	linked := map[string]bool{}
	for _, l := range m.links {
		if at[l.Path] == nil {
			unnamed = append(unnamed, l)
		}
		for _, i := range at[l.Path] {
			linked[l.Path] = m.output(l, i, entries[i].object) || linked[l.Path]
		}
	}
	if m.appendOutputs(unnamed) {
		for _, l := range unnamed {
			linked[l.Path] = true
		}
	}
	for _, l := range m.links { // in order, the newest last
		if linked[l.Path] {
			m.plan.Links = append(m.plan.Links, Link{l.Path, l.id})
		}
	}
}

// entry is an element of the list of outputs.
type entry struct {
	path   string // cleaned: "./specs" is "specs"; "" for none
	object bool   // otherwise a string
}

// at is the place of the path of the i-th output.
func (e entry) at(i int) jsonedit.Path {
	if e.object {
		return jsonedit.Path{"artifacts", i, "path"}
	}
	return jsonedit.Path{"artifacts", i}
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
		if e.path != "" {
			e.path = path.Clean(e.path)
		}
		out = append(out, e)
	}
	return out
}

// output links a document in the output that names it. It reports whether that
// changed the output.
func (m *metadata) output(l link, i int, object bool) bool {
	before := len(m.plan.Changes)
	switch {
	case !object:
		m.set(l.entry(), l.what(), "artifacts", i)
	case m.text("artifacts", i, "bundle_artifact_id") != l.id.String():
		m.summarize(i, l)
		m.set(l.id.String(), l.what(), "artifacts", i, "bundle_artifact_id")
	}
	if at := m.writtenAt(l); at != "" && m.text("artifacts", i, writtenAt) == "" {
		m.set(at, "", "artifacts", i, writtenAt)
	}
	if at := m.ended[l.Path]; at != "" {
		m.set(at, "", "artifacts", i, doneAt)
	}
	return len(m.plan.Changes) > before
}

// appendOutputs links documents in new outputs after all others, because
// readers treat the first one as the task's result. It reports success.
func (m *metadata) appendOutputs(links []link) bool {
	if len(links) == 0 {
		return true
	}
	slices.SortStableFunc(links, func(a, b link) int { // news last
		switch {
		case a.fresh == b.fresh:
			return 0
		case a.fresh:
			return 1
		}
		return -1
	})
	entries := make([]any, len(links))
	for i, l := range links {
		entry := l.entry()
		if at := m.writtenAt(l); at != "" {
			entry = append(entry, jsonedit.Member{Key: writtenAt, Value: at})
		}
		if at := m.ended[l.Path]; at != "" {
			entry = append(entry, jsonedit.Member{Key: doneAt, Value: at})
		}
		entries[i] = entry
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

// what describes the change.
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
	if !l.Doc.Continues() && !l.Doc.Unfilled() {
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

// repoint updates a path to a document that was renamed or moved. The document
// is the one that the caller knows to have been renamed, else one of the same
// name in the task's folder, whose number or slug may have changed, else one
// with the text of the bundle that was linked under the path. repoint reports
// whether the path now leads to a file.
func (m *metadata) repoint(at ...any) bool {
	p := m.text(at...)
	if !m.lost(p) {
		return true
	}
	l, ok := m.follow(p)
	if ok {
		m.set(l.Path, "path follows "+path.Base(l.Path), at...)
		if was := path.Dir(path.Dir(p)); was != m.Dir {
			m.was = was
		}
	}
	return ok
}

// moveAlong updates other paths into the task's former folder, which repoint
// found.
func (m *metadata) moveAlong(at ...any) {
	p := m.text(at...)
	below, ok := strings.CutPrefix(p, m.was+"/")
	to := m.Dir + "/" + below
	if m.was == "" || !ok || path.Clean(to) != to || m.Exists(p) || !m.Exists(to) {
		return
	}
	m.set(to, "path follows "+path.Base(p), at...)
}

// lost reports whether a path names a handoff that does not exist.
func (m *metadata) lost(p string) bool {
	at := m.local(p)
	return p != "" && path.Base(path.Dir(at)) == handoff.Folder && !m.documents[at] && !m.Exists(at)
}

func (m *metadata) follow(p string) (link, bool) {
	for _, l := range m.links {
		if l.Path == m.Moved[p] {
			return l, true
		}
	}
	for _, l := range m.links {
		if path.Base(l.Path) == path.Base(p) && !m.ofAnother(p) {
			return l, true
		}
	}
	for i, e := range m.entries() {
		if e.path != path.Clean(p) {
			continue
		}
		b, ok := m.linked(i)
		for _, l := range m.links {
			if ok && Body(l.Doc) == b.SummaryMarkdown {
				return l, true
			}
		}
	}
	return link{}, false
}

// ofAnother reports whether a path is in another task's folder: neither its
// number nor its slug are ours. Only then is an equal file name no evidence;
// names with only a date occur in many tasks.
func (m *metadata) ofAnother(p string) bool {
	number, width, slug := handoff.ParseTask(path.Base(path.Dir(path.Dir(p))))
	ours, _, ourSlug := handoff.ParseTask(path.Base(m.Dir))
	return width > 0 && number != ours && slug != ourSlug
}
