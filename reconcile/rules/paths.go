package rules

import (
	"path"
	"slices"
	"strings"

	"handoff"
	"handoff/internal/json/jsonedit"
	"handoff/lint"
	"handoff/reconcile"
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
// outputs. Plain strings may be anything, and archived tasks may refer to files
// that are gone, so both are checked only if they name a handoff.
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

// foreign reports whether a path leads out of the workspace, whether or not
// there is a file.
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

// outputs are the elements of artifacts, none if it is not a list.
func (t *Task) outputs() (outputs []jsonedit.Value) {
	list, _ := t.get("artifacts")
	for _, v := range list.Elements() {
		outputs = append(outputs, v)
	}
	return outputs
}

// outputPath is the path of an output and where it is written, "" for none. A
// URL is not a path.
func (t *Task) outputPath(i int) (string, jsonedit.Path) {
	at := jsonedit.Path{"artifacts", i, "path"}
	p := t.text(at...)
	if p == "" {
		at = at[:2]
		p = t.text(at...)
	}
	if strings.Contains(p, "://") {
		p = ""
	}
	return p, at
}

// isHandoff reports whether an output is a handoff, by its type or its folder.
func (t *Task) isHandoff(i int) bool {
	p, _ := t.outputPath(i)
	return t.text("artifacts", i, "type") == "handoff" || path.Base(path.Dir(p)) == handoff.Folder
}

// hasProgress reports whether partial_progress is an object, or can become one.
func (t *Task) hasProgress() bool {
	v, ok := t.get("partial_progress")
	return t.Object != nil && (!ok || v.Kind() == jsonedit.KindObject || v.Kind() == jsonedit.KindNull)
}

// missed reports whether handoff_path does not name the handoff that waits.
func (t *Task) missed() bool {
	return t.hasProgress() && t.Waiting != "" && t.text(handoffPath...) != t.Waiting
}
