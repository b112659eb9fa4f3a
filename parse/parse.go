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

	"handoff"
)

// Document reads a document. It never fails: what cannot be made sense of
// stands in the Problems of what it returns, in the order of the document.
// src is not kept and not changed. The time it takes grows with the length of
// src; a caller that does not trust its input caps the length.
func Document(src []byte) *handoff.Document {
	doc := handoff.NewDocument(string(src))
	clean := checkEncoding(doc, src)
	if clean == nil {
		return doc
	}
	body := readFront(doc, clean)
	blocks, deep := goldmarkBlocks(doc, clean, body)
	if deep != 0 {
		problem(doc, handoff.TooDeep, deep, 0, "lists or quotes nested more than 100 deep: not read any further")
	} else {
		assemble(doc, blocks)
	}
	if len(doc.Problems) > 1 {
		slices.SortStableFunc(doc.Problems, func(a, b handoff.Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col))
		})
	}
	return doc
}

func problem(doc *handoff.Document, kind handoff.ProblemKind, line, col int, text string) {
	doc.Problems = append(doc.Problems, handoff.Problem{Kind: kind, Line: line, Col: col, Text: text})
}
