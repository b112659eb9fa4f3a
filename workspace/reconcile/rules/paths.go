package rules

import (
	"path"
	"slices"
	"strings"

	"handoff/internal/json/jsonedit"
	"handoff/lint"
	"handoff/workspace/reconcile"
)

// namedPath is a path that the metadata names.
type namedPath struct {
	what  string        // "handoff_path" or "path of an output"
	path  string        // as written
	at    jsonedit.Path // where
	leads destination
	file  string        // the name of the file, if it differs from path in case
	most  lint.Severity // of a finding about the path
}

// destination is where a path leads.
type destination int

const (
	toFile      destination = iota // or to a folder
	elsewhere                      // absolute, or above the workspace
	toOtherCase                    // the file is spelled in another case
	throughLink                    // through a symlink that leaves the workspace
	nowhere
)

var handoffPath = jsonedit.Path{"partial_progress", "handoff_path"}

// namedPaths are the paths that rules check: handoff_path and the paths of
// outputs. Plain strings may be anything, and archived tasks may refer to
// deleted files, so both are checked only if they name a handoff.
func (t *Task) namedPaths() (list []namedPath) {
	add := func(what, p string, at jsonedit.Path, most lint.Severity) {
		n := namedPath{what: what, path: p, at: at, most: most}
		n.leads, n.file = t.destination(p)
		list = append(list, n)
	}
	if p := t.text(handoffPath...); p != "" {
		add("handoff_path", p, handoffPath, lint.Error)
	}
	for i, v := range t.outputs() {
		p, at := t.outputPath(i)
		switch {
		case p == "":
		case t.isHandoff(i):
			add("path of an output", p, at, lint.Error)
		case v.Kind() == jsonedit.KindObject && !t.archived():
			add("path of an output", p, at, lint.Warning)
		}
	}
	return list
}

func (t *Task) destination(p string) (leads destination, file string) {
	if foreign(p) {
		return elsewhere, ""
	}
	switch file = t.otherCase(p); {
	case file != "":
		return toOtherCase, file
	case t.Outside(p) && !t.unreadable(p) && !t.unreadable(path.Dir(p)): // else the document has a finding
		return throughLink, ""
	case !t.Exists(p) && !t.Folder(p):
		return nowhere, ""
	}
	return toFile, ""
}

// foreign reports whether a path leads out of the workspace, even if the file
// does not exist.
func foreign(p string) bool {
	slashed := strings.ReplaceAll(p, `\`, "/")
	if path.IsAbs(slashed) || strings.HasPrefix(slashed, "~") || len(p) > 1 && p[1] == ':' {
		return true
	}
	clean := path.Clean(slashed)
	return clean == ".." || strings.HasPrefix(clean, "../")
}

// unreadable reports whether loading the task failed to read a file.
func (t *Task) unreadable(path string) bool {
	return slices.ContainsFunc(t.Problems, func(p reconcile.Problem) bool { return p.Path == path })
}

// otherCase is the path with the name that the file really has, if p spells it
// in another case; else "".
func (t *Task) otherCase(p string) string {
	dir, base := path.Split(p)
	names := t.Names(path.Clean(dir))
	if slices.Contains(names, base) {
		return ""
	}
	for _, name := range names {
		if strings.EqualFold(name, base) {
			return dir + name
		}
	}
	for _, d := range t.Documents { // in a folder of another case
		if d.Path != p && strings.EqualFold(d.Path, p) {
			return d.Path
		}
	}
	return ""
}

// pathsTo reports the paths with a destination. The format gets what the path is
// and the path.
func (p *Pass) pathsTo(leads destination, format string) {
	for _, n := range p.paths {
		if n.leads == leads {
			p.value(n.at, format, n.what, n.path)
			p.atMost(n.most)
		}
	}
}

// danglingPath flags a path of the metadata that leads to no file.
func danglingPath(p *Pass) {
	v, ok := p.get(handoffPath...)
	if text, isText := v.Text(); ok && v.Kind() != jsonedit.KindNull && (!isText || text == "") {
		p.value(handoffPath, "handoff_path is %s, want a path", shown(string(v.Raw())))
	}
	if p.Absent == nil {
		p.pathsTo(nowhere, "%s does not exist: %s")
		return
	}
	for _, n := range p.paths {
		if n.leads == nowhere {
			p.value(n.at, "%s %s", n.what, p.Absent(n.path))
			p.atMost(n.most)
		}
	}
}

// foreignPath flags a path or an id of the metadata that leads out of the workspace.
func foreignPath(p *Pass) {
	p.pathsTo(elsewhere, "%s leads out of the workspace: %q")
	for _, b := range p.bundles {
		if b.state == malformedID {
			p.value(b.at, "bundle_artifact_id is %s, want 64 digits of lower-case hex", shown(b.raw))
		}
	}
}
