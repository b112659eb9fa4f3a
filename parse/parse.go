// Package parse reads the Markdown of a handoff document: bytes in, a
// handoff.Document with line numbers out.
//
// Two front ends turn the text into one flat list of blocks: a line scanner
// for the shapes it understands for certain, and goldmark for all others. All
// that is more than a block (sections, labels, comments, problems) is made
// from that list by one assembler, so what a document means is written once.
//
// The package knows Markdown and frontmatter. It does not know which sections
// a good handoff has, opens no file and asks no clock.
package parse

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff"
)

// Document reads a document. It never fails: what cannot be made sense of
// is in the Problems of what it returns, in the order of the document.
// src is not kept and not changed. The time it takes grows with the length of
// src; a caller that does not trust its input caps the length.
func Document(src []byte) *handoff.Document {
	var r Reader
	return r.Document(src)
}

// Reader reads one document after the other into the same memory, for those
// who look at many and keep few. The zero value is ready.
type Reader struct {
	doc    *handoff.Document
	blocks [usualBlocks]block
	lists  lists
}

// usualBlocks is how many blocks need no memory of their own. A handoff of one
// screen has about forty.
const usualBlocks = 96

// Document is the function of that name, but for what it returns: that is good
// until the next call, unless [Reader.Keep] is called before.
func (r *Reader) Document(src []byte) *handoff.Document {
	if r.doc == nil {
		r.doc = new(handoff.Document)
	}
	doc := r.doc
	doc.Reset(string(src))
	if blocks, ok := fastBlocks(doc, r.blocks[:]); ok {
		r.lists = assemble(doc, blocks, r.lists)
	} else {
		r.lists = slowly(doc, src, r.lists)
	}
	return doc
}

// Keep leaves the last document to the caller: the next one gets memory of its
// own.
func (r *Reader) Keep() { r.doc, r.lists = nil, lists{} }

// fastBlocks lists the blocks of a document that is plain text without
// frontmatter and that the line scanner understands.
func fastBlocks(doc *handoff.Document, buf []block) (blocks []block, ok bool) {
	src := doc.Source
	if !utf8.ValidString(src) || opensFront(src) || strings.HasPrefix(src, bom) {
		return nil, false
	}
	for _, c := range []byte{'\t', '\r', 0} {
		if strings.IndexByte(src, c) >= 0 {
			return nil, false
		}
	}
	return scan(doc, 0, buf)
}

// slowly reads any document.
func slowly(doc *handoff.Document, src []byte, memory lists) lists {
	clean := checkEncoding(doc, src)
	if clean == nil {
		return memory
	}
	body := readFront(doc, clean)
	blocks, deep := goldmarkBlocks(doc, clean, body)
	if deep != 0 {
		problem(doc, handoff.TooDeep, deep, 0, "lists or quotes nested more than 100 deep: not read any further")
	} else {
		memory = assemble(doc, blocks, memory)
	}
	if len(doc.Problems) > 1 {
		slices.SortStableFunc(doc.Problems, func(a, b handoff.Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		})
	}
	return memory
}

func problem(doc *handoff.Document, kind handoff.ProblemKind, line, col int, text string) {
	doc.Problems = append(doc.Problems, handoff.Problem{Kind: kind, Line: line, Col: col, Text: text})
}
