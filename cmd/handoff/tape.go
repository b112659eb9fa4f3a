package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/text/shellword"
	"handoff/surface/httpapi/client"
	"handoff/tape"
	"handoff/tape/bub"
	"handoff/workspace/outbox"
	"handoff/workspace/tapes"
)

// The tape commands print JSON, one object per line, or text on a terminal;
// --format selects either. Entries are printed as stored, so that they can be
// appended to another tape.

// tapeSub is a subcommand of tape.
type tapeSub struct {
	name, usage string
	args        string   // in the usage; "" for none
	about       string   // further help
	most        int      // maximum number of arguments
	forms       []string // formats besides json and text
	writes      bool
	all         bool // has no --tape
	named       bool // the argument names the tape
	flags       []cli.Flag
	do          func(c *cli.Context, t *tapes.Tapes) error
	// ask also works with a server. With both, do is for the workspace and ask for
	// a server.
	ask func(c *cli.Context, one oneTape) error
	// askAll is ask for all tapes of a server.
	askAll func(c *cli.Context, s *client.Client) error
}

func tapeCommand(w *process) *cli.Command {
	cmd := &cli.Command{Name: "tape", Aliases: []string{"tapes"}, Usage: "record what an agent does; hand off, fork and merge"}
	for _, subs := range [][]tapeSub{w.tapeWrites(), w.tapeLooks(), w.tapeForks(), w.tapeMoves()} {
		for _, sub := range subs {
			cmd.Subcommands = append(cmd.Subcommands, sub.command(w))
		}
	}
	cmd.Subcommands = append(cmd.Subcommands, tapeSchemaCommand(w))
	return cmd
}

func (s tapeSub) command(w *process) *cli.Command {
	usage := strings.TrimSpace("handoff tape "+s.name+" "+s.args) + " [flags]"
	if s.about != "" {
		usage += "\n\n" + s.about
	}
	forms := append([]string{"json", "text"}, s.forms...)
	var which []cli.Flag
	if !s.all {
		which = append(which, &cli.StringFlag{Name: "tape", Usage: "tape `NAME`; with --bub a session", DefaultText: tape.Main})
	}
	var there []cli.Flag
	if s.ask != nil || s.askAll != nil {
		there = serverFlags("ours")
	}
	return &cli.Command{
		Name: s.name, Usage: s.usage, UsageText: usage,
		Flags: flags(s.flags, which, there, &cli.StringFlag{Name: "bub", Usage: "use the tapes in Bub's home `DIR` (BUB_HOME)"},
			oneOf(&cli.StringFlag{Name: "format", Usage: "`FORMAT`: " + strings.Join(forms, ", "), DefaultText: "text on a terminal"}),
			&cli.BoolFlag{Name: "json", Usage: "print JSON also on a terminal"}),
		Action: func(c *cli.Context) error {
			if err := tapeNamed(c); err != nil {
				return err
			}
			if c.NArg() > s.most {
				return fmt.Errorf("unexpected argument %q (`handoff tape %s --help` shows the usage; --tape NAME names a tape)", c.Args().Get(s.most), s.name)
			}
			switch there := c.IsSet("server"); {
			case there && s.askAll != nil:
				return w.withServer(c, func(server *client.Client) error { return s.askAll(c, server) })
			case s.do == nil || there:
				return s.asked(w, c)
			}
			return w.withTapes(c, s.writes, s.do)
		},
	}
}

// tapeNamed rejects an empty name: an unset variable would select the main tape.
func tapeNamed(c *cli.Context) error { return namesTape(c.IsSet("tape"), c.String("tape")) }

func namesTape(given bool, name string) error {
	if given && name == "" {
		return errors.New("--tape is empty: name a tape, or leave it out for " + tape.Main)
	}
	return nil
}

// withTapes opens the workspace's tapes, or Bub's.
func (w *process) withTapes(c *cli.Context, writes bool, do func(*cli.Context, *tapes.Tapes) error) error {
	ws, err := w.open(c)
	if err != nil {
		return err
	}
	home := ""
	if c.IsSet("bub") {
		if home = c.String("bub"); home == "" {
			return errors.New("--bub needs Bub's home folder (usually ~/.bub)")
		}
		home = w.path(home)
	}
	if home == "" {
		w.drainFirst(c.Context, ws)
	}
	t, err := tapes.In(ws, home, writes)
	if err != nil {
		return err
	}
	w.hurry(c, ws)
	if home == "" && !writes {
		w.sayWaiting(ws, outbox.TapeLog(cmp.Or(c.String("tape"), tape.Main)), "tape")
	}
	if err = do(c, t); err == nil && home == "" && (!writes || c.Command.Name == "exec") && c.Command.Name != "check" {
		w.sayUnreadable(c, t)
	}
	return tapeError(c, errors.Join(err, t.Close()))
}

// sayUnreadable reports the lines of a tape that a command has passed over, because they
// cannot be read: a part of the record that the output lacks, so the exit status says so,
// too. Lists of tapes show the number of the lines.
func (w *process) sayUnreadable(c *cli.Context, t *tapes.Tapes) {
	if findFlag(c.Command.Flags, "tape") == nil {
		return
	}
	list, _ := t.Check(c.Context, cmp.Or(c.String("tape"), tape.Main), false) // of a tape that does not exist, the command has said so
	for _, one := range list {
		if n := len(one.Unreadable); n > 0 {
			w.say("tape %s: left out %s that cannot be read (`handoff tape check --tape %s` lists them)", plain(one.Tape), plural(n, "line"), plain(shellword.Quote(one.Tape)))
			w.incomplete = true
		}
	}
}

// tapeError adds what to type. The texts of Bub's errors are left unchanged, and
// the hint is on a line of its own.
func tapeError(c *cli.Context, err error) error {
	if err == nil {
		return nil
	}
	var code exit
	if errors.As(err, &code) {
		return err
	}
	text, hint := threadError(err).Error(), ""
	var missing *tape.Error
	var other misspelled
	switch {
	case errors.As(err, &other):
		hint = fmt.Sprintf(": did you mean %s?", other.near)
	case errors.Is(err, tapes.ErrUnconfirmed):
		hint = " with --yes"
	case errors.As(err, &missing) && missing.Kind == tape.NotFound && strings.HasPrefix(missing.Message, "Anchor"):
		if !c.IsSet("archive") { // tape anchors has no --archive
			hint = "\n`" + tapeHint(c, "anchors") + "` lists them"
		}
	case errors.As(err, &missing) && missing.Kind == tape.InvalidInput && strings.HasPrefix(missing.Message, "Invalid ISO date"):
		hint = "\nwant 2026-02-12 or 2026-02-12T16:05:00Z"
	case errors.Is(err, bub.ErrTorn):
		hint = ": `handoff tape check --fix --bub DIR` rewrites it"
	case errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "tape "):
		hint = " (`handoff tape list` lists them)"
	}
	return worded{text + hint, err}
}

// tapeHint is a tape command to print. It uses the tape of this call: without its
// flags it would read or write another one.
func tapeHint(c *cli.Context, command string) string {
	args := repeated(c, "server", "token-file", "bub", "C")
	if name := tapeAsked(c); name != "" {
		args = append([]string{"--tape", name}, args...)
	}
	return plain(strings.TrimSpace("handoff tape " + command + " " + shellword.Join(args...)))
}

// tapeAsked is the tape that the call names, "" for the default.
func tapeAsked(c *cli.Context) string {
	if name := c.Command.Name; name == "read" || name == "convert" {
		if ref, err := uriArgument(c); err == nil && ref != nil {
			return ref.Tape
		}
	}
	return c.String("tape")
}

// tapeJSON reports whether a command prints JSON.
func (w *process) tapeJSON(c *cli.Context) bool {
	switch {
	case c.Bool("json"), c.String("format") == "json":
		return true
	case c.String("format") != "":
		return false
	}
	return !isTerminal(w.stdout)
}

// tapePrint prints the result of an operation, unless that failed: as JSON, or as
// text, to which it adds a line end.
func (w *process) tapePrint(c *cli.Context, v any, text string, err error) error {
	if err != nil {
		return err
	}
	if w.tapeJSON(c) {
		return writeLine(w.stdout, v)
	}
	return w.print(plainText(text) + "\n")
}

// printEntries prints entries as stored, or for people; with --follow it flushes
// each.
func (w *process) printEntries(c *cli.Context, entries iter.Seq2[tape.Entry, error]) error {
	asJSON, columns := w.tapeJSON(c), width(w.stdout, 0)
	return printLines(w, entries, 0, c.Bool("follow"), func(e tape.Entry) ([]byte, error) {
		if asJSON {
			return e.Line()
		}
		return []byte(plain(entryText(e, columns))), nil
	})
}

// printEach prints the results of an operation that returned a list, which may be
// incomplete if it returned an error too.
func printEach[T any](w *process, c *cli.Context, list []T, err error, text func(T) string) error {
	for _, v := range list {
		err = errors.Join(err, w.tapePrint(c, v, text(v), nil))
	}
	return err
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
func (w *process) sayMissing(c *cli.Context, one *tape.Tape) error {
	there, err := one.Exists()
	if err == nil && !there {
		w.say("no tape %s here (`handoff tape list` lists them, `%s` creates it)", plain(one.Name()), tapeHint(c, "append TEXT"))
	}
	return err
}
