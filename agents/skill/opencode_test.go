package skill_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/agents/skill"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/realagents"
	"handoff/internal/testing/scriptedmodel"
)

// waiting is what the hook of these tests prints at the start of a session.
const waiting = "A handoff waits: close the gap in section seven."

// TestRealOpenCode: the real OpenCode 1 loads the plugin, each request of its work
// has the text once, before a compaction and after it, and the other events reach
// the hook.
func TestRealOpenCode(t *testing.T) {
	work := t.TempDir()
	model := scriptedmodel.Start(t, func(r scriptedmodel.Request) scriptedmodel.Answer {
		write := func(name string) []scriptedmodel.Call {
			return []scriptedmodel.Call{{Name: "write", Input: map[string]any{"filePath": filepath.Join(work, name), "content": "seen"}}}
		}
		switch r.Turn {
		case 1:
			return scriptedmodel.Answer{Calls: write("note.md")}
		case 2: // nearly all of the context of 200,000 tokens is used: OpenCode compacts
			return scriptedmodel.Answer{Calls: write("other.md"), Input: 199_000}
		}
		return scriptedmodel.Answer{Text: "finished"}
	})
	agent := realagents.Prepare(t, "opencode", work, model)
	writeFile(t, filepath.Join(work, ".opencode", "plugins", "handoff.ts"), skill.OpenCodePlugin, 0o600)
	calls := fakeHandoff(t)
	run := func(args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, agent.Path, append(slices.Clone(agent.Args), args...)...)
		cmd.Dir, cmd.Stdin = work, strings.NewReader("go")
		cmd.Env = append(cmd.Environ(), agent.Env...)
		cmd.Env = append(cmd.Env, "PATH="+filepath.Dir(calls)+string(filepath.ListSeparator)+filepath.Dir(agent.Path)+string(filepath.ListSeparator)+os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	run()
	turns := model.Turns()
	if len(turns) != 3 {
		t.Fatalf("%d turns", len(turns))
	}
	for i, r := range turns {
		if n := strings.Count(strings.Join(r.Texts, "\n"), waiting); n != 1 {
			t.Errorf("request %d has the text %d times", i+1, n)
		}
	}
	if !turns[1].Contains("The hook saw note.md") {
		t.Error("what the hook printed after the tool call did not reach the model")
	}
	made := recorded(t, calls)
	want := map[string]int{"session-start": 1, "tool-use": 2, "pre-compact": 1, "post-compact": 1, "stop": 1}
	for event, n := range want {
		if len(made[event]) != n {
			t.Errorf("%s: %d calls, want %d", event, len(made[event]), n)
		}
	}
	if !slices.ContainsFunc(model.Requests(), func(r scriptedmodel.Request) bool { return r.Turn == 0 && r.Contains("Keep the id of the handoff.") }) {
		t.Error("what the hook printed before the compaction did not reach the request for the summary")
	}
	for event, inputs := range made {
		if in := inputs[0]; in["cwd"] != work || in["session_id"] == "" || in["hook_event_name"] == "" {
			t.Errorf("%s: %v", event, in)
		}
	}

	// Another process continues the session: the text is not in its transcript.
	run("--continue")
	starts := recorded(t, calls)["session-start"]
	if len(starts) != 2 || starts[0]["source"] != "startup" || starts[1]["source"] != "compact" || starts[0]["session_id"] != starts[1]["session_id"] {
		t.Errorf("session-start: %v", starts)
	}
	turns = model.Turns()
	if n := strings.Count(strings.Join(turns[len(turns)-1].Texts, "\n"), waiting); len(turns) != 4 || n != 1 {
		t.Errorf("after that, turn %d has the text %d times", len(turns), n)
	}
}

// TestVersion2 loads the plugin as OpenCode 2 does, in the JavaScript engine that
// is part of OpenCode 1, with a context that the test provides. OpenCode 2 itself
// is not tested: npm does not have it.
func TestVersion2(t *testing.T) {
	opencode := filepath.Join(needs.Folder(t, "HANDOFF_AGENTS"), "opencode")
	calls, work := fakeHandoff(t), t.TempDir()
	plugin := filepath.Join(work, "handoff.ts")
	writeFile(t, plugin, skill.OpenCodePlugin, 0o600)
	driver, err := filepath.Abs("testdata/version2.ts")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), opencode, "run", driver, plugin, work)
	cmd.Dir = work
	cmd.Env = append(cmd.Environ(), "BUN_BE_BUN=1", "HOME="+work, "PATH="+filepath.Dir(calls)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const want = `{"id":"handoff","server":"function","added":{` +
		`"first":[{"type":"text","text":"` + waiting + `"}],"second":[{"type":"text","text":"` + waiting + `"}],` +
		`"child":[],"yesterday":[{"type":"text","text":"` + waiting + `"}],"compaction":[{"type":"text","text":"Keep the id of the handoff."}]}}` + "\n"
	if string(out) != want {
		t.Errorf("%s\nwant %s", out, want)
	}
	made := recorded(t, calls)
	if starts := made["session-start"]; len(starts) != 2 || starts[0]["source"] != "startup" || starts[1]["session_id"] != "yesterday" || starts[1]["source"] != "compact" {
		t.Errorf("session-start: %v", starts)
	}
	for _, event := range []string{"pre-compact", "post-compact", "stop", "stop-failure", "session-end"} {
		if len(made[event]) != 1 || made[event][0]["session_id"] != "main" || made[event][0]["cwd"] != work {
			t.Errorf("%s: %v", event, made[event])
		}
	}
}

// fakeHandoff writes a program `handoff` that appends its event and its standard
// input to the file that is returned, which is in the same folder.
func fakeHandoff(t *testing.T) (calls string) {
	t.Helper()
	needs.Unix(t, "the hook of the test is a shell script")
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	writeFile(t, filepath.Join(dir, "handoff"), `#!/bin/sh
[ "$1 $3 $4" = "hook --host opencode" ] || exit 2
in=$(cat)
printf '%s\t%s\n' "$2" "$in" >> '`+calls+`'
case $2 in
session-start) echo '`+waiting+`' ;;
tool-use) case $in in *note.md*) echo 'The hook saw note.md' ;; esac ;;
pre-compact) echo '{"context":"Keep the id of the handoff."}' ;;
esac
`, 0o700)
	return calls
}

// recorded are the inputs of the hook, by event.
func recorded(t *testing.T, calls string) map[string][]map[string]any {
	t.Helper()
	src, err := os.ReadFile(calls)
	if err != nil {
		t.Fatal(err)
	}
	made := map[string][]map[string]any{}
	for line := range strings.Lines(string(src)) {
		event, in, _ := strings.Cut(line, "\t")
		var v map[string]any
		if err := json.Unmarshal([]byte(in), &v); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		made[event] = append(made[event], v)
	}
	return made
}

func writeFile(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}
