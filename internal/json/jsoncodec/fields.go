package jsoncodec

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
	"handoff/internal/text/say"
)

// shape is what fields of one method have in common.
type shape struct {
	how      string // as in [Field]
	want     string // for messages, "" for that of how
	omitted  bool
	null     bool
	presence presence
	inner    []Field
}

// presence is what reading accepts instead of a value.
type presence int

const (
	required  presence = iota
	maybe              // the member may be missing, but not null
	maybeNull          // it may be missing or null
)

var (
	text          = &shape{how: "text"}
	laterText     = &shape{how: "text", presence: maybe}
	omitEmptyText = &shape{how: "text", presence: maybe, omitted: true}
	omitText      = &shape{how: "text", presence: maybeNull, omitted: true}
	nullText      = &shape{how: "text", presence: maybeNull, null: true}
	boolean       = &shape{how: "bool"}
	anyValue      = &shape{how: "any"}
	omitValue     = &shape{how: "any", presence: maybeNull, omitted: true}
	nullValue     = &shape{how: "any", presence: maybeNull, null: true}
	texts         = &shape{how: "texts"}
	nullTexts     = &shape{how: "texts", presence: maybeNull, null: true}
)

// field describes, writes or reads one field. isNil: there is no value to write,
// so the field is null or left out. older are alternative names for reading.
func (c *Codec) field(name string, s *shape, isNil bool, write func(), read func(*jsontext.Node), older ...string) {
	switch {
	case c.reader != nil:
		if n := c.find(name, s, older); n != nil {
			read(n)
		}
	case c.notes != nil:
		*c.notes = append(*c.notes, Field{name, s.how, s.omitted, s.null, s.inner})
	case !isNil:
		c.writer.key(name)
		write()
	case s.null:
		c.writer.raw(name, "null")
	}
}

// find returns the value of a field, nil if there is none to read. A required
// member that is missing is a problem.
func (c *Codec) find(name string, s *shape, older []string) *jsontext.Node {
	n := c.take(name, older...)
	switch {
	case n == nil && s.presence == required && c.node != nil:
		c.reader.report(c.node.Start, c.where.Member(name), "is missing, want "+s.wanted())
	case n != nil && s.presence == maybeNull && n.Kind == jsontext.KindNull:
		return nil
	}
	return n
}

// is reports whether a value has the wanted kind; another kind is a problem.
func (c *Codec) is(kind jsontext.Kind, name string, s *shape, n *jsontext.Node) bool {
	if n.Kind != kind {
		c.unwanted(name, s, n)
	}
	return n.Kind == kind
}

func (c *Codec) unwanted(name string, s *shape, n *jsontext.Node) {
	c.reader.report(n.Start, c.where.Member(name), "is "+c.reader.what(n)+", want "+s.wanted())
}

// wanted describes the value in messages.
func (s *shape) wanted() string {
	if s.want != "" {
		return s.want
	}
	switch s.how {
	case "u16":
		return "a whole number from 0 to 65535"
	case "u32":
		return "a whole number from 0 to 4294967295"
	case "u64":
		return "a whole number from 0 to 18446744073709551615"
	case "i32":
		return "a whole number of 32 bits"
	case "bool":
		return "true or false"
	case "any":
		return "a JSON value"
	case "texts", "records":
		return "an array"
	case "record":
		return "an object"
	}
	return "text"
}

// Text is a required string. It is also read under older names.
func (c *Codec) Text(name string, p *string, older ...string) { c.text(name, text, false, p, older...) }

// LaterText is a string that is always written, but missing in files of older
// programs.
func (c *Codec) LaterText(name string, p *string, older ...string) {
	c.text(name, laterText, false, p, older...)
}

// OmitEmptyText is a string that is left out when it is empty. It may be missing,
// but not null.
func (c *Codec) OmitEmptyText(name string, p *string) { c.text(name, omitEmptyText, *p == "", p) }

func (c *Codec) text(name string, s *shape, isNil bool, p *string, older ...string) {
	c.field(name, s, isNil, func() { c.writer.appendText(name, *p) }, func(n *jsontext.Node) { c.readText(name, s, n, p) }, older...)
}

func (c *Codec) readText(name string, s *shape, n *jsontext.Node, p *string) {
	if c.is(jsontext.KindString, name, s, n) {
		*p = jsontext.Text(c.reader.raw(n))
	}
}

// TextAs is a required string for which good must return true.
func (c *Codec) TextAs(name, want string, p *string, good func(string) bool) {
	c.textAs(name, &shape{how: "text", want: want}, false, p, good)
}

// OmitTextAs is TextAs that may be missing or null; "" is left out.
func (c *Codec) OmitTextAs(name, want string, p *string, good func(string) bool) {
	c.textAs(name, &shape{how: "text", presence: maybeNull, omitted: true, want: want}, *p == "", p, good)
}

func (c *Codec) textAs(name string, s *shape, isNil bool, p *string, good func(string) bool) {
	c.field(name, s, isNil, func() { c.writer.appendText(name, *p) }, func(n *jsontext.Node) {
		if *p = jsontext.Text(c.reader.raw(n)); *p == "" {
			c.unwanted(name, s, n)
		} else if !good(*p) {
			c.Complain(name, "is %q, want %s", say.Clip(*p, 80), s.want)
		}
	})
}

// OneOf is a required string with one of the given values.
func (c *Codec) OneOf(name string, p *string, values ...string) {
	c.TextAs(name, `"`+strings.Join(values, `" or "`)+`"`, p, func(s string) bool { return slices.Contains(values, s) })
}

// OmitText is a string that is left out when it is nil.
func (c *Codec) OmitText(name string, p **string) { c.textPointer(name, omitText, p) }

// NullText is a string that is written as null when it is nil. A missing member is
// read like null.
func (c *Codec) NullText(name string, p **string) { c.textPointer(name, nullText, p) }

func (c *Codec) textPointer(name string, s *shape, p **string) {
	c.field(name, s, *p == nil, func() { c.writer.appendText(name, **p) }, func(n *jsontext.Node) {
		*p = new(string)
		c.readText(name, s, n, *p)
	})
}

// Bool is a required true or false.
func (c *Codec) Bool(name string, p *bool) {
	c.field(name, boolean, false, func() { c.writer.append(strconv.FormatBool(*p)) }, func(n *jsontext.Node) {
		*p = c.is(jsontext.KindBool, name, boolean, n) && c.reader.raw(n) == "true"
	})
}

// Value is any JSON, including null. It is required.
func (c *Codec) Value(name string, p *json.RawMessage) { c.value(name, anyValue, false, p) }

// OmitValue is any JSON, left out when it is nil.
func (c *Codec) OmitValue(name string, p *json.RawMessage) { c.value(name, omitValue, *p == nil, p) }

// NullValue is any JSON, written as null when it is nil.
func (c *Codec) NullValue(name string, p *json.RawMessage) { c.value(name, nullValue, *p == nil, p) }

func (c *Codec) value(name string, s *shape, isNil bool, p *json.RawMessage) {
	c.field(name, s, isNil, func() { c.writer.value(name, *p) }, func(n *jsontext.Node) { *p = json.RawMessage(c.reader.raw(n)) })
}

// Texts is a required array of strings.
func (c *Codec) Texts(name string, p *[]string) { c.texts(name, texts, false, p) }

// NullTexts is an array of strings, null when it is nil.
func (c *Codec) NullTexts(name string, p *[]string) { c.texts(name, nullTexts, *p == nil, p) }

func (c *Codec) texts(name string, s *shape, isNil bool, p *[]string) {
	write := func() { c.writer.list(len(*p), func(i int) { c.writer.appendText(name, (*p)[i]) }) }
	c.field(name, s, isNil, write, func(n *jsontext.Node) {
		*p = []string{}
		c.items(name, s, n, func(item *jsontext.Node, _ int) {
			var one string
			c.readText(name, text, item, &one)
			*p = append(*p, one)
		})
	})
}

// items reads each item of an array.
func (c *Codec) items(name string, s *shape, n *jsontext.Node, read func(item *jsontext.Node, i int)) {
	if !c.is(jsontext.KindArray, name, s, n) {
		return
	}
	for i := range n.Children {
		read(&n.Children[i].Value, i)
	}
}
