package jsoncodec

import "handoff/internal/json/jsontext"

// Record is a required object.
func Record[T any](c *Codec, name string, p *T, fields func(*T, *Codec)) {
	record(c, name, &shape{how: "record", inner: listOf(c, fields)}, false, func() *T { return p }, fields)
}

// OmitRecord is an object that is left out when it is nil.
func OmitRecord[T any](c *Codec, name string, p **T, fields func(*T, *Codec)) {
	record(c, name, &shape{how: "record", presence: maybeNull, omitted: true, inner: listOf(c, fields)}, *p == nil, func() *T {
		if *p == nil {
			*p = new(T)
		}
		return *p
	}, fields)
}

func record[T any](c *Codec, name string, s *shape, isNil bool, value func() *T, fields func(*T, *Codec)) {
	write := func() { c.writer.object(func() { fields(value(), c) }) }
	c.field(name, s, isNil, write, func(n *jsontext.Node) { fields(value(), c.reader.object(n, c.where.Member(name))) })
}

// Records is a required array of objects. An empty one is read as nil.
func Records[T any](c *Codec, name string, p *[]T, fields func(*T, *Codec)) {
	records(c, name, &shape{how: "records", inner: listOf(c, fields)}, false, p, fields)
}

// OmitRecords is Records that is left out when it is empty. It may be missing, but
// not null.
func OmitRecords[T any](c *Codec, name string, p *[]T, fields func(*T, *Codec)) {
	records(c, name, &shape{how: "records", presence: maybe, omitted: true, inner: listOf(c, fields)}, len(*p) == 0, p, fields)
}

func records[T any](c *Codec, name string, s *shape, isNil bool, p *[]T, fields func(*T, *Codec)) {
	write := func() {
		c.writer.list(len(*p), func(i int) { c.writer.object(func() { fields(&(*p)[i], c) }) })
	}
	c.field(name, s, isNil, write, func(n *jsontext.Node) {
		c.items(name, s, n, func(item *jsontext.Node, i int) {
			var t T
			fields(&t, c.reader.object(item, c.where.Member(name).At(i)))
			*p = append(*p, t)
		})
	})
}

// Rest passes on the members that were not taken, unchanged.
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
