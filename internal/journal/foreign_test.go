package journal

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// grown is a journal so large that a query writes the index to the disk.
func grown(t *testing.T, before func(path string)) *Journal {
	t.Helper()
	j := create(t, strict, Options{})
	before(j.Path())
	for range 3 {
		mustAppend(t, j, strings.Repeat("a", 2*lagBytes))
		if _, err := j.Len(); err != nil {
			t.Fatal(err)
		}
	}
	return j
}

// TestIndexIsALink: if the index is a symlink, nothing is written or deleted in the
// folder that it leads to.
func TestIndexIsALink(t *testing.T) {
	victim := t.TempDir()
	for _, name := range []string{"head", "work.txt", "1.keys.2"} {
		if err := os.WriteFile(filepath.Join(victim, name), []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	j := grown(t, func(path string) {
		if err := os.Symlink(victim, path+".idx"); err != nil {
			needs.Missing(t, "symlinks", err.Error())
		}
	})
	j.index.discard()
	if n, err := j.Len(); n != 3 || err != nil {
		t.Error(n, err)
	}
	left, err := os.ReadDir(victim)
	if err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
	if head, _ := os.ReadFile(filepath.Join(victim, "head")); string(head) != "theirs" {
		t.Errorf("the file there became %q", head)
	}
}

// TestForeignFilesInTheIndex: only files with names of an index are deleted when no
// head refers to them.
func TestForeignFilesInTheIndex(t *testing.T) {
	j := grown(t, func(path string) {
		if err := os.Mkdir(path+".idx", 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"work.txt", "1.notes.2", "0.keys.999"} {
			if err := os.WriteFile(filepath.Join(path+".idx", name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	})
	for name, want := range map[string]bool{"head": true, "work.txt": true, "1.notes.2": true, "0.keys.999": false} {
		if _, err := os.Stat(filepath.Join(j.Path()+".idx", name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLockIsALink: a lock that is a symlink is an error.
func TestLockIsALink(t *testing.T) {
	needs.Unix(t, "links are followed there")
	j := create(t, strict, Options{})
	target := filepath.Join(t.TempDir(), "made")
	if err := os.Symlink(target, j.Path()+".lock"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(t.Context(), Any(), add("a")); err == nil {
		t.Error("appended")
	}
	if _, err := os.Lstat(target); err == nil {
		t.Error("a file was made where the link leads")
	}
}

// TestOpenLineChanges: a last line without a newline is a record, until another program continues it.
func TestOpenLineChanges(t *testing.T) {
	path := filepath.Join(quickDir(t), "log")
	j, err := Create(t.Context(), path, tolerant, Options{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	write := func(s string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = f.WriteString(s)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	found := func(want int) {
		t.Helper()
		list, err := j.Find("k")
		n, err2 := j.Len()
		if err := errors.Join(err, err2); err != nil || len(list) != want || n != uint64(want) {
			t.Errorf("found %v of %d records, want %d (%v)", list, n, want, err)
		}
	}
	write(string(entry{Keys: []string{"k"}, Text: "open"}.line()))
	found(1)
	write(" and more\n") // now it cannot be read
	found(0)
}
