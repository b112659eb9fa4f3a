// Package tapes has the command tape: the operations on tapes, and what the command line does with them besides.
package tapes

import (
	"cmp"
	"errors"
	"iter"
	"slices"
	"strings"

	"handoff/internal/text/shellword"
	"handoff/log/tape"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/outbox"
	"handoff/workspace/tapeops"
	"handoff/workspace/tapes"
)

// The tape commands print JSON, one object per line, or text on a terminal;
// --format selects either. Entries are printed as stored, so that they can be
// appended to another tape.

// Tape is the command `handoff tape`.
func Tape(w *command.Process) *cli.Command {
	cmd := &cli.Command{Name: "tape", Aliases: []string{"tapes"}, Usage: "record what an agent does; hand off, fork and merge"}
	cmd.Subcommands = append(operations.Commands(tapeGroup(w), tapeops.Operations), tapeSchemaCommand(w), tapeBookCommand(w))
	return cmd
}

// tapeGroup makes the commands of the operations on tapes.
func tapeGroup(w *command.Process) *operations.Group[*tapes.Tape, tapePlace] {
	return &operations.Group[*tapes.Tape, tapePlace]{
		W: w, Name: "tape", More: "; --tape NAME names a tape",
		Missing: func(a *ops.About) string {
			if a.Args == "FORK" {
				return "the name of a fork (`handoff tape list` lists the tapes)"
			}
			return "the name of a tape (`handoff tape list` lists them)"
		},
		Special: tapeSpecials(),
		Flags:   tapeFlags,
		With:    withTape,
		Print:   printTape,
	}
}

// tapeSpecials are what commands on tapes do in another way than their operations, by the
// names of those.
func tapeSpecials() map[string]operations.Special[tapePlace] {
	appending, handing, sending, yes := new(appendOptions), new(tapeHandoffOptions), new(sendOptions), new(bool)
	return map[string]operations.Special[tapePlace]{
		tapeops.Append.Name:  operations.Doing(tapeops.Append, appending.do).WithFlags(appending.flags),
		tapeops.Handoff.Name: operations.Doing(tapeops.Handoff, handing.do).After(operations.Checking[tapePlace](tapeops.Handoff, handing.check)).WithFlags(handing.flags),
		tapeops.Exec.Name: operations.Doing(tapeops.Exec, func(k *operations.Call, one tapePlace, id string, r tapes.ExecRequest) error {
			return tapeExec(k, one, id, r, *yes)
		}).After(operations.Checking[tapePlace](tapeops.Exec, func(k *operations.Call, _ *tapes.ExecRequest) error {
			return k.Needs(`a comma command: ',handoff name=phase-1 summary="…"'`)
		})).WithFlags(func(of []cli.Flag) []cli.Flag {
			return command.Flags(&cli.BoolFlag{Name: "yes", Destination: yes, Usage: "confirm that entries are destroyed"}, of)
		}),
		tapeops.Read.Name:    operations.Doing(tapeops.Read, readTape).After(operations.Checking[tapePlace](tapeops.Read, checkRead)),
		tapeops.Search.Name:  operations.Checking[tapePlace](tapeops.Search, checkSearch),
		tapeops.Context.Name: operations.Doing(tapeops.Context, tapeContext).After(operations.Checking[tapePlace](tapeops.Context, checkContext)),
		tapeops.List.Name:    operations.Doing(tapeops.List, listTapes),
		tapeops.Lineage.Name: operations.Doing(tapeops.Lineage, tapeLineage),
		tapeops.Fork.Name:    operations.Checking[tapePlace](tapeops.Fork, checkFork),
		tapeops.Reset.Name:   confirmed(tapeops.Reset, func(r *tapes.ResetRequest) (*bool, *string) { return r.Archive, &r.Confirm }),
		tapeops.Delete.Name:  confirmed(tapeops.Delete, func(r *tapes.DeleteRequest) (*bool, *string) { return r.Archive, &r.Confirm }),
		tapeops.Send.Name:    operations.Doing(tapeops.Send, sending.do).After(operations.Checking[tapePlace](tapeops.Send, sending.check)).WithFlags(sending.flags),
		tapeops.Receive.Name: operations.Doing(tapeops.Receive, tapeReceive),
		tapeops.Import.Name: operations.Doing(tapeops.Import, tapeImport).After(operations.Checking[tapePlace](tapeops.Import, func(k *operations.Call, _ *tapeops.ImportRequest) error {
			return k.Needs("a file of entries, or with --bub a session")
		})),
		tapeops.Export.Name: operations.Doing(tapeops.Export, tapeExport),
		tapeops.Check.Name:  operations.Doing(tapeops.Check, tapeCheck),
	}
}

// tapeFlags are the flags of the command of an operation.
func tapeFlags(k *operations.Call, of []cli.Flag) []cli.Flag {
	o := &k.Tape
	forms := []string{"json", "text"}
	if k.About.Name == tapeops.Lineage.Name {
		forms = append(forms, "mermaid", "dot")
	}
	if slices.Contains(operations.OfArchives, k.About.Name) {
		of = append(of, &cli.StringFlag{Name: "archive", Destination: &o.Archive, Action: command.Noting[string](&o.ArchiveGiven), Usage: "`PATH`  read the archived tape there, as reset and merge print it"})
	}
	if k.ByFlag {
		of = append(of, &cli.StringFlag{Name: "tape", Destination: &o.Name, Action: command.Noting[string](&o.Given), Usage: "`NAME`  the tape; with --bub a session", DefaultText: tape.Main})
	}
	if k.About.Path != "" {
		of = append(of, operations.ServerFlags(&k.Server, operations.OurServer)...)
	}
	return command.Flags(of, &cli.StringFlag{Name: "bub", Destination: &o.Bub, Action: command.Noting[string](&o.BubGiven), Usage: "`DIR`  use the tapes in this home of Bub (BUB_HOME)"},
		command.OneOf(&cli.StringFlag{Name: "format", Destination: &o.Format, Usage: "`FORMAT`  output format: " + strings.Join(forms, ", "), DefaultText: "text on a terminal"}),
		operations.JSONFlag(k, "print JSON also on a terminal", printed))
}

// withTapes opens the workspace's tapes, or Bub's.
func withTapes(k *operations.Call, do func(*tapes.Tapes) error) error {
	w := k.W
	ws, err := w.Here()
	if err != nil {
		return err
	}
	home := ""
	if k.Tape.BubGiven {
		if k.Tape.Bub == "" {
			return errors.New("--bub needs Bub's home folder (usually ~/.bub)")
		}
		home = w.Path(k.Tape.Bub)
	}
	if home == "" {
		command.DrainFirst(k, w, ws)
	}
	writes := k.About.Writes
	t, err := tapes.In(ws, home, writes)
	if err != nil {
		return err
	}
	k.Context = command.Hurry(k.Context, ws)
	if home == "" && !writes {
		command.SayWaiting(w, ws, outbox.TapeLog(cmp.Or(k.Tape.Name, tape.Main)), "tape", `shown with the id 0 and "queued" in meta`)
	}
	if err = do(t); err == nil && home == "" && (!writes || k.About.Name == tapeops.Exec.Name) {
		sayUnreadable(k, t)
	}
	return k.TapeError(errors.Join(err, t.Close()))
}

// sayUnreadable reports the lines of a tape that a command has passed over, because they
// cannot be read: a part of the record that the output lacks, so the exit status says so,
// too. Lists of tapes show the number of the lines.
func sayUnreadable(k *operations.Call, t *tapes.Tapes) {
	if !k.ByFlag {
		return
	}
	list, _ := t.Check(k, cmp.Or(k.Tape.Name, tape.Main), false) // of a tape that does not exist, the command has said so
	for _, one := range list {
		if n := len(one.Unreadable); n > 0 {
			k.W.Say("tape %s: left out %s that cannot be read (`handoff tape check --tape %s` lists them)", command.Plain(one.Tape), command.Plural(n, "line"), command.Plain(shellword.Quote(one.Tape)))
			k.W.Incomplete = true
		}
	}
}

// tapePrint prints the result of an operation: as JSON, or as text, to which it adds a line
// end.
func tapePrint(k *operations.Call, v any, text string) error {
	if k.PrintsJSON() {
		return command.WriteLine(k.W.Stdout, v)
	}
	return k.W.Print(command.PlainText(text) + "\n")
}

// printEach prints the results of an operation that returned a list.
func printEach[T any](k *operations.Call, list []T, text func(T) string) (err error) {
	for _, v := range list {
		err = errors.Join(err, tapePrint(k, v, text(v)))
	}
	return err
}

// printEntries prints entries as stored, or for people; those that are followed one by one.
func printEntries(k *operations.Call, entries iter.Seq2[tape.Entry, error], follow bool) error {
	asJSON, columns := k.PrintsJSON(), command.Width(k.W.Stdout, 0)
	return command.PrintLines(k.W, entries, 0, follow, func(e tape.Entry) ([]byte, error) {
		if asJSON {
			return e.Line()
		}
		return []byte(command.Plain(entryText(e, columns))), nil
	})
}

// sequence iterates over a few entries, or the error of the operation that
// returned them.
func sequence(err error, entries ...tape.Entry) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		if err != nil {
			yield(tape.Entry{}, err)
			return
		}
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// sayMissing explains why nothing is printed for a missing tape.
func sayMissing(k *operations.Call, one *tape.Tape) error {
	there, err := one.Exists()
	if err == nil && !there {
		k.W.Say("no tape %s here (`handoff tape list` lists them, `%s` creates it)", command.Plain(one.Name()), k.TapeHint("append TEXT"))
	}
	return err
}
