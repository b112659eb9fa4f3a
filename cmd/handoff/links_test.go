package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/surface/command"
)

// secretWord is in every file of the tree outside, which the links lead to.
const secretWord = "xyzzysecret"

// linkForms are the links to a path that is not in the workspace.
var linkForms = map[string]func(link, outside string) string{
	"absolute": func(_, outside string) string { return outside },
	"relative": func(link, outside string) string {
		rel, err := filepath.Rel(filepath.Dir(link), outside)
		if err != nil {
			return outside
		}
		return rel
	},
	"dangling": func(_, outside string) string { return filepath.Join(filepath.Dir(outside), "nothing") },
}

// readingCommands are run in a tree with a link, one after the other. The last
// ones also write.
var readingCommands = []string{
	"lint", "lint specs/1_a", "lint specs/1_a/handoffs", "lint " + linkedDoc, "lint --format json", "fix --diff", "lint .",
	"ls", "ls --all --json", "search a", "show 1", "show " + linkedDoc, "brief 1", "brief latest --level 3", "brief " + linkedDoc,
	"sync --dry-run", "sync --check 1", "verify", "verify 1", "verify --json",
	"bundle show 1", "bundle diff 1", "convert 1 --to bundle", "convert " + linkedDoc + " --to anchor", "convert specs/1_a/.return-meta.json --to bundle",
	"run --list", asksTheWatch, "artifact ls", "artifact verify", "artifact gc",
	"thread list", "thread get ID", "thread events ID", "thread lineage", "compile ID --explain",
	"tape list", "tape info", "tape read", "tape anchors", "tape search i", "tape context", "tape recover", "tape archives", "tape lineage", "tape send", "tape read --archive tape/archived/main_2026-02-12_160500.jsonl",
	"init", "new --task 1 --phase 2 --draft", "new --task 2 --phase 2 --draft", "bundle create 1", "fix", "sync", "verify --fix", "tape append more", "tape fork child",
	"thread post-message ID --content more", "artifact gc --delete", "init --remove",
}

const asksTheWatch = "watch --status"

const linkedDoc = "specs/1_a/handoffs/phase-1-handoff-20260212T143022Z.md"

// unnamed are the links that no command names in its output, and the reason.
var unnamed = map[string]string{
	".handoff/.gitignore":               "only git reads it",
	".rip/.gitignore":                   "only git reads it",
	".handoff/seen":                     "it counts as missing: then nothing is news, which sync and watch report when they cannot write it",
	".handoff/tmp/.gitignore":           "only git reads it",
	".handoff/session_graph.jsonl.lock": "the graph and the manifest are derived, and not written without their lock",
	"parse.go":                          "a source file that a document refers to; lint counts its lines, and counts none here",
}

// TestLinksOutAreNotRead replaces every file and folder of a tree by a link to
// one outside, and runs every command that reads: none may show or copy the
// content outside, and one must name the link.
func TestLinksOutAreNotRead(t *testing.T) {
	needs.Symlink(t, "x", filepath.Join(t.TempDir(), "link"))
	t.Parallel()
	if withoutRace(t) {
		return
	}
	base := treetest.Memory(t)
	inside, outside := filepath.Join(base, "inside"), filepath.Join(base, "outside")
	thread := linkedTree(t, inside, "plain")
	linkedTree(t, outside, secretWord)
	writeFile(t, outside, ".handoff.yaml", secretWord+": 1\n")
	root := filepath.Join(base, "w")    // one tree for all links: copies would cost more than the commands
	old := time.Now().Add(-time.Minute) // as treetest.Mirror needs it
	for _, path := range pathsIn(t, inside) {
		if err := os.Chtimes(filepath.Join(inside, path), old, old); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range pathsIn(t, inside) {
		writeMissing(t, outside, path)
		before := contents(t, outside)
		for form, says := range linkForms {
			own := strings.HasPrefix(path, ".rip") || strings.HasPrefix(path, ".handoff/") && !strings.HasPrefix(path, ".handoff/templates")
			if form != "absolute" && (own || testing.Short()) { // these folders follow no link in any form, so one form is enough
				continue
			}
			t.Run(path+" "+form, func(t *testing.T) {
				treetest.Mirror(t, inside, root)
				link := filepath.Join(root, path)
				if err := os.RemoveAll(link); err != nil {
					t.Fatal(err)
				}
				to := says(link, filepath.Join(outside, path))
				needs.Symlink(t, to, link)
				all := ""
				for _, line := range readingCommands {
					if line == asksTheWatch && path != ".handoff" && !strings.HasPrefix(path, ".handoff/watch") {
						continue // it waits a second for a watch that may be starting
					}
					out := runIn(t, root, strings.ReplaceAll(line, "ID", thread))
					if strings.Contains(out, secretWord) {
						t.Errorf("handoff %s shows what is outside:\n%s", line, out)
					}
					all += out
				}
				if !strings.Contains(all, fmt.Sprintf("symbolic link to %q", to)) && unnamed[path] == "" {
					t.Error("no command names the link")
				}
				for name, text := range contents(t, root) {
					if strings.Contains(text, secretWord) {
						t.Errorf("%s is a copy of what is outside:\n%s", name, text)
					}
				}
			})
		}
		if after := contents(t, outside); !equalFiles(before, after) {
			t.Fatalf("%s: what is outside has changed", path)
		}
	}
}

func equalFiles(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if b[name] != text {
			return false
		}
	}
	return true
}

// writeMissing creates the files that the tree outside lacks because their
// names depend on content.
func writeMissing(t *testing.T, outside, path string) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(outside, path)); errors.Is(err, fs.ErrNotExist) {
		writeFile(t, outside, path, secretWord)
	}
}

// linkedTree creates a tree with files of all kinds, and a word in each. It
// returns the id of its thread.
func linkedTree(t *testing.T, root, word string) (thread string) {
	t.Helper()
	for name, text := range map[string]string{
		".handoff.yaml": "workspace: " + word + "\n",
		"parse.go":      "package parse // " + word + "\n",
		linkedDoc: "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `go test ./" + word + "` and fix the first failure.\n\n" +
			"## Current State\n- **File**: parse.go\n- **Location**: Line 1\n- **Goal state**: " + word + " passes\n\n" +
			"## Key Decisions Made\n1. One " + word + " for all: two would differ\n\n## What NOT to Try\n1. Two " + word + ": they differ\n\n" +
			"## Critical Context (max 5 items)\n- " + word + " has no tests\n\n## References (read only if stuck)\n- Plan: specs/1_a/plans/implementation-001.md\n",
		"specs/1_a/.return-meta.json":              `{"status": "partial", "partial_progress": {"stage": "s", "details": "` + word + `"}, "` + word + `": 1}` + "\n",
		"specs/1_a/plans/implementation-001.md":    "# " + word + "\n\n### Phase 1: " + word + " [IN PROGRESS]\n",
		"specs/1_a/progress/phase-1-progress.json": `{"phase": 1, "handoff_count": 0, "` + word + `": 1}` + "\n",
		"specs/2_b/plans/1.md":                     word + "\n",
		".handoff/templates/handoff.md.tmpl":       word + "\n",
		".handoff/watch.json":                      `{"pid": 1, "socket": "/` + word + `"}` + "\n",
		".handoff/watch.lock":                      "",
	} {
		writeFile(t, root, name, text)
	}
	var created struct {
		ID string `json:"thread_id"`
	}
	if err := json.Unmarshal([]byte(runIn(t, root, "thread create --title "+word)), &created); err != nil {
		t.Fatal(err)
	}
	thread = created.ID
	for _, line := range []string{
		"sync", "thread post-message " + thread + " --content " + word, "tape append " + word, "tape reset", "tape append " + word,
		"tape handoff --name " + word, "artifact put parse.go",
	} {
		runIn(t, root, line)
	}
	writeFile(t, root, ".handoff/runs/r.json", `{"run_id": "r", "thread_id": "`+thread+`", "message_id": "m", "origin": "`+word+`", "pid": 1}`+"\n")
	return thread
}

// runIn runs a command in this process and returns its output.
func runIn(t *testing.T, dir, line string) string {
	t.Helper()
	var out bytes.Buffer
	ids := len(line) // so that two commands do not assign the same ids
	w := &command.Process{
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir,
		Now:   func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) },
		NewID: func() string { ids++; return fmt.Sprintf("%08x-0000-4000-8000-%012d", ids, len(line)) },
		Getenv: func(name string) string {
			if name == "GOGC" {
				return "100"
			}
			return ""
		},
	}
	run(context.Background(), w, strings.Fields(line))
	return out.String()
}

func writeFile(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// pathsIn are the files and folders of a tree, sorted.
func pathsIn(t *testing.T, root string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if rel, relErr := filepath.Rel(root, path); relErr == nil && rel != "." {
			paths = append(paths, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	return paths
}

// contents are the regular files of a tree.
func contents(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
