package plugin_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// install is what a person types to install the plugin in an agent. ROOT is the
// repository.
var install = map[string][]string{
	"claude": {"plugin marketplace add ROOT", "plugin install handoff@handoff"},
	"codex":  {"plugin marketplace add ROOT", "plugin add handoff@handoff"},
	"gemini": {"extensions link --consent ROOT/plugin/gemini"},
}

// flags are those of a run with the plugin: they answer what a person is asked once.
// Claude Code asks whether a tool may be used, Codex whether new hooks are trusted.
var flags = map[string][]string{
	"claude": {"--allowedTools", "mcp__plugin_handoff_handoff"},
	"codex":  {"--dangerously-bypass-hook-trust"},
}

// TestLoaded runs each agent with the plugin and a program that replaces
// handoff: it records how it is called. Each hook of a turn runs once, for the right
// host, what the first one prints reaches the model, and the MCP server is started
// in the project.
func TestLoaded(t *testing.T) {
	needs.Unix(t, "the program is a shell script")
	for _, name := range slices.Sorted(maps.Keys(install)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work := t.TempDir()
			model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
				return scriptedmodel.Answer{Text: "finished"}
			})
			agent := realagents.Prepare(t, name, work, model)
			calls := standIn(t, agent, name)
			installIn(t, agent, work)
			session(t, agent, work)
			turns := model.Turns()
			if len(turns) == 0 || !turns[0].Contains(delivered) {
				t.Errorf("of %d requests the first has no text of the hook", len(turns))
			}
			checkCalls(t, name, work, calls())
		})
	}
}

// delivered is what the hook of a session's start prints.
const delivered = "text-of-the-hook"

// standIn puts a program called handoff into the agent's PATH. The function that it
// returns lists its calls: the folder and the arguments of each.
func standIn(t *testing.T, agent *realagents.Agent, name string) (calls func() []string) {
	t.Helper()
	bin := t.TempDir()
	h, err := host.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	start, _ := h.Hook(host.SessionStart)
	write(t, filepath.Join(bin, "answer"), start.Envelope(delivered))
	log := filepath.Join(bin, "calls")
	script := "#!/bin/sh\necho \"$PWD handoff $*\" >>" + log + "\ncase $2 in session-start) cat " + bin + "/answer ;; esac\n[ \"$1\" = mcp ] || cat >/dev/null\n"
	if err := os.WriteFile(filepath.Join(bin, "handoff"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	putFirst(agent, bin)
	return func() []string {
		src, err := os.ReadFile(log)
		if err != nil {
			t.Fatalf("handoff was not called: %v", err)
		}
		return strings.Split(strings.TrimSpace(string(src)), "\n")
	}
}

// putFirst puts a folder at the begin of an agent's PATH.
func putFirst(agent *realagents.Agent, bin string) {
	for i, v := range agent.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			agent.Env[i] = "PATH=" + bin + string(filepath.ListSeparator) + path
		}
	}
}

// installIn installs the plugin of the repository in an agent.
func installIn(t *testing.T, agent *realagents.Agent, work string) {
	t.Helper()
	for _, line := range install[agent.Name] {
		runAgent(t, agent, work, strings.Fields(strings.ReplaceAll(line, "ROOT", absolute(t, root))))
	}
}

// session runs an agent once, with a prompt.
func session(t *testing.T, agent *realagents.Agent, work string) {
	t.Helper()
	runAgent(t, agent, work, slices.Concat(agent.Args[:1], flags[agent.Name], agent.Args[1:]))
}

func runAgent(t *testing.T, agent *realagents.Agent, work string, args []string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, agent.Path, args...)
	cmd.Dir, cmd.Stdin = work, strings.NewReader("the-prompt")
	cmd.Env = append(cmd.Environ(), agent.Env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", agent.Name, args, err, out)
	}
	return out
}

// checkCalls compares how the program was called in one turn without a tool call.
func checkCalls(t *testing.T, name, work string, calls []string) {
	t.Helper()
	times := map[string]int{}
	for _, call := range calls {
		dir, command, _ := strings.Cut(call, " ")
		times[command]++
		if dir != work {
			t.Errorf("%s runs in %s, not in the project %s", command, dir, work)
		}
		if strings.HasPrefix(command, "handoff hook ") && !strings.HasSuffix(command, " --host "+name) {
			t.Errorf("%s is a hook of another host", command)
		}
	}
	for _, event := range []host.Event{host.SessionStart, host.Prompt, host.Stop} {
		if n := times["handoff hook "+string(event)+" --host "+name]; n != 1 {
			t.Errorf("%s: the hook ran %d times, want once", event, n)
		}
	}
	if times["handoff mcp"] == 0 {
		t.Error("the MCP server was not started")
	}
	if t.Failed() {
		t.Logf("calls:\n%s", strings.Join(calls, "\n"))
	}
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestClaudeValidate: Claude Code finds nothing to warn about, and each hook once.
func TestClaudeValidate(t *testing.T) {
	agent := realagents.Prepare(t, "claude", t.TempDir(), scriptedmodel.Start(t, nil))
	runAgent(t, agent, absolute(t, root), []string{"plugin", "validate", "--strict", "."})
	var report struct {
		Provides struct {
			Hooks []struct{ Event, Command string }
		}
	}
	out := runAgent(t, agent, absolute(t, root), []string{"plugin", "validate", "--strict", "--json", "plugin/claude"})
	if err := json.Unmarshal(out, &report); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	claude, err := host.Named("claude")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for _, k := range claude.Hooks {
		want[k.Native] = command(claude, k)
	}
	got := map[string]string{}
	for _, h := range report.Provides.Hooks {
		got[h.Event] += h.Command
	}
	if !maps.Equal(got, want) {
		t.Errorf("hooks %v, want %v", got, want)
	}
}

func TestGeminiValidate(t *testing.T) {
	agent := realagents.Prepare(t, "gemini", t.TempDir(), scriptedmodel.Start(t, nil))
	runAgent(t, agent, absolute(t, root), []string{"extensions", "validate", "plugin/gemini"})
}
