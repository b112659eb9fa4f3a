package chat

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"handoff/log/tape"
)

func TestOverflow(t *testing.T) {
	anchor := &entries(t, `anchor {"name": "p", "state": {"summary": "s", "next_steps": "n", "x": 1}}`)[0]
	bare := &entries(t, `anchor {"name": "session/start", "state": {"owner": "human"}}`)[0]
	overflow := &entries(t, `anchor {"name": "auto_handoff/context_overflow", "state": {"reason": "x", "task": "build it", "last_prompt": "old"}}`)[0]
	prompt, answer := `message {"role": "user", "content": "go"}`, `message {"role": "assistant", "content": "long"}`
	for _, c := range []struct {
		what  string
		slice tape.Slice
		want  string // "" for ErrNothingToCut
	}{
		{"after an anchor", tape.Slice{Boundary: anchor, Entries: entries(t, prompt, answer)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "p", "summary": "s", "next_steps": "n"}`},
		{"a second prompt", tape.Slice{Boundary: anchor, Entries: entries(t, prompt, prompt)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "p", "summary": "s", "next_steps": "n"}`},
		{"a tool call", tape.Slice{Boundary: anchor, Entries: entries(t, `tool_call {"calls": []}`)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "p", "summary": "s", "next_steps": "n"}`},
		{"no anchor", tape.Slice{Entries: entries(t, prompt)}, `{"reason": "context_length_exceeded", "error": "too long", "task": "go"}`},
		{"no summary", tape.Slice{Boundary: bare, Entries: entries(t, `message {"role": "user", "content": [{"type": "text", "text": "build it"}]}`, answer, prompt, `message {"role": "user", "content": "now the tests"}`)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "session/start", "task": "build it", "last_prompt": "now the tests"}`},
		{"a second overflow", tape.Slice{Boundary: overflow, Entries: entries(t, prompt, answer)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "auto_handoff/context_overflow", "task": "build it", "last_prompt": "go"}`},
		{"a huge prompt", tape.Slice{Boundary: bare, Entries: entries(t, `message {"role": "user", "content": "`+strings.Repeat("ü", 2001)+`"}`, answer)},
			`{"reason": "context_length_exceeded", "error": "too long", "from_anchor": "session/start", "task": "` + strings.Repeat("ü", 2000) + `… [1 more characters are on the tape]"}`},
		{"the same prompt again", tape.Slice{Boundary: anchor, Entries: entries(t, prompt)}, ""},
		{"nothing", tape.Slice{}, ""},
	} {
		state, step, err := Overflow(lastOf(c.slice), each(c.slice.Entries), "too long")
		if c.want == "" {
			if !errors.Is(err, ErrNothingToCut) {
				t.Errorf("%s: %s, %v", c.what, state, err)
			}
			continue
		}
		if err != nil || string(state) != c.want {
			t.Errorf("%s: %s, %v", c.what, state, err)
		}
		if got := string(step.Data()); step.Name() != "loop.step" || got != `{"error":"too long","status":"auto_handoff"}` {
			t.Errorf("%s: the event is %s %s", c.what, step.Name(), got)
		}
	}
}

// lastOf is the anchor that a slice starts after.
func lastOf(s tape.Slice) *tape.Anchor {
	if s.Boundary == nil {
		return nil
	}
	return &tape.Anchor{Name: s.Boundary.Name(), State: s.Boundary.State()}
}

func each(entries []tape.Entry) iter.Seq2[tape.Entry, error] {
	return func(yield func(tape.Entry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestIsContextLength(t *testing.T) {
	for text, want := range map[string]bool{
		"This model's maximum context length is 200000 tokens": true,
		"prompt is too long: 209000 tokens > 200000 maximum":   true,
		"context_length_exceeded":                              true,
		"Rate limit reached: token limit per minute":           false,
		"connection reset":                                     false,
	} {
		if IsContextLength(text) != want {
			t.Error(text)
		}
	}
}
