package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/task"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/surface/command"
)

// placeFiles are paths of documents of a known place: one for each of its globs, but only the
// usual spelling of a single file.
func placeFiles(p task.KnownPlace) (paths []string) {
	l, _ := task.Preset(p.Preset)
	globs := p.Files
	if globs == nil {
		globs = append(l.Files, l.Else...)
	}
	if p.Preset == "single" {
		globs = globs[:1]
	}
	for _, g := range globs {
		paths = append(paths, strings.NewReplacer("**/*.md", "2026-02-12-fix-auth.md", "**/", "phases/07-auth/", "*", "fix-auth").Replace(g))
	}
	return paths
}

const placeAction = "Write the failing test for `refreshToken` in src/auth/token.test.ts."

// placeText is a handoff in the form that the file has.
func placeText(path string) string {
	switch {
	case strings.HasSuffix(path, ".json"):
		return `{"timestamp": "2026-02-12T10:11:12Z", "remaining_tasks": [{"id": 2, "name": "Docs"}], "next_action": "` + placeAction + `"}`
	case strings.HasPrefix(filepath.Base(path), "."):
		return "---\nlast_updated: 2026-02-12T10:11:12Z\n---\n\n<remaining_work>\n- Docs\n</remaining_work>\n\n<next_action>\n" + placeAction + "\n</next_action>\n"
	}
	return "# Handoff\n\nLast updated: 2026-02-12\n\n## Next Steps\n1. " + placeAction + "\n"
}

// TestPlaces takes a handoff up in each known place, with no configuration: found, shown,
// claimed, and done. In every other one init writes the configuration first.
func TestPlaces(t *testing.T) {
	needs.Tool(t, "git")
	n := 0
	for _, p := range task.Places() {
		for _, path := range placeFiles(p) {
			first := []string{"", "init"}[n%2]
			n++
			t.Run(path, func(t *testing.T) {
				t.Parallel()
				takeUp(t, path, first)
			})
		}
	}
}

func takeUp(t *testing.T, path, first string) {
	t.Helper()
	root := t.TempDir()
	put(t, root, path, placeText(path))
	put(t, root, "src/auth/token.test.ts", "test('x')\n")
	run := func(args ...string) string {
		out, code := here(t, root, args...)
		if code != command.Clean {
			t.Errorf("%s: %q: exit status %d\n%s", path, args, code, out)
		}
		return out
	}
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if first != "" {
		if out := run(first); !strings.Contains(out, path) {
			t.Errorf("%s: init does not name it: %s", path, out)
		}
	}
	for _, args := range [][]string{{"ls"}, {"next"}, {"brief", "latest"}, {"brief", path, "--level", "3"}} {
		if out := run(args...); !strings.Contains(out, "refreshToken") {
			t.Errorf("%s: %q does not show the next action:\n%s", path, args, out)
		}
	}
	if out := run("lint"); strings.Contains(out, "error") || !strings.Contains(out, "1 file checked") && out != "" {
		t.Errorf("%s: lint: %s", path, out)
	}
	run("claim", "latest", "--as", "agent")
	run("done", path, "--as", "agent")
	if out := run("ls"); !strings.Contains(out, "done") {
		t.Errorf("%s: not done: %s", path, out)
	}
	if _, err := os.Stat(filepath.Join(root, "specs")); err == nil {
		t.Errorf("%s: specs/ was made beside it", path)
	}
}

// here runs a command of handoff in a folder, without a process: TestPlaces alone would start 800. It returns what the
// command prints and its exit status.
func here(t *testing.T, dir string, args ...string) (string, int) {
	t.Helper()
	var out bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Now: time.Now, Getenv: func(name string) string {
		switch name {
		case "HANDOFF_CLAIM":
			return ""
		case "XDG_STATE_HOME":
			return filepath.Join(dir, ".git/state")
		}
		return os.Getenv(name)
	}}
	code := run(waittest.Context(t), w, args)
	return out.String(), code
}

func put(t *testing.T, root, path, text string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
