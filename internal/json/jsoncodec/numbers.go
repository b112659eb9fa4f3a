package jsoncodec

import (
	"strconv"

	"handoff/internal/json/jsontext"
)

var (
	u16     = &shape{how: "u16"}
	u32     = &shape{how: "u32"}
	u64     = &shape{how: "u64"}
	nullU64 = &shape{how: "u64", presence: maybeNull, null: true}
	i32     = &shape{how: "i32"}
)

// Number is a required whole number of 64 bits.
func (c *Codec) Number(name string, p *uint64) { c.Uint(name, 64, p) }

// Uint is a Number of fewer bits: 16, 32 or 64. It is never converted to a float,
// which cannot represent 2^53+1.
func (c *Codec) Uint(name string, bits int, p *uint64) {
	s := u64
	switch bits {
	case 16:
		s = u16
	case 32:
		s = u32
	}
	c.field(name, s, false, func() { c.writer.uint(*p) }, func(n *jsontext.Node) { c.readUint(name, s, n, bits, p) })
}

func (c *Codec) readUint(name string, s *shape, n *jsontext.Node, bits int, p *uint64) {
	var ok bool
	if *p, ok = jsontext.Uint(c.reader.raw(n), bits); !ok {
		*p = 0
		c.unwanted(name, s, n)
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
	c.field(name, nullU64, *p == nil, func() { c.writer.uint(**p) }, func(n *jsontext.Node) {
		*p = new(uint64)
		c.readUint(name, nullU64, n, 64, *p)
	})
}

// Int32 is a required number of 32 bits with a sign.
func (c *Codec) Int32(name string, p *int32) {
	c.field(name, i32, false, func() { c.writer.append(strconv.FormatInt(int64(*p), 10)) }, func(n *jsontext.Node) {
		value, err := strconv.ParseInt(c.reader.raw(n), 10, 32)
		if *p = int32(value); err != nil || c.reader.raw(n) == "-0" {
			c.unwanted(name, i32, n)
		}
	})
}
