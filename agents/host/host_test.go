package host_test

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/document/handoff"
)

func TestTable(t *testing.T) {
	want := []string{"amp", "claude", "codex", "copilot", "crush", "cursor", "gemini", "goose", "kiro", "opencode", "qwen", "vscode"}
	if got := host.Names(); !slices.Equal(got, want) {
		t.Errorf("hosts %v, want %v", got, want)
	}
	for _, h := range host.All() {
		if h.Title == "" || h.Limit.Max == 0 || len(h.Hooks) > 0 && h.Unit == 0 {
			t.Errorf("%s: incomplete: %+v", h.Name, h)
		}
		seen := map[host.Event]bool{}
		for _, k := range h.Hooks {
			if seen[k.Event] || k.Native == "" || !slices.Contains(host.Events, k.Event) {
				t.Errorf("%s: %+v: twice, without a name or unknown", h.Name, k)
			}
			seen[k.Event] = true
			if k.Timeout < 3*time.Second || k.Timeout%h.Unit != 0 {
				t.Errorf("%s %s: timeout %s", h.Name, k.Event, k.Timeout)
			}
		}
	}
}

func TestNamed(t *testing.T) {
	h, err := host.Named("codex")
	if err != nil || h.Title != "Codex CLI" {
		t.Errorf("%+v, %v", h, err)
	}
	for name, want := range map[string]string{"cluade": "did you mean claude?", "Gemin": "did you mean gemini?", "x": "(amp, claude"} {
		if _, err := host.Named(name); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

func TestHere(t *testing.T) {
	env := map[string]string{}
	here := func() (string, string, bool) { return host.Here(func(key string) string { return env[key] }) }
	if _, _, ok := here(); ok {
		t.Error("a session without variables")
	}
	env["CLAUDE_CODE_SESSION_ID"] = "a"
	if name, id, ok := here(); name != "claude" || id != "a" || !ok {
		t.Error(name, id, ok)
	}
	env["GEMINI_SESSION_ID"] = "b"
	if name, id, ok := here(); ok {
		t.Error("one of two sessions:", name, id)
	}
}

func TestParseEvent(t *testing.T) {
	for name, want := range map[string]host.Event{
		"session-start": host.SessionStart, "SESSION-START": host.SessionStart, "SessionStart": host.SessionStart, "sessionstart": host.SessionStart,
		"PostToolBatch": host.Batch, "agentStop": host.Stop, "AfterTool": host.ToolUse, "agentSpawn": host.SessionStart,
	} {
		if got, err := host.ParseEvent(name); err != nil || got != want {
			t.Errorf("%s: %q, %v; want %q", name, got, err, want)
		}
	}
	if _, err := host.ParseEvent("sesion-start"); err == nil || !strings.Contains(err.Error(), "did you mean session-start?") {
		t.Error(err)
	}
}

// No host has one name for two events, else its own name would be ambiguous.
func TestNativeNamesMeanOneEvent(t *testing.T) {
	for _, h := range host.All() {
		for _, k := range h.Hooks {
			if got, err := host.ParseEvent(k.Native); err != nil || got != k.Event {
				t.Errorf("%s: %s is read as %q, not %q (%v)", h.Name, k.Native, got, k.Event, err)
			}
		}
	}
}

func TestEnvelope(t *testing.T) {
	const text = `say "<b>" & stop`
	for _, c := range []struct {
		host  string
		event host.Event
		want  string
	}{
		{"claude", host.SessionStart, `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"say \"<b>\" & stop"}}`},
		{"claude", host.Batch, `{"hookSpecificOutput":{"hookEventName":"PostToolBatch","additionalContext":"say \"<b>\" & stop"}}`},
		{"claude", host.PreCompact, ""},
		{"codex", host.Stop, `{"decision":"block","reason":"say \"<b>\" & stop"}`},
		{"codex", host.PostCompact, ""},
		{"copilot", host.SessionStart, `{"additionalContext":"say \"<b>\" & stop"}`},
		{"crush", host.Prompt, `{"context":"say \"<b>\" & stop"}`},
		{"cursor", host.SessionStart, `{"additional_context":"say \"<b>\" & stop"}`},
		{"cursor", host.Stop, `{"followup_message":"say \"<b>\" & stop"}`},
		{"gemini", host.Stop, `{"decision":"deny","reason":"say \"<b>\" & stop"}`},
		{"kiro", host.SessionStart, text},
	} {
		h, err := host.Named(c.host)
		if err != nil {
			t.Fatal(err)
		}
		k, ok := h.Hook(c.event)
		got := k.Envelope(text)
		if c.want != "" {
			c.want += "\n"
		}
		if !ok || string(got) != c.want {
			t.Errorf("%s %s: %q, want %q", c.host, c.event, got, c.want)
		}
		if k.Envelope(" \n") != nil {
			t.Errorf("%s %s: an envelope without text", c.host, c.event)
		}
	}
}

func TestClearing(t *testing.T) {
	g, err := host.Named("gemini")
	k, ok := g.Hook(host.Stop)
	const want = `{"continue":false,"stopReason":"a <b> was saved","hookSpecificOutput":{"hookEventName":"AfterAgent","clearContext":true}}` + "\n"
	if got := k.Clearing("a <b> was saved\n"); err != nil || !ok || !g.Clears || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
}

// A host reads plain text that begins so as JSON, and fails.
func TestPlainIsNotJSON(t *testing.T) {
	for _, text := range []string{"{", "[x](y)", " {}"} {
		got := host.Hook{Form: host.Plain}.Envelope(text)
		if c := got[0]; c == '{' || c == '[' {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

func TestLimit(t *testing.T) {
	chars, bytes := host.Limit{Max: 4}, host.Limit{Max: 4, Bytes: true}
	if !chars.Fits("éééé") || chars.Fits("ééééé") || bytes.Fits("ééé") || !bytes.Fits("éé") {
		t.Error("wrong size")
	}
	if chars.String() != "4 characters" || bytes.String() != "4 bytes" {
		t.Error(chars, bytes)
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, stdin string
		want        host.Input
	}{
		{"claude", `{"session_id":"a","transcript_path":"/t.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"compact","model":{"id":"x"}}`,
			host.Input{Native: "SessionStart", Session: "a", Dir: "/w", Transcript: "/t.jsonl", Source: "compact"}},
		{"claude, a stop", `{"session_id":"a","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}`,
			host.Input{Native: "Stop", Session: "a", Again: true, Message: "done"}},
		{"cursor", `{"conversation_id":"c","session_id":"s","workspace_roots":["/w","/v"],"context_tokens":900,"context_window_size":1000,"loop_count":1}`,
			host.Input{Session: "c", Dir: "/w", Used: 900, Window: 1000, Again: true}},
		{"copilot", `{"sessionId":"s","cwd":"/w","toolName":"create","toolArgs":"{\"path\":\"/w/a.md\"}"}`,
			host.Input{Session: "s", Dir: "/w", Tool: "create", Files: []string{"/w/a.md"}}},
		{"codex, a patch", `{"session_id":"s","transcript_path":null,"tool_input":{"command":"*** Begin Patch\n*** Add File: a.md\n+x\n*** Update File: b.md\r\n"}}`,
			host.Input{Session: "s", Files: []string{"a.md", "b.md"}}},
		{"goose", `{"event":"Stop","session_id":"s","working_dir":"/w"}`, host.Input{Native: "Stop", Session: "s", Dir: "/w"}},
		{"wrong types", `{"session_id":3,"cwd":[],"stop_hook_active":"true","tool_input":"x","context_tokens":-4}`, host.Input{}},
	} {
		got, err := host.Read([]byte(c.stdin))
		if err != nil || show(got) != show(c.want) {
			t.Errorf("%s:\n%s, %v; want\n%s", c.name, show(got), err, show(c.want))
		}
	}
	for _, stdin := range []string{"", "null x", "[]", `"a"`, `{"a":1} {}`} {
		if _, err := host.Read([]byte(stdin)); err == nil {
			t.Errorf("%q: no error", stdin)
		}
	}
}

func show(in host.Input) string {
	src, _ := json.Marshal(in)
	return string(src)
}

func TestDetect(t *testing.T) {
	for _, c := range []struct{ name, stdin, env, want string }{
		{"camel case", `{"sessionId":"a"}`, "", "copilot"},
		{"camel case with a name", `{"sessionId":"a","hookEventName":"SessionStart"}`, "", "vscode"},
		{"copilot in its compatible form", `{"session_id":"a","hook_event_name":"Stop"}`, "COPILOT_CLI", "copilot"},
		{"cursor", `{"conversation_id":"a","session_id":"b"}`, "COPILOT_CLI", "cursor"},
		{"codex", `{"session_id":"a","turn_id":"1"}`, "", "codex"},
		{"codex by its folder", `{"transcript_path":"/x/sessions/2026/11/22/rollout-1.jsonl"}`, "CLAUDE_PLUGIN_ROOT", "codex"},
		{"gemini", `{"session_id":"a","timestamp":"x"}`, "GEMINI_SESSION_ID", "gemini"},
		{"qwen", `{"session_id":"a"}`, "QWEN_PROJECT_DIR", "qwen"},
		{"crush", `{"session_id":"a"}`, "CRUSH", "crush"},
		{"goose", `{"event":"Stop","working_dir":"/w"}`, "", "goose"},
		{"kiro", `{"hook_event_name":"agentSpawn","cwd":"/w"}`, "", "kiro"},
		{"claude by its folder", `{"transcript_path":"/h/.claude/projects/-w/a.jsonl"}`, "", "claude"},
		{"claude in a shell of copilot", `{"transcript_path":"C:\\u\\.claude\\projects\\-w\\a.jsonl"}`, "COPILOT_CLI", "claude"},
		{"claude", `{"session_id":"a","hook_event_name":"Stop"}`, "CLAUDE_PLUGIN_ROOT", "claude"},
		{"unknown", `{"session_id":"a","hook_event_name":"Stop"}`, "", ""},
		{"empty", `{}`, "CLAUDE_PLUGIN_ROOT", ""},
	} {
		in, err := host.Read([]byte(c.stdin))
		if err != nil {
			t.Fatal(err)
		}
		getenv := func(key string) string {
			if key == c.env {
				return "1"
			}
			return ""
		}
		if got := host.Detect(in, getenv); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestReturnsTo(t *testing.T) {
	for name, want := range map[string][]host.Event{
		"claude": {host.SessionStart}, "codex": {host.SessionStart}, "qwen": {host.SessionStart},
		"kiro": {host.PostCompact}, "opencode": {host.PostCompact},
		"gemini": {host.Prompt, host.ToolUse}, "copilot": {host.Prompt, host.ToolUse}, "cursor": {host.ToolUse}, "crush": {host.Prompt},
		"goose": nil, "amp": nil,
	} {
		h, err := host.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []host.Event
		for _, e := range host.Events {
			if h.ReturnsTo(e) {
				got = append(got, e)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// TestDocumented: the row of each host in docs/hooks.md has its events and its limit.
func TestDocumented(t *testing.T) {
	src, err := os.ReadFile("../../docs/hooks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range host.All() {
		_, row, ok := strings.Cut(string(src), "\n| `"+h.Name+"` | ")
		row, _, _ = strings.Cut(row, "\n")
		like := strings.Contains(row, "as `claude`, without PostToolBatch")
		for _, k := range h.Hooks {
			ok = ok && (like || strings.Contains(row, k.Native))
		}
		limit := strings.Replace(h.Limit.String(), "000 ", ",000 ", 1)
		if len(h.Hooks) > 0 && !strings.Contains(row, limit) || !ok {
			t.Errorf("%s: the row is %q", h.Name, row)
		}
	}
}
