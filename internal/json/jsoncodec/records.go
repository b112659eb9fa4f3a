package jsoncodec

import "handoff/internal/json/jsontext"

// Record is an object that must be there.
func Record[T any](c *Codec, name string, p *T, fields func(*T, *Codec)) {
	switch {
	case c.noted(Field{Name: name, How: "record", inner: listOf(c, fields)}):
	case c.Writing():
		c.writer.key(name)
		c.writer.object(func() { fields(p, c) })
	default:
		n := c.need("an object", name)
		fields(p, c.reader.object(n, c.where.Member(name)))
	}
}

// OmitRecord is an object that is left out when it is nil.
func OmitRecord[T any](c *Codec, name string, p **T, fields func(*T, *Codec)) {
	switch {
	case c.noted(Field{Name: name, How: "record", Omitted: true, inner: listOf(c, fields)}):
	case c.absent(name, *p == nil, true):
	case c.Writing():
		Record(c, name, *p, fields)
	default:
		if n := c.optional(name); n != nil {
			*p = new(T)
			fields(*p, c.reader.object(n, c.where.Member(name)))
		}
	}
}

// Records is an array of objects that must be there. An empty one is read as
// nil.
func Records[T any](c *Codec, name string, p *[]T, fields func(*T, *Codec)) {
	records(c, name, false, p, fields)
}

// OmitRecords is Records that is left out when it is empty and may be missing,
// though not null.
func OmitRecords[T any](c *Codec, name string, p *[]T, fields func(*T, *Codec)) {
	records(c, name, true, p, fields)
}

func records[T any](c *Codec, name string, omit bool, p *[]T, fields func(*T, *Codec)) {
	switch {
	case c.noted(Field{Name: name, How: "records", Omitted: omit, inner: listOf(c, fields)}):
	case c.absent(name, omit && len(*p) == 0, true):
	case c.Writing():
		c.writer.key(name)
		c.writer.list(len(*p), func(i int) { c.writer.object(func() { fields(&(*p)[i], c) }) })
	default:
		n := c.take(name)
		if n == nil {
			if !omit && c.node != nil {
				c.reader.report(c.node.Start, c.where.Member(name), "is missing, want an array")
			}
			return
		}
		c.items(name, n, func(item *jsontext.Node, i int) {
			var t T
			fields(&t, c.reader.object(item, c.where.Member(name).At(i)))
			*p = append(*p, t)
		})
	}
}

// Rest are the members that were not taken, as they are spelled.
func (c *Codec) Rest(each func(name, value string)) {
	if c.node == nil {
		return
	}
	for i := range c.node.Children {
		if child := &c.node.Children[i]; !c.taken[i] {
			each(child.Name, c.reader.raw(&child.Value))
		}
	}
}
