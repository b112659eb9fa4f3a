// Package report writes findings in the formats that people, agents and code
// hosts read: text, JSON, SARIF 2.1.0, GitHub workflow commands and JUnit XML.
//
// A report is written while the check runs. No format keeps findings after
// their file is written, so memory does not grow with the number of files. Some
// formats keep what could not be checked until the end.
//
// The package opens no file and knows neither terminals nor rules: everything
// besides the findings is in [Options].
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"handoff/document/handoff"
	"handoff/lint"
)

// Options are what a report shows besides the findings. The zero value is a
// plain report.
type Options struct {
	// Color writes text for a terminal: colours, and the source line under each
	// finding. Each file is shown as soon as it is checked.
	Color bool
	// Link returns the URL that explains a rule, or "". Coloured text and SARIF
	// use it. It may be nil.
	Link func(rule string) string
	// Reason returns the reason for a rule, on one line. JSON shows it with
	// each finding. It may be nil.
	Reason func(rule string) string
	// Unquoted reports whether findings of a rule are shown without the source
	// line, because it should not be copied. It may be nil.
	Unquoted func(rule string) bool
	// Rules are all rules that ran, whether or not they found something.
	Rules []Rule
	// Version of the tool, "1.2.3" or "v1.2.3"; empty if unknown.
	Version string
	// Unchecked makes text report what could not be checked. Other formats
	// always do; for people the caller prints it at once.
	Unchecked bool
	// Root is the absolute folder, with forward slashes, to which SARIF makes
	// absolute paths relative. Empty if all paths are relative.
	Root string
}

// Rule describes a rule in a report.
type Rule struct {
	Name     string
	Severity lint.Severity
	Summary  string // one line
	Doc      string // Markdown
}

// Report writes one report. It is not safe for concurrent use.
type Report struct {
	out    *bufio.Writer
	format format
	live   bool // flushed after each file
}

// format is one way to write a report. The writer keeps the first error.
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

// New starts a report on w. The name is one of [Formats].
func New(name string, w io.Writer, opt Options) (*Report, error) {
	for _, f := range formats {
		if f.name == name {
			out := bufio.NewWriterSize(w, 32<<10)
			return &Report{out, f.open(out, opt), opt.Color && name == "text"}, nil
		}
	}
	return nil, fmt.Errorf("unknown format %q (%s)", name, strings.Join(Formats(), ", "))
}

// File adds a checked file and its findings. It is called for every file, in
// the order of the report. If the document is nil, columns count bytes and no
// source is shown. Of a rule with very many findings it shows the first: see
// [lint.Limit]. It keeps none of its arguments. The error is that of the
// writer, and is returned by all later calls.
func (r *Report) File(path string, doc *handoff.Document, findings []lint.Finding) error {
	shown := lint.Limit(findings)
	secrets := secretsOf(doc, shown)
	r.format.file(path, masked(doc, secrets, shown), withoutSecrets(doc, secrets, shown))
	if r.live && len(findings) > 0 {
		return r.out.Flush()
	}
	_, err := r.out.Write(nil) // returns an earlier error, so that a closed pipe ends the check
	return err
}

// Unchecked adds the reason why a file could not be checked or fixed, or, with
// the path "", why the whole check stopped: without it the file would look
// clean. The error is as for File.
func (r *Report) Unchecked(path, reason string) error {
	r.format.unchecked(path, reason)
	_, err := r.out.Write(nil)
	return err
}

// Close ends the report and flushes it, but does not close the writer. Text has
// no count at its end: see [SummaryLine].
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

// before is the part of line n before a byte column. ok is false if the line is
// shorter or the document is nil.
func before(doc *handoff.Document, n, col int) (part string, ok bool) {
	text := line(doc, n)
	if col < 1 || col > len(text)+1 {
		return "", false
	}
	return text[:col-1], true
}
