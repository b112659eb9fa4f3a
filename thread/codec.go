package thread

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"handoff/internal/jsontext"
)

// codec reads or writes the fields of a frame, or notes what they are: one list
// of them serves all three, so that they cannot differ. The first error stays,
// and what comes after it does nothing.
type codec struct {
	writing bool
	buf     []byte
	notes   *[]field // where fields are noted, nothing is read or written

	members []jsontext.Member
	taken   []bool

	err error
}

func (c *codec) fail(name, format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%s: %s", name, fmt.Sprintf(format, args...))
	}
}

// take is the value of a member when reading. A second of the same name is an
// error; where names is more than one, they are names of the same.
func (c *codec) take(names ...string) (value string, ok bool) {
	for i, m := range c.members {
		if c.taken[i] || !slices.Contains(names, m.Name) {
			continue
		}
		if c.taken[i] = true; ok {
			c.fail(m.Name, "stands there a second time")
		}
		value, ok = m.Value, true
	}
	return value, ok
}

// optional is take for a member that may be missing or null.
func (c *codec) optional(name string) (string, bool) {
	value, ok := c.take(name)
	return value, ok && value != "null"
}

// need is take for a member that must be there.
func (c *codec) need(want string, names ...string) (string, bool) {
	value, ok := c.take(names...)
	if !ok {
		c.fail(names[0], "is missing, want %s", want)
	}
	return value, ok
}

func (c *codec) key(name string) {
	if last := c.buf[len(c.buf)-1]; last != '{' {
		c.buf = append(c.buf, ',')
	}
	c.buf = append(jsontext.AppendText(c.buf, name), ':')
}

func (c *codec) readText(name, value string, p *string) {
	if !jsontext.IsText(value) {
		c.fail(name, "is %s, want text", jsontext.What(value))
	}
	*p = jsontext.Text(value)
}

func (c *codec) writeText(name, text string) {
	c.key(name)
	if !utf8.ValidString(text) {
		c.fail(name, "is not UTF-8")
	}
	c.buf = jsontext.AppendText(c.buf, text)
}

// text is a string that must be there.
func (c *codec) text(name string, p *string) {
	if c.noted(field{name: name, how: "text"}) {
		return
	}
	if c.writing {
		c.writeText(name, *p)
	} else if value, ok := c.need("text", name); ok {
		c.readText(name, value, p)
	}
}

// skippable is a string that is left out when it is nil.
func (c *codec) skippable(name string, p **string) {
	if c.noted(field{name: name, how: "text", skipped: true}) {
		return
	}
	if !c.writing || *p != nil {
		c.nullable(name, p)
	}
}

// nullable is a string that is written as null when it is nil. Reading makes
// no difference between null and missing.
func (c *codec) nullable(name string, p **string) {
	if c.noted(field{name: name, how: "text", null: true}) {
		return
	}
	if c.writing {
		if *p == nil {
			c.null(name)
			return
		}
		c.writeText(name, **p)
	} else if value, ok := c.optional(name); ok {
		*p = new(string)
		c.readText(name, value, *p)
	}
}

func (c *codec) null(name string) {
	c.key(name)
	c.buf = append(c.buf, "null"...)
}

// number is a whole number that must be there.
func (c *codec) number(name string, p *uint64) {
	if !c.noted(field{name: name, how: "u64"}) {
		c.uint(name, 64, p)
	}
}

func (c *codec) uint(name string, bits int, p *uint64) {
	if c.writing {
		c.key(name)
		c.buf = strconv.AppendUint(c.buf, *p, 10)
		return
	}
	value, ok := c.need("a whole number", name)
	if !ok {
		return
	}
	if *p, ok = jsontext.Uint(value, bits); !ok {
		c.fail(name, "is %s, want a whole number from 0 to %d", jsontext.What(value), uint64(1)<<bits-1)
	}
}

func (c *codec) number32(name string, p *uint32) {
	if c.noted(field{name: name, how: "u32"}) {
		return
	}
	n := uint64(*p)
	c.uint(name, 32, &n)
	*p = uint32(n)
}

func (c *codec) nullableNumber(name string, p **uint64) {
	if c.noted(field{name: name, how: "u64", null: true}) {
		return
	}
	if c.writing {
		if *p == nil {
			c.null(name)
			return
		}
		c.uint(name, 64, *p)
	} else if value, ok := c.optional(name); ok {
		n, ok := jsontext.Uint(value, 64)
		if *p = &n; !ok {
			c.fail(name, "is %s, want a whole number", jsontext.What(value))
		}
	}
}

// signed is a number of 32 bits with a sign.
func (c *codec) signed(name string, p *int32) {
	if c.noted(field{name: name, how: "i32"}) {
		return
	}
	if c.writing {
		c.key(name)
		c.buf = strconv.AppendInt(c.buf, int64(*p), 10)
	} else if value, ok := c.need("a whole number", name); ok {
		n, err := strconv.ParseInt(value, 10, 32)
		if *p = int32(n); err != nil || value == "-0" {
			c.fail(name, "is %s, want a whole number of 32 bits", jsontext.What(value))
		}
	}
}

func (c *codec) bool(name string, p *bool) {
	if c.noted(field{name: name, how: "bool"}) {
		return
	}
	if c.writing {
		c.key(name)
		c.buf = strconv.AppendBool(c.buf, *p)
	} else if value, ok := c.need("true or false", name); ok {
		if *p = value == "true"; !*p && value != "false" {
			c.fail(name, "is %s, want true or false", jsontext.What(value))
		}
	}
}

// value is any JSON, null too, that must be there.
func (c *codec) value(name string, p *json.RawMessage) {
	if c.noted(field{name: name, how: "any"}) {
		return
	}
	if c.writing {
		c.key(name)
		var err error
		if c.buf, err = jsontext.Strict.AppendChecked(c.buf, string(*p)); err != nil {
			c.fail(name, "%v", err)
		}
	} else if value, ok := c.need("a JSON value", name); ok {
		*p = json.RawMessage(value)
	}
}

// skippableValue is any JSON, left out when it is nil; nullableValue is
// written as null then.
func (c *codec) skippableValue(name string, p *json.RawMessage) {
	if c.noted(field{name: name, how: "any", skipped: true}) {
		return
	}
	if !c.writing || *p != nil {
		c.nullableValue(name, p)
	}
}

func (c *codec) nullableValue(name string, p *json.RawMessage) {
	if c.noted(field{name: name, how: "any", null: true}) {
		return
	}
	if c.writing {
		if *p == nil {
			c.null(name)
			return
		}
		c.value(name, p)
	} else if value, ok := c.optional(name); ok {
		*p = json.RawMessage(value)
	}
}

// items reads an array, each of its items with read.
func (c *codec) items(name, value string, read func(item string)) {
	all, err := jsontext.Strict.Array(value)
	if err != nil {
		c.fail(name, "is %s, want an array", jsontext.What(value))
	}
	for _, item := range all {
		read(item)
	}
}

// texts is an array of strings that must be there.
func (c *codec) texts(name string, p *[]string) {
	if c.noted(field{name: name, how: "texts"}) {
		return
	}
	if c.writing {
		c.key(name)
		c.buf = append(c.buf, '[')
		for i, text := range *p {
			if i > 0 {
				c.buf = append(c.buf, ',')
			}
			if !utf8.ValidString(text) {
				c.fail(name, "is not UTF-8")
			}
			c.buf = jsontext.AppendText(c.buf, text)
		}
		c.buf = append(c.buf, ']')
	} else if value, ok := c.need("an array", name); ok {
		c.readTexts(name, value, p)
	}
}

func (c *codec) readTexts(name, value string, p *[]string) {
	*p = []string{}
	c.items(name, value, func(item string) {
		var text string
		c.readText(name, item, &text)
		*p = append(*p, text)
	})
}

// nullableTexts is an array of strings, null where it is nil.
func (c *codec) nullableTexts(name string, p *[]string) {
	if c.noted(field{name: name, how: "texts", null: true}) {
		return
	}
	if c.writing {
		if *p == nil {
			c.null(name)
			return
		}
		c.texts(name, p)
	} else if value, ok := c.optional(name); ok {
		c.readTexts(name, value, p)
	}
}
