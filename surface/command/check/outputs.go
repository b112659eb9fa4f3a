package check

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/lint/report"
	"handoff/surface/command"
)

// output is a report and its destination.
type output struct {
	*report.Report
	file   *atomicfile.Pending // nil for a stream
	stream *os.File            // the named pipe or device; nil for stdout
	buf    *bufio.Writer       // buffers file or stream
}

// open creates the reports. If stdout is used by a diff, or by the fixed text
// of standard input, the report for stdout goes to stderr.
func (l *linting) open() error {
	format, err := formatOf(&l.o.reportOptions)
	if err != nil {
		return err
	}
	l.readable = format == "text"
	toStdout, seen := true, map[string]bool{}
	for _, o := range l.o.output {
		f, name, both := strings.Cut(o, "=")
		if !both {
			f, name, toStdout = format, o, false
		}
		switch path := l.Path(name); {
		case name == "":
			return fmt.Errorf("--output %q: want FILE or FORMAT=FILE", o)
		case name == "-":
			return fmt.Errorf("--output %q: stdout takes what --format says (--format %s)", o, f)
		case seen[path]:
			return fmt.Errorf("--output: two reports cannot go to the one file %s", name)
		default:
			seen[path] = true
		}
		if err := l.add(f, name); err != nil {
			return err
		}
	}
	if !toStdout {
		return nil
	}
	return l.add(format, "")
}

// formatOf is the format of the report on stdout, and of files without a format
// of their own.
func formatOf(o *reportOptions) (string, error) {
	format := o.format
	switch {
	case o.json && o.formatGiven && format != "json":
		return "", fmt.Errorf("--json is --format json, and --format says %s: give one of them", format)
	case o.json:
		return "json", nil
	case format == "": // fix does not have this flag
		return "text", nil
	}
	return format, nil
}

// prints reports whether the fixed text of standard input goes to stdout.
func (l *linting) prints() bool {
	return l.req.Fix && !l.req.Diff && slices.Contains(l.req.Paths, "-")
}

// talk is where messages about findings go: stdout, unless another program
// reads that.
func (l *linting) talk() io.Writer {
	if to := l.talkTo(); to != l.Stdout {
		return to
	}
	return l.out
}

// talkTo is talk without a buffer.
func (l *linting) talkTo() io.Writer {
	if l.prints() || l.req.Diff {
		return l.Stderr
	}
	return l.Stdout
}

// add creates a report for a file, or for [linting.talk] if name is empty.
func (l *linting) add(format, name string) error {
	colour := l.Colour(l.o.color, l.Stdout)
	o, to := &output{}, l.talk()
	if name != "" {
		if err := o.begin(l.Path(name)); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		to = o.buf
	}
	l.outputs = append(l.outputs, o)
	opt := report.Options{
		Color:    name == "" && colour,
		Reason:   command.RuleSummary,
		Unquoted: command.Unquoted,
		Version:  handoff.Version,
		Root:     filepath.ToSlash(l.req.Dir),

		Unchecked: name != "", // a reader of stdout also sees stderr
	}
	if format == "sarif" { // the only format that lists the rules
		opt.Rules = l.describe()
	}
	if opt.Color && format == "text" {
		to = command.Painted(l.talkTo()) // the report escapes the text of documents
	}
	var err error
	o.Report, err = report.New(format, to, opt)
	return err
}

// begin opens the file of a report. It writes to a pipe or a device directly:
// renaming a file over it would break it for everybody.
func (o *output) begin(path string) (err error) {
	if st, err := os.Stat(path); err == nil && !st.Mode().IsRegular() && !st.IsDir() {
		if o.stream, err = os.OpenFile(path, os.O_WRONLY, 0); err != nil {
			return err
		}
		o.buf = bufio.NewWriter(o.stream)
		return nil
	}
	if o.file, err = atomicfile.Begin(nofollow.Named, path, 0o644); err == nil {
		o.buf = bufio.NewWriter(o.file)
	}
	return err
}

// commit finishes what [output.begin] began.
func (o *output) commit() error {
	if o.buf == nil {
		return nil
	}
	err := o.buf.Flush()
	switch {
	case o.stream != nil:
		err = errors.Join(err, o.stream.Close())
	case err == nil:
		err, o.file = o.file.Commit(), nil
	}
	return err
}

// abandon discards the reports that are not finished.
func (l *linting) abandon() {
	for _, o := range l.outputs {
		if o.file != nil {
			o.file.Abort()
		}
	}
}
