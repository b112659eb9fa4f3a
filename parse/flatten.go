package parse

import (
	"bytes"
	"strconv"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"handoff/document/handoff"
)

// flattener turns goldmark's tree into the flat list of blocks.
type flattener struct {
	doc   *handoff.Document
	src   []byte
	body  int // offset in src of goldmark's source
	trace *trace
	out   []block
}

// children lists the blocks in n and returns their last line, 0 if there are
// none.
func (f *flattener) children(n ast.Node, depth int32) (last int32) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if c.Type() == ast.TypeBlock {
			last = max(last, f.block(c, depth))
		}
	}
	return last
}

func (f *flattener) block(n ast.Node, depth int32) (last int32) {
	at := len(f.out)
	f.out = append(f.out, block{depth: depth})
	b := f.describe(n)
	b.depth = depth
	switch b.kind {
	case list:
		b.last = max(b.last, f.children(n, depth))
	case item, quote:
		b.last = max(b.last, f.children(n, depth+1))
	}
	f.out[at] = b
	return b.last
}

// describe sets the fields of a block that do not depend on nested blocks.
func (f *flattener) describe(n ast.Node) block {
	b := block{kind: kindOf(n)}
	if open, ok := f.trace.open[n]; ok {
		b.first = f.line(open)
		b.last = b.first
	}
	switch n := n.(type) {
	case *ast.Heading:
		b.level = uint8(n.Level)
		f.span(&b, n.Lines())
		if n.Lines().Len() > 0 && f.line(n.Lines().At(0).Start) < b.first {
			b.kind = underlined
			b.first = f.line(n.Lines().At(0).Start)
		}
	case *ast.ListItem:
		f.marker(&b, f.trace.open[n])
	case *ast.FencedCodeBlock:
		f.fence(&b, n)
	case *ast.Blockquote:
		if last, ok := f.trace.last[n]; ok {
			b.last = f.line(last)
		}
	case *ast.HTMLBlock:
		f.lines(&b, n.Lines())
		if n.HasClosure() {
			b.last = f.line(n.ClosureLine.Start)
		}
		b.start, b.end = int32(f.doc.Offset(int(b.first))), int32(f.doc.Offset(int(b.last)+1))
	case *ast.CodeBlock:
		f.lines(&b, n.Lines())
	case *ast.Paragraph, *ast.TextBlock:
		f.lines(&b, n.Lines())
		f.span(&b, n.Lines())
	}
	return b
}

func kindOf(n ast.Node) kind {
	switch n.(type) {
	case *ast.Heading:
		return hashed
	case *ast.List:
		return list
	case *ast.ListItem:
		return item
	case *ast.Blockquote:
		return quote
	case *ast.FencedCodeBlock:
		return fenced
	case *ast.CodeBlock:
		return indented
	case *ast.HTMLBlock:
		return html
	case *ast.ThematicBreak:
		return rule
	}
	return paragraph
}

// line is the line of the file at an offset of goldmark's.
func (f *flattener) line(offset int) int32 { return int32(f.doc.LineAt(offset + f.body)) }

// lines sets first and last line from a node's own lines. It uses the ends of
// the lines, because their starts can be wrong if a tab was split.
func (f *flattener) lines(b *block, s *text.Segments) {
	if s.Len() > 0 {
		b.first = f.line(s.At(0).Stop - 1)
		b.last = f.line(s.At(s.Len()-1).Stop - 1)
	}
}

// span sets the offsets of a node's text, without surrounding blanks.
func (f *flattener) span(b *block, s *text.Segments) {
	if s.Len() == 0 {
		return
	}
	start, end := s.At(0).Start+f.body, s.At(s.Len()-1).Stop+f.body
	inner := bytes.TrimRight(f.src[start:end], blanks)
	end = start + len(inner)
	start = end - len(bytes.TrimLeft(inner, blanks))
	b.start, b.end = int32(start), int32(end)
}

// marker reads the marker of the item whose line continues at offset.
func (f *flattener) marker(b *block, offset int) {
	s := bytes.TrimLeft(f.src[offset+f.body:], " \t")
	digits := 0
	for digits < len(s) && '0' <= s[digits] && s[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		n, _ := strconv.Atoi(string(s[:digits])) // at most nine digits, otherwise goldmark sees no item
		b.number = int32(n)
	}
	if digits < len(s) {
		b.marker = s[digits]
	}
}

func (f *flattener) fence(b *block, n *ast.FencedCodeBlock) {
	if n.Info != nil {
		seg := n.Info.Segment
		b.start, b.end = int32(seg.Start+f.body), int32(seg.Stop+f.body)
	}
	if s := n.Lines(); s.Len() > 0 {
		b.last = f.line(s.At(s.Len()-1).Stop - 1)
	}
	if last, ok := f.trace.last[n]; ok {
		b.closed = true
		b.last = f.line(last)
	}
}
