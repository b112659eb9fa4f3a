package claims

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace/handoffops"
	"handoff/workspace/receipts"
	"handoff/workspace/states"
)

// nextOptions are the options of next, which may claim what it finds.
type nextOptions struct {
	list        handoffops.NextRequest
	best        receipts.NextRequest
	named       *string
	server      operations.ServerOptions
	claim, json bool
}

// Next is the command `handoff next`.
func Next(w *command.Process) *cli.Command {
	o := new(nextOptions)
	return &cli.Command{
		Name:      "next",
		Usage:     "list the handoffs that wait, the best first, or claim the best",
		UsageText: "handoff next [N|NAME] [flags]",
		Description: "Lists only the newest handoff of each task that is not finished. Those written or given back last come\n" +
			"first, and those that may already be taken come last.\n" +
			"Exit status: 0 if a handoff waits (with --claim: was claimed), 1 if none does, 2 an error.",
		Flags: command.Flags(operations.FlagsOf(&o.list),
			command.TaskFlag(&o.list.Task, &o.named, &cli.StringFlag{Usage: "`N`  only this task: its number, or what the plan of another tool calls it", DefaultText: "all"}),
			&cli.BoolFlag{Name: "claim", Destination: &o.claim, Usage: "claim the best one and print the claim, as 'handoff claim' does; needs --as"},
			operations.FlagsOf(&o.best),
			cli.JSON(&o.json, "print one line of JSON, with the command to run next", cli.Prints[nextJSON]("next")),
			operations.ServerFlags(&o.server, operations.OurServer),
		),
		Action: func(c *cli.Context) error {
			if args := command.ArgsOf(c); len(args) > 1 || len(args) == 1 && (o.list.Task != nil || o.named != nil) {
				return errors.New("next takes one task, as `handoff next 259` or with --task")
			} else if len(args) == 1 {
				command.SetTask(&o.list.Task, &o.named, args.First())
			}
			return operations.WithHandoffs(c.Context, w, &o.server, true, func(p handoffops.Place) error { return runNext(c.Context, w, o, p) })
		},
	}
}

// nextJSON is what next --json prints, on one line.
type nextJSON struct {
	Next    *receipts.Item   `json:"next"`    // null if nothing is waiting
	Command string           `json:"command"` // command to run next; empty if nothing is waiting
	Claimed *receipts.Record `json:"claimed,omitempty"`
	handoffops.NextList
}

func runNext(ctx context.Context, w *command.Process, o *nextOptions, p handoffops.Place) error {
	here, local := p.(handoffops.Here)
	if o.named != nil {
		if !local {
			return errors.New("--task: a server knows the numbers of tasks only")
		}
		o.list.Named, o.best.Named = *o.named, *o.named
	}
	if local {
		if missing := here.Missing(); missing != nil {
			l, _ := handoffops.Next.On(ctx, p, "", o.list)
			sayPlan(w, l)
			return missing
		}
	}
	if o.claim {
		return claimNext(ctx, w, o, p)
	}
	l, err := handoffops.Next.On(ctx, p, "", o.list)
	if err != nil && l.Waiting == nil {
		return err // nothing could be read
	}
	if o.json {
		v := nextJSON{Next: l.Next, NextList: l}
		if v.Next != nil {
			v.Command = "handoff claim " + shellword.Quote(v.Next.Path) + " --as " + shellword.Quote(cmp.Or(o.best.As, "NAME")) + onServer(o)
		}
		err = cmp.Or(printNext(w.Stdout, v), err)
	} else {
		err = cmp.Or(printQueue(w, l), err)
	}
	return cmp.Or(err, command.Found(l.Next == nil)) // err comes after the readable handoffs
}

// onServer is the flag --server of a command to print, after a blank; "" without it.
func onServer(o *nextOptions) string {
	if !o.server.Given {
		return ""
	}
	return " --server " + shellword.Quote(o.server.URL)
}

func claimNext(ctx context.Context, w *command.Process, o *nextOptions, p handoffops.Place) error {
	r := o.best
	r.Task = o.list.Task
	found, err := handoffops.NextClaim.On(ctx, p, "", r)
	switch nothing := errors.Is(err, error(handoffops.ErrNothingWaits)); {
	case err != nil && !nothing:
		return err
	case nothing:
		l, _ := handoffops.Next.On(ctx, p, "", o.list)
		if err = nil; o.json {
			err = printNext(w.Stdout, nextJSON{NextList: l})
		} else {
			sayNothing(w, l)
			sayBesides(w, l)
		}
	case o.json:
		return printNext(w.Stdout, nextJSON{Next: &found.Next, Claimed: &found.Claimed, Command: "handoff brief " + shellword.Quote(found.Next.Path)})
	default:
		sayUnproved(w, found.Next)
		sayUnderstand(w, found.Claimed)
		return printRecord(w, found.Claimed, true, false)
	}
	return cmp.Or[error](err, command.Exit(command.Findings))
}

func sayNothing(w *command.Process, l handoffops.NextList) {
	w.Say("%s", strings.TrimSpace(handoffops.ErrNothingWaits.Error()+" "+l.Note))
}

// sayBesides says what to look at besides what waits here.
func sayBesides(w *command.Process, l handoffops.NextList) {
	sayPlan(w, l)
	for _, e := range l.Elsewhere {
		w.Say("%s", command.Plain(e.String()))
	}
}

func sayPlan(w *command.Process, l handoffops.NextList) {
	if l.Plan != "" {
		w.Say("%s", command.Plain(l.Plan))
	}
}

// sayUnproved says what the marks of a handoff say against its claims.
func sayUnproved(w *command.Process, i receipts.Item) {
	if i.Unproved != "" {
		w.Say("%s claims what is unproved: %s", command.Plain(cmp.Or(i.Ref, i.Path)), command.Plain(i.Unproved))
	}
}

func printNext(out io.Writer, v nextJSON) error {
	if v.Waiting == nil {
		v.Waiting, v.Held = []receipts.Item{}, []receipts.Item{}
	}
	return command.WriteLine(out, v)
}

// printQueue prints the queue for people.
func printQueue(w *command.Process, l handoffops.NextList) error {
	for _, text := range l.Unclear {
		w.Say("%s", command.Plain(text))
	}
	var rows [][]string
	if l.Next == nil {
		sayNothing(w, l)
	}
	for _, i := range slices.Concat(l.Waiting, l.Held) {
		rows = append(rows, queueRow(w.Now, i))
	}
	shown := len(rows)
	for _, work := range l.Work {
		rows = append(rows, workRow(w.Now, work))
	}
	if err := w.Print(w.Aligned([]string{"REF", "STATE", "SINCE", "WHY", "NEXT ACTION"}, rows, 3, 4)); err != nil {
		return err
	}
	if left := l.WaitingTotal + l.HeldTotal - shown; left > 0 {
		w.Say("%s not shown (-n)", command.Plural(left, "more handoff"))
	}
	if l.Next != nil {
		sayUnproved(w, *l.Next)
	}
	sayBesides(w, l)
	return nil
}

func workRow(now func() time.Time, v states.Work) []string {
	since := command.AgeOf(handoff.Moment{Time: v.Since, Unit: time.Second, Zoned: true}, now())
	return []string{command.Plain(v.Work), string(states.Held), since, command.Plain("held by " + v.By + " until " + v.Until.Format(time.RFC3339)), ""}
}

func queueRow(now func() time.Time, i receipts.Item) []string {
	ref, since, why := i.Ref, "?", i.Why
	if ref == "" {
		ref = i.Path
	}
	if i.Since != nil {
		since = command.AgeOf(*i.Since, now())
	}
	if i.Until != nil {
		why += " until " + i.Until.Format(time.RFC3339)
	}
	next := ""
	if i.Refused == nil {
		next = command.NextAction(i.NextAction)
	}
	return []string{command.Plain(ref), string(i.State), since, command.Plain(why), next}
}
