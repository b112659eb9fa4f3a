package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"handoff/internal/testing/waittest"
	"handoff/surface/command"
)

// sitter is a person who sits at a terminal of 80 by 24.
type sitter struct {
	t      *testing.T
	behind *os.File
	tty    *os.File
	root   string
	env    map[string]string

	mu   sync.Mutex
	read strings.Builder
}

func sitting(t *testing.T) *sitter {
	p := &sitter{t: t, root: t.TempDir(), env: map[string]string{"TERM": "xterm", "PATH": os.Getenv("PATH")}}
	p.behind, p.tty = terminal(t)
	if err := unix.IoctlSetWinsize(int(p.tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 80}); err != nil {
		t.Fatal(err)
	}
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := p.behind.Read(buf)
			p.mu.Lock()
			p.read.Write(buf[:n])
			p.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	for n := range 3 {
		p.write(fmt.Sprintf("specs/%d_parse/handoffs/phase-1-handoff-2026021%dT090000Z.md", n+5, n), "## Immediate Next Action\nRun `go test`.\n")
	}
	return p
}

func (p *sitter) write(path, text string) {
	p.t.Helper()
	full := filepath.Join(p.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o755); err != nil {
		p.t.Fatal(err)
	}
}

func (p *sitter) shown() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.ReplaceAll(p.read.String(), "\r\n", "\n")
}

// runs runs a command on the terminal. Each answer is typed when its question is shown.
func (p *sitter) runs(args []string, answers ...[2]string) (code int) {
	p.t.Helper()
	w := &command.Process{Stdin: p.tty, Stdout: p.tty, Stderr: p.tty, Dir: p.root, Getenv: func(name string) string { return p.env[name] },
		Now: func() time.Time { return time.Date(2026, 2, 14, 9, 0, 0, 0, time.UTC) }}
	done := make(chan int, 1)
	go func() { done <- run(p.t.Context(), w, args) }()
	asked := map[string]int{}
	for _, a := range answers {
		asked[a[0]]++
		waittest.Until(p.t, "the question "+a[0], func() bool { return strings.Count(p.shown(), a[0]+" ") == asked[a[0]] })
		if _, err := p.behind.WriteString(a[1]); err != nil {
			p.t.Fatal(err)
		}
	}
	select {
	case code = <-done:
	case <-waittest.Context(p.t).Done():
		p.t.Fatalf("it does not end:\n%s", p.shown())
	}
	const end = "(the end)\n"
	if _, err := p.tty.WriteString(end); err != nil {
		p.t.Fatal(err)
	}
	waittest.Until(p.t, "the end is shown", func() bool { return strings.HasSuffix(p.shown(), end) })
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSuffix(strings.ReplaceAll(p.read.String(), "\r\n", "\n"), end)
	p.read.Reset()
	p.read.WriteString(text)
	return code
}

// TestNewAsks: on a terminal, new without flags asks for what it needs, and the editor gets the rest.
func TestNewAsks(t *testing.T) {
	p := sitting(t)
	p.write("editor.sh", `cp "$1" before.md
printf '\n## Key Decisions Made\nNone\n\n## What NOT to Try\nNone\n\n## Critical Context\nNone\n\n## References\nNone\n' >rest
sed '/^## Key Decisions/,$d' "$1" >head && sed 's/{[^}]*}/4/g' head | cat - rest >"$1"
`)
	p.env["VISUAL"] = "cd " + p.root + " && sh editor.sh"
	p.write("parse/scan.go", "package parse\n")
	code := p.runs([]string{"new", "--help"})
	if code != 0 {
		t.Fatalf("help asks: %d\n%s", code, p.shown())
	}
	code = p.runs([]string{"new"}, [2]string{"task (8 for a new one) [7]:", "six\n"}, [2]string{"task (8 for a new one) [7]:", "6\n"}, [2]string{"phase [1]:", "2\n"},
		[2]string{"next action, one step:", "\n"}, [2]string{"next action, one step:", "Run `go test ./parse`.\n"}, [2]string{"file being worked on (empty for none):", "parse/scan.go\n"},
		[2]string{"does it wait for a person, or does something run in the background? y or n [n]:", "y\n"},
		[2]string{"whom it waits for, as \"who: what\" (empty for no one):", "ann: a key\n"}, [2]string{"what runs, as \"`command`: since when\" (empty for nothing):", "\n"})
	text := p.shown()
	if !strings.Contains(text, "waiting  parse") || !strings.Contains(text, "want a number") {
		t.Errorf("%s", text)
	}
	before, err := os.ReadFile(filepath.Join(p.root, "before.md"))
	if err != nil || !strings.Contains(string(before), "Run `go test ./parse`.") || !strings.Contains(string(before), "parse/scan.go") || !strings.Contains(string(before), "ann: a key") || strings.Contains(string(before), "## Running") {
		t.Errorf("the editor got %q, %v", before, err)
	}
	written, _ := filepath.Glob(filepath.Join(p.root, "specs/6_parse/handoffs/phase-2-*.md"))
	if code != 0 || len(written) != 1 {
		t.Errorf("%d, %v\n%s", code, written, text)
	}
}

// TestNewAsksNoAgent: an agent with a terminal is never asked, and end of input is no answer.
func TestNewAsksNoAgent(t *testing.T) {
	for name, env := range map[string]string{"CLAUDECODE": "1", "CODEX_THREAD_ID": "00000000-0000-4000-8000-000000000001", "HANDOFF_LEVEL": "edit", "CI": "true", "TERM": "dumb"} {
		p := sitting(t)
		p.env[name] = env
		if code := p.runs([]string{"new"}); code != command.Failed || strings.Contains(p.shown(), "for a new one") {
			t.Errorf("%s: %d\n%s", name, code, p.shown())
		}
	}
	p := sitting(t)
	if code := p.runs([]string{"new"}, [2]string{"task (8 for a new one) [7]:", "\x04"}); code != command.Failed || !strings.Contains(p.shown(), "not written: there is no answer") {
		t.Errorf("%d\n%s", code, p.shown())
	}
}

// TestListPages: a list that is longer than the screen is shown by the pager, and only to a person who wants one.
func TestListPages(t *testing.T) {
	many := func(change func(*sitter)) *sitter {
		p := sitting(t)
		for n := range 60 {
			p.write(fmt.Sprintf("specs/%d_more/handoffs/phase-1-handoff-20260201T%02d%02d00Z.md", n+100, n/60, n%60), "## Immediate Next Action\nRun `go test`.\n")
		}
		p.write("page.sh", "cat >paged; echo paged\n")
		p.env["PAGER"] = "sh page.sh"
		change(p)
		return p
	}
	p := many(func(*sitter) {})
	if code := p.runs([]string{"ls"}); code != 0 || p.shown() != "paged\n" {
		t.Errorf("%d %q", code, p.shown())
	}
	paged, err := os.ReadFile(filepath.Join(p.root, "paged"))
	if lines := strings.Split(string(paged), "\n"); err != nil || len(lines) != 65 || !strings.HasPrefix(lines[0], "REF ") || !strings.HasPrefix(lines[1], "7/1 ") {
		t.Errorf("the pager got %d lines, %v:\n%.300s", len(lines), err, paged)
	}
	for name, args := range map[string][]string{"--no-pager": {"ls", "--no-pager"}, "--json": {"ls", "--json"}, "short": {"ls", "-n", "3"}} {
		if p := many(func(*sitter) {}); p.runs(args) != 0 || strings.Contains(p.shown(), "paged") {
			t.Errorf("%s is paged: %.200s", name, p.shown())
		}
	}
	for name, env := range map[string]string{"PAGER": "cat", "CLAUDECODE": "1"} {
		if p := many(func(p *sitter) { p.env[name] = env }); p.runs([]string{"ls"}) != 0 || strings.Contains(p.shown(), "paged") || !strings.Contains(p.shown(), "`handoff ls -n 0` lists all") {
			t.Errorf("%s=%s is paged: %.200s", name, env, p.shown())
		}
	}
}
