// Package strictyaml fills Go values from YAML or JSON that people and agents write by
// hand, and reports the line and column of every problem.
//
// It is strict where a lenient reader would guess: unknown and duplicate keys, values
// of another type, aliases, tags, a second document and bytes that are not text are
// problems. All of them are reported, and valid values are filled in nevertheless.
//
// It opens no file and knows nothing of what the values mean: a caller that rejects a
// value adds a problem with [Reading.Complain].
package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"handoff/internal/text/nearest"
)

// Problem is one problem of an input.
type Problem struct {
	Line, Col int // 1-based; Col counts characters
	Text      string
	Path      string // of the value, as in [Reading.At]; "" if it is unknown, or the whole input
}

// Error lists all problems of an input, in the order of the text.
type Error struct {
	Name     string // of the input, as the caller gave it
	Problems []Problem
}

// mostShown is how many problems the text of an error lists at most.
const mostShown = 100

// Error has a line for each problem, name:line:col: text. After [mostShown] problems
// it has the number of the others.
func (e *Error) Error() string {
	shown := e.Problems[:min(len(e.Problems), mostShown)]
	lines := make([]string, len(shown), len(shown)+1)
	for i, p := range shown {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", e.Name, p.Line, p.Col, p.Text)
	}
	if more := len(e.Problems) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems: only the first %d are shown", e.Name, more, mostShown))
	}
	return strings.Join(lines, "\n")
}

// Position is the place of a value and of its key, 1-based; columns count characters.
// An entry of a list is its own key.
type Position struct{ Line, Col, KeyLine, KeyCol int }

// Reading is the result of reading an input: its problems and the places of values.
type Reading struct {
	Name      string
	Problems  []Problem
	positions map[string]Position
}

// Read fills into, a pointer to a struct, from src. Problems are in the *Error of
// [Reading.Err]; a caller may add more.
//
// Fields of the struct with a tag yaml:"key" are filled. If the key is missing, they
// keep their value; an empty input changes nothing. Types are strings, whole numbers,
// floats, bools, slices, maps with string keys, structs and pointers to these. An
// encoding.TextUnmarshaler also accepts text; its error becomes the problem. Read
// panics if a field has another type.
//
// A list or map without a value ("rules:" and no more) keeps its value. Whole numbers
// are decimal, with or without leading zeros. A date is text.
func Read(name string, src []byte, into any) *Reading {
	r := &Reading{Name: name, positions: map[string]Position{}}
	if root := r.load(src); root != nil {
		r.positions[""] = Position{root.Line, root.Column, root.Line, root.Column}
		r.fill(root, reflect.ValueOf(into).Elem(), "")
	}
	return r
}

// At returns the place of the value at path, a JSON pointer (RFC 6901) such as
// "/rules/long-document" or "/ignore/0". ok is false if it is missing.
func (r *Reading) At(path string) (p Position, ok bool) {
	p, ok = r.positions[path]
	return p, ok
}

// Blames reports whether the value at path has a problem already, so that a caller
// need not report another.
func (r *Reading) Blames(path string) bool {
	p, ok := r.positions[path]
	return ok && slices.ContainsFunc(r.Problems, func(b Problem) bool { return b.Line == p.Line && b.Col == p.Col })
}

// paths returns the paths of the values at the places of values and keys. The first
// entry of a list can be at the place of the list: then the longer path counts.
func (r *Reading) paths() map[[2]int]string {
	paths := make(map[[2]int]string, 2*len(r.positions))
	for path, p := range r.positions {
		for _, at := range [][2]int{{p.Line, p.Col}, {p.KeyLine, p.KeyCol}} {
			if old := paths[at]; len(path) > len(old) || len(path) == len(old) && path < old {
				paths[at] = path
			}
		}
	}
	return paths
}

// Complain adds a problem with the value at path; if it is missing, at the start of
// the input. A value that has the wrong type has that problem alone: the caller saw no
// value.
func (r *Reading) Complain(path, format string, args ...any) {
	p, ok := r.positions[path]
	if ok && slices.ContainsFunc(r.Problems, func(other Problem) bool { return other.Line == p.Line && other.Col == p.Col }) {
		return
	}
	r.add(p.Line, p.Col, format, args...)
}

// Escape escapes a key for a JSON pointer (RFC 6901).
func Escape(key string) string { return escape.Replace(key) }

// ComplainUnknown adds a problem for each unknown key of the map at path, which ends in
// a slash, in the order of the text. The problem suggests a similar known key, or else
// has the hint. Suggestions are only made for problems that the error shows, because
// each takes a comparison with every known key.
func (r *Reading) ComplainUnknown(path, what, hint string, unknown, known []string) {
	at := func(key string) Position { return r.positions[path+Escape(key)] }
	slices.SortFunc(unknown, func(a, b string) int {
		return cmp.Or(cmp.Compare(at(a).KeyLine, at(b).KeyLine), cmp.Compare(at(a).KeyCol, at(b).KeyCol))
	})
	for i, key := range unknown {
		hint := hint
		if i < mostShown {
			if near := nearest.Word(key, known); near != "" {
				hint = "did you mean " + near + "?"
			}
		}
		r.add(at(key).KeyLine, at(key).KeyCol, "unknown %s %q: %s", what, key, hint)
	}
}

func (r *Reading) add(line, col int, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{Line: max(line, 1), Col: max(col, 1), Text: fmt.Sprintf(format, args...)})
}

// Err returns an *Error with all problems, nil if there are none.
func (r *Reading) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	list, paths := slices.Clone(r.Problems), r.paths()
	for i, p := range list {
		list[i].Path = paths[[2]int{p.Line, p.Col}]
	}
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return &Error{r.Name, list}
}
