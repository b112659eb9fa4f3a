package tapes

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/log/tape"
	"handoff/log/tape/bub"
	"handoff/surface/command"
	"handoff/surface/command/operations"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

func tapeImport(k *operations.Call, one tapePlace, _ string, r tapeops.ImportRequest) error {
	t, from := one.(tapeops.Here).All(), r.From
	if t.Home == nil {
		from = k.W.Path(from)
	}
	done, err := command.During(k.W, "importing", func() (bub.Converted, error) { return t.Import(k, from, r.To) })
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == from {
		return fmt.Errorf("%s: %w", r.From, pe.Err)
	}
	return printMoved(k, done, err)
}

func tapeExport(k *operations.Call, one tapePlace, _ string, r tapeops.ExportRequest) error {
	t, to := one.(tapeops.Here).All(), r.To
	if t.Home == nil && (to == "" || to == "-") {
		one, err := t.Tape(k.Tape.Name)
		if err != nil {
			return err
		}
		if err := sayMissing(k, one.Tape); err != nil {
			return err
		}
		return command.PrintLines(k.W, one.Tape.Query(tape.Query{}), 0, false, tape.Entry.Line) // JSON also on a terminal
	}
	if t.Home == nil {
		to = k.W.Path(to)
	}
	done, err := command.During(k.W, "exporting", func() (bub.Converted, error) { return t.Export(k, k.Tape.Name, to) })
	return printMoved(k, done, err)
}

// printMoved prints the result of a copy. If lines were left out, the exit status is
// 1.
func printMoved(k *operations.Call, done bub.Converted, err error) error {
	if err != nil {
		return err
	}
	n := done.LeftBehind()
	if err = tapePrint(k, done, fmt.Sprintf("%s: %s, %d with another id", done.Path, command.Plural(done.Entries, "entry"), done.Renumbered)); err == nil && n > 0 {
		k.W.Say("%s could not be read, and was left out", command.Plural(n, "line"))
	}
	return cmp.Or(err, command.Found(n > 0))
}

func tapeCheck(k *operations.Call, one tapePlace, _ string, r tapeops.CheckRequest) error {
	t := one.(tapeops.Here).All()
	if r.Fix && t.Home == nil {
		return errors.New("--fix is for Bub's tapes: add --bub DIR (in the workspace's own tapes, an unreadable line does not hide others)")
	}
	list, err := t.Check(k, k.Tape.Name, r.Fix)
	damaged := false
	for _, one := range list {
		problems := tapeProblems(one)
		damaged = damaged || !one.OK() || len(one.Unreadable) > 0 && !r.Fix // unreadable lines cannot be fixed
		if one.Kept != "" {
			problems = append([]string{"fixed; the old file is " + one.Kept}, problems...)
		}
		if len(problems) == 0 {
			problems = []string{"no problems"}
		}
		err = errors.Join(err, tapePrint(k, one, one.Tape+": "+strings.Join(problems, "; ")))
	}
	return cmp.Or(err, command.Found(damaged))
}

// tapeProblems lists the damage of a tape.
func tapeProblems(c tapes.Checked) (problems []string) {
	for _, p := range []struct {
		what  string
		lines []int64
	}{
		{"bytes that are not UTF-8: Bub cannot read the tape", c.NoText},
		{"several entries on one line: Bub finds none of them", c.Glued},
		{"a byte order mark: Bub misses the entry", c.Mark},
		{"unreadable", c.Unreadable},
	} {
		for _, n := range p.lines {
			problems = append(problems, fmt.Sprintf("line %d: %s", n, p.what))
		}
	}
	if c.Open {
		problems = append(problems, "the last line has no line end: Bub would lose it with what it appends")
	}
	return problems
}
