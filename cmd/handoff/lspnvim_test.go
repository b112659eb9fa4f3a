package main

import (
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
)

const nvimDoc = "specs/259_prove/handoffs/phase-3-handoff-20260212T143022Z.md"

// nvimText has a misspelled heading, a bare heading and a reference to a missing file.
const nvimText = `# Phase 3 Handoff - 20260212T143022Z

## Immediate Next Action
In src/parse.go, make scan return the position of the first error, then run its tests.

## current State
- **File**: src/parse.go
- **Location**: line 2, after ` + "`scan`" + `
- **Goal**: all tests of the parser pass

## Key Decisions Made
1. A line scanner: the grammar is regular

## What NOT to Try
1. A generated parser: it cannot report positions

## Critical Context
1. Positions count bytes

## References (read only if stuck)
- Plan: specs/259_prove/plan.md
- specs/259_prove/lost.md
`

// TestNeovim edits a handoff in Neovim with the language server: diagnostics, quick fixes,
// hover, completion, symbols, links, and nothing for a README.
func TestNeovim(t *testing.T) {
	needs.Unix(t, "Neovim is started by its name")
	needs.Tool(t, "nvim")
	dir := t.TempDir()
	treetest.Write(t, dir, nvimDoc, nvimText)
	treetest.Write(t, dir, "specs/259_prove/plan.md", "# Plan\n")
	treetest.Write(t, dir, "src/parse.go", "package parse\n\nfunc scan() {}\n")
	treetest.Write(t, dir, "README.md", "## current State\n- File: lost.go\n")
	script, err := filepath.Abs("testdata/nvim/session.lua")
	if err != nil {
		t.Fatal(err)
	}
	result := filepath.Join(t.TempDir(), "result.json")
	cmd := exec.Command("nvim", "--headless", "--clean", "-n", nvimDoc, "-c", "luafile "+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+commandDir(t)+string(os.PathListSeparator)+os.Getenv("PATH"), "RESULT="+result,
		"HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(), clockVar+"=2026-02-12T15:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	src, err := os.ReadFile(result)
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got struct {
		Failure, Hover, Definition, Fixed, All, Claimed string
		Opened, Typed, Left, Symbols, Completion, Lines []string
		Lenses                                          []string
		Links, Readme                                   int
		Modified                                        bool
	}
	if err := json.Unmarshal(src, &got); err != nil {
		t.Fatalf("%v: %s", err, src)
	}
	if got.Failure != "" {
		t.Fatalf("%s\n%s", got.Failure, src)
	}
	same := func(what string, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\nwant\n%q", what, got, want)
		}
	}
	heading, bare := "5:0-5:16 handoff misspelled-heading", "16:0-16:19 handoff bare-heading"
	same("opened", got.Opened, []string{bare, "21:2-21:25 handoff dead-reference", heading})
	same("typed", got.Typed, []string{bare, "21:9-21:32 handoff dead-reference", heading})
	same("left", got.Left, []string{"21:9-21:32 handoff dead-reference"})
	same("symbols", got.Symbols, []string{"Phase 3 Handoff - 20260212T143022Z", "Immediate Next Action", "current State", "Key Decisions Made",
		"What NOT to Try", "Critical Context", "References (read only if stuck)"})
	same("lenses", got.Lenses, []string{"waiting, written 29m ago", "Claim 259/3", "Done 259/3"})
	if !strings.HasPrefix(got.Claimed, "claimed by ") {
		t.Errorf("claimed: %s", got.Claimed)
	}
	same("completion", got.Completion, []string{"parse.go"})
	want := strings.NewReplacer("current State", "Current State", "Critical Context", "Critical Context (max 5 items)", "- specs/259_prove/lost.md", "- é😀 specs/259_prove/lost.md\n- Code: src/").Replace(nvimText)
	same("lines", got.Lines, strings.Split(strings.TrimSuffix(want, "\n"), "\n"))
	if got.Fixed != "Fix misspelled-heading" || got.All != "Fix all findings that have a safe fix" || got.Links != 3 || got.Readme != 0 || !got.Modified {
		t.Errorf("%s", src)
	}
	if !strings.HasPrefix(got.Hover, "**misspelled-heading** (warning)") {
		t.Errorf("hover: %s", got.Hover)
	}
	if u, err := url.Parse(got.Definition); err != nil || !strings.HasSuffix(u.Path, "/src/parse.go") {
		t.Errorf("definition: %s", got.Definition)
	}
	if now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(nvimDoc))); err != nil || string(now) != nvimText {
		t.Errorf("the file was changed: %s, %v", now, err)
	}
}
