package chain

import (
	"fmt"
	"strings"
	"time"

	"handoff/internal/text/secret"
	"handoff/receipt"
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
		if f.Handoff == "" {
			return who + "  did nothing that a draft could report: " + f.Why
		}
		return who + "  left no handoff: wrote the draft " + f.Handoff + " from what it printed"
	case Held:
		return f.Agent + " has no usage left until " + f.Until.Local().Format(time.DateTime) + ": " + f.Why
	case Waits:
		return "waits until " + f.Until.Local().Format(time.DateTime) + ": " + f.Why + " (`handoff relay --stop " + s.ID + "` ends it)"
	case Woke:
		return "goes on"
	case Stopped:
		if strings.HasPrefix(f.Why, "stopped") { // by a signal
			return f.Why
		}
		return "stopped: " + f.Why
	}
	return "" // the caller reports how the relay ended
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
	return "" // the consequence is a separate fact
}

// MaxLine is the most bytes of a line that a fact or a draft has from an agent.
const MaxLine = 300

// OneLine is a text from an agent as it becomes a part of a fact.
func OneLine(text string) string { return secret.MaskLine(text, MaxLine) }
