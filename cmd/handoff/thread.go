package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"reflect"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/surface/httpapi/client"
	"handoff/thread"
	"handoff/thread/compile"
	"handoff/workspace/outbox"
	"handoff/workspace/threadops"
	"handoff/workspace/threads"
)

// The thread commands print the same JSON as RIP's client, on one line, to a
// file or a pipe, and with --json. On a terminal they print text if the result
// has a text form.

// threadStore is the workspace's threads, or those of a server.
type threadStore interface {
	threadops.Place
	foundThreads
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
	Compile(ctx context.Context, id string, r threads.CompileRequest) (compile.Result, error)
}

// foundThreads finds a thread: see [threads.Threads.Find].
type foundThreads interface {
	Find(ctx context.Context, ref string) (id string, err error)
	Close() error
}

func threadCommand(w *process) *cli.Command {
	cmd := &cli.Command{
		Name:    "thread",
		Aliases: []string{"threads"}, // the name in RIP
		Usage:   "create, read, branch and hand off threads of messages and runs",
	}
	cmd.Subcommands = []*cli.Command{threadExportCommand(w), threadImportCommand(w), threadRepairCommand(w)}
	special := w.threadSpecials()
	for _, o := range threadops.Operations {
		cmd.Subcommands = append(cmd.Subcommands, w.threadOperation(o, special[o.Described().Name]))
	}
	return cmd
}

// threadSpecial is what a command does in another way than its operation alone.
type threadSpecial struct {
	flags func(ofRequest []cli.Flag) []cli.Flag // nil: those of the request
	// do prints what it does. Without it, the result of the operation is printed.
	do func(c *cli.Context, t threadStore, id string, request any) error
}

// specially is the special action of an operation, with special flags unless they are nil.
func specially[R, T any](_ *threadops.Op[R, T], flags func([]cli.Flag) []cli.Flag, do func(c *cli.Context, t threadStore, id string, r R) error) threadSpecial {
	return threadSpecial{flags, func(c *cli.Context, t threadStore, id string, request any) error { return do(c, t, id, *request.(*R)) }}
}

// threadSpecials are those of the operations, by their names.
func (w *process) threadSpecials() map[string]threadSpecial {
	return map[string]threadSpecial{
		threadops.Handoff.Name: specially(threadops.Handoff, handoffFlags, w.threadHandoff),
		threadops.Show.Name:    specially(threadops.Show, showFlags, w.threadShow),
		threadops.Events.Name:  specially(threadops.Events, nil, w.threadEvents),
		threadops.Lineage.Name: specially(threadops.Lineage, lineageFlags, w.threadLineage),
	}
}

// threadOperation is the command of an operation.
func (w *process) threadOperation(o threadops.Operation, special threadSpecial) *cli.Command {
	a := o.Described()
	if w.sub != "" && w.sub != a.Name {
		return &cli.Command{Name: a.Name, Usage: a.Help} // not called: its name is enough
	}
	request, result := o.Types()
	usage, most := "handoff thread "+a.Name+" [flags]", 0
	if a.Args != "" {
		usage = "handoff thread " + a.Name + " " + a.Args + " [flags]\n\nTHREAD is an id or the beginning of one, latest, or the beginning of a title."
		most = 1 + argumentsOfRequest(request)
	}
	of := requestFlags(request)
	if special.flags != nil {
		of = special.flags(of)
	}
	if findFlag(of, "json") == nil {
		of = append(of, &cli.BoolFlag{Name: "json", Usage: "print JSON also on a terminal"})
	}
	return &cli.Command{
		Name: a.Name, Usage: a.Help, UsageText: usage, Flags: flags(of, serverFlags(anyServer)),
		Action: func(c *cli.Context) error {
			switch {
			case a.Args != "" && c.NArg() == 0:
				return fmt.Errorf("thread %s needs a thread (`handoff thread list` lists them)", a.Name)
			case c.NArg() > most:
				return fmt.Errorf("unexpected argument %q (`handoff thread %s --help` shows the usage)", c.Args().Get(most), a.Name)
			}
			return flagged(c, w.withThread(c, a.Writes, c.Args().First(), func(t threadStore, id string) error {
				r := reflect.New(request).Interface()
				if err := w.fill(c, r); err != nil {
					return err
				}
				if special.do != nil {
					return special.do(c, t, id, r)
				}
				v := reflect.New(result)
				err := t.Perform(c.Context, o, id, r, v.Interface())
				if err != nil && !a.Usable(v.Interface()) {
					return err
				}
				return cmp.Or(w.printThread(c, v.Elem().Interface()), err)
			}))
		},
	}
}

// printThread prints the result of an operation: on a terminal as text, if it has one.
func (w *process) printThread(c *cli.Context, v any) error {
	switch v := v.(type) {
	case threads.Posted:
		if v.Queued {
			w.sayQueued("message "+v.MessageID, v.Waits)
		}
	case thread.AutoResult: // of a job that failed, too
		w.incomplete = v.Status == "failed"
	}
	if c.Bool("json") || !isTerminal(w.stdout) {
		return writeLine(w.stdout, v)
	}
	if list, ok := v.([]thread.Info); ok && len(list) == 0 {
		w.say("no threads here (`handoff thread create --title TEXT` creates one)")
		return nil
	}
	if text := w.threadText(v); text != "" {
		return w.print(text)
	}
	return writeLine(w.stdout, v)
}

// withThread opens the threads, of the workspace or a server, and finds the one
// that ref names; "" for none.
func (w *process) withThread(c *cli.Context, writes bool, ref string, do func(threadStore, string) error) error {
	if c.IsSet("server") {
		t, err := w.server(c)
		if err != nil {
			return err
		}
		return using(c.Context, t, ref, func(t *client.Client, id string) error { return do(t, id) })
	}
	return w.withLocal(c, writes, ref, func(t *threads.Threads, id string) error { return do(threadops.Here{Threads: t}, id) })
}

// server is the client of the server that --server names.
func (w *process) server(c *cli.Context) (*client.Client, error) {
	token, err := w.clientToken(c)
	if err != nil {
		return nil, err
	}
	t, err := client.New(w.address(c, "server"), token)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	return t, nil
}

// anyServer is for routes of threads, which both kinds of servers have.
const anyServer = "ours or RIP's"

// serverFlags select a server; whose names the kinds that are supported.
func serverFlags(whose string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "server", Usage: "use the server at `URL`, " + whose},
		&cli.StringFlag{Name: "token-file", Usage: "`FILE` with the server's token", DefaultText: "that of your own server"},
	}
}

// withLocal is withThread for the workspace's threads only.
func (w *process) withLocal(c *cli.Context, writes bool, ref string, do func(*threads.Threads, string) error) error {
	ws, err := w.open(c)
	if err != nil {
		return err
	}
	w.drainFirst(c.Context, ws)
	t, err := threads.In(c.Context, ws, writes)
	if err != nil {
		return err
	}
	w.hurry(c, ws)
	return using(c.Context, t, ref, func(t *threads.Threads, id string) error {
		if id != "" && !writes {
			w.sayWaiting(ws, outbox.ThreadLog(id), "thread")
		}
		return do(t, id)
	})
}

func using[T foundThreads](ctx context.Context, t T, ref string, do func(T, string) error) (err error) {
	defer func() { err = threadError(errors.Join(err, t.Close())) }()
	if ref != "" {
		if ref, err = t.Find(ctx, ref); err != nil {
			return err
		}
	}
	return do(t, ref)
}

// threadError removes the kinds from the text of an error, and adds what to type
// if a thread is missing.
func threadError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, kind := range []error{handoff.ErrInvalid, fs.ErrNotExist, fs.ErrExist} {
		if errors.Is(err, kind) {
			text = strings.ReplaceAll(text, ": "+kind.Error(), "")
		}
	}
	if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(text, "thread ") {
		text += " (`handoff thread list` lists them)"
	}
	if outbox.Away(err) {
		text += needsAnswer
	}
	return worded{text, err}
}

// flagged replaces the names of request fields in an error by those of flags.
func flagged(c *cli.Context, err error) error {
	if err == nil {
		return nil
	}
	var names []string
	for _, f := range c.Command.Flags {
		if name := f.Names()[0]; strings.Contains(name, "-") {
			names = append(names, strings.ReplaceAll(name, "-", "_"), "--"+name)
		}
	}
	return worded{strings.NewReplacer(names...).Replace(err.Error()), err}
}

// worded is an error with another text.
type worded struct {
	text string
	error
}

func (e worded) Error() string { return e.text }
func (e worded) Unwrap() error { return e.error }
