package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/needs"
)

// TestReadme runs what README's console blocks show, in order, in a copy of
// the example, and compares what is printed. With -update it writes the
// output into README.
func TestReadme(t *testing.T) {
	needs.Tool(t, "bash")
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	bin := commandDir(t)
	if err := os.CopyFS(filepath.Join(dir, "specs/example"), os.DirFS("../../specs/example")); err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	ran := 0
	shell := func(command string) string {
		cmd := exec.Command("bash", "-c", command+"\npwd >&3")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), clockVar+"=2026-02-12T16:05:00Z")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{w}
		cmd.Run() // a command that fails shows that in its output
		w.Close()
		pwd := make([]byte, 4096)
		n, _ := r.Read(pwd)
		r.Close()
		dir = strings.TrimSpace(string(pwd[:n]))
		ran++
		return out.String()
	}
	for _, part := range splitConsole(string(src)) {
		if !part.console {
			got.WriteString(part.text)
			continue
		}
		for _, c := range part.commands() {
			got.WriteString(c.shown)
			if strings.HasPrefix(c.run, "go ") { // ours to run, not the example's
				continue
			}
			got.WriteString(shell(c.run))
		}
	}
	if ran < 8 {
		t.Errorf("README shows %d commands only", ran)
	}
	if got.String() == string(src) {
		return
	}
	if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile("../../README.md", []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, line := range strings.Split(got.String(), "\n") {
		if want := strings.Split(string(src)+strings.Repeat("\n", i+1), "\n")[i]; line != want {
			t.Fatalf("README.md:%d says\n  %s\nbut it is\n  %s", i+1, want, line)
		}
	}
}

// commandDir is a folder that holds this test binary under the name handoff,
// by which it runs the real main.
func commandDir(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(self, filepath.Join(dir, "handoff")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// section of a Markdown file: a console block's inside, or anything else.
type consolePart struct {
	console bool
	text    string
}

func splitConsole(src string) []consolePart {
	var parts []consolePart
	const open, end = "```console\n", "```\n"
	for {
		before, rest, found := strings.Cut(src, open)
		if !found {
			return append(parts, consolePart{false, src})
		}
		inside, after, _ := strings.Cut(rest, end)
		parts = append(parts, consolePart{false, before + open}, consolePart{true, inside})
		src = end + after
	}
}

type consoleCommand struct{ shown, run string }

// commands are the lines that begin with "$ ", each with the "> " lines that
// go on with it. What else stands there is output, which is made anew.
func (p consolePart) commands() []consoleCommand {
	var list []consoleCommand
	for _, line := range strings.SplitAfter(p.text, "\n") {
		if rest, ok := strings.CutPrefix(line, "$ "); ok {
			list = append(list, consoleCommand{line, rest})
		} else if rest, ok := strings.CutPrefix(line, "> "); ok && len(list) > 0 {
			c := &list[len(list)-1]
			c.shown += line
			c.run += rest
		}
	}
	return list
}
