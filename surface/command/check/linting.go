package check

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/lint/report"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/check"
)

// linting is one run of lint: it receives the results in order and passes them
// to each output.
type linting struct {
	*command.Process
	o       *lintOptions
	req     check.Request
	out     *bufio.Writer // stdout
	outputs []*output
	base    *baseline

	readable bool // stdout is for people

	describe func() []report.Rule // returns the rules, for reports that list them

	sum      report.Summary
	stats    report.Counts
	problems int // files that could not be checked or written
	changed  int // files that a fix changes or renames
	hidden   int // findings that are in the baseline
}

func runLint(ctx context.Context, w *command.Process, o *lintOptions, args command.Arguments) (err error) {
	req, err := lintRequest(w, o, args)
	if err != nil {
		return err
	}
	l := &linting{Process: w, o: o, req: req, out: w.Out(), stats: report.Counts{}, describe: command.ReportRules(false)}
	defer l.abandon()
	if l.base, err = baselineOf(w, o); err != nil {
		return err
	}
	if err := l.open(); err != nil {
		return err
	}
	if err := check.Run(ctx, w.Options(), req, l.take); err != nil {
		return l.breakOff(err)
	}
	return l.close(l.countLine())
}

// breakOff ends the reports of a check that failed, and marks them as
// incomplete: a program could not parse half a report, or would treat it as
// complete. After an interrupt it writes no report.
func (l *linting) breakOff(err error) error {
	if !errors.Is(err, context.Canceled) {
		if l.unchecked("", err) == nil {
			_ = l.end() // err is more useful
		}
	}
	l.out.Flush()
	return err
}

// unchecked adds to the reports a file that could not be checked, and why.
func (l *linting) unchecked(path string, err error) error {
	for _, o := range l.outputs {
		if err := o.Unchecked(path, err.Error()); err != nil {
			return err
		}
	}
	return nil
}

// end finishes the reports.
func (l *linting) end() error {
	for _, o := range l.outputs {
		if err := o.Close(l.sum); err != nil {
			return err
		}
		if err := o.commit(); err != nil {
			return err
		}
	}
	return nil
}

// take handles the result of one file.
func (l *linting) take(f *check.Result) error {
	if f.Err != nil {
		l.out.Flush()
		l.Say("%s: %s", command.Plain(f.Path), command.Plain(f.Err.Error()))
		l.problems++
		if err := l.unchecked(f.Path, f.Err); err != nil || f.Doc == nil && f.Renamed == "" {
			return err
		}
	}
	path := f.Path
	if f.Renamed != "" && !l.req.Diff {
		path = f.Renamed
	}
	list, hidden := l.base.filter(path, f.Findings)
	l.hidden += hidden
	if l.sum.Count(list); l.sum.Files == command.ManyFiles {
		// 8 MB of garbage instead of 4. A check keeps nothing of a document without
		// findings, so live memory stays small for any number of files.
		l.CollectAt(200)
	}
	if !l.req.Diff {
		l.sum.Fixed += f.Applied
	}
	for i := range list {
		l.stats.Add(&list[i])
	}
	if f.Renamed != "" {
		verb := "renamed"
		if l.req.Diff {
			verb = "would rename"
		}
		l.Say("%s %s to %s", verb, command.Plain(f.Path), command.Plain(filepath.Base(f.Renamed)))
	}
	if f.Applied > 0 || f.Renamed != "" {
		l.changed++
	}
	if l.req.Diff && f.Applied > 0 {
		name := filepath.ToSlash(command.Plain(f.Path))
		if err := l.PrintDiff(l.out, "a/"+name, []byte(f.Before), "b/"+name, []byte(f.Doc.Source)); err != nil {
			return err
		}
	}
	if l.prints() && f.Doc != nil {
		l.out.WriteString(f.Doc.Source)
	}
	for _, o := range l.outputs {
		if err := o.File(path, f.Doc, list); err != nil {
			return err
		}
	}
	return nil
}

// close finishes the reports, prints the count and returns the exit code.
func (l *linting) close(count string) error {
	l.Line.Clear()
	if err := l.end(); err != nil {
		return err
	}
	if l.o.statistics {
		out := l.talk()
		if !l.readable {
			out = l.Stderr // stdout is read by a program
		}
		if err := report.Statistics(out, l.stats); err != nil {
			return err
		}
	}
	if err := l.base.write(l); err != nil {
		return err
	}
	if err := l.out.Flush(); err != nil {
		return err
	}
	if count != "" && !l.o.quiet {
		fmt.Fprintln(l.Stderr, count)
	}
	if l.problems > 0 {
		return command.Exit(command.Failed)
	}
	return command.Found(l.sum.Errors > 0 || l.o.strict && l.sum.Warnings > 0 || l.req.Diff && l.changed > 0)
}

// countLine is the last line of a check.
func (l *linting) countLine() string {
	parts := []string{report.SummaryLine(l.sum)}
	if parts[0] == "" || l.sum.Files == 0 && l.problems > 0 { // the errors were already printed
		parts = nil
	}
	if l.sum.Files == 0 && len(parts) > 0 && !l.req.Staged && !l.req.AllowEmpty {
		parts = append(parts, l.nothing())
	}
	if l.req.Diff && l.changed > 0 {
		parts = append(parts, fmt.Sprintf("--fix would change %d of %s", l.changed, command.Plural(l.sum.Files, "handoff")))
	}
	if l.hidden > 0 {
		parts = append(parts, fmt.Sprintf("%d more in the baseline", l.hidden))
	}
	if l.base == nil && !l.req.Staged && l.sum.FilesWith >= command.ManyOld && l.sum.Errors >= command.ManyOld {
		parts = append(parts, "to begin with new handoffs only: `"+command.BeginBaseline+"`")
	}
	if l.req.Staged && len(parts) > 0 {
		parts = append(parts, "only what is staged was checked")
	}
	return strings.Join(parts, "; ")
}

// nothing explains where a check that found no handoff looked, and how to name
// handoffs. It is a warning and not an error, as in ruff: a new repository has
// no handoffs, and checking all of it must not fail for that.
func (l *linting) nothing() string {
	return fmt.Sprintf("no handoffs in %s (%s/{N}_{SLUG}/%s/*.md that the configuration does not ignore)%s: `handoff lint PATH` checks others",
		command.Plain(strings.Join(l.req.Places(), ", ")), handoff.Root, handoff.Folder, command.Plain(l.elsewhere()))
}

// elsewhere lists the places outside of task folders that the configuration names, for a
// check of the whole workspace.
func (l *linting) elsewhere() string {
	if len(l.req.Paths) > 0 || l.req.Isolated || l.req.Config != "" {
		return ""
	}
	ws, err := workspace.Open(l.Dir, l.Options())
	if err != nil {
		return "" // the check has reported it
	}
	return strings.TrimPrefix(ws.Where(), ws.Specs())
}
