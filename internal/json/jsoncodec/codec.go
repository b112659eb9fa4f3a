// Package jsoncodec reads, writes and describes JSON objects from one list of
// fields, so that the three always match:
//
//	func (p *Point) fields(c *jsoncodec.Codec) {
//		c.Text("name", &p.Name)
//		c.Number("x", &p.X)
//	}
//
// Reading either returns the first problem or reports all of them, each with its
// offset in the text and its place in the object.
package jsoncodec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// Codec reads, writes or describes the fields of one object. The list of fields is a
// function that calls the methods of a Codec.
type Codec struct {
	reader *reader        // nil unless it reads
	node   *jsontext.Node // nil if the object is missing: fields are then not changed
	taken  []bool         // which children were read
	few    [24]bool       // memory for taken
	unique bool           // no duplicate names
	next   int            // the child after the one that was taken last
	where  *Place

	writer *writer  // nil unless it writes
	notes  *[]Field // nil unless it describes
}

// Problem is something wrong with a field.
type Problem struct {
	Offset int // in the text, in bytes
	Where  *Place
	Text   string // "is 4, want text"
}

// Error is the names of the members around the field, its name, and the text.
func (p *Problem) Error() string { return p.Where.names() + p.Text }

// Place is the place of a value in the value around it; nil is the root.
type Place struct {
	Up   *Place
	Name string // of a member; "" for an item
	Item int
}

// String is the JSON pointer (RFC 6901).
func (p *Place) String() string {
	if p == nil {
		return ""
	}
	step := strconv.Itoa(p.Item)
	if p.Item < 0 {
		step = strings.NewReplacer("~", "~0", "/", "~1").Replace(p.Name)
	}
	return p.Up.String() + "/" + step
}

func (p *Place) names() string {
	switch {
	case p == nil:
		return ""
	case p.Item >= 0:
		return p.Up.names()
	}
	return p.Up.names() + p.Name + ": "
}

// Member is the place of a member.
func (p *Place) Member(name string) *Place { return &Place{p, name, -1} }

// At is the place of an item.
func (p *Place) At(i int) *Place { return &Place{Up: p, Item: i} }

// Read reads a text that is one object. The error is a [*jsontext.Error], or the
// first [*Problem]. A duplicate field is a problem.
func Read(d *jsontext.Dialect, src string, fields func(*Codec)) error {
	r := reader{src: src, lastWins: d.LastWins()}
	err := d.ReadObject(src, func(n *jsontext.Node) { fields(r.object(n, nil)) })
	if err == nil && r.first != nil {
		err = r.first
	}
	return err
}

// ReadAll reads an object of a text and reports all problems but duplicate fields:
// the caller may want to check all objects for them, also unknown ones.
func ReadAll(src string, n *jsontext.Node, report func(*Problem), fields func(*Codec)) {
	r := &reader{src: src, all: report}
	fields(r.object(n, nil))
}

// reader reads one text.
type reader struct {
	src      string
	lastWins bool           // of duplicate names the last counts
	all      func(*Problem) // nil if the first problem is enough
	first    *Problem
}

// object returns the codec that reads an object, the value at a place.
func (r *reader) object(n *jsontext.Node, where *Place) *Codec {
	c := &Codec{reader: r, where: where}
	if n == nil {
		return c
	}
	if n.Kind != jsontext.KindObject {
		r.report(n.Start, where, "is "+r.what(n)+", want an object")
		return c
	}
	c.node = n
	if c.taken = c.few[:]; len(n.Children) > len(c.few) {
		c.taken = make([]bool, len(n.Children))
	}
	c.unique = n.Repeats() == nil
	return c
}

func (r *reader) report(offset int, where *Place, text string) {
	switch p := (&Problem{offset, where, text}); {
	case r.all != nil:
		r.all(p)
	case r.first == nil:
		r.first = p
	}
}

func (r *reader) raw(n *jsontext.Node) string { return r.src[n.Start:n.End] }

// what describes a value in messages and quotes little of it.
func (r *reader) what(n *jsontext.Node) string {
	if raw := r.raw(n); raw != `""` {
		return jsontext.What(raw)
	}
	return "empty"
}

// Writing reports whether fields are written or described instead of read.
func (c *Codec) Writing() bool { return c.reader == nil }

// Err is the first problem.
func (c *Codec) Err() error {
	switch {
	case c.reader == nil:
		return c.writer.err
	case c.reader.first == nil:
		return nil
	}
	return c.reader.first
}

// Take returns the bytes of a member when reading, "" if there is none. [Codec.Rest]
// leaves the member out.
func (c *Codec) Take(name string) string {
	if n := c.take(name); n != nil {
		return c.reader.raw(n)
	}
	return ""
}

// Raw returns the bytes of a member without taking it; "" if there is none, or when
// writing.
func (c *Codec) Raw(name string) string {
	if c.node != nil {
		if child := c.node.Find(name); child != nil {
			return c.reader.raw(&child.Value)
		}
	}
	return ""
}

// take returns a member, which may have an older name.
func (c *Codec) take(name string, older ...string) (found *jsontext.Node) {
	if c.node == nil {
		return nil
	}
	if c.next < len(c.node.Children) && c.unique && len(older) == 0 {
		if child := &c.node.Children[c.next]; child.Name == name { // nearly always: members are in the order of the fields
			c.taken[c.next] = true
			c.next++
			return &child.Value
		}
	}
	for i := range c.node.Children {
		child := &c.node.Children[i]
		if c.taken[i] || child.Name != name && !slices.Contains(older, child.Name) {
			continue
		}
		c.taken[i] = true
		c.next = i + 1
		switch {
		case found == nil || c.reader.lastWins:
			found = &child.Value
		case c.reader.all == nil:
			c.reader.report(child.NameStart, c.where.Member(child.Name), "duplicate key")
		}
	}
	return found
}

// Complain reports a problem with a field that was read or will be written.
func (c *Codec) Complain(name, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if c.Writing() {
		c.writer.fail(name, text)
		return
	}
	at := 0
	if c.node != nil {
		at = c.node.Start
		if child := c.node.Find(name); child != nil {
			at = child.Value.Start
		}
	}
	c.reader.report(at, c.where.Member(name), text)
}
