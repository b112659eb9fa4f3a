package files_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/files"
)

func open(t *testing.T, root string) *files.Engine {
	t.Helper()
	e, err := files.Open(files.Options{Root: nofollow.Root(root), State: filepath.Join(root, ".handoff"), ReceiptsRoot: nofollow.Root(root), Receipts: filepath.Join(root, "git", "receipts"),
		Except: []string{"runs"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestEngine(t *testing.T) {
	var root string
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		root = t.TempDir()
		return open(t, root)
	}, enginetest.Supports{Blobs: true, Another: func(t *testing.T, _ engine.Engine) engine.Engine { return open(t, root) }})
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func batch(log string, expected uint64, records ...string) engine.Batch {
	b := engine.Batch{Log: log, Expected: expected}
	for _, r := range records {
		b.Records = append(b.Records, []byte(r))
	}
	return b
}

func read(t *testing.T, e engine.Logs, log string) (all []string, err error) {
	t.Helper()
	for r, err := range e.Read(t.Context(), log, 0) {
		if err != nil {
			return all, err
		}
		all = append(all, string(r.Data))
	}
	return all, nil
}

// TestTornLine: a last line without a newline is not a record, and the next append
// keeps it in a file of its own.
func TestTornLine(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, ".handoff", "threads", "a.jsonl")
	write(t, path, "one\ntwo\nthr")
	var said []string
	e, err := files.Open(files.Options{Root: nofollow.Root(root), State: filepath.Join(root, ".handoff"), Say: func(s string) { said = append(said, s) }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got, err := read(t, e, "threads/a.jsonl"); err != nil || !slices.Equal(got, []string{"one", "two"}) {
		t.Fatalf("%q, %v", got, err)
	}
	if err := e.Append(t.Context(), batch("threads/a.jsonl", 2, "three")); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); string(got) != "one\ntwo\nthree\n" {
		t.Errorf("the file has %q", got)
	}
	if got, _ := os.ReadFile(path + ".torn-8-1"); string(got) != "thr" {
		t.Errorf("the torn line is %q", got)
	}
	if len(said) != 1 || !strings.Contains(said[0], "torn-8-1") {
		t.Errorf("it said %q", said)
	}
}

// TestReplaced: facts cached about a file are not used for another one.
func TestReplaced(t *testing.T) {
	root := t.TempDir()
	e, path := open(t, root), filepath.Join(root, ".handoff", "tape", "a.jsonl")
	long := strings.Repeat("0123456789\n", 3_000)
	for _, content := range []string{long, "x\n", "x\ny\n", strings.Repeat("abcde\nfghi\n", 3_000), ""} {
		write(t, path, content)
		got, err := read(t, e, "tape/a.jsonl")
		if joined := strings.Join(got, "\n"); err != nil || joined != strings.TrimSuffix(content, "\n") {
			t.Errorf("%d bytes were read, %v, want %d", len(joined), err, len(content))
		}
	}
}

func TestEmptyLine(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".handoff", "tape", "a.jsonl"), "one\n\nthree\n")
	got, err := read(t, open(t, root), "tape/a.jsonl")
	if err == nil || !strings.Contains(err.Error(), "a.jsonl:2: ") || !slices.Equal(got, []string{"one"}) {
		t.Errorf("%q, %v", got, err)
	}
}

// TestPlaces: receipts may be outside the workspace, and files of processes are not logs.
func TestPlaces(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{".handoff/threads.jsonl", ".handoff/threads/a.jsonl", ".handoff/threads/a.jsonl.lock", ".handoff/threads/a.jsonl.idx/x.jsonl", ".handoff/runs/r.jsonl",
		".handoff/receipts/old.jsonl", "git/receipts/k.jsonl", ".handoff/tape/manifest.json"} {
		write(t, filepath.Join(root, name), "x\n")
	}
	write(t, filepath.Join(root, "outside.jsonl"), "x\n")
	if err := os.Symlink(filepath.Join(root, "outside.jsonl"), filepath.Join(root, ".handoff", "threads", "link.jsonl")); err != nil {
		t.Skip(err)
	}
	e := open(t, root)
	var got []string
	for info, err := range e.List(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, info.Log)
	}
	if want := []string{"receipts/k.jsonl", "threads.jsonl", "threads/a.jsonl"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := e.Append(t.Context(), batch("runs/r.jsonl", 1, "x")); !errors.Is(err, engine.ErrInvalid) {
		t.Errorf("an append below runs: %v", err)
	}
	if err := e.Append(t.Context(), batch("threads/link.jsonl", 1, "x")); err == nil {
		t.Error("an append through a symlink worked")
	}
	if src, _ := os.ReadFile(filepath.Join(root, "outside.jsonl")); string(src) != "x\n" {
		t.Errorf("the file outside has %q", src)
	}
	if err := e.Append(context.Background(), batch("receipts/k.jsonl", 1, "y")); err != nil {
		t.Fatal(err)
	}
	if src, _ := os.ReadFile(filepath.Join(root, "git", "receipts", "k.jsonl")); string(src) != "x\ny\n" {
		t.Errorf("the receipt has %q", src)
	}
}
