package relays

import (
	"fmt"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/procgroup"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
)

// relayList lists the relays of the workspace.
func relayList(w *command.Process, o *relayOptions, ws *workspace.Workspace) error {
	list, unread := log.List(ws) // the readable ones, also with an error
	log.AddLeftRunning(ws, list)
	if len(list) == 0 && !o.json {
		w.Say("no relays")
	}
	if err := w.Answer(o.json, append([]log.Summary{}, list...), relayTable(w, list)); err != nil {
		return err
	}
	if !o.json {
		sayNext(w, ws, list)
		for _, r := range list {
			sayRunning(w, r.ID, r.LeftRunning)
		}
	}
	return unread
}

// sayRunning prints what the agents of a relay have left running. It may be what the user wants, such as a server, so nothing ends it.
func sayRunning(w *command.Process, id string, list []procgroup.Process) {
	if len(list) == 0 {
		return
	}
	kill, commands := []string{"kill"}, []string{}
	for _, p := range list {
		kill, commands = append(kill, fmt.Sprint(p.PID)), append(commands, p.Command)
	}
	w.Say("of agents of relay %s: %s (`%s` ends what is not needed)", id, command.Plain(chain.Running(commands)), shellword.Join(kill...))
}

// maxNext is for how many relays of a list it is said what to type.
const maxNext = 3

// sayNext prints what to type for relays that wait for a person: of each task only the newest counts.
func sayNext(w *command.Process, ws *workspace.Workspace, list []log.Summary) {
	tasks := map[int]bool{}
	said := 0
	for _, r := range list {
		if tasks[r.Task] || said == maxNext {
			continue
		}
		tasks[r.Task] = true
		s, err := log.Read(ws, r.ID)
		if err != nil {
			continue // it has ended since, and was removed
		}
		if label, text := next(ws, r, s); text != "" {
			said++
			w.Say("%s: `%s`", label, command.Plain(text))
		}
	}
}

// next is the command that a person may run for a relay, "" for none.
func next(ws *workspace.Workspace, r log.Summary, s chain.State) (label, text string) {
	switch {
	case r.State == log.Asks:
		return "to answer", answerCommand(r.ID, s.Plan)
	case r.State == "stopped", r.State == "killed":
		return toResume(ws, r.ID, s)
	case r.State != "ended", r.Reason == chain.Done, r.Reason == chain.Lost, r.Reason == chain.Released:
		return "", ""
	}
	return "to continue", anotherRelay(s.Plan)
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
		if r.Why != "" {
			about = r.Why + " (" + about + ")"
		}
		since := command.AgeOf(handoff.Moment{Time: r.At, Unit: time.Millisecond, Zoned: true}, w.Now())
		rows = append(rows, []string{command.Plain(short[r.ID]), since, fmt.Sprint(r.Task), fmt.Sprintf("%d of %d", r.Link, r.Continuations+1), command.Plain(r.Agent), state,
			command.Plain(strings.Join(strings.Fields(about), " "))})
	}
	return w.Aligned([]string{"ID", "SINCE", "TASK", "LINK", "AGENT", "STATE", "OBJECTIVE"}, rows, 6)
}
