package turn

import (
	"strconv"
	"strings"

	"handoff"
	"handoff/internal/text/inert"
	"handoff/receipt"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn/prompt"
)

// promptOf is what an agent reads in a turn. begin is the prompt of the first turn.
func promptOf(s *chain.State, t chain.Turn, begin string) string {
	switch t {
	case chain.Continue:
		return "The program that started you was interrupted, and with it your work. Continue where you stopped. The rules are the same as before.\n"
	case chain.Ask:
		return ask(s) + acknowledge(s)
	case chain.Fix:
		return "The handoff " + handoff.ParseName(s.Left.Handoff).Called(s.Left.Handoff) + " has errors. " + inert.Quote("list", errorsOf(s.Left)...) +
			"\nPlease fix this file, then stop. Do not resume other work: another agent continues it from there.\n" + acknowledge(s)
	}
	return begin
}

// errorsOf are the errors of a handoff, after its path if only a quote can show that.
func errorsOf(l *chain.Left) (rows []string) {
	if !inert.Safe(l.Handoff) {
		rows = append(rows, "path: "+strconv.Quote(l.Handoff))
	}
	for _, f := range l.Findings {
		rows = append(rows, "- "+f)
	}
	return rows
}

// ask asks for a handoff, with the reason and one command. It tells the agent that
// there is time, because an agent that reads only about a limit hurries.
func ask(s *chain.State) string {
	write := "`" + command(s) + " --from FILE`"
	switch {
	case s.End == chain.Completed && s.Handoff != "":
		return "You have stopped, but the work is neither handed over nor recorded as finished. If it is finished, run `handoff done`. " +
			"If not, write a handoff with " + write + ". Then stop.\n"
	case s.End == chain.Completed:
		return "Please write a handoff now with " + write + ", then stop.\n"
	}
	why := strings.ToUpper(s.Why[:min(1, len(s.Why))]) + s.Why[min(1, len(s.Why)):]
	return strings.TrimSuffix(why, ".") + ". Please write a handoff now with " + write +
		" (`handoff new --help` shows the form), then stop. It takes one call. The work continues after it, from your handoff, so nothing is lost; do not resume other work now.\n"
}

// command writes the next handoff of the task.
func command(s *chain.State) string {
	p := prompt.Place{Task: s.Plan.Task, Phase: s.Plan.Phase, Slug: s.Plan.Slug}
	if n := handoff.ParseName(s.Handoff); n.Width > 0 {
		p = prompt.Place{Task: n.Task, Phase: n.Phase}
	}
	return p.Command()
}

// acknowledge asks a successor for what it has left out.
func acknowledge(s *chain.State) string {
	if s.Handoff == "" || s.Left == nil || s.Left.Acked || s.Left.State != receipt.Claimed {
		return ""
	}
	return "Before that, run `handoff ack --first-action 'TEXT'`, where TEXT is the first sentence of the next action of the report that you continue.\n"
}
