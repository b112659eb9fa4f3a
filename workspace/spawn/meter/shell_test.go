package meter

import (
	"context"
	"errors"
	"strings"
	"testing"

	"handoff/agents"
)

// TestShell: an agent whose shell does not find handoff is interrupted at once. Other failures, and words
// about it in the output of other commands, change nothing.
func TestShell(t *testing.T) {
	call := func(command, output string) string {
		return `{"type":"assistant","session_id":"s","message":{"id":"m","usage":{"input_tokens":9},"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"` + command + `"}}]}}` + "\n" +
			`{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"Exit code 127\n` + output + `"}]}}` + "\n"
	}
	for name, c := range map[string]struct{ printed, want string }{
		"bash":            {call("handoff ack --first-action x", "/bin/bash: line 1: handoff: command not found"), "/bin/bash: line 1: handoff: command not found"},
		"sh":              {call("cd x && handoff done", "sh: 1: handoff: not found"), "sh: 1: handoff: not found"},
		"with the shell":  {call("/bin/bash -lc 'handoff done'", "/bin/bash: line 1: handoff: command not found"), "/bin/bash: line 1: handoff: command not found"},
		"zsh":             {call("handoff done", "zsh:1: command not found: handoff"), "zsh:1: command not found: handoff"},
		"fish":            {call("handoff done", "fish: Unknown command: handoff"), "fish: Unknown command: handoff"},
		"cmd":             {call("handoff done", "'handoff' is not recognized as an internal or external command"), "'handoff' is not recognized as an internal or external command"},
		"refused":         {call("handoff done", "handoff: no handoff is claimed"), ""},
		"another machine": {call("ssh build 'handoff done'", "bash: line 1: handoff: command not found"), ""},
		"another command": {call("cat log; false", "handoff: command not found"), ""},
	} {
		a, err := agents.Builtin("claude")
		if err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancelCause(t.Context())
		m := Start(Options{Agent: a, Event: func(Event) {}, Getenv: func(string) string { return "" }, Interrupt: interrupt})
		m.Write([]byte(c.printed))
		cause := context.Cause(ctx)
		report := m.Close()
		shell, ok := errors.AsType[*ShellError](cause)
		if ok != (c.want != "") || ok && (shell.Said != c.want || !errors.Is(report.Stopped, shell) || !strings.Contains(shell.Error(), c.want)) {
			t.Errorf("%s: %v, %v; want %q", name, cause, report.Stopped, c.want)
		}
	}
}
