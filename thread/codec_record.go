package thread

import "handoff/internal/jsontext"

// record is an object within a frame.
type record interface{ fields(*codec) }

func (c *codec) readRecord(name, value string, r record) {
	members, err := jsontext.Strict.Object(value)
	if err != nil {
		c.fail(name, "is %s, want an object", jsontext.What(value))
	}
	inner := &codec{members: members, taken: make([]bool, len(members))}
	if r.fields(inner); inner.err != nil {
		c.fail(name, "%v", inner.err)
	}
}

func (c *codec) writeRecord(r record) {
	c.buf = append(c.buf, '{')
	r.fields(c)
	c.buf = append(c.buf, '}')
}

// skippableRecord is an object that is left out when it is nil.
func skippableRecord[T any, P interface {
	*T
	record
}](c *codec, name string, p *P) {
	if c.noted(field{name: name, how: "record", skipped: true, inner: fieldsOf(P(new(T)))}) {
		return
	}
	if c.writing {
		if *p != nil {
			c.key(name)
			c.writeRecord(*p)
		}
	} else if value, ok := c.optional(name); ok {
		*p = new(T)
		c.readRecord(name, value, *p)
	}
}

// records is an array of objects. Where it is skippable it is left out when
// empty and may be missing, though not null.
func records[T any, P interface {
	*T
	record
}](c *codec, name string, skippable bool, p *[]T) {
	if c.noted(field{name: name, how: "records", skipped: skippable, inner: fieldsOf(P(new(T)))}) {
		return
	}
	if c.writing {
		if skippable && len(*p) == 0 {
			return
		}
		c.key(name)
		c.buf = append(c.buf, '[')
		for i := range *p {
			if i > 0 {
				c.buf = append(c.buf, ',')
			}
			c.writeRecord(P(&(*p)[i]))
		}
		c.buf = append(c.buf, ']')
		return
	}
	value, ok := c.take(name)
	if !ok {
		if !skippable {
			c.fail(name, "is missing, want an array")
		}
		return
	}
	c.items(name, value, func(item string) {
		var r T
		c.readRecord(name, item, P(&r))
		*p = append(*p, r)
	})
}
