package relay

import (
	"fmt"
	"strings"

	"handoff"
	"handoff/internal/text/secret"
	"handoff/internal/text/visible"
	"handoff/receipt"
	"handoff/workspace/spawn"
)

// prompt is what an agent reads in a turn. begin is the prompt of the first turn.
func (s *State) prompt(t Turn, begin string) string {
	switch t {
	case Continue:
		return "The program that started you was interrupted, and with it your work. Continue where you stopped. The rules are the same as before.\n"
	case Ask:
		return s.ask() + s.acknowledge()
	case Fix:
		return "The handoff " + s.Left.Handoff + " has errors:\n- " + strings.Join(s.Left.Findings, "\n- ") +
			"\n\nPlease fix this file, then stop. Do not resume other work: another agent continues it from there.\n" + s.acknowledge()
	}
	return begin
}

// ask asks for a handoff, with the reason and one command. It leaves the agent time:
// one that reads of a limit alone hurries.
func (s *State) ask() string {
	write := "`" + s.command() + " --from FILE`"
	switch {
	case s.End == Completed && s.Handoff != "":
		return "You have stopped, but the work is neither handed over nor recorded as finished. If it is finished, run `handoff done`. " +
			"If not, write a handoff with " + write + ". Then stop.\n"
	case s.End == Completed:
		return "Please write a handoff now with " + write + ", then stop.\n"
	}
	why := strings.ToUpper(s.Why[:min(1, len(s.Why))]) + s.Why[min(1, len(s.Why)):]
	return strings.TrimSuffix(why, ".") + ". Please write a handoff now with " + write +
		" (`handoff new --help` shows the form), then stop. It takes one call. The work continues after it, from your handoff, so nothing is lost; do not resume other work now.\n"
}

// command writes the next handoff of the task.
func (s *State) command() string {
	p := spawn.Place{Task: s.Plan.Task, Phase: s.Plan.Phase, Slug: s.Plan.Slug}
	if n := handoff.ParseName(s.Handoff); n.Width > 0 {
		p = spawn.Place{Task: n.Task, Phase: n.Phase}
	}
	return p.Command()
}

// acknowledge asks a successor for what it has left out.
func (s *State) acknowledge() string {
	if s.Handoff == "" || s.Left == nil || s.Left.Acked || s.Left.State != receipt.Claimed {
		return ""
	}
	return "Before that, run `handoff ack --first-action 'TEXT'`, where TEXT is the first sentence of the next action of the report that you continue.\n"
}

// maxLine is the most bytes of a line that a fact or a draft has from an agent.
const maxLine = 300

// oneLine is a text from an agent on one line, without secrets and invisible
// characters.
func oneLine(text string) string {
	text, _ = visible.Model(secret.Hide(text))
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxLine {
		text = strings.ToValidUTF8(text[:maxLine], "") + "…"
	}
	return text
}

// Line is a fact for people, "" for one that they need not see. s is the state after it.
func (f Fact) Line(s *State) string {
	who := fmt.Sprintf("%s %d", s.Agent, s.Link)
	switch f.Kind {
	case Started:
		return "relay " + f.ID + " on task " + fmt.Sprint(f.Plan.Task)
	case Resumed:
		return "relay " + f.ID + " resumed"
	case LinkBegun:
		if f.Handoff == "" {
			return who + "  begins the objective"
		}
		return who + "  continues " + f.Handoff
	case Opened:
		if f.Claim != "" {
			return who + "  claimed; output: `handoff thread show " + f.Thread + "`"
		}
		return who + "  output: `handoff thread show " + f.Thread + "`"
	case TurnBegun:
		return who + "  " + map[Turn]string{Begin: "started", Continue: "resumed", Ask: "asked for a handoff", Fix: "asked to fix its handoff"}[f.Turn]
	case Session:
		return who + "  session " + f.Session
	case TurnEnded:
		return who + "  " + f.ending()
	case Looked:
		if text := f.Left.text(s); text != "" {
			return who + "  " + text
		}
	case Drafted:
		return who + "  left no handoff: wrote the draft " + f.Handoff + " from what it printed"
	case Stopped:
		if strings.HasPrefix(f.Why, "stopped") { // by a signal
			return f.Why
		}
		return "stopped: " + f.Why
	case Ended:
		return strings.TrimSuffix("ended: "+string(f.Reason)+"; "+f.Why, "; ")
	}
	return ""
}

// ending is the end of a turn.
func (f Fact) ending() string {
	switch f.End {
	case Completed:
		return "ended"
	case Failed:
		return "died: " + f.Why
	case Signalled:
		return "stopped with the relay"
	}
	return "interrupted: " + f.Why
}

// text is what an agent has left, for people.
func (l *Left) text(s *State) string {
	acked := ""
	if s.Handoff != "" && !l.Acked {
		acked = ", without acknowledging the one before"
	}
	switch {
	case l.By != "":
		return "has lost its claim to " + l.By
	case l.Handoff != "" && len(l.Findings) > 0:
		return fmt.Sprintf("wrote %s with %d errors%s: %s", l.Handoff, len(l.Findings), acked, l.Findings[0])
	case l.Handoff != "":
		return "wrote " + l.Handoff + acked
	case l.State == receipt.Done:
		return "is done" + acked
	}
	if acked != "" {
		return "has not acknowledged " + s.Handoff
	}
	return "" // what follows from that is a fact of its own
}
