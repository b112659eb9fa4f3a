package meter

import (
	"bytes"
	"cmp"
	"strings"

	"handoff/agents/transcript"
)

// Event is what an agent reports while it works. One of the members is set,
// besides Kind. Its keys are the JSON of `handoff spawn --json`.
type Event struct {
	Kind    string `json:"event"`             // "session", "text", "tool", "tokens", "unknown_window" or "lost" (the record of its output)
	Session string `json:"session,omitempty"` // the agent's id of the session
	Text    string `json:"text,omitempty"`    // its message; a part of it if the agent prints parts
	Tool    string `json:"tool,omitempty"`    // the name of a tool that it called
	On      string `json:"on,omitempty"`      // the tool's command or file
	Tokens  int    `json:"tokens,omitempty"`  // in its context
	Model   string `json:"model,omitempty"`   // of which it is not known how much its context holds
}

// Limits of the parts of a stream to keep, in bytes. A longer line is skipped,
// because only tool results are that long.
const (
	maxLine = 16 << 20
	maxSaid = 1 << 20

	maxPlain = 400 // a message, not a file
)

// stream reads what an agent prints, as it arrives.
type stream struct {
	format transcript.Format // nil for plain text
	emit   func(Event)

	session transcript.Session
	printed int64           // bytes
	running map[string]bool // tools that have not ended
	handoff map[string]bool // those of them that start handoff
	lost    *ShellError     // the shell does not find it
	call    string          // the last one of the model
	said    string          // the last text
	plain   string          // the last line that is no record: a program that fails before it works may print only that
	parts   bool            // the last record was a part of said
	line    []byte          // an incomplete one
	skips   bool            // the rest of a line that is too long
}

// Write never fails: an agent must not end because of what it prints.
func (s *stream) Write(p []byte) (int, error) {
	s.printed += int64(len(p))
	if s.format == nil {
		s.text(string(p), true)
		return len(p), nil
	}
	for part := range bytes.Lines(p) {
		if s.skips = s.skips || len(s.line)+len(part) > maxLine; s.skips {
			s.line = nil
		} else {
			s.line = append(s.line, part...)
		}
		if part[len(part)-1] == '\n' {
			s.end()
		}
	}
	return len(p), nil
}

// end reads a complete line. The last one of a stream may lack its line end.
func (s *stream) end() {
	r, ok := transcript.Record{}, false
	if !s.skips && s.format != nil {
		r, ok = s.format(s.line)
	}
	if text := bytes.TrimSpace(s.line); !ok && len(text) > 0 && len(text) <= maxPlain && text[0] != '{' {
		s.plain = strings.ToValidUTF8(string(text), "")
	}
	s.line, s.skips = s.line[:0], false
	if ok {
		s.record(r)
	}
}

// last is what the agent said last. If it said nothing, that is what its program printed beside the records.
func (s *stream) last() string { return cmp.Or(strings.TrimSpace(s.said), s.plain) }

func (s *stream) record(r transcript.Record) {
	s.tools(r)
	s.shell(r)
	before, used := s.session.ID, s.session.Used
	s.session.Add(r)
	if id := s.session.ID; id != before && before == "" {
		s.emit(Event{Kind: "session", Session: id})
	}
	if r.Text != "" && !r.Side {
		s.text(r.Text, r.More)
	}
	for _, t := range r.Tools {
		s.parts = false
		s.emit(Event{Kind: "tool", Tool: t.Name, On: cmp.Or(t.Command, t.File)})
	}
	if now := s.session.Used; now != used && now > 0 {
		s.emit(Event{Kind: "tokens", Tokens: now})
	}
}

// tools notes which tools run. When the model speaks again, those before have ended: not every host
// prints all results.
func (s *stream) tools(r transcript.Record) {
	if r.Text != "" || r.Call != "" && r.Call != s.call {
		s.running = nil
	}
	s.call = cmp.Or(r.Call, s.call)
	for _, t := range r.Tools {
		if s.running == nil {
			s.running = map[string]bool{}
		}
		s.running[t.ID] = true
	}
	for _, res := range r.Results {
		delete(s.running, res.ID)
	}
}

func (s *stream) text(text string, more bool) {
	if !more || !s.parts {
		s.said = ""
	}
	s.parts = more
	s.said += text
	if len(s.said) > maxSaid {
		s.said = strings.ToValidUTF8(s.said[len(s.said)-maxSaid:], "")
	}
	s.emit(Event{Kind: "text", Text: text})
}
