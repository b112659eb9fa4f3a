package main

import (
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
	"handoff/workspace/ops"
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
	Create(context.Context, thread.CreateRequest) (info thread.Info, existed bool, err error)
	Ensure(context.Context) (thread.Info, error)
	Post(ctx context.Context, id string, r thread.MessageRequest) (threads.Posted, error)
	Branch(ctx context.Context, id string, r thread.BranchRequest) (thread.BranchResult, error)
	Handoff(ctx context.Context, id string, r thread.HandoffRequest) (thread.HandoffResult, error)
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
	Lineage(ctx context.Context, id string) (*thread.Node, error)
	CursorStatus(ctx context.Context, id string) (thread.CursorStatus, error)
	RotateCursor(ctx context.Context, id string, r thread.RotateRequest) (thread.RotateResult, error)
	SelectionStatus(ctx context.Context, id string, r thread.SelectionRequest) (thread.SelectionStatus, error)
	Checkpoint(ctx context.Context, id string, r thread.CheckpointRequest) (thread.Checkpoint, error)
	CutPoints(ctx context.Context, id string, r thread.CutPointsRequest) (thread.CutPoints, error)
	CompactionStatus(ctx context.Context, id string, r thread.StrideRequest) (thread.CompactionStatus, error)
	AutoCompact(ctx context.Context, id string, r thread.AutoRequest) (thread.AutoResult, error)
	ScheduleCompact(ctx context.Context, id string, r thread.ScheduleRequest) (thread.ScheduleResult, error)
	Compile(ctx context.Context, id string, r threads.CompileRequest) (compile.Result, error)
}

// foundThreads finds a thread: see [threads.Threads.Find].
type foundThreads interface {
	Find(ctx context.Context, ref string) (id string, err error)
	Close() error
}

// threadSub is a subcommand of thread. The result of do is printed, unless it
// is nil.
type threadSub struct {
	name, usage string
	args        string // in the usage; "" for none
	most        int    // maximum number of arguments
	writes      bool
	flags       []cli.Flag
	do          func(c *cli.Context, t threadStore, id string) (any, error)
}

func threadCommand(w *process) *cli.Command {
	cmd := &cli.Command{
		Name:    "thread",
		Aliases: []string{"threads"}, // the name in RIP
		Usage:   "create, read, branch and hand off threads of messages and runs",
	}
	cmd.Subcommands = []*cli.Command{threadExportCommand(w), threadImportCommand(w), threadRepairCommand(w)}
	for _, subs := range [][]threadSub{w.threadMakers(), w.threadLooks(), w.threadStates(), w.threadCompactions()} {
		for _, sub := range subs {
			cmd.Subcommands = append(cmd.Subcommands, sub.command(w))
		}
	}
	return cmd
}

// operation is the command of an operation. do, if there is one, does it instead.
func (w *process) operation(o threadops.Operation, do func(c *cli.Context, t threadStore, id string) (any, error)) threadSub {
	a := o.Described()
	request, result := o.Types()
	if do == nil {
		do = func(c *cli.Context, t threadStore, id string) (any, error) {
			r, v := reflect.New(request).Interface(), reflect.New(result)
			if err := w.fill(c, r); err != nil {
				return nil, err
			}
			err := t.Perform(c.Context, o, id, r, v.Interface())
			return v.Elem().Interface(), err
		}
	}
	return threadSub{name: a.Name, usage: a.Help, args: a.Args, most: argumentsOfOp(a, request), writes: a.Writes, flags: requestFlags(request), do: do}
}

// argumentsOfOp is the maximum number of arguments of an operation's command.
func argumentsOfOp(a *ops.About, request reflect.Type) int {
	if a.Args == "" {
		return 0
	}
	n := 1
	for _, f := range ops.Fields(request) {
		if f.Tag.Get("arg") != "" {
			n++
		}
	}
	return n
}

func (s threadSub) command(w *process) *cli.Command {
	usage := "handoff thread " + s.name + " [flags]"
	if s.args != "" {
		usage = "handoff thread " + s.name + " " + s.args + " [flags]\n\nTHREAD is an id or the beginning of one, latest, or the beginning of a title."
	}
	all := flags(s.flags, serverFlags(anyServer))
	if findFlag(all, "json") == nil {
		all = flags(s.flags, &cli.BoolFlag{Name: "json", Usage: "print JSON also on a terminal"}, serverFlags(anyServer))
	}
	return &cli.Command{
		Name: s.name, Usage: s.usage, UsageText: usage, Flags: all,
		Action: func(c *cli.Context) error {
			switch {
			case s.args != "" && c.NArg() == 0:
				return fmt.Errorf("thread %s needs a thread (`handoff thread list` lists them)", s.name)
			case c.NArg() > s.most:
				return fmt.Errorf("unexpected argument %q (`handoff thread %s --help` shows the usage)", c.Args().Get(s.most), s.name)
			}
			return flagged(c, w.withThread(c, s.writes, c.Args().First(), func(t threadStore, id string) error {
				v, err := s.do(c, t, id)
				if err != nil || v == nil {
					return err
				}
				if text := threadText(v); text != "" && !c.Bool("json") && isTerminal(w.stdout) {
					return w.print(text)
				}
				return writeLine(w.stdout, v)
			}))
		},
	}
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
