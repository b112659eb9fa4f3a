package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"handoff/surface/command"
)

// atWidth is the output of a command on a terminal with that many columns.
func atWidth(t *testing.T, dir string, columns int, args ...string) string {
	t.Helper()
	behind, tty := terminal(t)
	var sent, talk bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(&sent, behind) })
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: command.Guarded(tty), Stderr: &talk, Dir: dir, Now: func() time.Time { return time.Unix(1770912300, 0) },
		Getenv: func(name string) string {
			if name == "COLUMNS" {
				return fmt.Sprint(columns)
			}
			return ""
		}}
	code := run(context.Background(), w, args)
	tty.Close() // closing the last descriptor ends the reading
	reading.Wait()
	if code != command.Clean {
		t.Fatalf("%s: exit code %d: %s", args, code, &talk)
	}
	return strings.ReplaceAll(sent.String(), "\r\n", "\n")
}

// TestListOnATerminal: no line of ls is wider than the terminal, whatever the
// widths of its columns; in a pipe nothing is cut.
func TestListOnATerminal(t *testing.T) {
	dir := t.TempDir()
	const long = "prove_completeness_of_the_canonical_model_for_all_of_the_weak_systems"
	next := "Apply `rcases` on `h_ih`, 証明する, " + strings.Repeat("and then on the next one ", 10) + "to the end."
	for i, slug := range []string{"x", long} {
		folder := filepath.Join(dir, fmt.Sprintf("specs/%d_%s/handoffs", i+1, slug))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		src := "# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\n" + next + "\n"
		if err := os.WriteFile(filepath.Join(folder, "phase-3-handoff-20260212T143022Z.md"), []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, columns := range []int{20, 40, 60, 80, 100, 400} {
		lines := strings.Split(strings.TrimSuffix(atWidth(t, dir, columns, "ls"), "\n"), "\n")
		if len(lines) != 3 || !strings.HasPrefix(lines[0], "REF") {
			t.Fatalf("%q", lines)
		}
		lines = lines[1:] // without the header
		for _, line := range lines {
			if got := displaywidth.String(line); got > columns {
				t.Errorf("%d columns: %d in %q", columns, got, line)
			}
			if whole := strings.HasSuffix(line, "to the end."); whole != (columns == 400) {
				t.Errorf("%d columns: %q", columns, line)
			}
		}
		if columns >= 60 && (!strings.Contains(lines[0], "Apply `") || strings.Index(lines[0], "Apply") != strings.Index(strings.ReplaceAll(lines[1], "…", "."), "Apply")) {
			t.Errorf("%d columns: %q", columns, lines)
		}
	}
	var pipe bytes.Buffer
	w := &command.Process{Stdout: &pipe, Stderr: &pipe, Dir: dir, Now: time.Now, Getenv: func(string) string { return "20" }}
	if code := run(context.Background(), w, []string{"ls"}); code != command.Clean || strings.Count(pipe.String(), "to the end.") != 2 || !strings.Contains(pipe.String(), long) {
		t.Errorf("%d: %s", code, &pipe)
	}
}

// TestClaimOnATerminal: a person is told what the id is for, and to set it has that effect.
func TestClaimOnATerminal(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "specs/1_parse/handoffs/phase-1-handoff-20260212T143022Z.md", "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test ./parse`.\n")
	told, found := strings.CutPrefix(atWidth(t, dir, 80, "claim", "1", "--as", "ann"), "elsewhere than in this terminal: export HANDOFF_CLAIM=")
	if !found {
		t.Errorf("said %q", told)
	}
	var talk bytes.Buffer
	w := &command.Process{Stdout: &talk, Stderr: &talk, Dir: dir, Now: time.Now, Getenv: func(name string) string {
		return map[string]string{"HANDOFF_CLAIM": strings.TrimSpace(told)}[name]
	}}
	if code := run(context.Background(), w, []string{"renew"}); code != command.Clean {
		t.Errorf("%d: %s", code, &talk)
	}
}

// TestThreadsOnATerminal: a terminal shows text, or JSON with --json.
func TestThreadsOnATerminal(t *testing.T) {
	dir := t.TempDir()
	do := func(args ...string) string {
		t.Helper()
		return atWidth(t, dir, 60, append([]string{"thread"}, args...)...)
	}
	made := do("create", "--title", "completeness")
	id, ok := strings.CutPrefix(strings.Split(made, "\n")[0], "thread ")
	if !ok || !strings.Contains(made, "\ntitle completeness\ncreated 2026-02-12 16:05:00Z\n") {
		t.Fatalf("%q", made)
	}
	if got := do("get", id); got != made {
		t.Errorf("%q, want %q", got, made)
	}
	do("post-message", id, "--content", "What is left, and who proves it? "+strings.Repeat("x", 60))
	for _, c := range []struct {
		want string
		args []string
	}{
		{"    0  2026-02-12 16:05:00Z  created  completeness\n    1  2026-02-12 16:05:00Z  message_appended  user: What i…\n", []string{"events", id}},
		{"\nbranch of thread " + id + " after event 1\n", []string{"branch", id}},
		{"\nhandoff of thread " + id + " after event 1\n", []string{"handoff", id, "--summary-markdown", "s"}},
		{"\n  What is left, and who proves it?\n  xxxx", []string{"show", id}},
		{`{"thread_id":"` + id + `"`, []string{"get", id, "--json"}},
		{`"type":"continuity_created"`, []string{"events", id, "--json"}},
		{`"parent_thread_id":"` + id + `"`, []string{"branch", id, "--json"}},
		{`"from_thread_id":"` + id + `"`, []string{"handoff", id, "--summary-markdown", "s", "--json"}},
		{`"archived":false}`, []string{"create", "--json"}},
	} {
		if got := do(c.args...); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}
