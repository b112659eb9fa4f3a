package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// TestSecurityPage checks that the tests in every row of docs/security.md
// exist, that every command has a row, and that the page makes no claim outside
// of rows and its first paragraph.
func TestSecurityPage(t *testing.T) {
	src, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	paragraphs := strings.Split(strings.TrimSpace(string(src)), "\n\n")
	rows, section := 0, ""
	commands := map[string]bool{}
	for _, p := range paragraphs[2:] { // without the title and the introduction
		if heading, ok := strings.CutPrefix(p, "## "); ok {
			section = heading
			continue
		}
		table := strings.Split(p, "\n")
		if len(table) < 3 || !strings.HasPrefix(table[0], "| ") || !strings.HasSuffix(table[0], "| Tests |") || !strings.HasPrefix(table[1], "|---|") {
			t.Errorf("%s: %q is not a table of what is so and its tests", section, p)
			continue
		}
		for _, row := range table[2:] {
			cells := strings.Split(strings.Trim(row, "| "), " | ")
			if len(cells) != strings.Count(table[1], "---") {
				t.Errorf("%s: %q has %d cells", section, row, len(cells))
				continue
			}
			rows++
			checkTests(t, row, cells[len(cells)-1])
			if section == "Commands" {
				for _, name := range strings.Split(cells[0], ", ") {
					commands[strings.Trim(name, "`")] = true
				}
			}
		}
	}
	if rows < 40 {
		t.Errorf("%d rows only", rows)
	}
	var walk func(above string, list []*cli.Command)
	walk = func(above string, list []*cli.Command) {
		for _, c := range list {
			switch name := above + c.Name; {
			case commands[name]:
			case len(c.Subcommands) > 0:
				walk(name+" ", c.Subcommands)
			default:
				t.Errorf("docs/security.md does not say what `%s` does with hostile input", name)
			}
		}
	}
	walk("", newApp(&command.Process{}, "").Commands)
}

// namedTest is a test as the page names it: a script, a rule, or a function of a
// package.
var namedTest = regexp.MustCompile("^`(script|rule|[a-z./]+) ((?:Test|Fuzz)?[A-Za-z0-9-]+)`$")

func checkTests(t *testing.T, row, cell string) {
	t.Helper()
	for _, name := range strings.Split(cell, ", ") {
		m := namedTest.FindStringSubmatch(name)
		if m == nil {
			t.Errorf("%q names no test: %s", row, name)
			continue
		}
		file := ""
		switch m[1] {
		case "script":
			file = filepath.Join("testdata/script", m[2]+".txtar")
		case "rule":
			file = filepath.Join("../../lint/rules", m[2]+".txtar")
		default:
			if !declares(t, filepath.Join("../..", m[1]), m[2]) {
				t.Errorf("%q: there is no %s in %s", row, m[2], m[1])
			}
			continue
		}
		if _, err := os.Stat(file); err != nil {
			t.Errorf("%q: %v", row, err)
		}
	}
}

// declares reports whether a test of the package in a folder has that name.
func declares(t *testing.T, dir, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(src, []byte("\nfunc "+name+"(")) {
			return true
		}
	}
	return false
}

// TestDocumentsAreShownWhole: commands that print a document print it unchanged
// to a pipe, byte for byte, including any secret in it.
func TestDocumentsAreShownWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "specs/1_one/handoffs/phase-1-handoff-20260212T143022Z.md")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	doc := "# Phase 1 Handoff - 20260212T143022Z\n\n## Imediate Next Action\nPush with " + aSecret + " \x1b[8m\u200b\xff.\r\n<p hidden>x</p>\n"
	if err := os.WriteFile(path, []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	printed := func(args ...string) string {
		var out bytes.Buffer
		w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Dir: dir, Now: time.Now, Getenv: func(string) string { return "" }}
		run(context.Background(), w, args)
		return out.String()
	}
	if got := printed("show", "1"); got != doc {
		t.Errorf("show: %q, want %q", got, doc)
	}
	if err := os.WriteFile(path, []byte("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `x`\n\n## Key Decisions Made\n1. "+
		aSecret+"\n\n## Current State\n- x\n\n## What NOT to Try\n1. y\n\n## Critical Context\n1. z\n\n## References\n- a.go\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"brief", "1", "--level", "2"}, {"lint", "--diff"}} {
		if got := printed(args...); !strings.Contains(got, aSecret) {
			t.Errorf("%q does not print the document: %q", args, got)
		}
	}
}
