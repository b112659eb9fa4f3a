package jsontext

import (
	"fmt"
	"sync"
)

// Kind is one of JSON's six kinds of value. The zero Kind means no value.
type Kind int

// The kinds, as RFC 8259 names them.
const (
	KindObject Kind = iota + 1
	KindArray
	KindString
	KindNumber
	KindBool
	KindNull
)

// String is the kind with its article, for messages: "an object".
func (k Kind) String() string {
	names := [...]string{"no value", "an object", "an array", "a string", "a number", "true or false", "null"}
	if k < 0 || int(k) >= len(names) {
		return fmt.Sprintf("Kind(%d)", int(k))
	}
	return names[k]
}

// Node is a value and its place in the text.
type Node struct {
	Kind       Kind
	Start, End int
	Children   []Child // of an object or an array
}

// Child is a member of an object or, without a name, an item of an array.
type Child struct {
	Name               string // without escapes
	NameStart, NameEnd int    // with the quotes; both 0 for an item
	Value              Node
}

// Start is where the member or item begins.
func (c *Child) Start() int {
	if c.NameEnd > 0 {
		return c.NameStart
	}
	return c.Value.Start
}

// End is the offset after the member or item.
func (c *Child) End() int { return c.Value.End }

// Find returns the last child of that name, nil if there is none.
func (n *Node) Find(name string) *Child {
	for i := len(n.Children) - 1; i >= 0; i-- {
		if n.Children[i].Name == name {
			return &n.Children[i]
		}
	}
	return nil
}

// Repeats reports for each member of an object whether an earlier member has the
// same name; nil if all names are unique.
func (n *Node) Repeats() (again []bool) {
	mark := func(i int) {
		if again == nil {
			again = make([]bool, len(n.Children))
		}
		again[i] = true
	}
	const few = 16 // up to here comparing all of them is faster than a map
	switch {
	case n.Kind != KindObject:
	case len(n.Children) <= few:
		for i := range n.Children {
			for j := range i {
				if n.Children[j].Name == n.Children[i].Name {
					mark(i)
					break
				}
			}
		}
	default:
		seen := make(map[string]bool, len(n.Children))
		for i := range n.Children {
			if name := n.Children[i].Name; seen[name] {
				mark(i)
			} else {
				seen[name] = true
			}
		}
	}
	return again
}

// IsContainer reports whether the value is an object or an array.
func (n *Node) IsContainer() bool { return n.Kind == KindObject || n.Kind == KindArray }

// Parse reads a text that is one value and nothing else.
func (d *Dialect) Parse(src string) (*Node, error) {
	t := newTree(d, src)
	root := t.value()
	root.Children = append([]Child(nil), root.Children...)
	if err := t.close(); err != nil {
		return nil, err
	}
	return &root, nil
}

// ReadObject reads a text that is one object and nothing else, and passes it to read.
// It allocates much less than Parse: the node is valid only until read returns.
func (d *Dialect) ReadObject(src string, read func(*Node)) error {
	t := newTree(d, src)
	t.isObject()
	root := t.value()
	if t.End() == nil {
		read(&root)
	}
	return t.close()
}

// tree collects the children of the containers that are not closed yet, the outer
// ones first.
type tree struct {
	Scanner
	open []Child
	room *[]Child // of open, from rooms
}

// rooms holds slices of at most mostRoom children; usual files have about a dozen.
var rooms = sync.Pool{New: func() any { return new(make([]Child, 16)) }}

const mostRoom = 128

func newTree(d *Dialect, src string) tree {
	room := rooms.Get().(*[]Child)
	return tree{d.Scan(src), (*room)[:0], room}
}

func (t *tree) close() error {
	if *t.room = t.open[:cap(t.open)]; len(*t.room) <= mostRoom {
		clear(*t.room) // otherwise it keeps texts in memory
		rooms.Put(t.room)
	}
	return t.End()
}

func (t *tree) value() (n Node) {
	n.Kind, n.Start = t.Kind(), t.at
	if !n.IsContainer() {
		t.Skip()
		n.End = t.at
		return n
	}
	before := len(t.open)
	for end := t.Open(); t.More(end); {
		var c Child
		if n.Kind == KindObject {
			c.NameStart = t.at
			literal := t.name()
			c.Name, c.NameEnd = Text(literal), c.NameStart+len(literal)
		}
		c.Value = t.value()
		t.open = append(t.open, c)
	}
	n.End = t.at
	if n.Children = t.open[before:]; t.level > 0 { // the children of the root stay in the room
		n.Children = append([]Child(nil), n.Children...)
		t.open = t.open[:before]
	}
	return n
}
