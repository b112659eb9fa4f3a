package meter

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/agents/transcript"
)

// TestLast: what a program prints beside its records counts only if the agent said nothing.
func TestLast(t *testing.T) {
	for printed, want := range map[string]string{
		"Error: no such model\n\n":                        "Error: no such model",
		"first\nsecond":                                   "second",
		"{\"type\":\"unknown\"}\n{torn":                   "",
		strings.Repeat("x", maxPlain+1):                   "",
		"a\xffb\n":                                        "ab",
		"warning\n" + `{"type":"result","result":"done"}`: "warning",
		`{"type":"assistant","message":{"content":[{"type":"text","text":"I look."}]}}` + "\nError\n": "I look.",
	} {
		s := stream{format: transcript.Formats["claude"], emit: func(Event) {}}
		s.Write([]byte(printed))
		s.end()
		if got := s.last(); got != want {
			t.Errorf("%.60q: %q, want %q", printed, got, want)
		}
	}
}

func TestStream(t *testing.T) {
	const claudeCall = `{"type":"assistant","session_id":"s","message":{"id":"%s","usage":{"input_tokens":%d},"content":[%s]}}` + "\n"
	for name, c := range map[string]struct {
		format, printed string
		events          []string
		said            string
	}{
		"text": {"", "one\ntwo", []string{`text "one\ntwo"`}, "one\ntwo"},
		"claude": {"claude", `{"type":"system","session_id":"s"}` + "\nnot JSON\n" +
			fmt.Sprintf(claudeCall, "m1", 900, `{"type":"text","text":"I look."},{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"a.go"}}`) +
			fmt.Sprintf(claudeCall, "m2", 950, `{"type":"text","text":"Done."}`) +
			strings.TrimSuffix(fmt.Sprintf(claudeCall, "m3", 990, `{"type":"text","text":"Really."}`), "\n"),
			[]string{"session s", `text "I look."`, "tool Read a.go", "tokens 900", `text "Done."`, "tokens 950", `text "Really."`, "tokens 990"}, "Really."},
		"gemini prints parts": {"gemini", `{"type":"init","session_id":"g"}
{"type":"message","role":"assistant","content":"I will","delta":true}
{"type":"message","role":"assistant","content":" run it.","delta":true}
{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t","parameters":{"command":"handoff done"}}
{"type":"message","role":"assistant","content":"All ","delta":true}
{"type":"message","role":"assistant","content":"done.","delta":true}
`, []string{"session g", `text "I will"`, `text " run it."`, "tool run_shell_command handoff done", `text "All "`, `text "done."`}, "All done."},
		"a line that is too long is skipped": {"codex", `{"type":"item.completed","item":{"type":"agent_message","text":"` + strings.Repeat("x", maxLine) + `"}}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":"after it"}}` + "\n", []string{`text "after it"`}, "after it"},
	} {
		for _, size := range []int{1 << 30, 4001, 7} {
			if size == 7 && len(c.printed) > maxLine {
				continue // takes seconds
			}
			var events []string
			s := stream{format: transcript.Formats[c.format], emit: func(e Event) { events = append(events, describe(e)) }}
			for piece := range slices.Chunk([]byte(c.printed), size) {
				s.Write(piece)
			}
			s.end()
			if c.format != "" && !slices.Equal(events, c.events) || s.said != c.said {
				t.Errorf("%s, %d bytes at a time: %q, said %q; want %q, %q", name, size, events, s.said, c.events, c.said)
			}
		}
	}
}

func describe(e Event) string {
	switch e.Kind {
	case "text":
		return fmt.Sprintf("text %q", e.Text)
	case "tool":
		return "tool " + e.Tool + " " + e.On
	case "tokens":
		return fmt.Sprintf("tokens %d", e.Tokens)
	}
	return e.Kind + " " + e.Session
}

// The end of a long text is kept, in whole characters.
func TestStreamKeepsTheEnd(t *testing.T) {
	s := stream{emit: func(Event) {}}
	for range 3 {
		s.Write([]byte(strings.Repeat("é", maxSaid/2)))
	}
	s.Write([]byte("!"))
	if len(s.said) > maxSaid || !strings.HasPrefix(s.said, "é") || !strings.HasSuffix(s.said, "é!") {
		t.Errorf("%d bytes: %.10q … %q", len(s.said), s.said, s.said[len(s.said)-5:])
	}
}

// TestRunning: which tools of an agent run, as far as each host prints it.
func TestRunning(t *testing.T) {
	claude := []string{
		`{"type":"assistant","message":{"id":"a","usage":{"input_tokens":5},"content":[{"type":"text","text":"I look."}]}}`,
		`{"type":"assistant","message":{"id":"a","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"sleep 9"}}]}}`,
		`{"type":"assistant","message":{"id":"a","usage":{"input_tokens":5},"content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"sleep 9"}}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`,
		`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","content":"ok"}]}}`,
	}
	codex := []string{
		`{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"sleep 9","status":"in_progress"}}`,
		`{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"sleep 9","exit_code":0,"status":"completed"}}`,
		`{"type":"item.completed","item":{"id":"i2","type":"agent_message","text":"Done."}}`,
	}
	gemini := []string{
		`{"type":"tool_use","tool_name":"run_shell_command","tool_id":"t1","parameters":{"command":"sleep 9"}}`,
		`{"type":"tool_result","tool_id":"t1","status":"success","output":"ok"}`,
	}
	for name, c := range map[string]struct {
		lines []string
		want  []int
	}{"claude": {claude, []int{0, 1, 2, 1, 0}}, "codex": {codex, []int{1, 0, 0}}, "gemini": {gemini, []int{1, 0}}} {
		s := &stream{format: transcript.Formats[name], emit: func(Event) {}}
		for i, line := range c.lines {
			s.Write([]byte(line + "\n"))
			if len(s.running) != c.want[i] {
				t.Errorf("%s: %d run after %s, want %d", name, len(s.running), line, c.want[i])
			}
		}
	}
}
