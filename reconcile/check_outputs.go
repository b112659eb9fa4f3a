package reconcile

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"handoff"
	"handoff/artifact"
	"handoff/internal/json/jsonedit"
)

// outputs checks the list of outputs and that each document is in it.
func (m *meta) outputs() {
	at := jsonedit.Path{"artifacts"}
	list, ok := m.md.file.Get(at...)
	if ok && list.Kind() != jsonedit.KindArray && list.Kind() != jsonedit.KindNull {
		m.value(MalformedOutput, at, "artifacts is %s, want a list of {type, path, summary}", list.Kind())
		return
	}
	m.malformed(list)
	m.first(list)
	linked := map[string]bool{}
	defer m.unstored()
	for i, v := range list.Elements() {
		if p, ok := m.outputPath(i, v); ok {
			linked[p] = m.bundle(i, p) || linked[p]
		}
	}
	for _, l := range m.links {
		if isLinked, named := linked[l.Path]; !named {
			m.unlinked(l.Path, true, "no output of %s names it", path.Base(m.Metadata.Path))
		} else if !isLinked {
			m.unlinked(l.Path, true, "its output in %s names no bundle", path.Base(m.Metadata.Path))
		}
	}
}

// malformed reports, once, the outputs that have no path to be found by.
func (m *meta) malformed(list jsonedit.Value) {
	texts, pathless, first := 0, 0, -1
	for i, v := range list.Elements() {
		_, hasPath := v.Get("path")
		switch {
		case v.Kind() != jsonedit.KindObject:
			texts++
		case !hasPath:
			pathless++
		default:
			continue
		}
		if first < 0 {
			first = i
		}
	}
	if first < 0 {
		return
	}
	var what []string
	if texts > 0 {
		what = append(what, fmt.Sprintf("%d not of the form {type, path, summary}", texts))
	}
	if pathless > 0 {
		what = append(what, fmt.Sprintf("%d without a path", pathless))
	}
	m.value(MalformedOutput, jsonedit.Path{"artifacts", first}, "among %s: %s", plural(list.Len(), "output"), strings.Join(what, ", "))
}

// first looks for a handoff that passes for the task's result.
func (m *meta) first(list jsonedit.Value) {
	if list.Len() < 2 || !m.isHandoff(0) {
		return
	}
	for i := range list.Elements() {
		if !m.isHandoff(i) {
			m.value(HandoffFirst, jsonedit.Path{"artifacts", 0}, "a handoff is the first of %s: programs treat it as the task's result", plural(list.Len(), "output"))
			return
		}
	}
}

// isHandoff reports whether an output is a handoff, by its type or its place.
func (m *meta) isHandoff(i int) bool {
	p := m.md.text("artifacts", i, "path")
	if p == "" {
		p = m.md.text("artifacts", i)
	}
	return m.md.text("artifacts", i, "type") == "handoff" || path.Base(path.Dir(p)) == handoff.Folder
}

// outputPath checks where an output lies.
func (m *meta) outputPath(i int, v jsonedit.Value) (string, bool) {
	at := jsonedit.Path{"artifacts", i, "path"}
	p := m.md.text(at...)
	if v.Kind() == jsonedit.KindString {
		p, at = m.md.text("artifacts", i), at[:2]
	}
	if p == "" || strings.Contains(p, "://") {
		return "", false
	}
	switch isHandoff := m.isHandoff(i); {
	case isHandoff:
		m.leads("path of an output", p, Error, at)
	case v.Kind() != jsonedit.KindObject: // may be anything
	case m.archived():
	default:
		m.leads("path of an output", p, Warning, at)
	}
	return path.Clean(p), true
}

// bundle checks the bundle that an output names. It reports whether there is
// the name of one.
func (m *meta) bundle(i int, p string) bool {
	at := jsonedit.Path{"artifacts", i, "bundle_artifact_id"}
	v, ok := m.md.file.Get(at...)
	if !ok || v.Kind() == jsonedit.KindNull {
		return false
	}
	said, _ := v.Text()
	id, err := artifact.ParseID(said)
	if err != nil {
		m.value(ForeignPath, at, "bundle_artifact_id is %s, want 64 digits of lower-case hex", clip(string(v.Raw())))
		return true
	}
	line, col := v.Pos()
	n := slices.IndexFunc(m.links, func(l link) bool { return l.Path == p })
	switch {
	case n >= 0 && m.links[n].id == id && (m.Has(id) || m.Outside(blobPath(id))):
		m.blob(m.links[n])
	case n >= 0 && m.links[n].id == id: // the document yields the very bundle
		m.notStored = append(m.notStored, Problem{Line: line, Col: col})
	case n >= 0:
		m.value(StaleBundle, at, "%s was edited after it was linked: its bundle is now %s", path.Base(p), m.links[n].id)
	case !m.Has(id):
		m.value(MissingBlob, at, "bundle %s is not in the store", id)
	}
	return true
}

// unstored reports, once, the bundles that are linked and can be made from their
// documents, but are not in the store: of a checkout without .rip, say.
func (m *meta) unstored() {
	if n := len(m.notStored); n > 0 {
		first := m.notStored[0]
		m.at(UnstoredBundle, m.Metadata.Path, first.Line, first.Col, "%s not in the store: `handoff sync` rebuilds %s from the documents", plural(n, "linked bundle"), pronoun(n))
	}
}

// progress checks what the progress files count.
func (c *checker) progress() {
	written := map[int]int{}
	for _, d := range c.Documents {
		if d.Name.Plain() {
			written[d.Name.Phase]++
		}
	}
	for _, phase := range slices.Sorted(maps.Keys(c.Progress)) {
		f := c.Progress[phase]
		if f.Src == nil {
			continue
		}
		file, ok := c.parsed(f)
		if !ok {
			continue
		}
		v, ok := file.Get("handoff_count")
		if n, whole := v.Int64(); whole && n == int64(written[phase]) {
			continue
		}
		said := "is missing"
		if ok {
			said = "is " + clip(string(v.Raw()))
		}
		line, col := v.Pos()
		c.at(WrongCount, f.Path, line, col, "handoff_count %s, the phase has %s", said, plural(written[phase], "handoff"))
	}
}

func pronoun(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
