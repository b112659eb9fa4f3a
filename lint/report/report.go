// Package report writes findings in the formats that people, agents and hosts
// read: text, JSON, SARIF 2.1.0, GitHub workflow commands and JUnit XML.
//
// A report is written while the check runs. No format keeps a finding once
// its file is written, so that memory does not grow with the number of files;
// what could not be checked some keep up to the end.
// The package opens no file, knows no terminal and no rule: what it shows
// besides the findings, the caller hands it in [Options].
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"handoff"
	"handoff/lint"
)

// Options are what a report shows besides the findings. The zero value is a
// plain report.
type Options struct {
	// Color makes text meant for a terminal: colours, and the source line
	// under each finding. Each file is then shown as soon as it is checked.
	Color bool
	// Link is where a rule is explained, a URL, or "" when nowhere. Text in
	// colour and SARIF use it. It may be nil.
	Link func(rule string) string
	// Reason is why a rule exists, on one line. JSON shows it with each
	// finding. It may be nil.
	Reason func(rule string) string
	// Unquoted reports whether findings of a rule are shown without the source
	// line: it holds what nobody should copy. It may be nil.
	Unquoted func(rule string) bool
	// Rules are all rules that were run, whether they found something or not.
	Rules []Rule
	// Version of the tool, "1.2.3" or "v1.2.3"; empty when it is not known.
	Version string
	// Unchecked makes text tell of what could not be checked. Programs hear of
	// that in their own formats; people, as it happens, from the caller.
	Unchecked bool
	// Root is the absolute folder, with forward slashes, that SARIF makes
	// absolute paths relative to. Empty when all paths are relative already.
	Root string
}

// Rule describes a rule to the reader of a report.
type Rule struct {
	Name     string
	Severity lint.Severity
	Summary  string // one line
	Doc      string // Markdown
}

// Report writes one report. Its methods must not be called at the same time.
type Report struct {
	out    *bufio.Writer
	format format
	live   bool // somebody watches
}

// format is one way to write a report. Errors stay in the writer.
type format interface {
	file(path string, doc *handoff.Document, findings []lint.Finding)
	unchecked(path, reason string)
	close(Summary)
}

var formats = []struct {
	name string
	open func(*bufio.Writer, Options) format
}{
	{"text", newText},
	{"json", newJSON},
	{"sarif", newSARIF},
	{"github", newGitHub},
	{"junit", newJUnit},
}

// Formats lists the names that [New] knows.
func Formats() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// New begins a report on w. The name is one of [Formats].
func New(name string, w io.Writer, opt Options) (*Report, error) {
	for _, f := range formats {
		if f.name == name {
			out := bufio.NewWriterSize(w, 32<<10)
			return &Report{out, f.open(out, opt), opt.Color && name == "text"}, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q (%s)", name, strings.Join(Formats(), ", "))
}

// File adds a checked file and what was found in it. It is called for every
// file, in the order in which the report should show them. The document may
// be nil; then columns are counted in bytes and no source is shown. Of a rule
// with very many findings it shows the first, see [lint.Limit]. Nothing
// of the arguments is kept. The error is that of the writer, and stays.
func (r *Report) File(path string, doc *handoff.Document, findings []lint.Finding) error {
	shown := lint.Limit(findings)
	r.format.file(path, masked(doc, shown), withoutSecrets(doc, shown))
	if r.live && len(findings) > 0 {
		return r.out.Flush()
	}
	_, err := r.out.Write(nil) // tells of an earlier error, so that a closed pipe ends the check
	return err
}

// Unchecked says why a file could not be checked, or fixed, or, with the path
// "", why the check as a whole did not continue: without it the report would seem
// to be that of a clean file. The error is that of File.
func (r *Report) Unchecked(path, reason string) error {
	r.format.unchecked(path, reason)
	_, err := r.out.Write(nil)
	return err
}

// Close ends the report and writes what is still held back. The writer itself
// stays open. Text ends without a count: [SummaryLine] makes one.
func (r *Report) Close(s Summary) error {
	r.format.close(s)
	return r.out.Flush()
}

// line is line n of a document that may be nil.
func line(doc *handoff.Document, n int) string {
	if doc == nil {
		return ""
	}
	return doc.Line(n)
}

// before is the part of line n that is before a byte column. ok is false
// when the line does not reach that far, or the document is not there.
func before(doc *handoff.Document, n, col int) (part string, ok bool) {
	text := line(doc, n)
	if col < 1 || col > len(text)+1 {
		return "", false
	}
	return text[:col-1], true
}
