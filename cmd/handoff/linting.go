package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/urfave/cli/v2"

	"handoff/internal/atomicfile"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	"handoff/workspace"
)

// linting is one run of lint: it takes in the results, in order, and passes
// them on to each output.
type linting struct {
	*world
	c       *cli.Context
	req     workspace.LintRequest
	out     *bufio.Writer // stdout
	outputs []*output
	base    *baseline

	sum      report.Summary
	stats    report.Counts
	problems int // files that could not be checked or written
	changed  int // files that a fix changes
	hidden   int // findings that the baseline knows
}

// output is a report and where it goes.
type output struct {
	*report.Report
	file *atomicfile.Pending // nil for a standard stream
	buf  *bufio.Writer
}

func (w *world) lint(c *cli.Context, fix bool) (err error) {
	req, err := w.lintRequest(c, fix)
	if err != nil {
		return err
	}
	l := &linting{world: w, c: c, req: req, out: w.out(), stats: report.Counts{}}
	defer l.abandon()
	if l.base, err = w.baseline(c); err != nil {
		return err
	}
	if err := l.open(); err != nil {
		return err
	}
	w.collectLess()
	if err := workspace.Lint(c.Context, req, l.take); err != nil {
		l.out.Flush()
		return err
	}
	return l.close()
}

// open makes the reports. Where stdout is taken by the fixed text of standard
// input, the text report goes to stderr.
func (l *linting) open() error {
	format := l.c.String("format")
	if format == "" {
		format = "text"
	}
	stdout := io.Writer(l.out)
	if l.prints() {
		stdout = l.stderr
	}
	toStdout := true
	for _, o := range l.c.StringSlice("output") {
		f, name, both := strings.Cut(o, "=")
		if !both {
			f, name, toStdout = format, o, false
		}
		if err := l.add(f, name, nil); err != nil {
			return err
		}
	}
	if !toStdout {
		return nil
	}
	return l.add(format, "", stdout)
}

// prints reports whether the fixed text of standard input goes to stdout.
func (l *linting) prints() bool {
	return l.req.Fix && !l.req.Diff && slices.Contains(l.req.Paths, "-")
}

func (l *linting) add(format, name string, to io.Writer) error {
	if !slices.Contains(report.Formats(), format) {
		return fmt.Errorf("unknown format %q (%s)", format, strings.Join(report.Formats(), ", "))
	}
	colour, err := l.colour(l.c.String("color"), l.stdout)
	if err != nil {
		return err
	}
	o := &output{}
	if to == nil {
		if o.file, err = atomicfile.Begin(l.path(name), 0o644); err != nil {
			return err
		}
		o.buf = bufio.NewWriter(o.file)
		to = o.buf
	}
	l.outputs = append(l.outputs, o)
	opt := report.Options{
		Color:   o.file == nil && colour,
		Reason:  rules.Summary,
		Version: version(),
		Root:    filepath.ToSlash(l.req.Dir),
	}
	if format == "sarif" { // the one that lists them
		opt.Rules = reportRules()
	}
	o.Report, err = report.New(format, to, opt)
	return err
}

// reportRules lists the rules as reports describe them.
func reportRules() []report.Rule {
	list := make([]report.Rule, len(rules.All))
	for i, r := range rules.All {
		text, _ := rules.Doc(r.Name)
		doc, _, _ := strings.Cut(text, "\n-- ")
		list[i] = report.Rule{Name: r.Name, Severity: r.Severity, Summary: rules.Summary(r.Name), Doc: doc}
	}
	return list
}

// take is called with each checked file.
func (l *linting) take(f *workspace.Checked) error {
	if f.Err != nil {
		l.out.Flush()
		l.say("%s: %s", plain(f.Path), plain(f.Err.Error()))
		l.problems++
		if f.Doc == nil {
			return nil
		}
	}
	list, hidden := l.base.filter(f.Path, f.Findings)
	l.hidden += hidden
	l.sum.Count(list)
	if !l.req.Diff {
		l.sum.Fixed += f.Applied
	}
	for i := range list {
		l.stats.Add(&list[i])
	}
	if f.Renamed != "" {
		l.say("renamed %s to %s", plain(f.Path), plain(filepath.Base(f.Renamed)))
	}
	if f.Applied > 0 {
		l.changed++
		if l.req.Diff {
			name := filepath.ToSlash(plain(f.Path))
			l.out.Write(diff.Diff("a/"+name, []byte(f.Before), "b/"+name, []byte(f.Doc.Source)))
		}
	}
	if l.prints() && f.Doc != nil {
		l.out.WriteString(f.Doc.Source)
	}
	for _, o := range l.outputs {
		if err := o.File(f.Path, f.Doc, list); err != nil {
			return err
		}
	}
	return nil
}

// close ends the reports, says the count and decides the exit code.
func (l *linting) close() error {
	for _, o := range l.outputs {
		if err := o.Close(l.sum); err != nil {
			return err
		}
		if o.file != nil {
			if err := errors.Join(o.buf.Flush(), o.file.Commit()); err != nil {
				return err
			}
			o.file = nil
		}
	}
	if l.c.Bool("statistics") {
		if err := report.Statistics(l.out, l.stats); err != nil {
			return err
		}
	}
	if err := l.base.write(l); err != nil {
		return err
	}
	if err := l.out.Flush(); err != nil {
		return err
	}
	if line := l.countLine(); line != "" && !l.c.Bool("quiet") {
		fmt.Fprintln(l.stderr, line)
	}
	switch {
	case l.problems > 0:
		return exit(failed)
	case l.sum.Errors > 0, l.c.Bool("strict") && l.sum.Warnings > 0, l.req.Diff && l.changed > 0:
		return exit(findings)
	}
	return nil
}

// countLine is the last line of a check.
func (l *linting) countLine() string {
	parts := []string{report.SummaryLine(l.sum)}
	if parts[0] == "" {
		parts = nil
	}
	if l.req.Diff && l.changed > 0 {
		parts = append(parts, fmt.Sprintf("--fix would change %d of %d handoffs", l.changed, l.sum.Files))
	}
	if l.hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d more in the baseline", l.hidden))
	}
	if l.req.Staged && len(parts) > 0 {
		parts = append(parts, "only what is staged was checked")
	}
	return strings.Join(parts, "; ")
}

// abandon throws away what was not finished.
func (l *linting) abandon() {
	for _, o := range l.outputs {
		if o.file != nil {
			o.file.Abort()
		}
	}
}

// baseline is a file of findings that are known.
type baseline struct {
	*lint.Baseline
	path, dir  string
	update     bool // count all there is, in place of what the file says
	prune      bool
	workingDir string
}

// baseline reads the flags' baseline; nil when there is none.
func (w *world) baseline(c *cli.Context) (*baseline, error) {
	name := c.String("baseline")
	if name == "" {
		return nil, nil
	}
	b := &baseline{path: w.path(name), update: c.Bool("update-baseline"), prune: c.Bool("prune"), workingDir: w.dir}
	b.dir = filepath.Dir(b.path)
	src, err := os.ReadFile(b.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && b.update, b.update:
		src = []byte(`{"version": 1, "files": {}}`)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: no such baseline (--update-baseline makes it)", name)
	case err != nil:
		return nil, err
	}
	b.Baseline, err = lint.ParseBaseline(name, src)
	return b, err
}

// filter leaves out what is known. Paths in the file are relative to it, so
// that it holds wherever lint is called.
func (b *baseline) filter(path string, list []lint.Finding) (kept []lint.Finding, hidden int) {
	if b == nil {
		return list, 0
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(b.workingDir, path)
	}
	if rel, err := filepath.Rel(b.dir, full); err == nil {
		path = filepath.ToSlash(rel)
	}
	if b.update {
		b.Add(path, list)
		return nil, len(list)
	}
	return b.Filter(path, list)
}

// write saves a baseline that was to be updated or pruned, and says when one
// counts what is no longer there.
func (b *baseline) write(l *linting) error {
	switch {
	case b == nil:
		return nil
	case b.update:
		return atomicfile.Write(b.path, b.Bytes(), 0o644)
	case b.prune:
		return atomicfile.Write(b.path, b.Pruned().Bytes(), 0o644)
	}
	if stale := b.Stale(); len(stale) > 0 {
		l.say("the baseline counts %d findings that are gone: --prune takes them out", len(stale))
	}
	return nil
}
