package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/internal/testing/schematest"
	"handoff/internal/testing/waittest"
	"handoff/workspace/overview"
)

// topWorkspace has a task in each state that needs a person, and one that bob holds.
func topWorkspace(t *testing.T, bin string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	handedOverIn(t, dir)
	src, err := os.ReadFile(filepath.Join(dir, handedOver))
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range []string{"2_held", "3_broken", "4_done"} {
		writeFile(t, dir, "specs/"+task+"/handoffs/phase-1-handoff-20260212T143022Z.md", string(src))
	}
	writeFile(t, dir, "specs/3_broken/.return-meta.json", `{"status":`)
	writeFile(t, dir, "specs/4_done/.return-meta.json", `{"status": "completed", "partial_progress": {"phases_completed": 4, "phases_total": 4}}`)
	stdoutOf(t, bin, dir, "claim", "2", "--as", "bob", "--ttl", "3h")
	return dir
}

// TestTopJSON: the answer has a fixed size, follows the schema, and names the command.
func TestTopJSON(t *testing.T) {
	t.Setenv("HANDOFF_CLAIM", "")
	bin := commandDir(t)
	dir := topWorkspace(t, bin)
	compiled := schematest.Compile(t, "top")
	for _, args := range [][]string{{"top", "--json"}, {"top", "--json", "-n", "1"}} {
		text := stdoutOf(t, bin, dir, args...)
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiled.Validate(v); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		var got struct {
			Command string
			overview.Overview
		}
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Fatal(err)
		}
		if want := map[bool]int{true: 1, false: 4}[len(args) > 2]; len(got.Tasks) != want || got.Total != 4 || strings.Count(text, "\n") != 1 {
			t.Errorf("%v: %d tasks of %d: %s", args, len(got.Tasks), got.Total, text)
		}
		if got.Command != "handoff verify specs/3_broken" {
			t.Errorf("%v: command %q", args, got.Command)
		}
	}
	for _, damaged := range []string{`{}`, `{"command":"","at":"2026-02-12T16:05:00Z","counts":{},"total":0,"tasks":[]}`} {
		if v, err := jsonschema.UnmarshalJSON(strings.NewReader(damaged)); err != nil || compiled.Validate(v) == nil {
			t.Errorf("the schema accepts %s (%v)", damaged, err)
		}
	}
}

// TestTopInTmux uses the screen in a real terminal of two sizes: it shows every unfinished task,
// claims and releases on a key after it has asked, and follows what others do.
func TestTopInTmux(t *testing.T) {
	t.Setenv("HANDOFF_CLAIM", "")
	for _, size := range [][2]int{{80, 24}, {200, 60}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) { topInTmux(t, size[0], size[1]) })
	}
}

func topInTmux(t *testing.T, columns, lines int) {
	tmux, bin := tmuxServer(t), commandDir(t)
	dir := topWorkspace(t, bin)
	tmux("-f", os.DevNull, "new-session", "-d", "-s", "t", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(lines), "-c", dir,
		"-e", clockVar+"=2026-02-12T16:05:00Z", "-e", "NO_COLOR=1", bin+"/handoff top --as ann; echo left=$?; exec cat")
	screen := func() string { return tmux("capture-pane", "-p", "-t", "t") }
	wait := func(want string) {
		t.Helper()
		waittest.Until(t, "the screen to show "+want, func() bool { return strings.Contains(screen(), want) })
	}
	press := func(keys ...string) { t.Helper(); tmux(append([]string{"send-keys", "-t", "t"}, keys...)...) }
	state := func(task, want string) {
		t.Helper()
		if got := stdoutOf(t, bin, dir, "receipts", task); !strings.Contains(got, want) {
			t.Errorf("receipts of %s: %s, want %s", task, got, want)
		}
	}

	wait("3 broken")
	golden(t, fmt.Sprintf("now-%dx%d.txt", columns, lines), screen())
	if raw := tmux("capture-pane", "-p", "-e", "-t", "t"); strings.Contains(raw, "\x1b[31m") {
		t.Errorf("colours in spite of NO_COLOR: %q", raw)
	}

	press("j")
	wait("> waiting 1 first")
	press("c")
	wait("run `handoff claim 1/1")
	press("n")
	wait("not run")
	if got := stdoutOf(t, bin, dir, "receipts", "1"); strings.Contains(got, "claimed") {
		t.Fatalf("claimed without a yes: %s", got)
	}
	press("c")
	wait("y run it")
	press("y")
	wait("claimed 1/1 until 2026-02-12T18:05:00Z")
	wait("> held    1 first")
	state("1", "claimed by ann")
	press("r")
	wait("run `handoff release 1/1")
	press("y")
	wait("released 1/1")
	wait("> waiting 1 first")
	state("1", "released")

	stdoutOf(t, bin, dir, "claim", "1", "--as", "carol") // by another process
	wait("held by carol")
	press("r")
	wait("y run it")
	press("y")
	wait("held by carol, not by ann")
	state("1", "claimed by carol")

	press("Enter")
	wait("claimed by carol")
	wait("released by ann")
	press("Escape")
	wait("[1 Now]")
	press("Tab")
	wait("[2 Waiting]")
	wait("nothing waits")
	writeFile(t, dir, "specs/5_new/handoffs/phase-2-handoff-20260212T150000Z.md", "# Phase 2 Handoff - 20260212T150000Z\n\n## Immediate Next Action\nRun `make`.\n")
	wait("5 new")
	press("1")
	wait("[1 Now]")
	press("/", "h", "e", "l", "d")
	wait("filter: held_")
	press("Enter")
	wait("filter: held (2 of 5")
	press("Escape")
	wait("3 broken")

	for _, to := range [][2]int{{60, 12}, {20, 5}, {columns, lines}} {
		tmux("resize-window", "-t", "t", "-x", fmt.Sprint(to[0]), "-y", fmt.Sprint(to[1]))
		waittest.Until(t, "the screen to be drawn at its new size", func() bool {
			shown := strings.Split(strings.TrimSuffix(screen(), "\n"), "\n")
			return len(shown) == to[1] && strings.HasPrefix(shown[0], "handoff top") && (to[1] < 8 || strings.HasPrefix(shown[to[1]-1], "enter open"))
		})
	}
	press("q")
	wait("left=0")
}

// golden compares a screen with a file, or writes it with HANDOFF_UPDATE_SCRIPTS=1.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", "top", name)
	if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil || got != string(want) {
		t.Errorf("%s: %v\ngot\n%s\nwant\n%s", name, err, got, want)
	}
}
