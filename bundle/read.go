package bundle

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"handoff/artifact"
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

// schema demands the one value of "schema".
func (o *object) schema(want string) { o.oneOf("schema", want) }

// oneOf is a member that has one of few values.
func (o *object) oneOf(name string, values ...string) string {
	want := `"` + strings.Join(values, `" or "`) + `"`
	n := o.need(name, want)
	if n == nil {
		return ""
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, want)
	} else if !slices.Contains(values, n.text) {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), want))
	}
	return n.text
}

func (o *object) text(name string) string {
	return o.asText(o.need(name, "text"))
}

func (o *object) asText(n *node) string {
	if n == nil {
		return ""
	}
	if n.kind != '"' {
		o.unwanted(n, "text")
		return ""
	}
	return n.text
}

// named is text that must say something, because it refers to something.
func (o *object) named(name string) string {
	n := o.need(name, "text")
	if s := o.asText(n); s != "" || n == nil || n.kind != '"' {
		return s
	}
	o.unwanted(n, "what it refers to")
	return ""
}

func (o *object) optionalText(name string) *string {
	n := o.optional(name)
	if n == nil {
		return nil
	}
	return new(o.asText(n))
}

const wantNumber = "a whole number from 0 to 18446744073709551615"

func (o *object) number(name string) uint64 {
	return o.asNumber(o.need(name, wantNumber))
}

func (o *object) optionalNumber(name string) *uint64 {
	n := o.optional(name)
	if n == nil {
		return nil
	}
	return new(o.asNumber(n))
}

// asNumber never goes through a float: 2^53+1 is not 2^53.
func (o *object) asNumber(n *node) uint64 {
	if n == nil {
		return 0
	}
	v, err := strconv.ParseUint(n.text, 10, 64)
	if n.kind != '0' || err != nil {
		o.unwanted(n, wantNumber)
		return 0
	}
	return v
}

const wantID = "64 digits of lower-case hex"

func (o *object) id(name string) artifact.ID {
	return o.asID(o.need(name, wantID))
}

func (o *object) optionalID(name string) artifact.ID {
	return o.asID(o.optional(name))
}

func (o *object) asID(n *node) artifact.ID {
	if n == nil {
		return artifact.ID{}
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, wantID)
		return artifact.ID{}
	}
	id, err := artifact.ParseID(n.text)
	if err != nil {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), wantID))
	}
	return id
}

const wantPath = "a path below the workspace, with forward slashes"

func (o *object) path(name string) string {
	n := o.need(name, wantPath)
	if n == nil {
		return ""
	}
	if n.kind != '"' || n.text == "" {
		o.unwanted(n, wantPath)
	} else if !ValidPath(n.text) {
		o.problem(n.start, n.where, fmt.Sprintf("is %q, want %s", clip(n.text), wantPath))
	}
	return n.text
}

// ValidPath reports whether a file reference may have this path: below the
// workspace, forward slashes only, no empty, `.` or `..` part, no drive, no
// control characters. A folder has no slash at its end.
func ValidPath(p string) bool {
	if len(p) >= 2 && p[1] == ':' && 'a' <= p[0]|0x20 && p[0]|0x20 <= 'z' {
		return false
	}
	for i := range len(p) {
		if p[i] < ' ' || p[i] == '\\' {
			return false
		}
	}
	return p != "." && fs.ValidPath(p)
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
