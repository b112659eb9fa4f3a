// Package bundle reads and writes three JSON documents that RIP stores as artifacts:
// the context that a handoff passes to the thread it starts ([Handoff]), the input of
// a run ([Context]), and the summary of the older part of a thread ([Summary]).
//
// Reading is strict and reports all problems at once. Unknown fields are kept.
// Writing has one byte form per value, the one that RIP writes: compact, keys in the
// order of the schema, unknown keys after them in their original order, only the
// escapes that JSON requires, no final newline. So a bundle that RIP wrote is
// reproduced byte for byte, and the same value always has the same id. Null fields
// are written in handoffs and messages, and left out of summary references and
// summaries.
//
// Event numbers must be digits only: 42.0 and 1e2 are errors, although a JSON Schema
// cannot distinguish them from 42 and 100.
//
// The package does not use the disk and does not check whether referenced things
// exist.
package bundle

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"handoff/internal/json/jsontext"
)

// The values of the field "schema" of the three documents.
const (
	HandoffSchema = "rip.handoff_context_bundle.v1"
	ContextSchema = "rip.context_bundle.v1"
	SummarySchema = "rip.compaction_summary.v1"
)

// Field is a member of an object that is not in the schema.
type Field struct {
	Name string
	// Value is JSON. Parsing returns the compact form, with numbers as they are
	// spelled. A value that is not JSON makes the whole bundle invalid.
	Value json.RawMessage
}

// Problem is one problem of a document.
type Problem struct {
	Pointer string `json:"pointer"` // JSON pointer (RFC 6901), "" for the whole document
	Text    string `json:"message"` // what is wrong there, and what is expected
	Line    int    `json:"line"`    // from 1
	Column  int    `json:"col"`     // from 1, in bytes
}

func (p Problem) String() string {
	if p.Pointer == "" {
		return fmt.Sprintf("%d:%d: %s", p.Line, p.Column, p.Text)
	}
	return fmt.Sprintf("%d:%d: %s: %s", p.Line, p.Column, p.Pointer, p.Text)
}

// Invalid is the error of an invalid document: all its problems, in the order of the
// text. The place of a missing member is the start of its object. If there are very
// many problems, the last one says that there are more.
type Invalid struct {
	Schema   string // as which it was read
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

// SchemaOf returns the field "schema" of the document, "" if the document is not a
// JSON object or has no such field. The rest is not checked.
func SchemaOf(src []byte) string {
	members, err := jsontext.Plain.Object(string(src))
	i := slices.IndexFunc(members, func(m jsontext.Member) bool { return m.Name == "schema" })
	if err != nil || i < 0 || !utf8.Valid(src) {
		return ""
	}
	return jsontext.Text(members[i].Value)
}

// Check parses a bundle of any schema. It returns the name of the schema, and all
// problems of the bundle as [*Invalid].
func Check(src []byte) (schema string, err error) {
	switch schema = SchemaOf(src); schema {
	case ContextSchema:
		_, err = ParseContext(src)
	case SummarySchema:
		_, err = ParseSummary(src)
	default:
		schema = HandoffSchema // its error names the expected schema
		_, err = ParseHandoff(src)
	}
	return schema, err
}
