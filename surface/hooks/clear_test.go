package hooks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/host"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

// savedPath is a handoff that the session of the tests writes.
const savedPath = "specs/3_saved/handoffs/phase-3-handoff-20260212T150100Z.md"

// chat are lines of a chat file of Gemini CLI.
func chat(lines ...string) string {
	return `{"sessionId":"a","projectHash":"x","startTime":"2026-02-12T14:58:00Z","kind":"main"}` + "\n" + strings.Join(lines, "\n") + "\n"
}

func asked(id string) string { return `{"id":"` + id + `","type":"user","content":[{"text":"go on"}]}` }

// called is a call of the model with so many tokens in its context, and of a tool.
func called(id string, tokens int, tool, args string) string {
	return fmt.Sprintf(`{"id":%q,"type":"gemini","model":"gemini-2.5-pro","content":"","tokens":{"input":%d,"output":40,"total":%d},"toolCalls":[{"id":"t%s","name":%q,"args":%s,"status":"success","result":"Written: %s"}]}`,
		id, tokens, tokens+40, id, tool, args, savedPath)
}

const (
	newArgs  = `{"command":"handoff new --task 3 --phase 3 --from -"}`
	echoArgs = `{"command":"echo one"}`
	editArgs = `{"file_path":"/w/a.go"}`
)

// TestClear: the context of a session is cleared if it is almost full and a handoff
// without errors was its last work, and only where the workspace allows that. The next prompt gets
// that handoff, once.
func TestClear(t *testing.T) {
	full := []string{asked("u"), called("m1", 500_000, "run_shell_command", newArgs)}
	for _, c := range []struct {
		name, host, config string
		chat               []string
		document           string // "" for the example
		env                map[string]string
		clears             bool
	}{
		{"saved", "gemini", "compaction: handoff\n", full, "", nil, true},
		{"a few commands after it", "gemini", "compaction: handoff\n", append(full[:2:2], called("m2", 500_100, "run_shell_command", echoArgs)), "", nil, true},
		{"not allowed", "gemini", "compaction: host\n", full, "", nil, false},
		{"the default", "gemini", "", full, "", nil, false},
		{"another host", "claude", "compaction: handoff\n", full, "", nil, false},
		{"much is left", "gemini", "compaction: handoff\n", []string{asked("u"), called("m1", 50_000, "run_shell_command", newArgs)}, "", nil, false},
		{"a file was written after it", "gemini", "compaction: handoff\n", append(full[:2:2], called("m2", 500_100, "replace", editArgs)), "", nil, false},
		{"much was done after it", "gemini", "compaction: handoff\n", append(full[:2:2], called("m2", 500_100, "x", "{}"), called("m3", 500_200, "x", "{}"), called("m4", 500_300, "x", "{}"), called("m5", 500_400, "x", "{}")), "", nil, false},
		{"saved in the turn before", "gemini", "compaction: handoff\n", append(full[:2:2], asked("u2")), "", nil, false},
		{"nothing saved", "gemini", "compaction: handoff\n", []string{asked("u"), called("m1", 500_000, "run_shell_command", echoArgs)}, "", nil, false},
		{"a bad handoff", "gemini", "compaction: handoff\n", full, "# Phase 1\n\n## Immediate Next Action\nContinue.\n", nil, false},
		{"handoff started it", "gemini", "compaction: handoff\n", full, "", map[string]string{"HANDOFF_RUN_ID": "r"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &session{t.TempDir(), filepath.Join(t.TempDir(), "session.jsonl"), c.env}
			put(t, s.root, ".handoff.yaml", c.config)
			put(t, s.root, "specs/3_saved/plan.md", "# Plan\n")
			at := func(event host.Event) string { return s.ask(t, c.host, event) }
			if got := at(host.SessionStart); got != "" {
				t.Fatalf("start: %s", got)
			}
			s.save(t, c.document)
			put(t, filepath.Dir(s.transcript), "session.jsonl", chat(c.chat...))
			got := at(host.Stop)
			const want = `{"continue":false,"stopReason":"the context was almost full, and ` + savedPath +
				` was saved. The next message continues from it.","hookSpecificOutput":{"hookEventName":"AfterAgent","clearContext":true}}` + "\n"
			if (got == want) != c.clears || !c.clears && strings.Contains(got, "clearContext") {
				t.Fatalf("stop: %s", got)
			}
			checkFaults(t, s.root, 0)
			if !c.clears {
				return
			}
			if got := at(host.Stop); got != "" {
				t.Errorf("a second stop: %s", got)
			}
			put(t, filepath.Dir(s.transcript), "session.jsonl", chat()) // the host starts over
			if got := at(host.Prompt); !strings.Contains(got, "The document: "+savedPath) {
				t.Errorf("the next prompt: %s", got)
			}
			put(t, filepath.Dir(s.transcript), "session.jsonl", chat(asked("u"), called("n1", 20_000, "run_shell_command", echoArgs)))
			for _, event := range []host.Event{host.ToolUse, host.Prompt, host.PreCompact, host.ToolUse, host.Stop, host.Prompt} {
				if got := at(event); got != "" {
					t.Errorf("%s after that: %s", event, got)
				}
			}
		})
	}
}

// save writes a handoff, "" for the example.
func (s *session) save(t *testing.T, document string) {
	t.Helper()
	src, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	if document == "" {
		text, _, _ := strings.Cut(string(src), "## References")
		document = strings.ReplaceAll(text, "20260212T143022Z", "20260212T150100Z") + "## References\n- The plan: specs/3_saved/plan.md\n"
	}
	put(t, s.root, savedPath, document)
}

// ask runs a hook of a host.
func (s *session) ask(t *testing.T, name string, event host.Event) string {
	t.Helper()
	stdin, err := json.Marshal(map[string]string{"session_id": "a", "transcript_path": s.transcript, "cwd": s.root, "reason": "exit"})
	if err != nil {
		t.Fatal(err)
	}
	return s.answer(name, event, string(stdin))
}

// TestClearedAndEnded: a session that ends after it was cleared, and before it was shown its
// handoff, leaves that for the next one.
func TestClearedAndEnded(t *testing.T) {
	s := &session{t.TempDir(), filepath.Join(t.TempDir(), "session.jsonl"), nil}
	put(t, s.root, ".handoff.yaml", "compaction: handoff\n")
	put(t, s.root, "specs/3_saved/plan.md", "# Plan\n")
	s.ask(t, "gemini", host.SessionStart)
	s.save(t, "")
	put(t, filepath.Dir(s.transcript), "session.jsonl", chat(asked("u"), called("m1", 500_000, "run_shell_command", newArgs)))
	if got := s.ask(t, "gemini", host.Stop); !strings.Contains(got, "clearContext") {
		t.Fatalf("stop: %s", got)
	}
	if got := s.ask(t, "gemini", host.SessionEnd); got != "" {
		t.Errorf("end: %s", got)
	}
	if got := s.ask(t, "gemini", host.Prompt); got != "" {
		t.Errorf("it resumes with its context: %s", got)
	}
	if got := s.answer("gemini", host.SessionStart, `{"session_id":"b","source":"startup"}`); !strings.Contains(got, savedPath) {
		t.Errorf("the next session: %s", got)
	}
	checkFaults(t, s.root, 0)
}

// TestQuitAtOnce: a handoff that was delivered to a session waits again when that
// ends without having taken it up. Of one that wrote files the next session gets a draft.
func TestQuitAtOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		again bool
	}{
		{"it answered", []string{`{"type":"assistant","uuid":"u","sessionId":"a","message":{"id":"m","content":[{"type":"text","text":"Hello."}]}}`}, true},
		{"it ran a command", []string{`{"type":"assistant","uuid":"u","sessionId":"a","message":{"id":"m","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}`}, true},
		{"nothing is known of it", nil, true},
	} {
		s := begin(t, nil)
		text := strings.Join(c.lines, "\n")
		if text != "" {
			text += "\n"
		}
		put(t, filepath.Dir(s.transcript), "session.jsonl", text)
		s.hook(t, host.SessionEnd, "prompt_input_exit")
		s.hook(t, host.SessionEnd, "prompt_input_exit")
		got := answer(t.Context(), s.root, "claude", host.SessionStart, `{"session_id":"b","source":"startup"}`)
		if strings.Contains(got, "The document: ") != c.again {
			t.Errorf("%s: the next session gets %q", c.name, got)
		}
		checkFaults(t, s.root, 0)
	}
}
