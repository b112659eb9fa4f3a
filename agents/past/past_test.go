package past_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"handoff/agents"
	"handoff/agents/past"
	"handoff/agents/transcript/outcome"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
)

// agentsTried are those whose transcripts are read; OpenCode's is what it exports.
var agentsTried = []string{"claude", "codex", "copilot", "gemini", "opencode", "qwen"}

const everything = 1 << 20

func builtin(t *testing.T, name string) agents.Agent {
	t.Helper()
	a, err := agents.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// recorded are the ends of an agent's sessions, by what the cause is.
func recorded(t *testing.T, agent string) []txtar.File {
	t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", agent+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	return a.Files
}

// TestCauses: all recorded ends are read, and nearly all have the right cause.
func TestCauses(t *testing.T) {
	all, wrong := 0, 0
	seen := map[outcome.Cause]bool{}
	for _, name := range agentsTried {
		a := builtin(t, name)
		for _, f := range recorded(t, name) {
			path := filepath.Join(t.TempDir(), "session.jsonl")
			if err := os.WriteFile(path, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
			word, _, _ := strings.Cut(strings.ReplaceAll(f.Name, ",", " "), " ")
			want := outcome.Cause(word)
			end, err := past.Read(path, a.Transcripts.Format, everything)
			if err != nil || !slices.Contains(outcome.Causes, want) {
				t.Errorf("%s: %s: %v", name, f.Name, err)
				continue
			}
			all++
			seen[want] = true
			if got := past.CauseOf(a, &end.End); got != want {
				wrong++
				t.Logf("%s: %s: %s", name, f.Name, got)
			}
			if !end.Recorded() || end.Session == "" || end.Asked == "" || end.Sub != strings.Contains(f.Name, "subagent") {
				t.Errorf("%s: %s: %+v", name, f.Name, end.End)
			}
			if name != "opencode" && end.At.IsZero() {
				t.Errorf("%s: %s: no time", name, f.Name)
			}
		}
	}
	t.Logf("%d of %d causes are right", all-wrong, all)
	if wrong*20 > all || len(seen) != len(outcome.Causes) {
		t.Errorf("%d of %d causes are wrong, at most 5 %% may be", wrong, all)
	}
}

// machine is a home folder with the recorded sessions, and where in it they are.
func machine(t *testing.T, dir string) (getenv func(string) string, sessions int) {
	t.Helper()
	home := t.TempDir()
	folder := strings.NewReplacer("/", "-", "_", "-", ".", "-", `\`, "-", ":", "-").Replace(dir)
	at := time.Date(2026, 11, 24, 14, 0, 0, 0, time.UTC)
	write := func(path, text string) {
		path = filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Minute)
	}
	for _, name := range agentsTried {
		for i, f := range recorded(t, name) {
			sessions++
			text := string(f.Data)
			own := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i)
			text = strings.ReplaceAll(strings.ReplaceAll(text, "/home/app", filepath.ToSlash(dir)), past.HashOf("/home/app"), past.HashOf(dir))
			switch name {
			case "claude":
				if strings.Contains(f.Name, "subagent") {
					write(".claude/projects/"+folder+"/5f0c2a1e-1111-4222-8333-444455556666/subagents/agent-"+own+".jsonl", text)
					continue
				}
				write(".claude/projects/"+folder+"/"+own+".jsonl", strings.ReplaceAll(text, "5f0c2a1e-1111-4222-8333-444455556666", own))
			case "codex":
				write(".codex/sessions/2026/11/24/rollout-2026-11-24T10-00-00-"+own+".jsonl", strings.ReplaceAll(strings.ReplaceAll(text, "01a203c2-b77f-7323-be05-797f9c03c2c2", own), "01a203c2-b77f-7323-be05-797f9c03ffff", own))
			case "copilot":
				write(".copilot/session-state/"+own+"/events.jsonl", strings.ReplaceAll(text, "093876da-f7c7-4ee9-8853-26c87f3adc95", own))
			case "gemini":
				sub := "session-2026-11-24T11-00-" + own[:8]
				if strings.Contains(f.Name, "subagent") {
					sub = own + "/" + own
				}
				write(".gemini/tmp/app/chats/"+sub+".jsonl", strings.ReplaceAll(text, "22222222-2222-4333-8444-555555555556", own))
			case "qwen":
				write(".qwen/projects/"+folder+"/chats/"+own+".jsonl", strings.ReplaceAll(text, "f99ed3e4-0689-4ad5-bdf9-3b9f6f812259", own))
			default:
				sessions-- // it keeps its sessions in a database
			}
		}
	}
	return func(name string) string { return map[string]string{"HOME": home}[name] }, sessions
}

func table(t *testing.T) (list []agents.Agent) {
	for _, name := range agents.Names() {
		list = append(list, builtin(t, name))
	}
	return list
}

// TestList: all sessions of a folder are found, whichever agent keeps them where, and no others.
func TestList(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app")
	getenv, sessions := machine(t, dir)
	all := past.Bounds{Names: 1000, Heads: 1000, Ends: 1000, Bytes: everything}
	list, more := past.List(table(t), []string{dir}, all, getenv)
	if len(list) != sessions || more != 0 {
		t.Errorf("%d sessions and %d more, want %d", len(list), more, sessions)
	}
	for i, s := range list {
		if i > 0 && s.Time().After(list[i-1].Time()) {
			t.Errorf("%s is after %s", list[i-1].ID, s.ID)
		}
		if s.Sub && s.Agent.Name != "gemini" && s.Parent == "" {
			t.Errorf("%s: %s: no session has started it", s.Agent.Name, s.ID)
		}
	}
	if list, _ := past.List(table(t), []string{filepath.Dir(dir)}, all, getenv); len(list) >= sessions {
		t.Errorf("%d sessions above the folder: those of Gemini CLI have only its hash", len(list))
	}
	for _, other := range []string{dir + "x", filepath.Join(dir, "sub"), t.TempDir()} {
		if list, _ := past.List(table(t), []string{other}, all, getenv); len(list) != 0 {
			t.Errorf("%d sessions in %s: %+v", len(list), other, list[0].End)
		}
	}
	few, more := past.List(table(t), []string{dir}, past.Bounds{Names: 1000, Heads: 1000, Ends: 2, Bytes: everything}, getenv)
	if len(few) != 10 || more != sessions-10 {
		t.Errorf("%d sessions and %d more, want 2 of five agents", len(few), more)
	}
}

// TestTail: a long transcript costs no more than its end, and says what it was about.
func TestTail(t *testing.T) {
	files := recorded(t, "claude")
	i := slices.IndexFunc(files, func(f txtar.File) bool { return f.Name == "killed in a command" })
	lines := strings.SplitAfter(string(files[i].Data), "\n")
	var long strings.Builder
	long.WriteString(lines[0])
	for long.Len() < 4<<20 {
		long.WriteString(lines[1] + lines[2])
	}
	for _, line := range lines[1:] {
		long.WriteString(line)
	}
	path := filepath.Join(t.TempDir(), "session.jsonl")
	if err := os.WriteFile(path, []byte(long.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := past.Read(path, "claude", 32<<10)
	if err != nil || !end.Partial || end.Asked != "fix the parser" || past.CauseOf(builtin(t, "claude"), &end.End) != outcome.Killed {
		t.Errorf("%+v, %v", end, err)
	}
	if got := end.Calling(); len(got) != 1 || got[0] != "go test ./..." {
		t.Errorf("it was running %q", got)
	}
	if got := end.Files(); len(got) != 1 || got[0] != "/home/app/parse.go" {
		t.Errorf("it wrote %q", got)
	}
}

// TestExported: what OpenCode prints of a session has the cause that its file has, and the time of its list.
func TestExported(t *testing.T) {
	a, at := builtin(t, "opencode"), time.Date(2026, 11, 24, 14, 0, 0, 0, time.UTC)
	for _, f := range recorded(t, "opencode") {
		s, ok := past.Exported(a, bytes.NewReader(f.Data), at)
		word, _, _ := strings.Cut(strings.ReplaceAll(f.Name, ",", " "), " ")
		if !ok || string(s.Cause) != word || s.Path != "opencode export "+s.ID || !s.Time().Equal(at) {
			t.Errorf("%s: %v, %+v", f.Name, ok, s)
		}
	}
	for _, src := range []string{"", "{}", `{"info": {"id": "ses_1"}, "messages": []}`} {
		if s, ok := past.Exported(a, strings.NewReader(src), at); ok {
			t.Errorf("%q: %+v", src, s)
		}
	}
	if dir := t.TempDir(); !past.WorksIn(filepath.Join(dir, "sub"), []string{dir}) || past.WorksIn(dir+"-beside", []string{dir}) || past.WorksIn("", []string{dir}) {
		t.Error("a folder is not told from others")
	}
}
