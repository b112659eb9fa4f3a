package unreported

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/agents/past"
	"handoff/agents/transcript/outcome"
	"handoff/internal/text/say"
	"handoff/internal/text/secret"
	"handoff/internal/text/shellword"
)

// maxLine is the most bytes of a text of a session.
const maxLine = 300

// line is a text of a session on one line, without secrets.
func line(text string) string { return secret.MaskLine(text, maxLine) }

// why is in words why a session ended.
func why(p *past.Session, cause outcome.Cause) string {
	doing := "while its model answered"
	if calls := p.Calling(); len(calls) > 0 {
		doing = "while `" + secret.MaskLine(calls[0], maxLine/2) + "` ran"
	}
	switch cause {
	case outcome.Limit:
		return cmp.Or("usage limit: "+line(p.Failed), "usage limit")
	case outcome.TooLong:
		return "context too long: " + line(p.Failed)
	case outcome.Failed:
		return "error: " + cmp.Or(line(p.Failed), "it ended its turn without a reply")
	case outcome.Stopped:
		return "stopped by a person"
	case outcome.Killed:
		return "killed " + doing
	case Running:
		return "may still run: its last record is " + doing[len("while "):]
	}
	return "ended by itself"
}

// shorten sets the commands, with as much of each id as no other session has.
func (f *Found) shorten() {
	const usual = 8
	for i := range f.Sessions {
		s := &f.Sessions[i]
		n := min(usual, len(s.ID))
		if s.Subagent && strings.HasPrefix(s.ID, subagent) || strings.HasPrefix(s.ID, exported) {
			n = len(s.ID)
		}
		for n < len(s.ID) && len(f.Named(s.ID[:n])) > 1 {
			n++
		}
		s.Short = s.ID[:n]
		s.Draft = []string{"handoff", "draft", "--session", s.Short, "--save"}
		s.Command = shellword.Join(s.Draft...)
	}
}

// The beginnings of the names of transcripts of Claude Code's subagents, and of ids of OpenCode, which takes whole ones only.
const subagent, exported = "agent-", "ses_"

// begins reports whether an id of the session begins with some characters.
func (s *Session) begins(id string) bool {
	return strings.HasPrefix(s.ID, id) || strings.HasPrefix(strings.TrimPrefix(s.ID, subagent), id)
}

// About says in one line what became of a session.
func (s *Session) About(now time.Time) string {
	return fmt.Sprintf("%s %s ended in the middle %s and left no handoff: %s", s.Agent, s.Short, say.Ago(now.Sub(s.At)), s.Why)
}

// Line says in one line how many sessions there are and which one to continue; "" if none ended in the
// middle.
func (f *Found) Line() string {
	best, ok := f.Best()
	if !ok {
		return ""
	}
	var names []string
	for _, s := range f.Sessions {
		if !slices.Contains(names, s.Agent) {
			names = append(names, s.Agent)
		}
	}
	slices.Sort(names)
	return fmt.Sprintf("%s of %s here, %d ended in the middle: `%s` writes the handoff of the last one, `handoff sessions` lists them",
		say.Count(len(f.Sessions), "session"), strings.Join(names, ", "), len(f.Middle()), best.Command)
}
