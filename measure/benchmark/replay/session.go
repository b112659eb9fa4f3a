package replay

import (
	"bytes"
	"strings"

	"handoff/agents/transcript"
)

// A step is a line of a transcript that belongs to the conversation.
type step struct {
	end   int // offset of the next line
	said  bool
	seen  string // the text that the line adds to the context, without the arguments of tools
	asked string // what tools were called with
	calls []transcript.Tool
}

// session is a recorded session.
type session struct {
	src     []byte
	dir     string // in which it works
	format  string
	steps   []step
	summary map[int]string // the host's own summary, by the step before which the context was compacted
}

// read reads a transcript whole; ok is false if its format is not known. What subagents
// did is left out: their context is not the one that is handed over.
func read(src []byte) (s *session, ok bool) {
	s = &session{src: src, format: transcript.Detect(src[:min(len(src), 256<<10)]), summary: map[int]string{}}
	format := transcript.Formats[s.format]
	if format == nil {
		return nil, false
	}
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := src[at:end]
		at = end
		r, ok := format(line)
		if !ok || r.Side {
			continue
		}
		if s.dir == "" {
			s.dir = r.Dir
		}
		if r.Summary != "" {
			s.summary[len(s.steps)] = r.Summary
			continue // it is not what the session itself has seen
		}
		if r.Text == "" && r.Prompt == "" && len(r.Tools) == 0 && len(r.Results) == 0 {
			continue
		}
		text := textOf(line)
		s.steps = append(s.steps, step{end: at, said: r.Text != "", seen: text.seen, asked: text.asked, calls: r.Tools})
	}
	return s, true
}

// calls is the number of calls of tools.
func (s *session) calls() (n int) {
	for _, st := range s.steps {
		n += len(st.calls)
	}
	return n
}

// lastMessage is the last thing that the agent said before a step.
func (s *session) lastMessage(before int) string {
	for i := before - 1; i >= 0; i-- {
		if st := s.steps[i]; st.said && strings.TrimSpace(st.seen) != "" {
			return st.seen
		}
	}
	return ""
}

// tail is the end of the conversation before a step: at most so many bytes.
func (s *session) tail(before, bytes int) string {
	text := ""
	for i := before - 1; i >= 0 && len(text) < bytes; i-- {
		text = s.steps[i].seen + "\n" + s.steps[i].asked + "\n" + text
	}
	return strings.ToValidUTF8(text[max(0, len(text)-bytes):], "")
}
