// Package bundle holds three JSON documents that RIP keeps as artifacts: what a
// handoff gives to the thread it starts ([Handoff]), what a run is given to
// begin with ([Context]), and what stands for the older part of a thread
// ([Summary]).
//
// Reading is strict and tells all problems at once; fields that the schemas do
// not know survive. Writing has one byte form per value, the one that RIP
// itself writes: compact, keys in the order of the schema, unknown ones behind
// them in the order they came in, no escapes but those that JSON needs, no
// final newline. So a bundle that RIP wrote comes out byte for byte, and the
// same value always has the same id. Fields that are null are written in
// handoffs and messages, and left out of summary references and summaries.
//
// Numbers of events are written in digits alone: 42.0 and 1e2 are refused,
// though a JSON Schema cannot tell them from 42 and 100.
//
// The package knows no disk, and not whether what a bundle names exists.
package bundle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// The values of "schema" in the three documents.
const (
	HandoffSchema = "rip.handoff_context_bundle.v1"
	ContextSchema = "rip.context_bundle.v1"
	SummarySchema = "rip.compaction_summary.v1"
)

// Field is a member of an object that the schema does not know.
type Field struct {
	Name string
	// Value is JSON. Parsing gives the compact form, with each number spelled
	// as it was; what is not JSON makes the whole bundle invalid.
	Value json.RawMessage
}

// Problem is one thing that is wrong with a document.
type Problem struct {
	Pointer      string // JSON pointer (RFC 6901), "" for the whole document
	Text         string // what is wrong there and what is wanted
	Line, Column int    // from 1; columns count bytes
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text)
	}
	return fmt.Sprintf("%d:%d: %s: %s", p.Line, p.Column, p.Pointer, p.Text)
}

// Invalid is the error of a document that is not valid: all its problems, in
// the order of the text. Something that is missing stands where its object
// begins. Of a document with very many, the last says that there are more.
type Invalid struct {
	Schema   string // what it was read as
	Problems []Problem
}

// Error has a line for each problem.
func (e *Invalid) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}

// SchemaOf is what the document says that it is, in its field "schema"; "" when
// it is not a JSON object or does not say. The rest is not looked at.
func SchemaOf(src []byte) string {
	members, err := jsontext.Plain.Object(string(src))
	i := slices.IndexFunc(members, func(m jsontext.Member) bool { return m.Name == "schema" })
	if err != nil || i < 0 || !utf8.Valid(src) {
		return ""
	}
	return jsontext.Text(members[i].Value)
}
