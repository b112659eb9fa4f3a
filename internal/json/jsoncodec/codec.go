// Package jsoncodec reads, writes and describes JSON objects from one list of
// their fields, so that the three cannot differ:
//
//	func (p *Point) fields(c *jsoncodec.Codec) {
//		c.Text("name", &p.Name)
//		c.Number("x", &p.X)
//	}
//
// Reading either keeps the first problem or reports all of them, each with its
// place in the text and in the object.
package jsoncodec

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

// Codec does one of the three with the fields of one object. The list of the
// fields is a function that calls its methods.
type Codec struct {
	reader *reader
	node   *jsontext.Node // nil where the object is missing: fields are then left alone
	taken  []bool         // of the children
	few    [24]bool       // room for that
	unique bool           // no name is there twice
	next   int            // the child after the one that was taken last
	where  *Place

	writer *writer
	notes  *[]Field
}

// Problem is a field that is not what it should be.
type Problem struct {
	Offset int // in the text, in bytes
	Where  *Place
	Text   string // "is 4, want text"
}

// Error is the names that lead to the field, and the text.
func (p *Problem) Error() string { return p.Where.names() + p.Text }

// Place leads to a value from the value that it is in; nil is the root.
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

// Read reads a text that is one object. The error is a [*jsontext.Error], or
// the first [*Problem]; a field that an object has twice is one.
func Read(d *jsontext.Dialect, src string, fields func(*Codec)) error {
	r := reader{src: src, lastWins: d.LastWins()}
	err := d.ReadObject(src, func(n *jsontext.Node) { fields(r.object(n, nil)) })
	if err == nil && r.first != nil {
		err = r.first
	}
	return err
}

// ReadAll reads an object of a text and reports all problems. That a field is
// there twice is for the caller, who may want to know it of all objects.
func ReadAll(src string, n *jsontext.Node, report func(*Problem), fields func(*Codec)) {
	r := &reader{src: src, all: report}
	fields(r.object(n, nil))
}

// reader is a text that is read.
type reader struct {
	src      string
	lastWins bool           // of a name that is there twice the last counts
	all      func(*Problem) // nil where the first problem is enough
	first    *Problem
}

// object begins to read an object, the value at a place.
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

// what names a value in messages, quoting little of it.
func (r *reader) what(n *jsontext.Node) string {
	if raw := r.raw(n); raw != `""` {
		return jsontext.What(raw)
	}
	return "empty"
}

// Writing reports whether fields are written or described, and not read.
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

// Take is the bytes of a member when reading; "" where there is none.
func (c *Codec) Take(name string) string {
	if n := c.take(name); n != nil {
		return c.reader.raw(n)
	}
	return ""
}

// Raw is the bytes of a member, which it does not take; "" where there is none,
// or when writing.
func (c *Codec) Raw(name string) string {
	if c.node != nil {
		if child := c.node.Find(name); child != nil {
			return c.reader.raw(&child.Value)
		}
	}
	return ""
}

// take is a member, which may have an older name.
func (c *Codec) take(name string, older ...string) (found *jsontext.Node) {
	if c.node == nil {
		return nil
	}
	if c.next < len(c.node.Children) && c.unique && len(older) == 0 {
		if child := &c.node.Children[c.next]; child.Name == name { // nearly always: fields come in their order
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

// optional is take for a member that may be missing or null.
func (c *Codec) optional(name string) *jsontext.Node {
	if n := c.take(name); n != nil && n.Kind != jsontext.KindNull {
		return n
	}
	return nil
}

// need is take for a member that must be there.
func (c *Codec) need(want, name string, older ...string) *jsontext.Node {
	n := c.take(name, older...)
	if n == nil && c.node != nil {
		c.reader.report(c.node.Start, c.where.Member(name), "is missing, want "+want)
	}
	return n
}

// Complain reports a problem with a field that was read or is to be written.
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

// unwanted reports a value of another type.
func (c *Codec) unwanted(name string, n *jsontext.Node, want string) {
	c.reader.report(n.Start, c.where.Member(name), "is "+c.reader.what(n)+", want "+want)
}
