package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/surface/command"
)

// stored is a workspace with blobs and streams of each kind.
type stored struct {
	t   *testing.T
	dir string
	env map[string]string
	ids map[string]string // by the names that stand for them in readers
	n   int               // ids that were drawn
}

// named is a text with the ids of the names in it.
func (s *stored) named(text string) string {
	for name, id := range s.ids {
		text = strings.ReplaceAll(text, "$"+name, id)
	}
	return text
}

// run runs a command of the workspace.
func (s *stored) run(args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &err, Dir: s.dir, Getenv: func(name string) string { return s.env[name] },
		Now:   func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) },
		NewID: func() string { s.n++; return fmt.Sprintf("%08x-0000-4000-8000-%012d", s.n, s.n) }}
	args = slices.Clone(args)
	for i := range args {
		args[i] = s.named(args[i])
	}
	code = run(waittest.Context(s.t), w, args)
	return strings.ReplaceAll(out.String(), s.dir, "DIR"), err.String(), code
}

// does runs a command that must succeed, and keeps the text of a member of its output, or
// all of it, under a name.
func (s *stored) does(name, member string, args ...string) {
	s.t.Helper()
	out, errs, code := s.run(args...)
	if code != command.Clean {
		s.t.Fatalf("%q: %d, %s", args, code, errs)
	}
	if _, rest, ok := strings.Cut(out, `"`+member+`":"`); ok {
		out, _, _ = strings.Cut(rest, `"`)
	}
	if name != "" {
		s.ids[name] = strings.TrimSpace(out)
	}
}

func newStored(t *testing.T) *stored {
	s := &stored{t: t, dir: t.TempDir(), ids: map[string]string{}}
	if err := os.WriteFile(filepath.Join(s.dir, "note"), []byte("a note"), 0o644); err != nil {
		t.Fatal(err)
	}
	s.does("", "", "init")
	s.does("", "", "new", "--task", "1", "--slug", "a", "--phase", "1", "--next-action", "Run the tests of the parser.", "--file", "a.go", "--draft")
	s.does("doc", "", "bundle", "create", "1")
	s.does("", "", "claim", "1", "--as", "ann")
	s.does("thread", "thread_id", "thread", "create", "--title", "t")
	s.does("message", "message_id", "thread", "post-message", "$thread", "--content", "one")
	s.does("checkpoint", "summary_artifact_id", "thread", "compaction-checkpoint", "$thread", "--summary-markdown", "a summary", "--to-seq", "1")
	s.does("", "", "run", "$thread", "--content", "two", "--", "echo", "an answer")
	s.does("context", "", "compile", "$thread")
	s.does("first", "thread_id", "thread", "handoff", "$thread", "--summary-markdown", "left: the lemma")
	s.does("bundle", "summary_artifact_id", "thread", "events", "$first")
	s.does("next", "thread_id", "thread", "handoff", "$thread", "--summary-artifact-id", "$bundle")
	s.does("branch", "thread_id", "thread", "branch", "$thread")
	s.does("note", "", "artifact", "put", "note")
	s.does("", "", "tape", "append", "hello")
	s.does("", "", "tape", "handoff", "p1", "--summary", "done")
	s.does("", "", "tape", "append", "after")
	s.ids["side"] = "side"
	s.does("", "", "tape", "fork", "side")
	s.does("", "", "tape", "append", "beside", "--tape", "$side")
	return s
}

// copy is the workspace as it was.
func (s *stored) copy(t *testing.T) *stored {
	c := *s
	c.t, c.dir = t, t.TempDir()
	c.restore(s)
	return &c
}

// restore undoes what a run changed in a copy of a workspace.
func (s *stored) restore(from *stored) {
	s.t.Helper()
	treetest.Mirror(s.t, from.dir, s.dir)
	s.n = from.n
}

// settle makes every file a minute old, as [treetest.Mirror] needs it.
func (s *stored) settle() {
	old := time.Now().Add(-time.Minute)
	s.walk(func(path string, _ fs.DirEntry) error { return os.Chtimes(path, old, old) })
}

// walk calls do for each file and folder of the workspace.
func (s *stored) walk(do func(path string, e fs.DirEntry) error) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return do(path, e)
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// files are the blobs and streams, found by their folder and their ending.
func (s *stored) files() (list []string) {
	s.walk(func(path string, e fs.DirEntry) error {
		rel, err := filepath.Rel(s.dir, path)
		if e.Type().IsRegular() && (strings.HasSuffix(rel, ".jsonl") || filepath.ToSlash(filepath.Dir(rel)) == artifact.Blobs) {
			list = append(list, rel)
		}
		return err
	})
	return list
}

// harms are what happens to a file.
var harms = map[string]func(path string) error{
	"deleted": os.Remove,
	"first": func(path string) error {
		return flip(path, func(src []byte) int { return bytes.IndexByte(append(src, '\n'), '\n') / 2 })
	},
	"last": func(path string) error { return flip(path, func(src []byte) int { return len(src) * 9 / 10 }) },
}

// tolerated lists what a command cannot know, or says in its output.
func tolerated(file, harm string, call []string) bool {
	command := strings.Join(call[:min(2, len(call))], " ")
	file = filepath.ToSlash(file)
	switch {
	case strings.Contains(file, "session_graph"): // is derived from the tapes
		return true
	case command == "thread compaction-auto" && harm == "deleted": // summarizes the whole thread again, and notes it
		return true
	case command == "tape list": // shows how many lines cannot be read
		return true
	case command == "tape merge": // prints the numbers that the copies got
		return true
	case command == "verify" && harm == "deleted": // reports what sync would create again
		return true
	case strings.Contains(file, "/receipts/") && slices.Contains([]string{"ls", "next", "top --json", "verify"}, command): // the state is shown as unknown
		return true
	case harm == "deleted" && (strings.Contains(file, "/receipts/") || strings.Contains(file, "/tape/")): // nothing names these files
		return true
	case harm == "deleted" && strings.Contains(file, "/threads/"): // the children of a thread name it, not the thread its children
		return slices.Contains([]string{"graph --thread", "thread list", "thread lineage", "thread show", "thread export"}, command)
	}
	return false
}

func flip(path string, at func([]byte) int) error {
	src, err := os.ReadFile(path)
	if err == nil {
		src[at(src)] ^= 0x80 // text is no longer UTF-8
		err = os.WriteFile(path, src, 0o644)
	}
	return err
}

// TestDamagedBytes changes a byte of each blob and of each stream of a workspace, and
// deletes them, and runs the commands that read them: each prints what it printed before,
// or fails.
func TestDamagedBytes(t *testing.T) {
	whole := newStored(t)
	whole.settle()
	calls := map[string][]string{}
	for _, name := range leafCommands() {
		args, ok := readers[name]
		if ok == slices.Contains(otherCommands, name) {
			t.Errorf("%s: add it either to readers or to otherCommands", name)
		}
		if !ok {
			continue
		}
		for _, args := range append([][]string{args}, more[name]...) {
			call := append(strings.Fields(name), args...)
			calls[fmt.Sprintf("%q", call)] = call
		}
	}
	files := whole.files()
	for name, call := range calls {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // a disk makes each write of a command wait
			whole.harmed(t, files, call)
		})
	}
}

// harmed harms one file after the other, and runs a command each time, in one copy: a new one
// for each would be thousands.
func (s *stored) harmed(t *testing.T, files, call []string) {
	c := s.copy(t)
	before, errs, code := c.run(call...)
	if code == command.Failed {
		t.Fatal(errs)
	}
	for _, file := range files {
		for harm, do := range harms {
			c.restore(s)
			if err := do(filepath.Join(c.dir, file)); err != nil {
				t.Fatal(err)
			}
			if after, errs, now := c.run(call...); now == command.Clean && after != before && !tolerated(file, harm, call) {
				t.Errorf("%s %s: exit 0 with other output:\n%s(%s), before:\n%s", file, harm, after, errs, before)
			}
		}
	}
}
