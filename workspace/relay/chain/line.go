package chain

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"handoff/internal/text/say"
	"handoff/internal/text/secret"
	"handoff/log/receipt"
)

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
		return who + "  " + map[Turn]string{Begin: "started", Continue: "resumed", Ask: "asked for a handoff", Fix: "asked to fix its handoff", Prove: "sent back to work", Answer: "got the answer"}[f.Turn]
	case Session:
		return who + "  session " + f.Session
	case TurnEnded:
		return who + "  " + f.ending() + f.leftRunning()
	case Looked:
		if text := f.Left.text(s); text != "" {
			return who + "  " + text
		}
	case Gated:
		if len(f.Gate.Refused) > 0 {
			return who + "  said that the work is done, but " + strings.Join(f.Gate.Refused, "; ")
		}
		if len(f.Gate.Checks) == 0 {
			return who + "  is done, as it says: " + f.Gate.String()
		}
		return who + "  is done: " + f.Gate.String()
	case Asking:
		return who + "  asks: " + f.Question
	case Answered:
		return who + "  answered by a person"
	case Drafted:
		if f.Handoff == "" {
			return who + "  did nothing that a draft could report: " + f.Why
		}
		return who + "  " + s.replaced() + ": wrote the draft " + f.Handoff + " from what it printed"
	case Held:
		return f.Agent + " has no usage left until " + f.Until.Local().Format(time.DateTime) + ": " + f.Why
	case Waits:
		return "waits until " + f.Until.Local().Format(time.DateTime) + ": " + f.Why + " (`handoff relay --stop " + s.ID + "` ends it)"
	case Woke:
		return "continues"
	case Stopped:
		if strings.HasPrefix(f.Why, "stopped") { // by a signal
			return f.Why
		}
		return "stopped: " + f.Why
	}
	return "" // the caller reports how the relay ended
}

// leftRunning says which commands run on beside the next agent.
func (f *Fact) leftRunning() string {
	if len(f.LeftRunning) == 0 {
		return ""
	}
	return "; " + Running(f.LeftRunning)
}

// Running is the number of commands that agents have left running, and the first of them.
func Running(commands []string) string {
	var shown []string
	for _, c := range commands[:min(len(commands), maxRunning)] {
		shown = append(shown, strconv.Quote(c))
	}
	if len(commands) > maxRunning {
		shown = append(shown, "…")
	}
	n := len(commands)
	return fmt.Sprintf("%d %s left running: %s", n, say.Noun(n, "command"), strings.Join(shown, ", "))
}

// maxRunning is how many commands a line names.
const maxRunning = 3

// replaced says of which handoff a draft takes the place.
func (s *State) replaced() string {
	switch {
	case s.Left != nil && len(s.Left.Findings) > 0:
		return "left a handoff with errors"
	case s.Gate != nil:
		return "is not done"
	}
	return "left no handoff"
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
	switch {
	case s.Handoff == "" || l.Acked:
	case l.Began:
		acked = ", without acknowledging the one before, whose first action it did"
	default:
		acked = ", without acknowledging the one before"
	}
	switch {
	case l.By != "":
		return "has lost its claim to " + l.By
	case l.Handoff != "" && len(l.Findings) > 0:
		return fmt.Sprintf("wrote %s with %d errors%s: %s", l.Handoff, len(l.Findings), acked, l.Findings[0])
	case l.Handoff != "":
		return "wrote " + l.Handoff + acked
	case l.Said || l.State == receipt.Done:
		return "" // what was found then is the next fact
	case l.Other != "":
		return "wrote " + l.Other + ", which is of another task: not taken"
	}
	if acked != "" {
		return "has not acknowledged " + s.Handoff
	}
	return "" // the consequence is a separate fact
}

// MaxLine is the most bytes of a line that a fact or a draft has from an agent.
const MaxLine = 300

// OneLine is a text from an agent as it becomes a part of a fact.
func OneLine(text string) string { return secret.MaskLine(text, MaxLine) }
