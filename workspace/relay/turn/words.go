package turn

import (
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/inert"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/workspace/relay/chain"
	"handoff/workspace/spawn/prompt"
)

// promptOf is what an agent reads in a turn. begin is the prompt of the first turn.
func promptOf(s *chain.State, t chain.Turn, begin string) string {
	switch t {
	case chain.Continue:
		return "The program that started you was interrupted, and with it your work. Continue where you stopped. The rules are the same as before.\n" + acknowledge(s)
	case chain.Ask:
		return ask(s) + acknowledge(s)
	case chain.Prove:
		return prove(s) + acknowledge(s)
	case chain.Answer:
		return "A person has answered your question. Continue the work. The rules are the same as before.\n" + acknowledge(s)
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
	case s.End == chain.Completed && s.Left != nil && s.Left.Other != "":
		return "The handoff that you wrote is of another task than this work, and this relay does not continue it. Please write it again with " + write + ", then stop.\n"
	case s.End == chain.Completed:
		return "You have stopped, but the work is neither handed over nor recorded as finished. If it is finished, run `handoff done`. " +
			"If you need the answer of a person first, end with the question as your last words. If neither, write a handoff with " + write + ". Then stop.\n"
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

// prove sends an agent back to work that it called done.
func prove(s *chain.State) string {
	rows := make([]string, 0, len(s.Disproof.Refused)+1)
	for _, why := range s.Disproof.Refused {
		rows = append(rows, "- "+why)
	}
	if s.Disproof.Output != "" {
		rows = append(rows, "The first command that failed printed last:")
		rows = append(rows, strings.Split(s.Disproof.Output, "\n")...)
	}
	return "You have recorded the work as finished, but it was checked, and it is not. " + inert.Quote("list", rows...) +
		"\nPlease do what is missing, then run `handoff done` again. If you need the answer of a person, end with the question as your last words; " +
		"if you cannot finish it, write a handoff with `" + command(s) + " --from FILE`. Then stop.\n"
}

// endings are what an agent of a relay reads after the rules: how its work may end.
func endings(until [][]string) string {
	text := "If you cannot continue without the answer of a person, end with one question as your last words and stop.\n"
	if len(until) == 0 {
		return text
	}
	text += "When you record the work as finished, it is checked: these commands must succeed, and no objective of the progress file may be open.\n"
	for _, words := range until {
		text += "    " + shellword.Join(words...) + "\n"
	}
	return text
}

// answered are the answers of persons that an agent has not seen: the last one in its own
// session, all in a new one.
func answered(s *chain.State, t chain.Turn) (text string) {
	list := s.Answers
	switch {
	case t == chain.Answer && len(list) > 0:
		list = list[len(list)-1:]
	case t != chain.Begin:
		return ""
	}
	for _, x := range list {
		text += "\n" + inert.Quote("question", x.Question) + "\nThe answer of the person who runs this work:\n" + x.Answer + "\n"
	}
	return text
}
