package jsoncodec

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"handoff/internal/json/jsontext"
)

func (c *Codec) readText(name string, n *jsontext.Node, p *string) {
	if n.Kind != jsontext.KindString {
		c.unwanted(name, n, "text")
		return
	}
	*p = jsontext.Text(c.reader.raw(n))
}

// Text is a string that must be there. It is also read under older names.
func (c *Codec) Text(name string, p *string, older ...string) {
	switch {
	case c.noted(Field{Name: name, How: "text"}):
	case c.Writing():
		c.writer.text(name, *p)
	default:
		if n := c.need("text", name, older...); n != nil {
			c.readText(name, n, p)
		}
	}
}

// LaterText is a string that is always written, and missing in what older
// programs have written.
func (c *Codec) LaterText(name string, p *string, older ...string) {
	if c.Writing() {
		c.Text(name, p)
	} else if n := c.take(name, older...); n != nil {
		c.readText(name, n, p)
	}
}

// OmitEmptyText is a string that is left out when it is empty and may be
// missing, though not null.
func (c *Codec) OmitEmptyText(name string, p *string) {
	switch {
	case c.noted(Field{Name: name, How: "text", Omitted: true}):
	case c.absent(name, *p == "", true):
	default:
		c.LaterText(name, p)
	}
}

// TextAs is a string that must be there and be good.
func (c *Codec) TextAs(name, want string, p *string, good func(string) bool) {
	switch {
	case c.noted(Field{Name: name, How: "text"}):
	case c.Writing():
		c.writer.text(name, *p)
	default:
		c.checkText(name, want, c.need(want, name), p, good)
	}
}

// OmitTextAs is TextAs that may be missing or null; "" is then left out.
func (c *Codec) OmitTextAs(name, want string, p *string, good func(string) bool) {
	switch {
	case c.noted(Field{Name: name, How: "text", Omitted: true}):
	case !c.Writing():
		c.checkText(name, want, c.optional(name), p, good)
	case *p != "":
		c.writer.text(name, *p)
	}
}

func (c *Codec) checkText(name, want string, n *jsontext.Node, p *string, good func(string) bool) {
	if n == nil {
		return
	}
	if *p = jsontext.Text(c.reader.raw(n)); *p == "" {
		c.unwanted(name, n, want)
	} else if !good(*p) {
		c.Complain(name, "is %q, want %s", clip(*p), want)
	}
}

func clip(s string) string {
	const most = 80
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

// OneOf is a string that must be one of a few.
func (c *Codec) OneOf(name string, p *string, values ...string) {
	c.TextAs(name, `"`+strings.Join(values, `" or "`)+`"`, p, func(s string) bool { return slices.Contains(values, s) })
}

// OmitText is a string that is left out when it is nil.
func (c *Codec) OmitText(name string, p **string) { c.textPointer(name, p, true) }

// NullText is a string that is written as null when it is nil. Reading makes no
// difference between null and missing.
func (c *Codec) NullText(name string, p **string) { c.textPointer(name, p, false) }

func (c *Codec) textPointer(name string, p **string, omit bool) {
	switch {
	case c.noted(Field{Name: name, How: "text", Omitted: omit, Null: !omit}):
	case c.absent(name, *p == nil, omit):
	case c.Writing():
		c.writer.text(name, **p)
	default:
		if n := c.optional(name); n != nil {
			*p = new(string)
			c.readText(name, n, *p)
		}
	}
}

// absent writes what stands for nil.
func (c *Codec) absent(name string, isNil, omit bool) bool {
	if !c.Writing() || !isNil {
		return false
	}
	if !omit {
		c.writer.raw(name, "null")
	}
	return true
}

// Number is a whole number that must be there.
func (c *Codec) Number(name string, p *uint64) { c.Uint(name, 64, p) }

// Uint is a Number of fewer bits. It never goes through a float: 2^53+1 is not
// 2^53.
func (c *Codec) Uint(name string, bits int, p *uint64) {
	how, want := uintOf(bits)
	switch {
	case c.noted(Field{Name: name, How: how}):
	case c.Writing():
		c.writer.uint(name, *p)
	default:
		c.readUint(name, c.need(want, name), bits, p)
	}
}

// uintOf spells out what to format each time would cost more than reading.
func uintOf(bits int) (how, want string) {
	switch bits {
	case 16:
		return "u16", "a whole number from 0 to 65535"
	case 32:
		return "u32", "a whole number from 0 to 4294967295"
	}
	return "u64", "a whole number from 0 to 18446744073709551615"
}

func (c *Codec) readUint(name string, n *jsontext.Node, bits int, p *uint64) {
	if n == nil {
		return
	}
	var ok bool
	if *p, ok = jsontext.Uint(c.reader.raw(n), bits); !ok {
		*p = 0
		_, want := uintOf(bits)
		c.unwanted(name, n, want)
	}
}

// Uint32 is a Number of 32 bits.
func (c *Codec) Uint32(name string, p *uint32) {
	n := uint64(*p)
	c.Uint(name, 32, &n)
	*p = uint32(n)
}

// NullNumber is a Number that is written as null when it is nil.
func (c *Codec) NullNumber(name string, p **uint64) {
	switch {
	case c.noted(Field{Name: name, How: "u64", Null: true}):
	case c.absent(name, *p == nil, false):
	case c.Writing():
		c.Number(name, *p)
	default:
		if n := c.optional(name); n != nil {
			*p = new(uint64)
			c.readUint(name, n, 64, *p)
		}
	}
}

// Int32 is a number of 32 bits with a sign.
func (c *Codec) Int32(name string, p *int32) {
	const want = "a whole number of 32 bits"
	switch {
	case c.noted(Field{Name: name, How: "i32"}):
	case c.Writing():
		c.writer.raw(name, strconv.FormatInt(int64(*p), 10))
	default:
		if n := c.need(want, name); n != nil {
			value, err := strconv.ParseInt(c.reader.raw(n), 10, 32)
			if *p = int32(value); err != nil || c.reader.raw(n) == "-0" {
				c.unwanted(name, n, want)
			}
		}
	}
}

// Bool is true or false.
func (c *Codec) Bool(name string, p *bool) {
	switch {
	case c.noted(Field{Name: name, How: "bool"}):
	case c.Writing():
		c.writer.raw(name, strconv.FormatBool(*p))
	default:
		if n := c.need("true or false", name); n != nil {
			if *p = c.reader.raw(n) == "true"; n.Kind != jsontext.KindBool {
				c.unwanted(name, n, "true or false")
			}
		}
	}
}

// Value is any JSON, null too, that must be there.
func (c *Codec) Value(name string, p *json.RawMessage) {
	switch {
	case c.noted(Field{Name: name, How: "any"}):
	case c.Writing():
		c.writer.value(name, *p)
	default:
		if n := c.need("a JSON value", name); n != nil {
			*p = json.RawMessage(c.reader.raw(n))
		}
	}
}

// OmitValue is any JSON, left out when it is nil.
func (c *Codec) OmitValue(name string, p *json.RawMessage) { c.valuePointer(name, p, true) }

// NullValue is any JSON, written as null when it is nil.
func (c *Codec) NullValue(name string, p *json.RawMessage) { c.valuePointer(name, p, false) }

func (c *Codec) valuePointer(name string, p *json.RawMessage, omit bool) {
	switch {
	case c.noted(Field{Name: name, How: "any", Omitted: omit, Null: !omit}):
	case c.absent(name, *p == nil, omit):
	case c.Writing():
		c.writer.value(name, *p)
	default:
		if n := c.optional(name); n != nil {
			*p = json.RawMessage(c.reader.raw(n))
		}
	}
}

// Texts is an array of strings that must be there.
func (c *Codec) Texts(name string, p *[]string) {
	switch {
	case c.noted(Field{Name: name, How: "texts"}):
	case c.Writing():
		c.writer.texts(name, *p)
	default:
		c.readTexts(name, c.need("an array", name), p)
	}
}

// NullTexts is an array of strings, null where it is nil.
func (c *Codec) NullTexts(name string, p *[]string) {
	switch {
	case c.noted(Field{Name: name, How: "texts", Null: true}):
	case c.absent(name, *p == nil, false):
	case c.Writing():
		c.writer.texts(name, *p)
	default:
		c.readTexts(name, c.optional(name), p)
	}
}

func (c *Codec) readTexts(name string, n *jsontext.Node, p *[]string) {
	if n == nil {
		return
	}
	*p = []string{}
	c.items(name, n, func(item *jsontext.Node, _ int) {
		var text string
		c.readText(name, item, &text)
		*p = append(*p, text)
	})
}

// items reads an array, each of its items with read.
func (c *Codec) items(name string, n *jsontext.Node, read func(item *jsontext.Node, i int)) {
	if n.Kind != jsontext.KindArray {
		c.unwanted(name, n, "an array")
		return
	}
	for i := range n.Children {
		read(&n.Children[i].Value, i)
	}
}
