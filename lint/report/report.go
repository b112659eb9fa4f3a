// Package report writes findings in the formats that people, agents and hosts
// read: text, JSON, SARIF 2.1.0, GitHub workflow commands and JUnit XML.
//
// A report is written while the check runs: no format keeps a finding once its
// file is written, so that memory does not grow with the number of files. The
// package opens no file and knows no terminal and no rule: what it shows
// besides the findings, the caller hands it in [Options].
package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"handoff/lint"
)

// Options are what a report shows besides the findings. The zero value is a
// plain report without a count.
type Options struct {
	Color   bool                     // text for a terminal: colours, source lines, links
	Link    func(rule string) string // a URL that explains the rule, or ""; may be nil
	Reason  func(rule string) string // why the rule exists, on one line; may be nil
	Rules   []Rule                   // every rule that was run; SARIF lists them
	Version string                   // of the tool, "1.2.3"; empty when not known
	Summary io.Writer                // where text writes its last line, the count; may be nil
	Quiet   bool                     // no count
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
	file(path string, src func(line int) string, findings []lint.Finding)
	close(Summary)
}

var formats = [...]struct {
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
// file, in the order in which the report shows them. src returns a line of the
// file without its line end; where it is nil no source is shown and columns
// stay in bytes. Nothing of the arguments is kept. The error is that of the
// writer, and stays.
func (r *Report) File(path string, src func(line int) string, findings []lint.Finding) error {
	if src == nil {
		src = func(int) string { return "" }
	}
	r.format.file(path, src, findings)
	if r.live && len(findings) > 0 {
		return r.out.Flush()
	}
	_, err := r.out.Write(nil) // tells of an earlier error, so that a closed pipe ends the check
	return err
}

// Close ends the report and writes what is still held back. The writer itself
// stays open.
func (r *Report) Close(s Summary) error {
	r.format.close(s)
	return r.out.Flush()
}

// column turns a 1-based byte column of a line into one that counts
// characters (code points), as editors do.
func column(line string, col int) int {
	if col < 1 || col > len(line)+1 {
		return max(col, 1)
	}
	return utf8.RuneCountInString(line[:col-1]) + 1
}

// last is the last line of a finding that has lines.
func last(f *lint.Finding) int { return max(f.Lines.First, f.Lines.Last) }
