package handoff

import (
	"fmt"
	"sort"
	"strings"
)

// The first bytes of the lines with which git marks a merge conflict.
const (
	conflictOurs   = "<<<<<<<"
	conflictBase   = "|||||||" // in the styles diff3 and zdiff3
	conflictTheirs = "======="
	conflictEnd    = ">>>>>>>"
)

// conflictMark returns the marker with which a line begins, "" for none. git always writes
// it in the first column, before a space and a label. A label may be missing.
func conflictMark(line string) string {
	if len(line) < len(conflictOurs) {
		return ""
	}
	switch mark, label := line[:len(conflictOurs)], line[len(conflictOurs):]; mark {
	case conflictTheirs:
		if strings.TrimRight(label, " \t") == "" {
			return mark
		}
	case conflictOurs, conflictBase, conflictEnd:
		if label == "" || label[0] == ' ' {
			return mark
		}
	}
	return ""
}

// Conflicts yields the lines of each merge conflict that nobody has resolved, from its
// first marker to its last. Conflicts in code count, because git writes its markers
// anywhere. Outside of code a single marker counts too: somebody has deleted only the
// others. A single line of equals signs does not, because it underlines a heading.
func (d *Document) Conflicts(yield func(Lines) bool) {
	if !strings.Contains(d.Source, conflictOurs) && !strings.Contains(d.Source, conflictEnd) && !strings.Contains(d.Source, conflictBase) {
		return
	}
	single := func(n int) bool { return n == 0 || d.coded(n) || yield(Lines{n, n}) }
	first, parted := 0, false
	for n := 1; n <= d.NumLines(); n++ {
		ok := true
		switch mark := conflictMark(d.Line(n)); {
		case mark == conflictOurs:
			ok = single(first)
			first, parted = n, false
		case mark == conflictTheirs:
			parted = first > 0
		case mark == conflictEnd && parted:
			ok = yield(Lines{first, n})
			first, parted = 0, false
		case mark == conflictEnd || mark == conflictBase && first == 0:
			ok = single(n)
		}
		if !ok {
			return
		}
	}
	single(first)
}

// LFSPointer is why nothing can be read in a document that Git LFS keeps and has not fetched: see [Document].NotText.
const LFSPointer = "is a pointer of Git LFS, not the document"

// UndeliverableError reports a document that is not delivered. Either it has an unresolved merge
// conflict: its text may contradict itself, and a successor obeys what it reads. Or it is not text, or Git LFS has not fetched it.
type UndeliverableError struct {
	Path     string
	Conflict Lines  // the first conflict; zero if there is none
	NotText  string // as in [Document]
}

func (e *UndeliverableError) Error() string { return e.Path + " " + e.What() }

// Needs is what somebody must do about it, in three words or so.
func (e *UndeliverableError) Needs() string {
	if e.NotText == LFSPointer {
		return "run git lfs pull"
	}
	if e.NotText != "" {
		return "save it as UTF-8"
	}
	return "resolve the merge conflict"
}

// What is the error without the path. It has no text of the document, and no order that a
// host could treat as an injection.
func (e *UndeliverableError) What() string {
	if e.NotText == LFSPointer {
		return e.NotText + ": it is not delivered until `git lfs pull` has fetched it"
	}
	if e.NotText != "" {
		return e.NotText + ": it is not delivered until it is saved as UTF-8 (`handoff lint` checks it)"
	}
	at := fmt.Sprintf("lines %d to %d", e.Conflict.First, e.Conflict.Last)
	if e.Conflict.Count() == 1 {
		at = fmt.Sprintf("line %d", e.Conflict.First)
	}
	return "has an unresolved merge conflict in " + at + ": it is not delivered until one version is kept and the marker lines are deleted (`handoff lint` checks it)"
}

// Undeliverable is why a document must not be delivered; nil if it may be. Everything that
// shows a document to a successor, or offers it to one, asks this. d may be nil.
func (d *Document) Undeliverable(path string) *UndeliverableError {
	if d == nil {
		return nil
	}
	if d.NotText != "" {
		return &UndeliverableError{Path: path, NotText: d.NotText}
	}
	for l := range d.Conflicts {
		return &UndeliverableError{Path: path, Conflict: l}
	}
	return nil
}

// coded reports whether a line is in fenced code.
func (d *Document) coded(n int) bool {
	part := d.SectionAt(n)
	if part == nil {
		part = &d.Preamble
	}
	i := sort.Search(len(part.Fences), func(i int) bool { return part.Fences[i].Lines.Last >= n })
	return i < len(part.Fences) && part.Fences[i].Lines.Has(n)
}
