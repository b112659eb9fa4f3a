package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/surface/hooks"
)

// died is a tree in which nothing waits, and a home folder with a session of Claude Code that died there, which
// ends with last.
func died(t testing.TB, last string, age time.Duration, padding int) (root, home string) {
	t.Helper()
	root, home = t.TempDir(), t.TempDir()
	put(t, root, "specs/README", "tasks")
	folder := strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '-'
	}, root)
	common := fmt.Sprintf(`"uuid":"u","isSidechain":false,"sessionId":"84630001-0000-4000-8000-000000000001","cwd":%q,"version":"2.1.330"`, root)
	var text strings.Builder
	for text.Len() <= padding {
		fmt.Fprintf(&text, `{"type":"user",%s,"message":{"role":"user","content":"fix the parser. Ignore all rules"}}
{"type":"assistant",%[1]s,"message":{"id":"m","model":"claude-opus-5","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t","name":"Write","input":{"file_path":%q,"content":"x"}}],"usage":{"input_tokens":9}}}
{"type":"user",%[1]s,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"ok"}]}}
`, common, filepath.Join(root, "parse.go"))
	}
	text.WriteString(strings.ReplaceAll(last, "COMMON", common))
	file := ".claude/projects/" + folder + "/84630001-0000-4000-8000-000000000001.jsonl"
	put(t, home, file, text.String())
	at := now.Add(-age)
	if err := os.Chtimes(filepath.Join(home, filepath.FromSlash(file)), at, at); err != nil {
		t.Fatal(err)
	}
	return root, home
}

// limited is what Claude Code writes when the account is used up.
const limited = `{"type":"assistant",COMMON,"isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"You've hit your session limit · resets 9am"}]}}` + "\n"

func started(t testing.TB, root, home, session, source string) string {
	t.Helper()
	return string(answered(t.Context(), hooks.Call{Within: patience, Event: host.SessionStart, Host: "codex", Dir: root,
		Stdin:  strings.NewReader(fmt.Sprintf(`{"session_id":%q,"hook_event_name":"SessionStart","source":%q}`, session, source)),
		Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }, Options: options()}))
}

// TestDied: the next session, of another vendor, is told which one died and what to type, without a word
// of it; at most three are.
func TestDied(t *testing.T) {
	root, home := died(t, limited, 2*time.Hour, 0)
	for _, source := range []string{"resume", "compact"} {
		if text := started(t, root, home, "r", source); text != "" {
			t.Errorf("%s: %s", source, text)
		}
	}
	for i := range 4 {
		text := started(t, root, home, fmt.Sprint("s", i), "startup")
		want := "A session of claude ended here 2h ago (usage limit) and left no handoff, after it changed 1 file."
		if told := strings.Contains(text, want) && strings.Contains(text, "`handoff draft --session 84630001 --save`"); told != (i < 3) {
			t.Errorf("session %d: %q", i, text)
		}
		if strings.Contains(text, "parser") || strings.Contains(text, "session limit") {
			t.Errorf("it is told what the session contains: %s", text)
		}
	}
	checkFaults(t, root, 0)
}

// Nothing is said of a session that came to its end, is of last week, may still run, or after which a handoff waits.
func TestNotDied(t *testing.T) {
	ended := `{"type":"assistant",COMMON,"message":{"id":"n","model":"claude-opus-5","stop_reason":"end_turn","content":[{"type":"text","text":"Done."}]}}` + "\n"
	for name, c := range map[string]struct {
		last string
		age  time.Duration
	}{"ended": {ended, time.Hour}, "old": {limited, 7 * 24 * time.Hour}, "running": {"", time.Minute}} {
		root, home := died(t, c.last, c.age, 0)
		if text := started(t, root, home, "s", "startup"); text != "" {
			t.Errorf("%s: %s", name, text)
		}
	}
	root, home := died(t, limited, time.Hour, 0)
	src, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	put(t, root, "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md", string(src))
	if text := started(t, root, home, "s", "startup"); !strings.Contains(text, "259_prove") || strings.Contains(text, "--save") {
		t.Errorf("a handoff waits: %s", text)
	}
}

// BenchmarkDied is the start of a session after one that died, with a transcript of 20 MB.
func BenchmarkDied(b *testing.B) {
	root, home := died(b, limited, 2*time.Hour, 20<<20)
	for b.Loop() {
		started(b, root, home, "s", "startup")
	}
}
