package relays

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/relay/log"
)

// relayList lists the relays of the workspace.
func relayList(w *command.Process, o *relayOptions, ws *workspace.Workspace) error {
	list, unread := log.List(ws) // the readable ones, also with an error
	if len(list) == 0 && !o.json {
		w.Say("no relays")
	}
	return cmp.Or(w.Answer(o.json, append([]log.Summary{}, list...), relayTable(w, list)), unread)
}

func relayTable(w *command.Process, list []log.Summary) string {
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
			state += "; waits until " + r.Until.In(w.Now().Location()).Format("2006-01-02 15:04") + ": " + command.Plain(r.Waits)
		}
		about := r.Objective
		if r.Question != "" {
			about = r.Question
		}
		since := command.AgeOf(handoff.Moment{Time: r.At, Unit: time.Millisecond, Zoned: true}, w.Now())
		rows = append(rows, []string{command.Plain(short[r.ID]), since, fmt.Sprint(r.Task), fmt.Sprintf("%d of %d", r.Link, r.Continuations+1), command.Plain(r.Agent), state,
			command.Plain(strings.Join(strings.Fields(about), " "))})
	}
	return w.Aligned([]string{"ID", "SINCE", "TASK", "LINK", "AGENT", "STATE", "OBJECTIVE"}, rows, 6)
}
