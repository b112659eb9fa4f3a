// Package parse reads the Markdown of a handoff document and returns a
// [handoff.Document] with line numbers.
//
// Two front ends turn the text into one flat list of blocks: a line scanner for
// the shapes that it understands completely, and goldmark for all others. One
// assembler makes everything else (sections, labels, comments, problems) from
// that list.
//
// The package knows Markdown and frontmatter. It does not know which sections a
// good handoff has, opens no file and reads no clock.
package parse

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/document/handoff"
)

// Document reads a document. It never fails: what it cannot read is in the
// Problems of the result, in the order of the document. src is neither kept nor
// changed. The time is proportional to the length of src, which a caller must
// limit if it does not trust the input.
func Document(src []byte) *handoff.Document {
	var r Reader
	return r.Document(src)
}

// Reader reads one document after another into the same memory, for callers
// that read many and keep few. The zero value is ready.
type Reader struct {
	doc    *handoff.Document
	blocks [usualBlocks]block
	lists  lists
}

// usualBlocks is how many blocks need no allocation. A handoff of one screen
// has about forty.
const usualBlocks = 96

// Document is like the function [Document], but the result is valid only until
// the next call, unless [Reader.Keep] is called before.
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

// Keep makes the last document remain valid: the next one is parsed into new memory.
func (r *Reader) Keep() { r.doc, r.lists = nil, lists{} }

// fastBlocks lists the blocks of a document if it is plain text without
// frontmatter and the line scanner understands it.
func fastBlocks(doc *handoff.Document, buf []block) (blocks []block, ok bool) {
	src := doc.Source
	if !utf8.ValidString(src) || opensFront(src) || strings.HasPrefix(src, bom) || strings.HasPrefix(src, pointer) {
		return nil, false
	}
	for _, c := range []byte{'\t', '\r', 0} {
		if strings.IndexByte(src, c) >= 0 {
			return nil, false
		}
	}
	return scan(doc, 0, buf)
}

// slowly parses a document of any shape.
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
