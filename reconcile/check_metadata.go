package reconcile

import (
	"errors"
	"path"
	"slices"
	"strings"

	"handoff"
	"handoff/internal/json/jsonedit"
)

// metadata checks .return-meta.json against the documents.
func (c *checker) metadata() {
	if c.Metadata.Src == nil {
		if !c.unread(c.Metadata.Path) {
			c.noMetadata()
		}
		return
	}
	file, ok := c.parsed(c.Metadata)
	if !ok {
		return
	}
	m := &meta{checker: c, md: &metadata{State: c.State, plan: new(Plan), links: c.links, file: file}}
	m.misplaced()
	m.partial()
	m.outputs()
}

// noMetadata reports documents that nothing names. Leads delete metadata that
// they have dealt with, so nobody may need it.
func (c *checker) noMetadata() {
	if n := len(c.links); n > 0 {
		c.unlinked(c.Metadata.Path, false, "does not exist, and the task has %s", plural(n, "handoff"))
	}
}

// unlinked reports a document that nothing leads to. Where nobody waits for it
// that is worth a note.
func (c *checker) unlinked(path string, waits bool, format string, args ...any) {
	c.file(UnlinkedHandoff, path, format, args...)
	if !waits || c.archived() {
		c.found[len(c.found)-1].Severity = Note
	}
}

func (c *checker) archived() bool { return handoff.Name{Dir: c.Dir}.Archived() }

// unread reports whether a file could not be read, which was said.
func (c *checker) unread(path string) bool {
	return slices.ContainsFunc(c.Problems, func(p Problem) bool { return p.Path == path })
}

// parsed reads a JSON object, or reports why it is none.
func (c *checker) parsed(f File) (*jsonedit.File, bool) {
	file, err := parseJSON(f.Src)
	if err != nil {
		var syntax *jsonedit.SyntaxError
		if errors.As(err, &syntax) {
			c.at(UnparsableFile, f.Path, syntax.Line, syntax.Col, "is not JSON: %s", syntax.Text)
		} else {
			c.file(UnparsableFile, f.Path, "is not JSON: %v", err)
		}
		return nil, false
	}
	if kind := file.Root().Kind(); kind != jsonedit.KindObject {
		c.at(UnparsableFile, f.Path, 1, 1, "is %s, not an object", kind)
		return nil, false
	}
	if dup := file.Duplicates(); len(dup) > 0 {
		c.at(UnparsableFile, f.Path, dup[0].Line, dup[0].Col, "duplicate key %s", dup[0].Path)
		return nil, false
	}
	return file, true
}

// meta checks a metadata file that could be read.
type meta struct {
	*checker
	md *metadata // its reading side

	notStored []Problem // the places of linked bundles that only the documents have
}

// value reports a finding at a place in the file; a path that is not there
// stands for what it would be in.
func (m *meta) value(rule string, at jsonedit.Path, format string, args ...any) {
	for ; len(at) > 0; at = at[:len(at)-1] {
		if v, ok := m.md.file.Get(at...); ok {
			line, col := v.Pos()
			m.at(rule, m.Metadata.Path, line, col, format, args...)
			return
		}
	}
	m.file(rule, m.Metadata.Path, format, args...)
}

// misplaced looks for handoff_path where nobody reads it.
func (m *meta) misplaced() {
	for _, at := range []jsonedit.Path{{"handoff_path"}, {"metadata", "handoff_path"}} {
		if v, ok := m.md.file.Get(at...); ok && v.Kind() != jsonedit.KindNull {
			where := "at the top level"
			if len(at) > 1 {
				where = "in metadata"
			}
			m.value(MisplacedHandoffPath, at, "handoff_path is %s: it belongs in partial_progress", where)
		}
	}
}

// partial checks partial_progress.
func (m *meta) partial() {
	at := jsonedit.Path{"partial_progress"}
	if v, ok := m.md.file.Get(at...); ok && v.Kind() != jsonedit.KindObject && v.Kind() != jsonedit.KindNull {
		m.value(MalformedProgress, at, "partial_progress is %s, want an object", v.Kind())
		return
	}
	at = append(at, "details")
	if v, ok := m.md.file.Get(at...); ok && v.Kind() != jsonedit.KindString && v.Kind() != jsonedit.KindNull {
		m.value(MalformedProgress, at, "details is %s, want a string", v.Kind())
	}
	w := m.md.waiting()
	if w.doubt != "" {
		m.value(UnclearHandoff, jsonedit.Path{"partial_progress", "handoff_path"}, "%s", w.doubt)
	}
	named, missed := m.handoffPath(w.link, w.waits)
	if !missed { // or it is all of one cause
		m.stage(w.waits, named)
	}
	m.phases(w.waits && !missed)
}

// handoffPath checks where the lead is sent. It returns the path, "" for none,
// and whether that is not where a handoff waits.
func (m *meta) handoffPath(newest link, waiting bool) (p string, missed bool) {
	at := jsonedit.Path{"partial_progress", "handoff_path"}
	v, ok := m.md.file.Get(at...)
	p, isText := v.Text()
	switch {
	case !ok && !waiting:
		return "", false
	case !ok:
		m.value(MissedHandoff, at, "handoff_path is missing: the newest handoff is %s", newest.Path)
	case v.Kind() == jsonedit.KindNull && waiting:
		m.value(MissedHandoff, at, "handoff_path is null: the newest handoff is %s", newest.Path)
	case v.Kind() == jsonedit.KindNull:
		m.value(NullHandoffPath, at, "handoff_path is null: leave it out where there is no handoff")
		return "", false
	case !isText || p == "":
		m.value(DanglingPath, at, "handoff_path is %s, want a path", clip(string(v.Raw())))
	case m.leads("handoff_path", p, Error, at) && waiting && p != newest.Path:
		m.value(MissedHandoff, at, "handoff_path is not the newest handoff, which is %s", newest.Path)
	}
	return p, waiting && p != newest.Path
}

// leads checks that a path leads to a file of the workspace.
func (m *meta) leads(what, p string, severity Severity, at jsonedit.Path) bool {
	before := len(m.found)
	if foreign(p) {
		m.value(ForeignPath, at, "%s leads out of the workspace: %q", what, p)
	} else if other := m.otherCase(p); other != "" {
		m.value(CaseClash, at, "%s is %s, but the file is %s", what, p, other)
	} else if m.Outside(p) && !m.unread(p) && !m.unread(path.Dir(p)) { // not said of the document yet
		m.value(LinkedOutside, at, "%s leads through a symbolic link out of the workspace: %s", what, p)
	} else if !m.Exists(p) && !m.Folder(p) {
		m.value(DanglingPath, at, "%s does not exist: %s", what, p)
	}
	for i := before; i < len(m.found); i++ {
		m.found[i].Severity = min(severity, m.found[i].Severity)
	}
	return len(m.found) == before
}

// otherCase is the path by the name that the file really has, where p spells
// it in another case; else "".
func (m *meta) otherCase(p string) string {
	dir, base := path.Split(p)
	names := m.Names(path.Clean(dir))
	if slices.Contains(names, base) {
		return ""
	}
	for _, name := range names {
		if strings.EqualFold(name, base) {
			return dir + name
		}
	}
	for _, d := range m.Documents { // in a folder of another case
		if d.Path != p && strings.EqualFold(d.Path, p) {
			return d.Path
		}
	}
	return ""
}

// stage checks what partial_progress says of the task.
func (m *meta) stage(waiting bool, named string) {
	at := jsonedit.Path{"partial_progress", "stage"}
	stage := m.md.text(at...)
	switch {
	case waiting && stage != handoff.StageHandoff:
		m.value(WrongStage, at, "stage is %q while a handoff waits, want %q", clip(stage), handoff.StageHandoff)
	case stage != handoff.StageHandoff:
	case len(m.links) == 0 && named == "":
		m.value(WrongStage, at, "stage is %q, but there is no handoff", stage)
	default:
		i := slices.IndexFunc(m.links, func(l link) bool { return l.Path == named })
		if i >= 0 && !m.links[i].Doc.Continues() {
			m.value(WrongStage, at, "stage is %q, but %s names no next action", stage, path.Base(named))
		}
	}
}

// phases checks the counts, against the plan while a handoff waits.
func (m *meta) phases(waiting bool) {
	planned, of := phasesOf(m.Plan.Src)
	completed, total := m.md.counted()
	for _, count := range []struct {
		key           string
		planned, want int
	}{{"phases_completed", planned, completed}, {"phases_total", of, total}} {
		at := jsonedit.Path{"partial_progress", count.key}
		v, ok := m.md.file.Get(at...)
		n, whole := v.Int64()
		switch {
		case ok && v.Kind() != jsonedit.KindNull && !whole:
			m.value(MalformedProgress, at, "%s is %s, want a whole number", count.key, clip(string(v.Raw())))
		case count.planned == unsaid || !waiting:
		case !whole:
			m.value(PhasesMismatch, at, "%s is missing, %s has %d", count.key, path.Base(m.Plan.Path), count.want)
		case n != int64(count.want):
			m.value(PhasesMismatch, at, "%s is %d, %s has %d", count.key, n, path.Base(m.Plan.Path), count.want)
		}
	}
}

// clip makes a text that may be anything short enough for a message.
func clip(s string) string {
	const most = 40
	if s = strings.Join(strings.Fields(s), " "); len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
