package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/waittest"
)

// A hookCase is what an agent and a user do in a repository with hooks and a watch.
type hookCase struct {
	name string
	do   func(h *hooked)
	only string // kind of hook; "" for all
}

var hookCases = []hookCase{
	{name: "the document alone", do: func(h *hooked) {
		for range hookRounds(h, 5) {
			h.commitAlone(h.write("1_first"))
		}
		h.intact(hookedMeta)
	}},
	{name: "at once", do: func(h *hooked) {
		for range hookRounds(h, 10) {
			doc := h.write("1_first")
			time.Sleep(time.Duration(rand.IntN(51)) * time.Millisecond)
			h.git("add", "-A")
			h.commits(true, "")
			h.linked(doc)
		}
		h.git("add", "-A")
		h.commits(true, "", "--allow-empty")
		h.intact()
	}},
	{name: "something else", do: func(h *hooked) {
		h.linked(h.write("1_first")) // metadata changes, the document is not tracked
		before := h.read(hookedMeta)
		h.stageElse()
		h.commits(true, "")
		if now := h.read(hookedMeta); now != before {
			h.Errorf("the metadata was\n%s\nand is\n%s", before, now)
		}
		h.intact(hookedMeta)
	}},
	{name: "written while the hooks run", do: func(h *hooked) {
		h.stageElse()
		h.during("pre-commit", func() { h.write("1_first") }, "commit", "-m", "x")
		h.linked(h.doc)
		h.intact(hookedMeta)
	}},
	{name: "deleted metadata, written while the hooks run", do: func(h *hooked) {
		os.Remove(filepath.Join(h.tree, hookedMeta))
		h.settle()
		h.stageElse()
		h.during("pre-commit", func() { h.write("1_first") }, "commit", "-m", "x")
		h.linked(h.doc)
	}},
	{name: "document and metadata", do: func(h *hooked) {
		h.linked(h.write("1_first"))
		h.git("add", "-A")
		h.commits(true, "")
		h.intact()
	}},
	{name: "all, amended, and by path", do: func(h *hooked) {
		doc := h.write("1_first")
		h.linked(doc)
		h.git("add", "-N", doc)
		h.commits(true, "", "-a")
		doc = h.write("1_first")
		h.linked(doc)
		h.git("add", doc)
		h.commits(true, "", "--amend")
		h.commits(true, "", hookedMeta)
		h.intact()
	}},
	{name: "partially staged", do: func(h *hooked) {
		doc := h.write("1_first")
		h.linked(doc)
		h.git("add", doc)
		staged, before := h.read(doc), h.read(hookedMeta)
		edited := strings.Replace(staged, "tests pass", "all tests pass", 1)
		h.put(doc, edited)
		h.changes(before)
		h.commits(true, "")
		if now := h.read(doc); now != edited || h.git("show", "HEAD:"+doc) != staged {
			h.Errorf("the document is\n%s", now)
		}
		h.intact(hookedMeta, doc)
	}},
	{name: "staged good, bad in the working tree", do: func(h *hooked) {
		doc := h.write("1_first")
		h.linked(doc)
		h.git("add", "-A")
		h.put(doc, bad(h.read(doc)))
		h.settle()
		h.commits(true, "")
		h.intact(hookedMeta, doc)
	}},
	{name: "staged bad, good in the working tree", do: func(h *hooked) {
		doc := h.write("1_first")
		good := h.read(doc)
		h.put(doc, bad(good))
		h.git("add", doc)
		h.put(doc, good)
		h.linked(doc)
		h.commits(false, "(missing-section)")
		h.intact(hookedMeta, doc)
	}},
	{name: "deleted", do: func(h *hooked) {
		h.git("rm", "-q", h.doc)
		h.settle()
		h.commits(false, "handoff_path is deleted by this commit: ")
		h.put(hookedMeta, `{"status": "partial"}`)
		h.git("add", "specs/1_first")
		h.commits(true, "")
		h.intact()
	}},
	{name: "renamed", do: func(h *hooked) {
		h.git("mv", "specs/1_first", "specs/1_other")
		h.settle()
		h.commits(false, "handoff_path is deleted by this commit: ")
		if _, err := h.handoff("sync", "specs/1_other"); err != nil {
			h.Error(err)
		}
		h.git("add", "specs/1_other")
		h.commits(true, "")
		h.intact()
	}},
	{name: "merge", do: func(h *hooked) {
		h.branch()
		h.linked(h.write("1_first"))
		before := h.read(hookedMeta)
		h.runs(true, "", "merge", "--no-edit", "topic")
		if now := h.read(hookedMeta); now != before || h.read("topic") == "" {
			h.Errorf("the metadata was\n%s\nand is\n%s", before, now)
		}
		h.intact(hookedMeta)
	}},
	{name: "pull, written while the hooks run", do: func(h *hooked) {
		h.branch()
		h.during("pre-merge-commit", func() { h.write("1_first") }, "pull", "-q", "--no-rebase", "--no-edit", ".", "topic")
		h.linked(h.doc)
		h.intact(hookedMeta)
	}},
	{name: "merge with a bad document", do: func(h *hooked) {
		h.branch(func() { h.put(h.write("2_second"), bad(h.text)) })
		h.linked(h.write("1_first"))
		h.runs(false, "(missing-section)", "merge", "--no-edit", "topic")
	}},
	{name: "linked working tree", do: func(h *hooked) {
		linked := filepath.Join(h.dir, "linked")
		h.git("worktree", "add", "-q", linked)
		h.in(linked)
		h.commitAlone(h.write("1_first"))
		h.linked(h.write("1_first"))
		h.stageElse()
		h.commits(true, "")
		h.intact(hookedMeta)
	}},
	{name: "submodule", do: func(h *hooked) {
		outer := filepath.Join(h.dir, "outer")
		h.git("init", "-q", outer)
		h.git("-C", outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", h.tree, "sub")
		h.in(filepath.Join(outer, "sub"))
		h.commitAlone(h.write("1_first"))
		h.linked(h.write("1_first"))
		h.stageElse()
		h.commits(true, "")
		h.intact(hookedMeta)
	}},
	{name: "the hook of the message", only: "pre-commit", do: func(h *hooked) {
		h.env = append(h.env, "SLOW=1")
		h.stageElse()
		h.during("commit-msg", func() { h.write("1_first") }, "commit", "-m", "x")
		h.linked(h.doc)
		h.intact(hookedMeta)
	}},
	{name: "push", only: "pre-commit", do: func(h *hooked) {
		bare := filepath.Join(h.dir, "bare")
		h.git("init", "-q", "--bare", bare)
		h.linked(h.write("1_first"))
		h.env = append(h.env, "SLOW=1")
		h.during("pre-push", func() { h.write("1_first") }, "push", "-q", bare, "main")
		h.linked(h.doc)
		h.intact(hookedMeta)
	}},
}

// hookRounds is how often to do something that goes wrong only sometimes.
func hookRounds(h *hooked, def int) int {
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_PRE_COMMIT_ROUNDS")); err == nil {
		return n
	}
	if h.kind.name != "pre-commit" {
		return 2
	}
	return def
}

// bad is a document that the hooks refuse.
func bad(text string) string { return strings.Replace(text, "## Current State", "## Now", 1) }

// commitAlone commits a document once it is linked, and nothing else.
func (h *hooked) commitAlone(doc string) {
	h.Helper()
	h.linked(doc)
	before := h.read(hookedMeta)
	h.git("add", doc)
	h.commits(true, "")
	if now := h.read(hookedMeta); now != before {
		h.Errorf("the metadata was\n%s\nand is\n%s", before, now)
	}
	if got := strings.Fields(h.git("show", "--format=", "--name-only")); len(got) != 1 || got[0] != doc {
		h.Errorf("the commit has %v", got)
	}
}

// stageElse stages a file that is none of ours.
func (h *hooked) stageElse() {
	h.put("README.md", h.last.String())
	h.git("add", "README.md")
}

// changes waits until the metadata is other than it was.
func (h *hooked) changes(before string) {
	h.Helper()
	waittest.Until(h.T, "a change of the metadata", func() bool { return h.read(hookedMeta) != before })
}

// branch makes a branch topic with a commit, and one on main. Both pass no hook.
func (h *hooked) branch(more ...func()) {
	h.git("checkout", "-q", "-b", "topic")
	h.put("topic", "x\n")
	for _, f := range more {
		f()
	}
	h.git("add", "topic", "specs")
	h.git("commit", "-q", "--no-verify", "-m", "topic")
	h.git("checkout", "-q", "main")
	h.stageElse()
	h.git("commit", "-q", "--no-verify", "-m", "main")
}

// in continues in another working tree, with a watch of its own.
func (h *hooked) in(dir string) {
	h.gitRepository = &gitRepository{dir: h.dir, tree: dir, env: h.env}
	h.kind.clone(h.T, h.gitRepository)
	h.watches()
}

// TestHooksAndWatch has git check commits in a repository in which the watch runs and
// metadata is tracked: no commit is refused because of what the watch writes, and none passes
// that has an error. HANDOFF_PRE_COMMIT_ROUNDS is how often what goes wrong only sometimes
// is done.
func TestHooksAndWatch(t *testing.T) {
	for _, kind := range hookKinds {
		t.Run(kind.name, func(t *testing.T) {
			needsHooks(t, kind)
			t.Parallel()
			from := hookSource{home: t.TempDir()}
			if kind.name == "pre-commit" {
				from.repository, from.commit = hooksRepository(t)
			}
			for _, c := range hookCases {
				if c.only != "" && c.only != kind.name {
					continue
				}
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.do(newHooked(t, kind, from))
				})
			}
		})
	}
}
