package agents_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"handoff/agents"
	"handoff/agents/transcript"
)

func builtin(t *testing.T, name string) agents.Agent {
	t.Helper()
	a, err := agents.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestTable(t *testing.T) {
	want := []string{"aider", "amp", "claude", "cline", "codex", "continue", "copilot", "crush", "cursor", "custom", "droid", "gemini", "goose", "kiro", "opencode", "opencode2", "pi", "qwen", "vscode"}
	if got := agents.Names(); !slices.Equal(got, want) {
		t.Fatalf("agents %v, want %v", got, want)
	}
	for _, name := range want {
		a := builtin(t, name)
		if a.Tried.What == "" || a.Tried.Version != "" && a.Tried.Date == "" {
			t.Errorf("%s: what was tried, and when? %+v", name, a.Tried)
		}
		if a.Context.Counts == "" {
			t.Errorf("%s: it is not said how its context is counted", name)
		}
		if a.Stream != "text" && transcript.Formats[a.Stream] == nil {
			t.Errorf("%s: no format %s", name, a.Stream)
		}
		if f := a.Transcripts.Format; f != "" && transcript.Formats[f] == nil {
			t.Errorf("%s: no format %s", name, f)
		}
		if name == "custom" {
			continue
		}
		if a.Program == "" || len(a.Version) == 0 || (len(a.Start) == 0) != (a.Prompt == agents.None) {
			t.Errorf("%s: program %q, version %q, start %q", name, a.Program, a.Version, a.Start)
		}
		if len(a.Resume) > 0 && !strings.Contains(strings.Join(a.Resume, " "), "{session}") {
			t.Errorf("%s: resume does not name the session: %q", name, a.Resume)
		}
	}
}

// The level edit of Codex names the folder of receipts, which its sandbox would
// make read-only.
func TestWithin(t *testing.T) {
	codex := builtin(t, "codex")
	args, err := codex.Within(`/r/"x"/.git/handoff/receipts`, "").Args(agents.Call{})
	if want := `sandbox_workspace_write.writable_roots=["/r/\"x\"/.git/handoff/receipts"]`; err != nil || !slices.Contains(args, want) {
		t.Errorf("%q, %v: %s is missing", args, err, want)
	}
	if args, _ := codex.Args(agents.Call{}); !slices.Contains(args, "sandbox_workspace_write.writable_roots=[{receipts}]") {
		t.Errorf("the entry itself has changed: %q", args)
	}
}

// Where an agent is allowed single commands, they are those of a successor.
func TestAllowedCommands(t *testing.T) {
	allowed := agents.SuccessorCommands
	for level, env := range builtin(t, "opencode").Permissions.Env {
		for _, command := range allowed {
			if rule := fmt.Sprintf("%q:%q,%q:%q", "handoff "+command, "allow", "handoff "+command+" *", "allow"); !strings.Contains(env["OPENCODE_PERMISSION"], rule) {
				t.Errorf("opencode at %s: %s is missing", level, rule)
			}
		}
		if n := strings.Count(env["OPENCODE_PERMISSION"], `"handoff `); n != 2*len(allowed) {
			t.Errorf("opencode at %s: %d rules for handoff", level, n)
		}
	}
	args, err := builtin(t, "claude").Args(agents.Call{})
	if err != nil {
		t.Fatal(err)
	}
	list := args[len(args)-1]
	for _, command := range allowed {
		if !strings.Contains(list+",", "Bash(handoff "+command+":*),") {
			t.Errorf("claude does not allow %s: %s", command, list)
		}
	}
	if n := strings.Count(list, ",") + 1; n != len(allowed) {
		t.Errorf("claude allows %d commands, want %d: %s", n, len(allowed), list)
	}
	if rules := builtin(t, "gemini").Permissions.Rules; !strings.Contains(rules, `:"handoff (`+strings.Join(allowed, "|")+`)[ "]'`) {
		t.Errorf("gemini allows other commands than %q: %s", allowed, rules)
	}
}

func TestRunsHandoff(t *testing.T) {
	for line, want := range map[string]bool{
		"handoff done": true,
		"handoff ack --first-action 'Run `go test ./parse`; $HOME.'": true,
		`handoff release --why "it's too hard"`:                      true,
		"handoff":                                                    false,
		"handoffs done":                                              false,
		"./handoff done":                                             false,
		"handoff run 1 -- rm -rf .":                                  false,
		"handoff spawn 1":                                            false,
		"handoff -C / done":                                          false,
		"handoff done; rm x":                                         false,
		"handoff done\nrm x":                                         false,
		"handoff done && rm x":                                       false,
		"handoff show 1 > x":                                         false,
		"handoff ack --as $(rm x)":                                   false,
		`handoff ack --as "$(rm x)"`:                                 false,
		"handoff ack --as `rm x`":                                    false,
		"handoff ack --as \"`rm x`\"":                                false,
		"handoff ack --as 'a' 'b":                                    false,
		`handoff ack --as \'; rm x \'`:                               false,
		"PATH=. handoff done":                                        false,
		"handoff ack --as 'a'$(rm x)''":                              false,
	} {
		if got := agents.RunsHandoff(line); got != want {
			t.Errorf("%s: %v", line, got)
		}
	}
}

// The formats that agents may name are those that package transcript reads.
func TestFormats(t *testing.T) {
	for format := range transcript.Formats {
		if _, err := agents.Read("x.yaml", []byte("title: X\nstream: "+format), agents.Agent{}); err != nil {
			t.Error(err)
		}
	}
}

func TestArgs(t *testing.T) {
	for _, c := range []struct {
		agent string
		call  agents.Call
		want  string // or the beginning of the error
	}{
		{"claude", agents.Call{Level: agents.ReadOnly}, "-p --output-format stream-json --verbose --permission-mode plan"},
		{"claude", agents.Call{Session: "U", Level: agents.All, Instructions: "/r.md"},
			"-p --output-format stream-json --verbose --session-id U --dangerously-skip-permissions --append-system-prompt-file /r.md"},
		{"claude", agents.Call{Session: "U", Resume: true, Level: agents.ReadOnly}, "-p --output-format stream-json --verbose --resume U --permission-mode plan"},
		{"codex", agents.Call{Session: "U", Resume: true}, "exec resume U -c allow_login_shell=false --json --skip-git-repo-check - -c sandbox_mode=workspace-write -c sandbox_workspace_write.writable_roots=[{receipts}]"},
		{"codex", agents.Call{Session: "U"}, "error: agent cannot be told its session id: Codex CLI chooses it and prints it"},
		{"codex", agents.Call{Resume: true}, "error: codex: resuming needs the id of a session"},
		{"codex", agents.Call{Instructions: "/r.md"}, "error: agent cannot read rules from a file: put them into the prompt of Codex CLI"},
		{"gemini", agents.Call{Level: agents.All}, "-p  -o stream-json --skip-trust --approval-mode yolo"},
		{"aider", agents.Call{PromptFile: "/p.md", Instructions: "/r.md"}, "--yes-always --no-stream --message-file /p.md --read /r.md"},
		{"aider", agents.Call{Session: "U", Resume: true}, "error: agent cannot resume: Aider starts a new session each time"},
		{"copilot", agents.Call{Session: "U", Resume: true}, "-s --no-ask-user --output-format json --resume=U --allow-tool=write"},
		{"qwen", agents.Call{Level: "root"}, `error: unknown level "root" (read, edit, all)`},
	} {
		args, err := builtin(t, c.agent).Args(c.call)
		got := strings.Join(args, " ")
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != c.want {
			t.Errorf("%s %+v:\ngot  %s\nwant %s", c.agent, c.call, got, c.want)
		}
		if strings.HasPrefix(c.want, "error: agent cannot") && !errors.Is(err, agents.ErrCannot) {
			t.Errorf("%s %+v: %v is not ErrCannot", c.agent, c.call, err)
		}
	}
}

// Over ACP every agent is started by handoff itself, whose arguments come first.
func TestOverACP(t *testing.T) {
	for _, c := range []struct {
		agent string
		call  agents.Call
		want  string // or the error
	}{
		{"claude", agents.Call{}, "/bin/handoff acp --level edit --mode default -- claude-agent-acp"},
		{"claude", agents.Call{Level: agents.ReadOnly}, "/bin/handoff acp --level read --mode default -- claude-agent-acp"},
		{"codex", agents.Call{Level: agents.All}, "/bin/handoff acp --level all --mode agent-full-access --mode full-access -- codex-acp -c allow_login_shell=false"},
		{"opencode", agents.Call{Session: "U", Resume: true}, "/bin/handoff acp --session U --level edit --mode build -- opencode acp"},
		{"gemini", agents.Call{Session: "U", Resume: true}, "/bin/handoff acp --session U --next-minute --level edit --mode default -- gemini --acp"},
		{"custom", agents.Call{}, "/bin/handoff acp --level edit --"},
		{"claude", agents.Call{Session: "U"}, "error: agent cannot be told its session id: Claude Code chooses it and prints it"},
		{"claude", agents.Call{Level: "root"}, `error: unknown level "root" (read, edit, all)`},
		{"aider", agents.Call{}, "error: agent cannot speak the Agent Client Protocol: start Aider with --via cli"},
	} {
		a, err := builtin(t, c.agent).OverACP("/bin/handoff")
		var args []string
		if err == nil {
			args, err = a.Args(c.call)
		}
		got := strings.Join(append([]string{a.Program}, args...), " ")
		if err != nil {
			got = "error: " + err.Error()
		} else if a.Stream != "acp" || a.Prompt != agents.Stdin || a.Needs()[0] != "/bin/handoff" {
			t.Errorf("%+v", a)
		}
		if got != c.want {
			t.Errorf("%s %+v:\ngot  %s\nwant %s", c.agent, c.call, got, c.want)
		}
	}
	if a := builtin(t, "aider"); a.Headless() || !builtin(t, "custom").Headless() || !builtin(t, "claude").Headless() {
		t.Error("Headless")
	}
}

func TestLimit(t *testing.T) {
	env := map[string]string{"CLAUDE_CODE_AUTO_COMPACT_WINDOW": "150000"}
	for _, c := range []struct {
		agent          string
		facts          agents.Facts
		tokens, window int
	}{
		{"claude", agents.Facts{Model: "claude-opus-4-6"}, 167_000, 200_000},
		{"claude", agents.Facts{Model: "claude-opus-4-6", Used: 200_000}, 167_000, 200_000},
		{"claude", agents.Facts{Model: "claude-opus-4-6", Used: 250_000}, 967_000, 1_000_000},
		{"claude", agents.Facts{Model: "claude-sonnet-5-20260801"}, 967_000, 1_000_000},
		{"claude", agents.Facts{Model: "claude-sonnet-5", Window: 200_000}, 167_000, 200_000},
		{"claude", agents.Facts{Getenv: func(k string) string { return env[k] }}, 117_000, 150_000},
		{"codex", agents.Facts{Window: 258_400}, 232_560, 258_400},
		{"claude", agents.Facts{Model: "claude-opus-5-5", Used: 150_000}, 967_000, 1_000_000},
		{"claude", agents.Facts{Model: "claude-haiku-4-5-20251001"}, 167_000, 200_000},
		{"claude", agents.Facts{Model: "claude-sonnet-4-5[1m]"}, 967_000, 1_000_000},
		{"claude", agents.Facts{Model: "claude-sonnet-4-5[500K]"}, 467_000, 500_000},
		{"claude", agents.Facts{Model: "claude-sonnet-4-5[?]"}, 0, 0},
		{"claude", agents.Facts{Model: "claude-opus-4-5", Used: 1_200_000}, 0, 0},
		{"claude", agents.Facts{Model: "claude-nova-9"}, 0, 0},
		{"claude", agents.Facts{Model: "claude-nova-9", Getenv: func(k string) string { return env[k] }}, 117_000, 150_000},
		{"claude", agents.Facts{}, 0, 0},
		{"gemini", agents.Facts{Model: "gemini-2.5-pro"}, 524_288, 1_048_576},
		{"gemini", agents.Facts{Model: "gemma-4"}, 0, 0},
		{"opencode", agents.Facts{}, 0, 0},
		{"opencode", agents.Facts{Window: 200_000}, 168_000, 200_000},
		{"copilot", agents.Facts{Window: 128_000}, 102_400, 128_000},
		{"qwen", agents.Facts{Window: 262_144, Used: 200_000}, 183_500, 262_144},
		{"goose", agents.Facts{Used: 5}, 0, 0},
		{"cursor", agents.Facts{Window: 200_000}, 0, 200_000},
	} {
		tokens, window := builtin(t, c.agent).Context.Limit(c.facts)
		if tokens != c.tokens || window != c.window {
			t.Errorf("%s %+v: %d of %d, want %d of %d", c.agent, c.facts, tokens, window, c.tokens, c.window)
		}
	}
	at := agents.Context{At: 50_000, Windows: []int{258_400}, Percent: 90}
	if tokens, _ := at.Limit(agents.Facts{}); tokens != 50_000 {
		t.Errorf("at: %d", tokens)
	}
}

func TestOverride(t *testing.T) {
	a, err := agents.Read("codex.yaml", []byte("context:\n  at: 50000\nstart: [exec, --json, a b, '-']\n"), builtin(t, "codex"))
	if err != nil || a.Context.At != 50_000 || a.Context.Percent != 90 || a.Program != "codex" || !slices.Equal(a.Start, []string{"exec", "--json", "a b", "-"}) {
		t.Errorf("%+v, %v", a, err)
	}
	for src, want := range map[string]string{
		"stream: text":                          "title is missing",
		"title: X\nstream: xml":                 `2:9: unknown format "xml" (acp, claude, codex, copilot, gemini, opencode, pi, qwen, text)`,
		"title: X\nprompt: argv":                `2:9: unknown channel "argv" (stdin, file, none)`,
		"title: X\nprompt: file":                "want {file}",
		"title: X\ntranscripts: {format: text}": "unknown format",
		"title: X\ncontext: {percent: 120}":     "want a number from 0 to 100",
		"title: X\nprogramm: x":                 "programm",
	} {
		if _, err := agents.Read("x.yaml", []byte(src), agents.Agent{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
	if _, err := agents.Builtin("cluade"); err == nil || err.Error() != `unknown agent "cluade": did you mean claude?` {
		t.Errorf("%v", err)
	}
	if _, err := agents.Builtin("../x"); err == nil {
		t.Error("a path is an agent")
	}
}

func TestGlob(t *testing.T) {
	env := map[string]string{"HOME": "/home/dev"}
	getenv := func(k string) string { return env[k] }
	for _, c := range []struct{ agent, session, dir, want string }{
		{"claude", "s1", "/src/my app", "/home/dev/.claude/projects/-src-my-app/s1.jsonl"},
		{"claude", "", "", "/home/dev/.claude/projects/*/*.jsonl"},
		{"claude", "", "/" + strings.Repeat("a", 250), "/home/dev/.claude/projects/-" + strings.Repeat("a", 199) + "*/*.jsonl"},
		{"claude", "", "/" + strings.Repeat("a", 199), "/home/dev/.claude/projects/-" + strings.Repeat("a", 199) + "/*.jsonl"},
		{"codex", "s*", "", `/home/dev/.codex/sessions/*/*/*/rollout-*s\*.jsonl`},
		{"gemini", "22222222-2222-4333", "/x", "/home/dev/.gemini/tmp/*/chats/session-*22222222.jsonl"},
		{"goose", "s1", "/x", ""},
	} {
		got, ok := builtin(t, c.agent).Transcripts.Glob(c.session, c.dir, getenv)
		if got != c.want || ok != (c.want != "") {
			t.Errorf("%s %q %q: %s, %v; want %s", c.agent, c.session, c.dir, got, ok, c.want)
		}
	}
	env["CODEX_HOME"] = "/srv/codex"
	if got, _ := builtin(t, "codex").Transcripts.Glob("", "", getenv); got != "/srv/codex/sessions/*/*/*/rollout-**.jsonl" {
		t.Errorf("moved: %s", got)
	}
	clear(env)
	if got, ok := builtin(t, "claude").Transcripts.Glob("", "", getenv); ok {
		t.Errorf("no home folder: %s", got)
	}
}

// TestKeeps: an agent that runs whatever it likes without arguments for a level is known as
// one that keeps no level. Over the protocol handoff answers what it asks.
func TestKeeps(t *testing.T) {
	for _, name := range agents.Names() {
		a := builtin(t, name)
		for _, l := range []agents.Level{"", agents.ReadOnly, agents.Edit} {
			free := slices.Contains([]string{"crush", "goose", "opencode", "opencode2"}, name) ||
				l != agents.ReadOnly && slices.Contains([]string{"cline", "continue", "pi"}, name)
			if a.Keeps(l) == free {
				t.Errorf("%s: keeps %q: %v", name, l, !free)
			}
		}
		if !a.Keeps(agents.All) {
			t.Errorf("%s is refused at the level all", name)
		}
		if over, err := a.OverACP("/bin/handoff"); err == nil && !over.Keeps(agents.Edit) {
			t.Errorf("%s is refused over ACP", name)
		}
	}
}
