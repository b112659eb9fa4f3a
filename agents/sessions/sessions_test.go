package sessions_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents"
	"handoff/agents/sessions"
)

// home is a home folder with transcripts, the newest last.
func home(t *testing.T, dir string) (getenv func(string) string, set map[string]string) {
	t.Helper()
	root := t.TempDir()
	folder := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '-'
	}, dir)
	claude := func(id, cwd string, tokens int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u","sessionId":%q,"cwd":%q,"message":{"id":"m","model":"claude-opus-4-6","usage":{"input_tokens":%d}}}`+"\n", id, cwd, tokens)
	}
	codex := fmt.Sprintf(`{"timestamp":"t","type":"session_meta","payload":{"id":"c1","cwd":%q}}`+"\n"+
		`{"timestamp":"t","type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":5000,"total_tokens":5100},"model_context_window":258400}}}`+"\n", filepath.Join(dir, "sub"))
	for i, f := range []struct{ path, text string }{
		{".claude/projects/" + folder + "/old.jsonl", claude("old", dir, 1000)},
		{".claude/projects/" + folder + "/new.jsonl", claude("new", dir, 2000)},
		{".codex/sessions/2026/02/12/rollout-2026-02-12T14-00-00-c1.jsonl", codex},
		{".codex/sessions/2026/02/12/rollout-2026-02-12T15-00-00-c2.jsonl", strings.NewReplacer(`"c1"`, `"c2"`, dir, "/elsewhere").Replace(codex)},
		{".claude/projects/-elsewhere/other.jsonl", claude("other", "/elsewhere", 3000)},
		{".gemini/tmp/x/chats/session-2026-02-12T14-00-9.jsonl", `{"sessionId":"9","projectHash":"00"}` + "\n"},
	} {
		path := filepath.Join(root, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 2, 12, 14, i, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	set = map[string]string{"HOME": root}
	return func(name string) string { return set[name] }, set
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	getenv, set := home(t, dir)
	table, err := sessions.Table(dir)
	if err != nil {
		t.Fatal(err)
	}
	find := func(name string, q sessions.Query, agent, id string) {
		t.Helper()
		q.Getenv, q.Dirs = getenv, append(q.Dirs, dir)
		s, err := sessions.Find(table, q)
		if err != nil || s.Agent.Name != agent || s.File.Session.ID != id {
			t.Errorf("%s: %s %+v, %v; want %s %s", name, s.Agent.Name, s.File, err, agent, id)
		}
	}
	find("the newest of the folder", sessions.Query{}, "codex", "c1")
	find("of one agent", sessions.Query{Agent: "claude"}, "claude", "new")
	find("by id", sessions.Query{Session: "old"}, "claude", "old")
	find("by id, of another folder", sessions.Query{Session: "other"}, "claude", "other")
	find("by path", sessions.Query{Transcript: filepath.Join(set["HOME"], ".claude/projects/-elsewhere/other.jsonl")}, "claude", "other")
	set["CLAUDE_CODE_SESSION_ID"] = "old"
	find("by the environment", sessions.Query{}, "claude", "old")
	set["CLAUDE_CODE_SESSION_ID"] = "gone"
	find("which names none", sessions.Query{}, "codex", "c1")

	for want, q := range map[string]sessions.Query{
		"no transcript of session nope": {Session: "nope"},
		`"clod": did you mean claude?`:  {Agent: "clod"},
		"no agent's session in":         {Agent: "qwen"},
		"no such file":                  {Transcript: filepath.Join(dir, "none")},
	} {
		q.Getenv, q.Dirs = getenv, []string{dir}
		if _, err := sessions.Find(table, q); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := sessions.Find(table, sessions.Query{Getenv: getenv}); err == nil {
		t.Error("found a session that nothing names")
	}
}

func TestTable(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, filepath.FromSlash(sessions.Overrides))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"claude.yaml": "context: {at: 50000}\n",
		"mine.yaml":   "title: Mine\nprogram: mine\nstart: [run]\n",
		"bad.yaml":    "title: [\n",
		"notes.txt":   "not an agent",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "codex.yaml"), 0o755); err != nil {
		t.Fatal(err)
	}
	table, err := sessions.Table(root)
	if err == nil || !strings.Contains(err.Error(), ".handoff/agents/bad.yaml") || !strings.Contains(err.Error(), "codex.yaml") {
		t.Errorf("%v, want the broken file and the folder", err)
	}
	found := map[string]int{}
	for _, a := range table {
		if own := a.Name == "claude" || a.Name == "mine"; a.Overridden != own {
			t.Errorf("%s: overridden %v", a.Name, a.Overridden)
		}
		found[a.Name] = a.Context.At
	}
	if at, ok := found["mine"]; !ok || at != 0 || found["claude"] != 50_000 || len(found) != len(agents.Names())+1 {
		t.Errorf("%v", found)
	}
}

func TestProgress(t *testing.T) {
	root := t.TempDir()
	if p := sessions.ReadProgress(root); p != (sessions.Progress{}) {
		t.Errorf("no file: %+v", p)
	}
	for i, f := range []struct{ path, text string }{
		{"specs/1_a/progress/phase-1-progress.json", `{"objectives":[{"status":"done"}]}`},
		{"specs/2_b/progress/phase-3-progress.json", `{"objectives":[{"status":"done"},{"status":"in_progress"},{"status":"done"}]}`},
		{"specs/2_b/progress/phase-4-progress.json", `{"objectives":{}}`},
	} {
		path := filepath.Join(root, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f.text), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Date(2026, 2, 12, 14, i, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		want := []sessions.Progress{{Done: 1, Objectives: 1}, {Done: 2, Objectives: 3}, {}}[i]
		if p := sessions.ReadProgress(root); p != want {
			t.Errorf("%s: %+v, want %+v", f.path, p, want)
		}
	}
}
