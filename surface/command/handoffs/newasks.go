package handoffs

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/overview"
)

// mostAsked is how many tasks are listed to choose from.
const mostAsked = 9

// questions asks a person at the terminal, a line each. Prompts are on stderr: stdout has the path.
type questions struct {
	w  *command.Process
	in *bufio.Reader
}

// ask returns the answer to a question, or what an empty line means.
func (q questions) ask(question, otherwise string) (string, error) {
	if otherwise != "" {
		question += " [" + otherwise + "]"
	}
	fmt.Fprintf(q.w.Stderr, "%s: ", command.Plain(question))
	line, err := q.in.ReadString('\n')
	if text := strings.TrimSpace(line); err == nil || text != "" {
		return cmp.Or(text, otherwise), nil
	}
	fmt.Fprintln(q.w.Stderr)
	return "", errors.New("not written: there is no answer")
}

// number asks until the answer is a number of at least 1.
func (q questions) number(question, otherwise string) (n int, err error) {
	for {
		text, err := q.ask(question, otherwise)
		if err != nil {
			return 0, err
		}
		if n, err = strconv.Atoi(text); err == nil && n > 0 {
			return n, nil
		}
		q.w.Say("want a number, such as %s", cmp.Or(otherwise, "1"))
	}
}

// asks asks for the flags that a handoff needs, and has the rest written in the editor.
func asks(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace) (err error) {
	q := questions{w, bufio.NewReader(w.Stdin)}
	if ws.Config.New == nil { // else there is one file, which needs neither task nor phase
		if err := q.place(ctx, o, ws); err != nil {
			return err
		}
	}
	for o.nextAction == nil || *o.nextAction == "" {
		text, err := q.ask("next action, one step", "")
		if err != nil {
			return err
		}
		o.nextAction = &text
	}
	file, err := q.ask("file being worked on (empty for none)", "")
	if err != nil {
		return err
	}
	if file != "" {
		o.file = &file
	}
	o.edit = true
	return q.open(o)
}

// open asks, behind one question that an empty line answers, for what is in sections that few documents have.
func (q questions) open(o *newOptions) error {
	more, err := q.ask("does it wait for a person, or does something run in the background? y or n", "n")
	if err != nil || !strings.HasPrefix(strings.ToLower(more), "y") {
		return err
	}
	for _, a := range []struct {
		question string
		into     **[]string
	}{
		{"whom it waits for, as \"who: what\" (empty for no one)", &o.waitingFor},
		{"what runs, as \"`command`: since when\" (empty for nothing)", &o.background},
	} {
		text, err := q.ask(a.question, "")
		if err != nil {
			return err
		}
		if text != "" {
			*a.into = &[]string{text}
		}
	}
	return nil
}

// place asks for the task, from a list, and for the phase.
func (q questions) place(ctx context.Context, o *newOptions, ws *workspace.Workspace) error {
	all, err := overview.Now(ctx, ws, overview.Options{}) // what cannot be read cannot be chosen
	if err != nil && len(all.Tasks) == 0 {
		return err
	}
	list := slices.DeleteFunc(slices.Clone(all.Tasks), func(t overview.Task) bool { return t.Dir == "" || t.State == overview.Done })
	slices.SortStableFunc(list, func(a, b overview.Task) int { return activeAt(b).Compare(activeAt(a)) })
	next, first := 1, ""
	for _, t := range all.Tasks {
		next = max(next, t.Task+1)
	}
	for i, t := range list {
		if i == mostAsked {
			q.w.Say("and %s more", say.Number(len(list)-i))
			break
		}
		first = cmp.Or(first, strconv.Itoa(t.Task))
		fmt.Fprintf(q.w.Stderr, "%5d  %-8s %s\n", t.Task, t.State, command.Plain(t.Slug))
	}
	task, err := q.number(fmt.Sprintf("task (%d for a new one)", next), cmp.Or(first, strconv.Itoa(next)))
	if err != nil {
		return err
	}
	o.Task = &task
	at := slices.IndexFunc(all.Tasks, func(t overview.Task) bool { return t.Task == task && t.Dir != "" })
	phase := 1
	if at >= 0 {
		phase = phaseAfter(all.Tasks[at])
	} else {
		slug, err := q.ask("name of the new task", "task")
		if err != nil {
			return err
		}
		slug = strings.Join(strings.Fields(strings.ToLower(slug)), "_")
		o.Slug = &slug
	}
	phase, err = q.number("phase", strconv.Itoa(phase))
	o.Phase = &phase
	return err
}

// activeAt is when something happened to a task last.
func activeAt(t overview.Task) (at time.Time) {
	switch {
	case t.LastAt != nil:
		at = *t.LastAt
	case t.Since != nil:
		at = t.Since.Time
	}
	return at
}

// phaseAfter is the phase that is worked on, as metadata and the newest handoff show it.
func phaseAfter(t overview.Task) int {
	phase := t.PhasesDone + 1
	if n, err := strconv.Atoi(t.Phase); err == nil {
		phase = max(phase, n)
	}
	if t.Phases > 0 {
		phase = min(phase, t.Phases)
	}
	return phase
}
