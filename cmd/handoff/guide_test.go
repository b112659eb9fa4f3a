package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"handoff/agents/skill"
	"handoff/internal/testing/needs"
)

// guideFirst is the first sentence of the next action of the example.
const guideFirst = "Apply `rcases` on `h_ih` to extract the induction hypothesis, then use `exact` with `ih_coherent`."

const guideValues = `next_action: Run ` + "`go test ./...`" + ` in values.yaml.
state: {file: values.yaml, location: Line 1, goal: tests pass}
decisions: [None]
dead_ends: [None]
context: [None]
references: [values.yaml]
`

// guided are the texts that tell an agent which commands to run, as a session gets them in a tree.
// Each may make calls there before.
var guided = map[string]func(t *testing.T, shell func(line string) (string, error), dir string) string{
	"block": func(*testing.T, func(string) (string, error), string) string { return skill.Block() },
	"skill": func(*testing.T, func(string) (string, error), string) string { return skill.Text() },
	"hook": func(t *testing.T, shell func(string) (string, error), dir string) string {
		in, err := json.Marshal(map[string]string{"session_id": "11111111", "cwd": dir, "hook_event_name": "SessionStart", "source": "startup"})
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "in.json"), in, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		out, err := shell("handoff hook session-start --host claude < in.json")
		var v struct {
			HookSpecificOutput struct{ AdditionalContext string }
		}
		if err == nil {
			err = json.Unmarshal([]byte(out), &v)
		}
		if err != nil {
			t.Fatal(err, out)
		}
		return v.HookSpecificOutput.AdditionalContext
	},
	"prompt of spawn": func(t *testing.T, shell func(string) (string, error), dir string) string {
		out, err := shell("handoff spawn 259/3 --agent claude --print 2> /dev/null; handoff claim 259/3 --as claude > /dev/null 2>&1")
		if err != nil {
			t.Fatal(err, out)
		}
		return out
	},
}

var quotedCommand = regexp.MustCompile("`(handoff [^`]*?('TEXT')?)`")

// asTyped is a command of a text as an agent types it.
func asTyped(command string) string {
	return strings.NewReplacer("'TEXT'", "'"+guideFirst+"'", "--task N", "--task 259", "--phase P", "--phase 4", "FILE", "values.yaml", " REF", " 259/3",
		"rules NAME", "rules vague-next-action", "NAME", "claude", "COMMAND", "claim").Replace(command)
}

// TestGuide runs each command that a text tells an agent to run, in a shell of its own, as hosts do: in
// the agent's session, and where the host names none.
func TestGuide(t *testing.T) {
	needs.Unix(t, "hosts run commands in a POSIX shell there")
	bin := commandDir(t)
	for name, read := range guided {
		for _, session := range []string{"11111111", ""} {
			tree := func(t *testing.T) (func(string) (string, error), string) {
				dir, home := t.TempDir(), t.TempDir()
				if err := os.CopyFS(dir, os.DirFS("../../specs/example")); err != nil {
					t.Fatal(err)
				}
				transcript := filepath.Join(home, ".claude/projects", regexp.MustCompile(`[^A-Za-z0-9]`).ReplaceAllString(dir, "-"), "11111111.jsonl")
				line, err := json.Marshal(map[string]any{"type": "assistant", "uuid": "u", "sessionId": "11111111", "cwd": dir, "message": map[string]any{"id": "m", "model": "claude-opus-4-6", "content": []any{}, "usage": map[string]int{"input_tokens": 5000}}})
				if err == nil {
					err = os.MkdirAll(filepath.Dir(transcript), 0o700)
				}
				if err == nil {
					err = os.WriteFile(transcript, append(line, '\n'), 0o600)
				}
				if err == nil {
					err = os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(guideValues), 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
				return func(line string) (string, error) {
					cmd := exec.Command("sh", "-c", line)
					cmd.Dir, cmd.Env = dir, append(guideEnv(bin, home), "CLAUDE_CODE_SESSION_ID="+session)
					out, err := cmd.CombinedOutput()
					return string(out), err
				}, dir
			}
			shell, dir := tree(t)
			commands := quotedCommand.FindAllStringSubmatch(read(t, shell, dir), -1)
			if len(commands) == 0 {
				t.Errorf("%s: no commands", name)
			}
			for i, c := range commands {
				t.Run(name+"/"+c[1], func(t *testing.T) {
					shell, dir := tree(t)
					line := asTyped(quotedCommand.FindAllStringSubmatch(read(t, shell, dir), -1)[i][1])
					if verb := strings.Fields(line)[1]; name != "prompt of spawn" && (verb == "ack" || verb == "renew" || verb == "done" || verb == "release") {
						if out, err := shell(asTyped("handoff claim REF --as NAME")); err != nil {
							t.Fatal(err, out)
						}
					}
					if out, err := shell(line); err != nil {
						t.Errorf("%s: %v: %s", line, err, out)
					}
				})
			}
		}
	}
}

// TestSteps runs the steps of an agent that continues a handoff one after the other, each in a shell of its own.
func TestSteps(t *testing.T) {
	needs.Unix(t, "hosts run commands in a POSIX shell there")
	bin, dir, home := commandDir(t), t.TempDir(), t.TempDir()
	err := os.CopyFS(dir, os.DirFS("../../specs/example"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "values.yaml"), []byte(guideValues), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range skill.Steps() {
		if s.Name == "release" {
			continue // instead of done
		}
		cmd := exec.Command("sh", "-c", asTyped(s.Command))
		cmd.Dir, cmd.Env = dir, guideEnv(bin, home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", s.Command, err, out)
		}
	}
}

// guideEnv is the environment of an agent's commands, without what the tests themselves run in.
func guideEnv(bin, home string) []string {
	env := []string{clockVar + "=2026-02-12T16:05:00Z", "HOME=" + home}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "HANDOFF_") && !strings.Contains(v, "_SESSION_ID=") && !strings.HasPrefix(v, "PATH=") && !strings.HasPrefix(v, "HOME=") {
			env = append(env, v)
		}
	}
	return append(env, "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
}
