package jsonedit

import "strings"

// layout is how one new value is written.
type layout struct {
	style
	indent  string // of the line on which the value begins
	oneLine bool
}

// layoutFor decides the layout of a value that replaces old, or that is added to the
// children of parent if old is nil. It copies an example if there is one, first
// the value that is replaced, then a sibling in the same array; otherwise it
// follows the habits of the file.
func (f *File) layoutFor(v Value, parent, old *node, indent string) layout {
	l := layout{style: measure(f.src, f.root), indent: indent}
	if example := example(v.n.Kind, parent, old); example != nil && (allScalars(v.n) || !allScalars(example)) {
		l.oneLine = !isSpread(f.src, example)
		return l
	}
	switch {
	case old != nil && old.IsContainer() && len(old.Children) == 0 && strings.Contains(f.src[old.Start:old.End], "\n"):
		l.oneLine = false
	case parent != nil && !isSpread(f.src, parent):
		l.oneLine = true
	default:
		l.oneLine = l.fitsOnLine(v.n)
	}
	return l
}

// example is a container whose layout is copied, nil if there is none.
func example(kind Kind, parent, old *node) *node {
	if old != nil && old.Kind == kind && len(old.Children) > 0 {
		return old
	}
	if parent == nil || parent.Kind != KindArray {
		return nil
	}
	for i := len(parent.Children) - 1; i >= 0; i-- {
		if n := &parent.Children[i].Value; n.Kind == kind && len(n.Children) > 0 {
			return n
		}
	}
	return nil
}

// fitsOnLine reports whether a value goes on one line in a file of many lines: an
// array of scalars does, unless the file spreads all such arrays over several lines.
func (s style) fitsOnLine(n *node) bool {
	return n.Kind == KindArray && allScalars(n) && !s.spread
}

func (l layout) text(v Value) string {
	var b strings.Builder
	l.write(&b, v)
	return b.String()
}

func (l layout) write(b *strings.Builder, v Value) {
	if len(v.n.Children) == 0 {
		b.WriteString(emptyOr(v))
		return
	}
	brackets := "{}"
	if v.n.Kind == KindArray {
		brackets = "[]"
	}
	b.WriteByte(brackets[0])
	if l.oneLine {
		l.writeInline(b, v)
	} else {
		l.writeSpread(b, v)
	}
	b.WriteByte(brackets[1])
}

// emptyOr is the text of a value without children: a scalar as it is spelled, an
// empty container as two brackets.
func emptyOr(v Value) string {
	switch v.n.Kind {
	case KindObject:
		return "{}"
	case KindArray:
		return "[]"
	}
	return v.text()
}

func (l layout) writeInline(b *strings.Builder, v Value) {
	pad := l.pad[v.n.Kind].text
	b.WriteString(pad)
	for i := range v.n.Children {
		if i > 0 {
			b.WriteString("," + l.comma.text)
		}
		l.writeChild(b, v.src, &v.n.Children[i])
	}
	b.WriteString(pad)
}

func (l layout) writeSpread(b *strings.Builder, v Value) {
	inner := l
	inner.indent += l.unit.text
	for i := range v.n.Children {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(l.eol + inner.indent)
		c := &v.n.Children[i]
		inner.oneLine = l.fitsOnLine(&c.Value)
		inner.writeChild(b, v.src, c)
	}
	b.WriteString(l.eol + l.indent)
}

func (l layout) writeChild(b *strings.Builder, src string, c *child) {
	if c.NameEnd > 0 {
		b.WriteString(src[c.NameStart:c.NameEnd] + l.colon.text)
	}
	l.write(b, Value{src, &c.Value})
}
