// Package threads has the commands of threads: thread, run, compile and render.
package threads

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"strings"

	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/surface/httpapi/client"
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
	EventsFrom(ctx context.Context, id string, from uint64, follow bool) iter.Seq2[thread.Event, error]
	RunText(ctx context.Context, id string, max int) (text string, more bool, err error)
	Compile(ctx context.Context, id string, r threads.CompileRequest) (compile.Result, error)
}

// foundThreads finds a thread: see [threads.Threads.Find].
type foundThreads interface {
	Find(ctx context.Context, ref string) (id string, err error)
	Close() error
}

// Thread is the command `handoff thread`.
func Thread(w *command.Process) *cli.Command {
	cmd := &cli.Command{
		Name:    "thread",
		Aliases: []string{"threads"}, // the name in RIP
		Usage:   "create, read, branch and hand off threads of messages and runs",
	}
	cmd.Subcommands = append([]*cli.Command{threadExportCommand(w), threadImportCommand(w), threadRepairCommand(w)},
		operations.Commands(threadGroup(w), threadops.Operations)...)
	return cmd
}

// threadGroup makes the commands of the operations on threads.
func threadGroup(w *command.Process) *operations.Group[*threads.Threads, threadStore] {
	handoff, message, lineage, show := new(threadHandoffOptions), new(messageOptions), new(lineageOptions), new(showOptions)
	return &operations.Group[*threads.Threads, threadStore]{
		W: w, Name: "thread",
		Usage:   "THREAD is an id or the beginning of one, latest, or the beginning of a title.",
		Missing: func(*ops.About) string { return "a thread (`handoff thread list` lists them)" },
		Special: map[string]operations.Special[threadStore]{
			threadops.Handoff.Name: operations.Doing(threadops.Handoff, func(k *operations.Call, t threadStore, id string, r thread.HandoffRequest) error {
				return threadHandoff(k, handoff, t, id, r)
			}).WithFlags(handoff.flags),
			threadops.PostMessage.Name: operations.Doing(threadops.PostMessage, message.post).WithFlags(message.flags),
			threadops.Reference.Name:   operations.Doing(threadops.Reference, reference),
			threadops.Show.Name:        operations.Doing(threadops.Show, show.show).WithFlags(show.flags),
			threadops.Events.Name:      operations.Doing(threadops.Events, threadEvents),
			threadops.Lineage.Name:     operations.Doing(threadops.Lineage, lineage.draw).WithFlags(lineage.flags),
		},
		Flags: func(k *operations.Call, of []cli.Flag) []cli.Flag {
			usage := "print JSON also on a terminal"
			if name := k.About.Name; name == threadops.Show.Name || name == threadops.Lineage.Name {
				usage = "print JSON"
			}
			return command.Flags(of, operations.JSONFlag(k, usage, printed), operations.ServerFlags(&k.Server, operations.AnyServer))
		},
		With: func(k *operations.Call, ref string, do func(threadStore, string) error) error {
			return flagged(k, withThread(k.Context, k.W, &k.Server, k.About.Writes, ref, func(ctx context.Context, t threadStore, id string) error {
				k.Context = ctx
				return do(t, id)
			}))
		},
		Print: printThread,
	}
}

// printThread prints the result of an operation: on a terminal as text, if it has one.
func printThread(k *operations.Call, v any) error {
	w := k.W
	switch v := v.(type) {
	case threads.Posted:
		if v.Queued {
			command.SayQueued(w, "message "+v.MessageID, v.Waits)
		}
	case thread.AutoResult: // of a job that failed, too
		w.Incomplete = v.Status == "failed"
	}
	if k.JSON || !command.IsTerminal(w.Stdout) {
		return command.WriteLine(w.Stdout, v)
	}
	if list, ok := v.([]thread.Info); ok && len(list) == 0 {
		w.Say("no threads here (`handoff thread create --title TEXT` creates one)")
		return nil
	}
	if text := threadText(w, v); text != "" {
		return w.Print(text)
	}
	return command.WriteLine(w.Stdout, v)
}

// withThread opens the threads, of the workspace or a server, and finds the one
// that ref names; "" for none.
func withThread(ctx context.Context, w *command.Process, o *operations.ServerOptions, writes bool, ref string, do func(context.Context, threadStore, string) error) error {
	if o.Given {
		t, err := operations.ServerOf(w, o)
		if err != nil {
			return err
		}
		return using(ctx, t, ref, func(t *client.Client, id string) error { return do(ctx, t, id) })
	}
	return withLocal(ctx, w, writes, ref, func(ctx context.Context, t *threads.Threads, id string) error {
		return do(ctx, threadops.Here{Threads: t}, id)
	})
}

// withLocal is withThread for the workspace's threads only.
func withLocal(ctx context.Context, w *command.Process, writes bool, ref string, do func(context.Context, *threads.Threads, string) error) error {
	ws, err := w.Here()
	if err != nil {
		return err
	}
	command.DrainFirst(ctx, w, ws)
	t, err := threads.In(ctx, ws, writes)
	if err != nil {
		return err
	}
	ctx = command.Hurry(ctx, ws)
	return using(ctx, t, ref, func(t *threads.Threads, id string) error {
		if id != "" && !writes {
			command.SayWaiting(w, ws, outbox.ThreadLog(id), "thread", "and left out here")
		}
		return do(ctx, t, id)
	})
}

func using[T foundThreads](ctx context.Context, t T, ref string, do func(T, string) error) (err error) {
	defer func() { err = command.ThreadError(errors.Join(err, t.Close())) }()
	if ref != "" {
		if ref, err = t.Find(ctx, ref); err != nil {
			return err
		}
	}
	return do(t, ref)
}

// flagged replaces the names of request fields in an error by those of flags.
func flagged(k *operations.Call, err error) error {
	if err == nil {
		return nil
	}
	var names []string
	for _, b := range operations.BoundTo(reflect.TypeOf(k.Request).Elem()) {
		for _, name := range []string{b.Name, b.File} {
			if strings.Contains(name, "-") {
				field := strings.ReplaceAll(name, "-", "_")
				names = append(names, "/"+field, "/"+field, field, "--"+name) // a path in a bundle names no flag
			}
		}
	}
	return command.Reworded(strings.NewReplacer(names...).Replace(err.Error()), err)
}
