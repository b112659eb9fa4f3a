package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/tape"
	"handoff/tape/bub"
	"handoff/workspace/tapes"
)

// tapeMoves copy tapes from and to files and homes of Bub.
func (w *process) tapeMoves() []tapeSub {
	return []tapeSub{
		{name: "import", usage: "create a tape from a file or a Bub session", args: "FILE|SESSION", most: 1, writes: true, all: true,
			about: "With --bub the source is a session (cli:local), a tape, or its file name without the suffix. It reads tapes of every version of Bub.",
			flags: flags(&cli.StringFlag{Name: "to", Usage: "as tape `NAME`", DefaultText: "its own name"}), do: w.tapeImport},
		{name: "export", usage: "write a whole tape to a file, standard output or a Bub session", args: "[FILE|SESSION]", most: 1,
			about: "Bub can read it. Existing files and sessions are left unchanged.", do: w.tapeExport},
		{name: "check", usage: "check the files of tapes for damage", writes: true,
			about: "Without --tape it checks all tapes. With --bub it checks Bub's tapes of this workspace for damage that Bub cannot handle: a torn\n" +
				"character makes Bub fail at every start. --fix rewrites such a tape and keeps the old file. Stop Bub first.",
			flags: flags(&cli.BoolFlag{Name: "fix", Usage: "with --bub: rewrite damaged tapes so that Bub can read them"}), do: w.tapeCheck},
	}
}

func (w *process) tapeImport(c *cli.Context, t *tapes.Tapes) error {
	from, err := oneArgument(c, "a file of entries, or with --bub a session")
	if err != nil {
		return err
	}
	if t.Home == nil {
		from = w.path(from)
	}
	done, err := during(w, "importing", func() (bub.Converted, error) { return t.Import(c.Context, from, c.String("to")) })
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) && pe.Path == from {
		return fmt.Errorf("%s: %w", c.Args().First(), pe.Err)
	}
	return w.moved(c, done, err)
}

func (w *process) tapeExport(c *cli.Context, t *tapes.Tapes) error {
	to := c.Args().First()
	if t.Home == nil && (to == "" || to == "-") {
		one, err := t.Tape(c.String("tape"))
		if err != nil {
			return err
		}
		if err := w.sayMissing(c, one.Tape); err != nil {
			return err
		}
		return printLines(w, one.Tape.Query(tape.Query{}), 0, false, tape.Entry.Line) // JSON also on a terminal
	}
	if t.Home == nil {
		to = w.path(to)
	}
	done, err := during(w, "exporting", func() (bub.Converted, error) { return t.Export(c.Context, c.String("tape"), to) })
	return w.moved(c, done, err)
}

// moved prints the result of a copy. If lines were left out, the exit status is
// 1.
func (w *process) moved(c *cli.Context, done bub.Converted, err error) error {
	text := fmt.Sprintf("%s: %s, %d with another id", done.Path, plural(done.Entries, "entry"), done.Renumbered)
	n := done.LeftBehind()
	if err = w.tapePrint(c, done, text, err); err == nil && n > 0 {
		w.say("%s could not be read, and was left out", plural(n, "line"))
	}
	return cmp.Or(err, found(n > 0))
}

func (w *process) tapeCheck(c *cli.Context, t *tapes.Tapes) error {
	if c.Bool("fix") && t.Home == nil {
		return errors.New("--fix is for Bub's tapes: add --bub DIR (in the workspace's own tapes, an unreadable line does not hide others)")
	}
	list, err := t.Check(c.Context, c.String("tape"), c.Bool("fix"))
	damaged := false
	for _, one := range list {
		problems := tapeProblems(one)
		damaged = damaged || !one.OK() || len(one.Unreadable) > 0 && !c.Bool("fix") // unreadable lines cannot be fixed
		if one.Kept != "" {
			problems = append([]string{"fixed; the old file is " + one.Kept}, problems...)
		}
		if len(problems) == 0 {
			problems = []string{"no problems"}
		}
		err = errors.Join(err, w.tapePrint(c, one, one.Tape+": "+strings.Join(problems, "; "), nil))
	}
	return cmp.Or(err, found(damaged))
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
