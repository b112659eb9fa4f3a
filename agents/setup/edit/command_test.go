package edit_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/agents/setup/edit"
	"handoff/internal/testing/needs"
)

// TestNothingBlocks runs the commands that are installed for Claude Code where handoff is
// missing, is another program, crashes as Go does, and works.
func TestNothingBlocks(t *testing.T) {
	needs.Unix(t, "the commands run in a POSIX shell")
	installed := must(t, claude.Add, edit.Text{})
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	if err := json.Unmarshal([]byte(installed.Bytes), &settings); err != nil || len(settings.Hooks) != len(named("claude").Hooks) {
		t.Fatalf("%v: %s", err, installed.Bytes)
	}
	for name, c := range map[string]struct{ program, want string }{
		"missing":         {"", ""},
		"another program": {"#!/bin/sh\necho \"usage: handoff {save,load}\" >&2\nexit 2\n", ""},
		"a crash":         {"#!/bin/sh\necho 'panic: x' >&2\nexit 2\n", ""},
		"killed":          {"#!/bin/sh\nkill -9 $$\n", ""},
		"it works":        {"#!/bin/sh\ncat; echo \" $# $*\"\n", "in 4 hook EVENT --host claude\n"},
	} {
		bin := t.TempDir()
		if c.program != "" {
			if err := os.WriteFile(filepath.Join(bin, "handoff"), []byte(c.program), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for native, groups := range settings.Hooks {
			event, err := host.ParseEvent(native)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command("/bin/sh", "-c", groups[0].Hooks[0].Command)
			cmd.Env, cmd.Stdin = []string{"PATH=" + bin + ":/bin:/usr/bin"}, strings.NewReader("in")
			out, err := cmd.Output()
			if want := strings.ReplaceAll(c.want, "EVENT", string(event)); err != nil || string(out) != want {
				t.Errorf("%s, %s: %v, prints %q, want %q", name, native, err, out, want)
			}
		}
	}
}
