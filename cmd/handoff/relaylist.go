package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/workspace/relay"
)

// relayList lists the relays of the workspace.
func (w *process) relayList(c *cli.Context) error {
	ws, err := w.open(c)
	if err != nil {
		return err
	}
	list, unread := relay.List(ws)
	if unread != nil {
		w.complain(unread) // the readable ones are listed nevertheless
	}
	if c.Bool("json") {
		if list == nil {
			list = []relay.Summary{}
		}
		err = writeJSON(w.stdout, list)
	} else {
		err = w.printRelays(list)
	}
	if err == nil && unread != nil {
		err = exit(failed)
	}
	return err
}

func (w *process) printRelays(list []relay.Summary) error {
	if len(list) == 0 {
		w.say("no relays")
	}
	var rows [][]string
	for _, r := range list {
		state := r.State
		if r.Reason != "" {
			state += ": " + string(r.Reason)
		}
		since := ageOf(handoff.Moment{Time: r.At, Unit: time.Millisecond, Zoned: true}, w.now())
		rows = append(rows, []string{plain(r.ID), since, fmt.Sprint(r.Task), fmt.Sprintf("%d of %d", r.Link, r.Continuations+1), plain(r.Agent), state,
			plain(strings.Join(strings.Fields(r.Objective), " "))})
	}
	_, err := io.WriteString(w.stdout, w.aligned([]string{"ID", "SINCE", "TASK", "LINK", "AGENT", "STATE", "OBJECTIVE"}, rows, 6))
	return err
}
