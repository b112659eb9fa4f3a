package bundle

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// Bounds of an [Invalid]: a document may be made to have a problem a byte.
const (
	maxProblems     = 1000
	maxProblemBytes = 1 << 20
)

// reader gathers the problems of a document.
type reader struct {
	src      []byte
	problems []Problem
	size     int // bytes of the problems so far
	full     bool
}

func (r *reader) problem(at int, where *place, text string) {
	if r.full = r.full || len(r.problems) == maxProblems || r.size > maxProblemBytes; r.full {
		return
	}
	before := r.src[:min(at, len(r.src))]
	p := Problem{where.String(), text, bytes.Count(before, []byte("\n")) + 1, len(before) - bytes.LastIndexByte(before, '\n')}
	r.size += len(p.Pointer) + len(p.Text)
	r.problems = append(r.problems, p)
}

// err is nil, or the [*Invalid] of what was found.
func (r *reader) err(schema string) error {
	if len(r.problems) == 0 {
		return nil
	}
	slices.SortStableFunc(r.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if r.full {
		r.problems = append(r.problems, Problem{Text: "there are more problems, which are not listed", Line: 1, Column: 1})
	}
	return &Invalid{schema, r.problems}
}

// document is the object that the whole text should be.
func (r *reader) document() *object {
	root := r.tree()
	if root == nil {
		return &object{reader: r}
	}
	return r.asObject(root)
}

// object reads the members of a JSON object. Where the object itself is not
// there or is something else, that is one problem, and all its members read as
// zero without more.
type object struct {
	*reader
	node  *node
	taken []string
}

func (r *reader) asObject(n *node) *object {
	if n.kind != '{' {
		r.unwanted(n, "an object")
		return &object{reader: r}
	}
	return &object{reader: r, node: n}
}

// unwanted says what stands in the place of what is wanted, quoting little.
func (r *reader) unwanted(n *node, want string) {
	names := map[byte]string{'{': "an object", '[': "an array", '"': "text", 't': "true", 'f': "false", 'n': "null"}
	is := names[n.kind]
	switch {
	case n.kind == '0':
		is = clip(n.text)
	case n.kind == '"' && n.text == "":
		is = "empty"
	}
	r.problem(n.start, n.where, "is "+is+", want "+want)
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// take is the member of that name, nil where there is none.
func (o *object) take(name string) *node {
	if o.node == nil {
		return nil
	}
	o.taken = append(o.taken, name)
	for _, m := range o.node.members {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// need is take for a member that must be there.
func (o *object) need(name, want string) *node {
	n := o.take(name)
	if n == nil && o.node != nil {
		o.problem(o.node.start, &place{o.node.where, name}, "is missing, want "+want)
	}
	return n
}

// optional is take for a member that may be missing or null: then it is nil.
func (o *object) optional(name string) *node {
	if n := o.take(name); n != nil && n.kind != 'n' {
		return n
	}
	return nil
}

// rest is what was not taken.
func (o *object) rest() []Field {
	if o.node == nil {
		return nil
	}
	var fields []Field
	for _, m := range o.node.members {
		if !slices.Contains(o.taken, m.name) {
			fields = append(fields, Field{m.name, appendNode(nil, m.value)})
		}
	}
	return fields
}

func (o *object) object(name string) *object {
	if n := o.need(name, "an object"); n != nil {
		return o.asObject(n)
	}
	return &object{reader: o.reader}
}

// optionalObject is nil where the member is missing or null.
func (o *object) optionalObject(name string) *object {
	if n := o.optional(name); n != nil {
		return o.asObject(n)
	}
	return nil
}

// list reads an array of objects; an empty one is nil.
func list[T any](o *object, name string, read func(*object) T) []T {
	n := o.need(name, "an array")
	if n == nil {
		return nil
	}
	if n.kind != '[' {
		o.unwanted(n, "an array")
		return nil
	}
	var all []T
	for _, item := range n.items {
		all = append(all, read(o.asObject(item)))
	}
	return all
}
