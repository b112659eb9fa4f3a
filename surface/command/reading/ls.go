// Package reading has the commands that show handoffs, or what an agent lost, and change nothing: ls, search, show, brief, diff, chain, audit and
// graph.
package reading

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"text/template"

	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/states"
)

// lsOptions are the options of ls besides its request.
type lsOptions struct {
	n       *int
	format  string
	noPager bool
}

// shownRows is how many handoffs ls prints without -n, as text: an agent that types `handoff ls` in an old
// tree keeps its context. Programs, which ask for JSON or a format, get all.
const shownRows = 40

// most is how many handoffs are printed.
func (o *lsOptions) most(whole bool) int {
	switch {
	case o.n != nil && *o.n > 0:
		return *o.n
	case o.n != nil, whole, o.format != "":
		return math.MaxInt
	}
	return shownRows
}

// List is the command `handoff ls`.
func List(w *command.Process) *cli.Command {
	o := new(lsOptions)
	g := group(w, "print JSON", func(k *operations.Call, p handoffops.Place, _ string) (string, error) {
		here, local := p.(handoffops.Here)
		if !local {
			return "", nil
		}
		missing := here.Missing()
		if errors.As(missing, new(*workspace.ChoiceError)) {
			w.Say("%s", command.Plain(missing.Error()))
			return "", nil
		}
		return "", missing
	})
	g.Usage, g.Takes = command.RefHelp+" 259 lists all of task 259, 259/3 all of its phase 3.", "takes one argument: "+command.RefForms
	g.Special = map[string]operations.Special[handoffops.Place]{handoffops.List.Name: operations.Doing(handoffops.List, o.do).WithFlags(o.flags)}
	return g.Of(handoffops.List)
}

func (o *lsOptions) flags(of []cli.Flag) []cli.Flag {
	return command.Flags(of,
		command.AtLeast(0, &cli.IntFlag{Name: "n", Action: command.Some(&o.n), Usage: "`COUNT`  most handoffs to list, 0 for all", DefaultText: "40; in a pager, with --json or --format all"}),
		&cli.BoolFlag{Name: "no-pager", Destination: &o.noPager, Usage: "print a long list at once; on a terminal $PAGER shows it otherwise, but not to an agent"},
		&cli.StringFlag{Name: "format", Destination: &o.format, Usage: "`TEMPLATE`  Go template for each handoff: {{.Ref}} {{.Path}} {{.NextAction}} …"})
}

// row is a handoff as ls prints it.
type row struct {
	handoffops.ListRow
	age string
}

func (o *lsOptions) do(k *operations.Call, p handoffops.Place, _ string, r handoffops.ListRequest) (err error) {
	paged := !o.noPager && pages(k.W)
	r.Ref, r.Limit, r.Alone = k.Args.First(), o.most(k.JSON || paged), o.format != "" && !strings.Contains(o.format, "State")
	list, more, err := listed(k, p, r)
	if err != nil && len(list) == 0 {
		return err
	}
	unread := err // reported after the handoffs that can be read
	defer func() { err = cmp.Or(err, unread) }()
	rows := make([]row, len(list))
	for i, l := range list {
		if rows[i] = (row{l, "?"}); l.Time != nil {
			rows[i].age = command.AgeOf(*l.Time, k.W.Now())
		}
	}
	out := k.W.Out()
	defer func() { err = cmp.Or(err, out.Flush()) }()
	switch {
	case k.JSON:
		return command.WriteJSON(out, rows)
	case o.format != "":
		return printFormat(out, o.format, rows)
	case len(list) == 0:
		sayNone(k, p, r)
		return nil
	}
	if paged {
		return showPaged(k, k.W, lsTable(k.W, rows))
	}
	if _, err = out.WriteString(lsTable(k.W, rows)); err == nil && more > 0 && o.n == nil {
		k.W.Say("%s more: `handoff ls -n 0` lists all, --task and --since choose", say.Number(more))
	}
	return err
}

// sayNone reports an empty list, and what to type.
func sayNone(k *operations.Call, p handoffops.Place, r handoffops.ListRequest) {
	what, then := "no handoffs", "`handoff new` writes one"
	if r.Ref != "" || r.Task != nil || r.Named != "" || r.Phase != "" || r.Since != "" || r.State != "" {
		what, then = "no such handoffs", "`handoff ls --all` lists all"
	}
	k.W.Say("%s %s (%s)", what, command.Plain(placeOf(k, p)), then)
}

// placeOf is where ls found no handoffs.
func placeOf(k *operations.Call, p handoffops.Place) string {
	if here, local := p.(handoffops.Here); local {
		return "in " + here.Where()
	}
	return "at " + k.Server.URL
}

// listed are the handoffs that a request selects, of the workspace or of a server, and how many more there are.
func listed(k *operations.Call, p handoffops.Place, r handoffops.ListRequest) (list []handoffops.ListRow, more int, err error) {
	here, local := p.(handoffops.Here)
	if !local {
		return listedThere(k, p, r)
	}
	list, all, err := here.Listed(k, r)
	if all == 0 && err == nil {
		err = here.WhyNone(k, r.Named)
	}
	return list, all - len(list), err
}

// page is how many handoffs a server lists at once.
const page = 1000

// listedThere asks a server, page by page. It knows short names of tasks and phases only.
func listedThere(k *operations.Call, p handoffops.Place, r handoffops.ListRequest) (list []handoffops.ListRow, more int, err error) {
	if r.Named != "" {
		return nil, 0, errors.New("--task: a server knows the numbers of tasks only")
	}
	if r.Ref != "" {
		named, err := documents.ParseRef(r.Ref)
		if err != nil || named.Task == nil || r.Task != nil || r.Phase != "" {
			return nil, 0, fmt.Errorf("ls %s --server: want a task or a phase, 259 or 259/3, without --task and --phase", r.Ref)
		}
		r.Task, r.Phase = named.Task, named.Phase
	}
	for most := r.Limit; ; {
		r.Limit, r.Offset = page, len(list)
		next, err := handoffops.List.On(k, p, "", r)
		list = append(list, next...)
		if err != nil || len(next) < page {
			return list[:min(most, len(list))], len(list) - min(most, len(list)), err
		}
	}
}

func lsTable(w *command.Process, rows []row) string {
	var cells [][]string
	for _, r := range rows {
		next := command.NextAction(r.NextAction)
		if r.NextFrom != "" {
			next = "[" + command.Plain(r.NextFrom) + "] " + next
		}
		if len(r.WaitingFor) > 0 && r.State == states.Waiting {
			next = "[waits for " + command.Plain(strings.Join(r.WaitingFor, "; ")) + "] " + next
		}
		if r.Unproved != "" && r.State != "" && r.State != states.Done {
			next = "[unproved] " + next
		}
		if r.Problem != "" {
			next = "(" + command.Plain(r.Problem) + ")"
		}
		cells = append(cells, []string{command.Plain(cmp.Or(r.Ref, r.Path)), command.Plain(r.Slug), r.age, cmp.Or(string(r.State), "-"), next})
	}
	return w.Aligned([]string{"REF", "TASK", "AGE", "STATE", "NEXT ACTION"}, cells, 4, 1)
}

// printFormat prints each handoff with the template of --format.
func printFormat(out *bufio.Writer, format string, rows []row) error {
	t, err := template.New("--format").Parse(format + "\n")
	if err != nil {
		return formatError(err)
	}
	for _, r := range rows {
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
