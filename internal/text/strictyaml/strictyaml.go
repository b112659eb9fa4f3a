// Package strictyaml fills Go values from YAML or JSON that people and agents
// write by hand, and says of everything that is wrong where it stands.
//
// It is strict where a lenient reader would guess: keys that are not known or
// stand twice, values of another kind, aliases, tags, a second document and
// bytes that are no text are problems, and all of them are reported, not only
// the first. Values that are in order are filled in all the same.
//
// It opens no file and knows nothing of what the values mean: a caller that
// finds fault with one adds its own words with [Reading.Complain].
package strictyaml

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// Problem is one thing that is wrong.
type Problem struct {
	Line, Col int // 1-based; Col counts characters
	Text      string
}

// Error lists every problem of an input, in the order of their places.
type Error struct {
	Name     string // of the input, as the caller gave it
	Problems []Problem
}

// MostShown is how many problems the text of an error lists.
const MostShown = 100

// Error is one line for each problem, name:line:col: text. After [MostShown] of
// them it says how many more there are.
func (e *Error) Error() string {
	shown := e.Problems[:min(len(e.Problems), MostShown)]
	lines := make([]string, len(shown), len(shown)+1)
	for i, p := range shown {
		lines[i] = fmt.Sprintf("%s:%d:%d: %s", e.Name, p.Line, p.Col, p.Text)
	}
	if more := len(e.Problems) - len(shown); more > 0 {
		lines = append(lines, fmt.Sprintf("%s: and %d more problems: only the first %d are shown", e.Name, more, MostShown))
	}
	return strings.Join(lines, "\n")
}

// Position is where a value and its key stand, 1-based; columns count
// characters. An entry of a list is its own key.
type Position struct{ Line, Col, KeyLine, KeyCol int }

// Reading is what became of an input: the problems and the places of values.
type Reading struct {
	Name      string
	Problems  []Problem
	positions map[string]Position
}

// Read fills into, a pointer to a struct, from src. What is wrong is an *Error of
// [Reading.Err], to which callers that check more than the form may add.
//
// Fields of the struct are filled when they have a tag yaml:"key"; those whose
// key is not given keep their value, and an input that is empty changes
// nothing. Their types are strings, whole numbers, floats, bools, slices, maps
// with string keys, structs and pointers to these. A type that is also an
// encoding.TextUnmarshaler takes a text in place of what its kind takes: its
// error becomes the problem. Read panics when a field has a type that cannot
// be filled.
//
// A list or map that is given as nothing ("rules:" and no more) stays as it
// was; any other value must be one. Whole numbers are decimal, leading zeros
// or not. What looks like a date is text.
func Read(name string, src []byte, into any) *Reading {
	r := &Reading{Name: name, positions: map[string]Position{}}
	if root := r.load(src); root != nil {
		r.positions[""] = Position{root.Line, root.Column, root.Line, root.Column}
		r.fill(root, reflect.ValueOf(into).Elem(), "")
	}
	return r
}

// At says where the value at path stands: "/rules/long-document", "/ignore/0",
// written as in RFC 6901. ok is false when it was not given.
func (r *Reading) At(path string) (p Position, ok bool) {
	p, ok = r.positions[path]
	return p, ok
}

// Blames reports whether there is a problem with the value at path already, so
// that a check of what it means has nothing to add.
func (r *Reading) Blames(path string) bool {
	p, ok := r.positions[path]
	return ok && slices.ContainsFunc(r.Problems, func(b Problem) bool { return b.Line == p.Line && b.Col == p.Col })
}

// Complain adds a problem with the value at path, or at the start of the input
// when nothing stands there.
func (r *Reading) Complain(path, format string, args ...any) {
	p := r.positions[path]
	r.add(p.Line, p.Col, format, args...)
}

// ComplainKey adds a problem with the key of the value at path.
func (r *Reading) ComplainKey(path, format string, args ...any) {
	p := r.positions[path]
	r.add(p.KeyLine, p.KeyCol, format, args...)
}

func (r *Reading) add(line, col int, format string, args ...any) {
	r.Problems = append(r.Problems, Problem{max(line, 1), max(col, 1), fmt.Sprintf(format, args...)})
}

// Err is nil when there are no problems, else an *Error that lists them all.
func (r *Reading) Err() error {
	if len(r.Problems) == 0 {
		return nil
	}
	list := slices.Clone(r.Problems)
	slices.SortStableFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
	})
	return &Error{r.Name, list}
}
