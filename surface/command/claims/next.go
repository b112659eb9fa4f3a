package claims

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/queue"
	"handoff/workspace"
	"handoff/workspace/plans"
	"handoff/workspace/receipts"
)

// nextOptions are the options of next, which may claim what it finds.
type nextOptions struct {
	StepOptions
	task        *int
	n           int
	claim, json bool
}

// Next is the command `handoff next`.
func Next(w *command.Process) *cli.Command {
	o := new(nextOptions)
	return &cli.Command{
		Name:  "next",
		Usage: "list the handoffs that wait, the best first, and claim it",
		Description: "Of each task the newest handoff counts. Those that were written or given back last come first; what may have\n" +
			"been taken up comes last. Tasks that are finished are left out.\n" +
			"Exit status: 0 if a handoff waits (with --claim: was claimed), 1 if none does, 2 an error.",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "task", Action: command.Some(&o.task), Usage: "only task `N`", DefaultText: "all"},
			command.AtLeast(0, &cli.IntFlag{Name: "n", Destination: &o.n, Value: 10, Usage: "list at most `COUNT` others that wait, and as many that are held"}),
			&cli.BoolFlag{Name: "claim", Destination: &o.claim, Usage: "claim the best one and print the claim, as 'handoff claim' does; needs --as"},
			AsFlag(&o.As, "`NAME` of the one that claims it, for people"), ttlFlag(&o.Ttl),
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print one line of JSON, with the command to run next"},
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runNext(c.Context, w, o, ws) })),
	}
}

// nextJSON is what next --json prints, on one line.
type nextJSON struct {
	Next         *receipts.Item   `json:"next"`    // null if nothing is waiting
	Command      string           `json:"command"` // command to run next; empty if nothing is waiting
	Claimed      *receipts.Record `json:"claimed,omitempty"`
	Waiting      []receipts.Item  `json:"waiting"` // the others
	WaitingTotal int              `json:"waiting_total"`
	Held         []receipts.Item  `json:"held"`
	HeldTotal    int              `json:"held_total"`
	Unclear      []string         `json:"unclear,omitempty"` // tasks whose newest handoff is unclear, and why
	receipts.Freshness

	Elsewhere []receipts.Elsewhere `json:"elsewhere,omitempty"` // what waits in other working trees of the repository
}

func runNext(ctx context.Context, w *command.Process, o *nextOptions, ws *workspace.Workspace) error {
	b, _, err := bookFor(w, ws, "next", nil)
	if err = cmp.Or(err, ws.Missing()); err != nil {
		SayPlan(w, ws)
		return err
	}
	queue.DrainFirst(ctx, w, ws)
	if o.claim {
		return claimNext(ctx, w, o, ws, b)
	}
	q, err := b.Next(ctx, o.task)
	if len(q.Waiting)+len(q.Held) == 0 {
		err = cmp.Or(err, ws.Unmatched(ctx))
	}
	elsewhere := b.Elsewhere(ctx, o.task)
	if o.json {
		v := listed(q, o.n, o.As)
		v.Elsewhere = elsewhere
		err = cmp.Or(printNext(w.Stdout, v), err)
	} else {
		err = cmp.Or(printQueue(w, q, o.n), err)
		if len(q.Waiting) == 0 {
			SayPlan(w, ws)
		}
		sayElsewhere(w, elsewhere)
	}
	return cmp.Or(err, command.Found(len(q.Waiting) == 0)) // err comes after the readable handoffs
}

func claimNext(ctx context.Context, w *command.Process, o *nextOptions, ws *workspace.Workspace, b *receipts.Book) error {
	item, record, ok, err := b.ClaimNext(ctx, w.Caller(), o.task, ClaimRequest(w.Getenv, &o.StepOptions))
	switch {
	case err != nil:
		return err
	case !ok && o.json:
		err = printNext(w.Stdout, nextJSON{})
	case !ok:
		w.Say(nothingWaits)
		SayPlan(w, ws)
	case o.json:
		return printNext(w.Stdout, nextJSON{Next: &item, Claimed: &record, Command: "handoff brief " + shellword.Quote(item.Path)})
	default:
		return printRecord(w, record, true, false)
	}
	return cmp.Or[error](err, command.Exit(command.Findings))
}

// SayPlan says what the plan of another tool has next, where no handoff does.
func SayPlan(w *command.Process, ws *workspace.Workspace) {
	if plan := plans.Line(ws); plan != "" {
		w.Say("the plan here is %s", command.Plain(plan))
	}
}

const nothingWaits = "no handoff waits"

// listed returns the queue as JSON, with at most n others of each kind.
func listed(q receipts.Queue, n int, as string) nextJSON {
	l := q.List(n)
	v := nextJSON{Next: l.Next, Waiting: l.Waiting, WaitingTotal: l.WaitingTotal, Held: l.Held, HeldTotal: l.HeldTotal, Unclear: l.Unclear, Freshness: l.Freshness}
	if v.Next != nil {
		if as == "" {
			as = "NAME"
		}
		v.Command = "handoff claim " + shellword.Quote(v.Next.Path) + " --as " + shellword.Quote(as)
	}
	return v
}

func printNext(out io.Writer, v nextJSON) error {
	if v.Waiting == nil {
		v.Waiting = []receipts.Item{}
	}
	if v.Held == nil {
		v.Held = []receipts.Item{}
	}
	return command.WriteLine(out, v)
}

// printQueue prints the queue for people.
func printQueue(w *command.Process, q receipts.Queue, n int) error {
	for _, text := range q.Unclear {
		w.Say("%s", command.Plain(text))
	}
	if len(q.Waiting) == 0 {
		w.Say(nothingWaits)
	}
	var rows [][]string
	add := func(list []receipts.Item, n int) {
		for _, i := range list[:min(n, len(list))] {
			rows = append(rows, queueRow(w.Now, i))
		}
	}
	add(q.Waiting, n+1)
	add(q.Held, n)
	if err := w.Print(w.Aligned([]string{"REF", "STATE", "SINCE", "WHY", "NEXT ACTION"}, rows, 4, 3)); err != nil {
		return err
	}
	if left := max(len(q.Waiting)-n-1, 0) + max(len(q.Held)-n, 0); left > 0 {
		w.Say("%s not shown (-n)", command.Plural(left, "more handoff"))
	}
	return nil
}

// sayElsewhere reports what waits in other working trees.
func sayElsewhere(w *command.Process, list []receipts.Elsewhere) {
	for _, e := range list {
		w.Say("%s waits in the worktree %s: %s (`handoff -C %[2]s next`)", command.Plain(cmp.Or(e.Ref, e.Path)), command.Plain(shellword.Quote(e.Worktree)), command.Plain(e.Why))
	}
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
	return []string{command.Plain(ref), string(i.State), since, command.Plain(why), command.Plain(strings.TrimSpace(i.NextAction))}
}
