package meter

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"handoff/agents/transcript"
)

// ShellError reports that the shell of an agent does not find handoff. Nothing that the agent does can
// be handed over then.
type ShellError struct{ Said string } // by the shell

func (e *ShellError) Error() string {
	return fmt.Sprintf("its shell does not find handoff (%q): put it into a folder that the PATH of each new shell has, such as /usr/local/bin", e.Said)
}

// AtOnce is true: the agent cannot go on, and no tool runs.
func (e *ShellError) AtOnce() bool { return true }

// callsHandoff is a command in which the agent's own shell starts handoff, and not one of another
// machine or container. Some hosts report the command with the shell.
var callsHandoff = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^(?:\S*sh(?:\.exe)? -l?c ["']?)?|[;&|(]\s*)handoff(?:["'\s]|$)`)
})

// notFound is what shells say: sh, dash and bash; zsh; fish; cmd and PowerShell.
var notFound = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:\bhandoff: (?:command )?not found|command not found: handoff\b|unknown command:? handoff\b|'handoff' is not recognized)`)
})

// shell finds out whether a call of handoff has failed because the shell does not find it.
func (s *stream) shell(r transcript.Record) {
	for _, t := range r.Tools {
		if t.Command != "" && callsHandoff().MatchString(t.Command) {
			if s.handoff == nil {
				s.handoff = map[string]bool{}
			}
			s.handoff[t.ID] = true
		}
	}
	for _, res := range r.Results {
		called := s.handoff[res.ID]
		delete(s.handoff, res.ID)
		if !called || !res.Failed || s.lost != nil {
			continue
		}
		s.lost = NotFound(res.Error)
	}
}

// NotFound finds the line in which a shell says that it does not find handoff; nil if there is none.
func NotFound(printed string) *ShellError {
	for line := range strings.Lines(printed) {
		if notFound().MatchString(line) {
			return &ShellError{strings.TrimSpace(line)}
		}
	}
	return nil
}
