package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestReadme runs the commands in the console blocks of README and other pages,
// each page in its own copy of the example, and compares the output. With
// HANDOFF_UPDATE_SCRIPTS=1 it updates the blocks.
func TestReadme(t *testing.T) {
	for _, name := range []string{"README.md", "docs/tutorial.md", "docs/agents.md", "docs/json.md", "docs/threads.md", "docs/tapes.md", "docs/convert.md"} {
		t.Run(name, func(t *testing.T) { testPage(t, name) })
	}
}

func testPage(t *testing.T, name string) {
	needs.Tool(t, "bash")
	src, err := os.ReadFile("../../" + name)
	if err != nil {
		t.Fatal(err)
	}
	parts := splitConsole(string(src))
	var commands []string
	for _, part := range parts {
		for _, c := range part.commands() {
			commands = append(commands, c.run)
		}
	}
	if len(commands) < 4 {
		t.Errorf("it shows %d commands only", len(commands))
	}
	outputs := session(t, commands)
	var b strings.Builder
	for _, part := range parts {
		if !part.console {
			b.WriteString(part.text)
		}
		for _, c := range part.commands() {
			b.WriteString(c.shown + outputs[0])
			outputs = outputs[1:]
		}
	}
	got := b.String()
	if got == string(src) {
		return
	}
	if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile("../../"+name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, line := range strings.Split(got, "\n") {
		if want := strings.Split(string(src)+strings.Repeat("\n", i+1), "\n")[i]; line != want {
			t.Fatalf("%s:%d says\n  %s\nbut it is\n  %s", name, i+1, want, line)
		}
	}
}

// settle waits until a watch in the background has finished its work, as it
// would have by the time a person has typed the next command.
const settle = `settle() {
	local n=0
	while [ -n "$(jobs -r)" ] && ! { handoff sync --check && handoff watch --status | grep -q ' 0 in the queue'; } &>/dev/null; do
		if (( ++n > 2000 )); then echo 'the watch does not settle'; return; fi
		sleep 0.1
	done
}
`

// session runs commands in one shell, in a copy of the repository's examples,
// and returns the output of each. It skips commands of the go tool, which need
// the repository itself.
func session(t *testing.T, commands []string) []string {
	t.Helper()
	dir, bin := t.TempDir(), commandDir(t)
	if err := os.CopyFS(filepath.Join(dir, "specs/example"), os.DirFS("../../specs/example")); err != nil {
		t.Fatal(err)
	}
	const end = "\x01"
	script := settle
	for _, c := range commands {
		if !strings.HasPrefix(c, "go ") {
			script += c + "settle\n"
		}
		script += "printf '" + end + "'\n"
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", script+"kill $(jobs -p) 2>/dev/null\n")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"), "TZ=UTC", clockVar+"=2026-02-12T16:05:00Z", idsVar+"="+t.TempDir())
	out, err := cmd.CombinedOutput() // a command that fails shows that in its output
	outputs := strings.Split(string(out), end)
	if len(outputs) != len(commands)+1 || outputs[len(commands)] != "" {
		t.Fatalf("the shell ended early: %v\n%s", err, out)
	}
	return outputs[:len(commands)]
}

// commandDir is a folder with this test binary under the name handoff. Under
// that name it runs the real main. It is not a symlink, because then
// os.Executable would return another name.
func commandDir(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Link(self, filepath.Join(dir, "handoff")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// consolePart is a part of a Markdown file: the content of a console block, or
// the text between blocks.
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
// continue it. All other lines are output, which is generated again.
func (p consolePart) commands() []consoleCommand {
	if !p.console {
		return nil
	}
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
