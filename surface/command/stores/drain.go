package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/drain"
	"handoff/workspace/outbox"
)

// storeDrainOptions are the options of store drain.
type storeDrainOptions struct {
	dryRun, anyStore, forget, json bool
}

func storeDrainCommand(w *command.Process) *cli.Command {
	o := new(storeDrainOptions)
	return &cli.Command{
		Name: "drain", Usage: "send the requests that wait because the store could not be reached",
		Description: "ack, renew, release and done, messages to threads and entries for tapes wait in the outbox if the store\n" +
			"cannot be reached. They are sent in order. One that is not allowed any more, such as a step with a claim that\n" +
			"another one has replaced, is reported, and kept until --forget.\n" +
			"Exit status: 0 if nothing waits any more, 1 if a request was refused, 2 if the store cannot be reached.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Destination: &o.dryRun, Usage: "list what waits and what was refused, and send nothing"},
			&cli.BoolFlag{Name: "any-store", Destination: &o.anyStore, Usage: "send also what was made for another store: after a `store copy` to this one"},
			&cli.BoolFlag{Name: "forget", Destination: &o.forget, Usage: "forget the refused requests"},
			cli.JSON(&o.json, "print JSON", cli.Published("store-drain")),
		},
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return storeDrain(c.Context, w, o, ws) })),
	}
}

// storeDrained is what store drain --json prints: see docs/schema/store-drain.schema.json.
type storeDrained struct {
	Sent    int              `json:"sent"`
	Waiting []outbox.Request `json:"waiting"` // the oldest first
	Refused []outbox.Refused `json:"refused"` // those that are kept, the oldest first
	Problem string           `json:"problem"` // why the rest waits; "" if the store answered
}

func storeDrain(ctx context.Context, w *command.Process, o *storeDrainOptions, ws *workspace.Workspace) error {
	box, err := ws.Outbox()
	if err != nil {
		return err
	}
	if o.dryRun && o.forget {
		return errors.New("--dry-run and --forget exclude each other")
	}
	var d storeDrained
	refused := false
	switch {
	case o.forget:
		_, err = box.Forget()
	case !o.dryRun:
		r := drain.Request{Insist: true, AnyStore: o.anyStore}
		d.Sent, refused, err = command.DrainNow(ctx, w, ws, r)
		command.ShareWork(ctx, w, ws)
	}
	if err != nil {
		d.Problem = err.Error()
	}
	waiting, readErr := box.Requests()
	kept, keptErr := box.Refused()
	d.Waiting, d.Refused = append([]outbox.Request{}, waiting...), append([]outbox.Refused{}, kept...)
	switch {
	case o.json:
		err = cmp.Or(command.WriteJSON(w.Stdout, d), err)
	case o.dryRun:
		err = w.Print(d.text(w))
	}
	if n := len(waiting); n > 0 && !o.dryRun {
		w.Say("%s waiting in the outbox", say.Count(n, "request"))
	}
	return cmp.Or(err, readErr, keptErr, command.Found(refused))
}

// text lists what waits and what was refused.
func (d storeDrained) text(w *command.Process) string {
	var rows [][]string
	for _, r := range d.Waiting {
		rows = append(rows, []string{r.At.Format(time.RFC3339), string(r.Step), command.Plain(r.Log()), cmp.Or(command.Plain(r.Store), "-"), command.Plain(summaryOf(r))})
	}
	text := w.Aligned([]string{"MADE", "STEP", "OF", "STORE", "WHAT"}, rows, 4, 2) + say.Count(len(rows), "request") + " waiting\n"
	for _, r := range d.Refused {
		text += fmt.Sprintf("refused %s: %s of %s, made %s: %s\n", r.At.Format(time.RFC3339), r.Request.Step, command.Plain(r.Request.Log()), r.Request.At.Format(time.RFC3339), command.Plain(r.Why))
	}
	return text
}

// summaryOf is what a request is about, in a few words.
func summaryOf(r outbox.Request) string {
	text := cmp.Or(r.Content, r.Why, r.By, r.Next)
	if r.Step == outbox.Append {
		text = strings.ReplaceAll(string(r.Entries), `"id":0,`, "")
	}
	text, _, cut := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(text); len(runes) > 60 {
		text, cut = string(runes[:60]), true
	}
	if cut {
		text += "…"
	}
	return text
}
