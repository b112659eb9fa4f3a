package main

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"handoff/internal/testing/needs"
)

// TestReadme runs the commands in the console blocks of each page, from a copy of the
// checkout, and compares the output. With HANDOFF_UPDATE_SCRIPTS=1 it updates the
// blocks. Then it runs them as a reader does: in another shell, at another time and
// with random ids. Neither may change the checkout.
func TestReadme(t *testing.T) {
	needs.Tool(t, "bash")
	needs.Tool(t, "sh")
	pages, checkout := documentation(t), copyCheckout(t)
	ran := 0
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if parts := splitConsole(string(pages[name])); len(parts) > 1 {
			ran++
			t.Run(name, func(t *testing.T) { testPage(t, checkout, name, string(pages[name]), parts) })
		}
	}
	if ran < 8 {
		t.Errorf("found %d pages with console blocks only", ran)
	}
}

func testPage(t *testing.T, checkout, name, src string, parts []consolePart) {
	var commands []string
	for _, part := range parts {
		for _, c := range part.commands() {
			commands = append(commands, c.run)
		}
	}
	outputs := author(t).session(t, checkout, commands)
	comparePage(t, name, src, parts, outputs)
	for i, got := range reader.session(t, checkout, commands) {
		if likeness(got) != likeness(outputs[i]) {
			t.Errorf("%s: at another time and with other ids\n  $ %s  prints\n%s\ninstead of\n%s", name, commands[i], got, outputs[i])
		}
	}
}

// comparePage compares a page with what its commands print, or updates it.
func comparePage(t *testing.T, name, src string, parts []consolePart, outputs []string) {
	t.Helper()
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
	if got == src {
		return
	}
	if os.Getenv("HANDOFF_UPDATE_SCRIPTS") != "" {
		if err := os.WriteFile("../../"+name, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i, line := range strings.Split(got, "\n") {
		if want := strings.Split(src+strings.Repeat("\n", i+1), "\n")[i]; line != want {
			t.Fatalf("%s:%d says\n  %s\nbut it is\n  %s", name, i+1, want, line)
		}
	}
}

// copyCheckout is a repository with the files that pages use. A page that needs
// another one fails until it is added here.
func copyCheckout(t *testing.T) string {
	t.Helper()
	needs.Tool(t, "git")
	dir := t.TempDir()
	for _, name := range []string{"specs", "docs"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS("../../"+name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "add -A -f", "-c user.name=a -c user.email=a@example.org commit -q -m a"} {
		git(t, dir, strings.Fields(args)...)
	}
	return dir
}

// unchanged fails if a session left something in the checkout, and restores that.
func unchanged(t *testing.T, checkout string) {
	t.Helper()
	if left := git(t, checkout, "status", "--porcelain", "--ignored"); left != "" {
		t.Errorf("the page leaves the checkout changed: work in \"$(mktemp -d)\"\n%s", left)
		git(t, checkout, "reset", "-q", "--hard")
		git(t, checkout, "clean", "-q", "-ffdx")
	}
}

// settle waits until a watch in the background has finished its work, as it
// would have by the time a person has typed the next command.
const settle = `settle() {
	tries=0
	while kill -0 "$!" 2>/dev/null && ! { handoff sync --check && handoff watch --status | grep -q ' 0 in the queue'; } >/dev/null 2>&1; do
		tries=$((tries + 1))
		if [ $tries -gt 2000 ]; then echo 'the watch does not settle'; return; fi
		sleep 0.1
	done
}
`

// typist is how commands are run.
type typist struct {
	shell string
	env   []string
}

// author is who wrote the output on the pages.
func author(t *testing.T) typist {
	return typist{"bash", []string{clockVar + "=2026-02-12T16:05:00Z", idsVar + "=" + t.TempDir()}}
}

// reader runs the same commands later. Ids are random.
var reader = typist{"sh", []string{clockVar + "=2026-02-13T09:41:07Z"}}

// session runs commands in one shell that starts in the checkout, and returns the
// output of each. It skips commands of the go tool, which need all of the
// repository.
func (y typist) session(t *testing.T, checkout string, commands []string) []string {
	t.Helper()
	const end = "\x01"
	script := settle
	for _, c := range commands {
		if !strings.HasPrefix(c, "go ") {
			script += c + "settle\n"
		}
		script += "printf '" + end + "'\n"
	}
	cmd := exec.CommandContext(t.Context(), y.shell, "-c", script+"kill $! 2>/dev/null\n")
	cmd.Dir = checkout
	cmd.Env = append(os.Environ(), "PATH="+commandDir(t)+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"TZ=UTC", "TMPDIR="+t.TempDir(), "HOME="+t.TempDir(), "GIT_CONFIG_GLOBAL=/dev/null")
	cmd.Env = append(cmd.Env, y.env...)
	out, err := cmd.CombinedOutput() // a command that fails shows that in its output
	outputs := strings.Split(string(out), end)
	if len(outputs) != len(commands)+1 || outputs[len(commands)] != "" {
		t.Fatalf("%s ended early: %v\n%s", y.shell, err, out)
	}
	unchanged(t, checkout)
	return outputs[:len(commands)]
}

// likeness is an output without what depends on the time and on ids.
func likeness(out string) string {
	return padded.ReplaceAllString(aged.ReplaceAllString(stamped.ReplaceAllString(out, "N"), " AGE "), " ")
}

var (
	stamped = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[0-9a-f]{8,}\b|\d{8}T\d{6}Z|\d{4}-\d\d-\d\d([T _-][\d:-]+)?|\d\d:\d\d:\d\d`)
	aged    = regexp.MustCompile(` +(now|\d+[smhdw] ago) +`)
	padded  = regexp.MustCompile(` +`)
)

// commandDir is a folder with nothing but handoff. It is not a symlink, because then
// os.Executable would return another name.
func commandDir(t *testing.T) string {
	t.Helper()
	dir, program := t.TempDir(), programFile()
	if err := os.Link(program, filepath.Join(dir, filepath.Base(program))); err != nil {
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

// TestFirstScreen: what README says before the documentation is at most 400 words, and its first command
// is among its first 15 lines.
func TestFirstScreen(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	first, _, found := strings.Cut(string(src), "## Documentation")
	words := slices.DeleteFunc(strings.Fields(first), func(word string) bool { return !strings.ContainsFunc(word, unicode.IsLetter) })
	if !found || len(words) > 400 {
		t.Errorf("%d words before the documentation, at most 400", len(words))
	}
	if n := strings.Count(first[:strings.Index(first, "\n```sh\n")], "\n"); n > 15 {
		t.Errorf("the first command is in line %d", n)
	}
}

// TestTyped types the commands of README's blocks, which can be copied as they are, into the shells of
// this machine. Nothing that waits, or no session, is no error.
func TestTyped(t *testing.T) {
	src, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	bin := commandDir(t)
	if err := os.WriteFile(filepath.Join(bin, "claude"), []byte("#!/bin/sh\necho 2.1.330\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	typed := 0
	before, _, _ := strings.Cut(string(src), "\n## Tests\n") // which are run for themselves
	for _, shell := range []string{"sh", "bash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		dir, home := t.TempDir(), t.TempDir()
		git(t, dir, "init", "-q")
		for _, block := range strings.Split(before, "\n```sh\n")[1:] {
			block, _, _ = strings.Cut(block, "```")
			for line := range strings.Lines(block) {
				typed++
				cmd := exec.Command(shell, "-c", strings.Replace(line, "go run ./cmd/handoff", "handoff", 1))
				cmd.Dir, cmd.Env = dir, append(guideEnv(bin, home), "TMPDIR="+t.TempDir())
				if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 || strings.Contains(string(out), "unknown") {
					t.Errorf("%s: %s: %v\n%s", shell, line, err, out)
				}
			}
		}
	}
	if typed < 5 {
		t.Errorf("only %d lines", typed)
	}
}
