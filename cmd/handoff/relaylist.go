package main

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
	"handoff/workspace/relay/log"
)

// relayList lists the relays of the workspace.
func relayList(w *process, o *relayOptions, ws *workspace.Workspace) error {
	list, unread := log.List(ws) // the readable ones, also with an error
	if len(list) == 0 && !o.json {
		w.say("no relays")
	}
	return cmp.Or(w.answer(o.json, append([]log.Summary{}, list...), relayTable(w, list)), unread)
}

func relayTable(w *process, list []log.Summary) string {
	var rows [][]string
	var ids []string
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	short := handoff.ShortIDs(ids)
	for _, r := range list {
		state := r.State
		if r.Reason != "" {
			state += ": " + string(r.Reason)
		}
		if !r.Until.IsZero() {
			state += "; waits until " + r.Until.In(w.now().Location()).Format("2006-01-02 15:04") + ": " + plain(r.Waits)
		}
		about := r.Objective
		if r.Question != "" {
			about = r.Question
		}
		since := ageOf(handoff.Moment{Time: r.At, Unit: time.Millisecond, Zoned: true}, w.now())
		rows = append(rows, []string{plain(short[r.ID]), since, fmt.Sprint(r.Task), fmt.Sprintf("%d of %d", r.Link, r.Continuations+1), plain(r.Agent), state,
			plain(strings.Join(strings.Fields(about), " "))})
	}
	return w.aligned([]string{"ID", "SINCE", "TASK", "LINK", "AGENT", "STATE", "OBJECTIVE"}, rows, 6)
}
