// Package reading has the commands that show handoffs and change nothing: ls, search, show, brief, diff, chain and
// graph.
package reading

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"text/template"
	"time"

	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/plans"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

// lsOptions are the options of ls.
type lsOptions struct {
	task                        *int
	named                       *string
	phase, state, format, since string
	n                           *int
	all, json                   bool
}

// shownRows is how many handoffs ls prints without -n, as text: an agent that types `handoff ls` in an old
// tree keeps its context. Programs, which ask for JSON or a format, get all.
const shownRows = 40

// most is how many handoffs are printed; 0 for all.
func (o *lsOptions) most() int {
	switch {
	case o.n != nil:
		return *o.n
	case o.json || o.format != "":
		return 0
	}
	return shownRows
}

// List is the command `handoff ls`.
func List(w *command.Process) *cli.Command {
	o := new(lsOptions)
	return &cli.Command{
		Name:      "ls",
		Usage:     "list the handoffs, newest first",
		UsageText: "handoff ls [REF] [flags]\n\n" + command.RefHelp + " 259 lists all of task 259, 259/3 all of its phase 3.",
		Flags: []cli.Flag{
			command.TaskFlag(&o.task, &o.named, &cli.StringFlag{Usage: "only task `N`, or what the plan of another tool calls it", DefaultText: "all"}),
			&cli.StringFlag{Name: "phase", Destination: &o.phase, Usage: "only phase `P`"},
			sinceFlag(&o.since),
			command.AtLeast(0, &cli.IntFlag{Name: "n", Action: command.Some(&o.n), Usage: "at most `COUNT` handoffs, 0 for all", DefaultText: "40; with --json or --format all"}),
			command.OneOf(&cli.StringFlag{Name: "state", Destination: &o.state, Usage: "only those in `STATE`: " + stateNames()}),
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "include archived tasks"},
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON"},
			&cli.StringFlag{Name: "format", Destination: &o.format, Usage: "Go `TEMPLATE` for each handoff: {{.Ref}} {{.Path}} {{.NextAction}} …"},
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runLs(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

// row is a handoff as ls prints it.
type row struct {
	documents.Row
	State states.State `json:"state,omitempty"`
	receipts.Freshness
	age string
}

func runLs(ctx context.Context, w *command.Process, o *lsOptions, ws *workspace.Workspace, args command.Arguments) (err error) {
	since, err := handoffops.Since(o.since, w.Now())
	if err != nil {
		return err
	}
	choice := (*workspace.ChoiceError)(nil)
	if err := ws.Missing(); errors.As(err, &choice) {
		w.Say("%s", command.Plain(err.Error()))
	} else if err != nil {
		return err
	}
	list, err := listedFor(ctx, w.Dir, ws, documents.Filter{
		Task: o.task, ID: *cmp.Or(o.named, new("")), Phase: o.phase, Since: since, Live: !o.all,
	}, args)
	if len(list) == 0 && o.named != nil && err == nil {
		_, _, err = plans.Take(ws, *o.named, 0) // whether there is such a task
	}
	unread := err // reported after the handoffs that can be read
	defer func() { err = cmp.Or(err, unread) }()
	list, known, more := withStates(ctx, o, ws, list)
	fresh := receipts.FreshnessOf(ws) // of the states
	out := w.Out()
	defer func() { err = cmp.Or(err, out.Flush()) }()
	rows := func(yield func(row) bool) {
		for _, e := range list {
			if !yield(rowFor(w.Now, ws, e, known[e.Path], fresh)) {
				return
			}
		}
	}
	switch {
	case o.json:
		return command.WriteJSON(out, slices.AppendSeq([]row{}, rows))
	case o.format != "":
		return printFormat(out, o.format, rows)
	case len(list) == 0:
		if err := ws.Unmatched(ctx); err != nil {
			return err
		}
		w.Say("no handoffs in %s", command.Plain(ws.Where()))
		return nil
	}
	if _, err = out.WriteString(lsTable(w, rows)); err == nil && more > 0 && o.n == nil {
		w.Say("%s more: `handoff ls -n 0` lists all, --task and --since choose", say.Number(more))
	}
	return err
}

// listedFor returns the documents that a filter and the argument, if there is one, select.
func listedFor(ctx context.Context, dir string, ws *workspace.Workspace, f documents.Filter, args command.Arguments) ([]documents.Entry, error) {
	ref := args.First()
	switch {
	case len(args) > 1:
		return nil, errors.New("ls takes one argument: " + command.RefForms)
	case ref == "":
		return documents.List(ctx, ws, f)
	case f.Task != nil || f.ID != "" || f.Phase != "" || !f.Since.IsZero():
		return nil, fmt.Errorf("ls %s: leave out --task, --phase and --since, or the argument", ref)
	}
	return documents.Named(ctx, ws, dir, ref, f)
}

func rowFor(now func() time.Time, ws *workspace.Workspace, e documents.Entry, known receipts.Known, fresh receipts.Freshness) row {
	if known.Row == nil {
		doc, err := documents.Read(ws, e)
		made := documents.MakeRow(e, doc, err)
		known.Row = &made
	}
	r := row{*known.Row, known.State, fresh, "?"}
	if r.Time != nil {
		r.age = command.AgeOf(*r.Time, now())
	}
	return r
}

func lsTable(w *command.Process, rows iter.Seq[row]) string {
	var cells [][]string
	for r := range rows {
		next := command.Plain(r.NextAction)
		if r.NextFrom != "" {
			next = "[" + command.Plain(r.NextFrom) + "] " + next
		}
		if r.Problem != "" {
			next = "(" + command.Plain(r.Problem) + ")"
		}
		cells = append(cells, []string{cmp.Or(r.Ref, "-"), command.Plain(r.Slug), r.age, cmp.Or(string(r.State), "-"), next})
	}
	return w.Aligned([]string{"REF", "TASK", "AGE", "STATE", "NEXT ACTION"}, cells, 4, 1)
}

// printFormat prints each handoff with the template of --format.
func printFormat(out *bufio.Writer, format string, rows iter.Seq[row]) error {
	t, err := template.New("--format").Parse(format + "\n")
	if err != nil {
		return formatError(err)
	}
	for r := range rows {
		err := t.Execute(out, r)
		if errors.As(err, new(template.ExecError)) { // an error of the template, not of the output
			err = formatError(err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// formatError explains what is wrong with the template of --format and lists
// the fields, instead of the internal names in the library's error.
func formatError(err error) error {
	text := strings.TrimPrefix(err.Error(), "template: ")
	if i := strings.Index(text, "can't evaluate"); i >= 0 {
		text = "--format: " + strings.TrimSuffix(text[i:], " in type reading.row")
	}
	var fields []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[documents.Row]()) {
		fields = append(fields, f.Name)
	}
	return fmt.Errorf("%s (%s, State)", text, strings.Join(fields, ", "))
}

// stateNames are the states that --state accepts, as its usage lists them.
func stateNames() string {
	var names []string
	for _, s := range states.All {
		names = append(names, string(s))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// withStates filters a list by --state and -n, and returns the states and how many handoffs are left out.
// It omits states that a template does not print: finding them takes longer than
// listing.
func withStates(ctx context.Context, o *lsOptions, ws *workspace.Workspace, list []documents.Entry) (_ []documents.Entry, known map[string]receipts.Known, more int) {
	only := states.State(o.state)
	if only != "" {
		known = statesOf(ctx, ws, list)
		list = slices.DeleteFunc(list, func(e documents.Entry) bool { return known[e.Path].State != only })
	}
	if n := o.most(); n > 0 && n < len(list) {
		list, more = list[:n], len(list)-n
	}
	if format := o.format; only == "" && (format == "" || strings.Contains(format, "State")) {
		known = statesOf(ctx, ws, list)
	}
	return list, known, more
}

// statesOf returns the states of the listed handoffs. Without a safe place for
// receipts, none has a state; commands that need one report why.
func statesOf(ctx context.Context, ws *workspace.Workspace, list []documents.Entry) map[string]receipts.Known {
	b, err := receipts.Open(ws)
	if err != nil {
		return nil
	}
	return b.States(ctx, list)
}
