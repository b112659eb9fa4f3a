package receipt

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"handoff/document/handoff"
)

// Work is what somebody works on that is no handoff: an issue, a task, or paths. It can be
// claimed before anything is written.
type Work struct {
	Kind WorkKind
	ID   string // of an issue; number of a task; a glob
}

// WorkKind is what kind of work it is.
type WorkKind string

// The kinds of work.
const (
	WorkIssue WorkKind = "issue" // ID is the name that its tracker has for it
	WorkTask  WorkKind = "task"  // ID is the number of a task of the workspace
	WorkPath  WorkKind = "path"  // ID is a glob: see glob
)

// WorkKinds are all kinds of work.
var WorkKinds = []WorkKind{WorkIssue, WorkTask, WorkPath}

// maxIssue is the most bytes of the name of an issue.
const maxIssue = 200

// ParseWork reads what a person types: issue:311, task:7 or path:src/x/**, the last one from the
// root of the workspace, or with a slash before it from the top of the working tree. ok is false
// for what has none of these forms, as a path of a document.
func ParseWork(text string) (w Work, ok bool, err error) {
	kind, id, ok := strings.Cut(text, ":")
	if !ok {
		return Work{}, false, nil
	}
	w = Work{WorkKind(kind), id}
	switch w.Kind {
	case WorkIssue:
		w.ID = strings.TrimPrefix(id, "#")
		if w.ID == "" || w.ID[0] == '/' || len(w.ID) > maxIssue || strings.TrimSpace(w.ID) != w.ID || !printable(w.ID) {
			err = fmt.Errorf("%w: %q: want issue: and the number or name of an issue, one line of at most %d bytes", handoff.ErrInvalid, text, maxIssue)
		}
	case WorkTask:
		n, bad := strconv.ParseUint(id, 10, 31)
		w.ID = strconv.FormatUint(n, 10)
		if bad != nil || n > handoff.MaxTask {
			err = fmt.Errorf("%w: %q: want task: and the number of a task", handoff.ErrInvalid, text)
		}
	case WorkPath:
		w.ID, err = cleanGlob(id)
	default:
		return Work{}, false, nil
	}
	return w, true, err
}

// Task is what a person types for a task as a whole.
func Task(number int) string { return Work{WorkTask, strconv.Itoa(number)}.String() }

// printable reports whether a text is shown as it is: characters without a width, or that turn
// the direction, could make two names look the same.
func printable(text string) bool {
	return strings.ToValidUTF8(text, "") == text && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// cleanGlob drops what does not count: "./" before a glob, and slashes after it.
func cleanGlob(text string) (string, error) {
	top, rest := "", text
	if strings.HasPrefix(rest, "/") {
		top, rest = "/", rest[1:]
	}
	for strings.HasPrefix(rest, "./") {
		rest = rest[2:]
	}
	for strings.HasSuffix(rest, "/") {
		rest = rest[:len(rest)-1]
	}
	_, err := parseGlob(rest)
	return top + rest, err
}

// String is what a person types.
func (w Work) String() string { return string(w.Kind) + ":" + w.ID }

// A piece of work has a name in the receipts, as a handoff has: KIND://ID. A path of a handoff
// never has two slashes, so the two cannot be mixed up.
const ofWork = "://"

// Work is the name of a piece of work. A task is that of this workspace, issues and paths are
// those of the repository.
func (p Place) Work(w Work) (name string, err error) {
	id, err := w.ID, error(nil)
	switch top, fromTop := strings.CutPrefix(id, "/"); {
	case w.Kind == WorkTask:
		id = p.prefix + id
	case w.Kind == WorkPath && fromTop:
		id = top
	case w.Kind == WorkPath:
		id = quoted(p.prefix) + id
		_, err = parseGlob(id) // it may be too long now
	}
	return string(w.Kind) + ofWork + id, err
}

// quoted is the glob for a path alone.
func quoted(path string) string {
	var text strings.Builder
	for _, r := range path {
		if strings.ContainsRune(`*?[]{}\`, r) {
			text.WriteByte('\\')
		}
		text.WriteRune(r)
	}
	return text.String()
}

// IsWork reports whether a name is that of a piece of work, not of a handoff.
func IsWork(name string) bool { _, _, ok := cutWork(name); return ok }

func cutWork(name string) (kind WorkKind, id string, ok bool) {
	for _, kind := range WorkKinds {
		if id, ok := strings.CutPrefix(name, string(kind)+ofWork); ok {
			return kind, id, true
		}
	}
	return "", "", false
}

// WorkOf is the work of a name, as it is typed in this workspace. ok is false for a handoff, and
// for a task of another workspace.
func (p Place) WorkOf(name string) (w Work, ok bool) {
	w.Kind, w.ID, ok = cutWork(name)
	switch {
	case !ok || w.Kind == WorkIssue:
		return w, ok
	case w.Kind == WorkTask:
		w.ID, ok = strings.CutPrefix(w.ID, p.prefix)
		return w, ok && !strings.Contains(w.ID, "/")
	}
	if inside, ok := strings.CutPrefix(w.ID, quoted(p.prefix)); ok {
		w.ID = inside
	} else {
		w.ID = "/" + w.ID
	}
	return w, true
}

// shown is a name for people who do not know the workspace.
func shown(name string) string {
	if kind, id, ok := cutWork(name); ok {
		return string(kind) + ":" + id
	}
	return name
}

// logOf is the log of a name, and which of its leases. All paths that are claimed share a log,
// because one claim must see all others.
func logOf(name string) (log, part string) {
	if kind, id, ok := cutWork(name); ok && kind == WorkPath {
		return string(kind) + ofWork, id
	}
	return name, ""
}

// covers returns a path that two globs cover, both as the log of paths names them. Globs that
// cannot be read, which a newer version may have written, overlap with everything.
func covers(one, two string) (path string, overlap bool) {
	a, errA := parseGlob(one)
	b, errB := parseGlob(two)
	if errA != nil || errB != nil {
		return "", true
	}
	return common(a, b)
}
