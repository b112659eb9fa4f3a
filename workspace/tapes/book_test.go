package tapes_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"handoff/document/handoff"
	"handoff/log/tape"
	"handoff/workspace"
	"handoff/workspace/tapes"
)

// TestBook: a URI of another workspace is read where the user's book says that it is, and nowhere else.
func TestBook(t *testing.T) {
	home, here, there := t.TempDir(), t.TempDir(), t.TempDir()
	book := tapes.BookOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] })
	label := func(dir, name string) *workspace.Workspace {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, ".handoff.yaml"), []byte("workspace: "+name+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		ws, err := workspace.Open(dir, workspace.Options{Elsewhere: book.Folder})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(ws.Close)
		return ws
	}
	other := label(there, "there")
	all, err := tapes.In(other, "", true)
	if err != nil {
		t.Fatal(err)
	}
	add(t, one(t, all, ""), "from there")
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	read := func(uri string) (string, error) {
		t.Helper()
		all, err := tapes.In(label(here, "here"), "", false)
		if err != nil {
			t.Fatal(err)
		}
		defer all.Close()
		ref, err := tape.ParseRef(uri)
		if err != nil {
			t.Fatal(err)
		}
		e, err := all.Resolve(ref)
		return tapes.Gist(e), err
	}
	const uri = "tape://there/main/entry/3"
	if _, err := read(uri); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: it is not in the book", err)
	}
	if names, err := book.Add(t.Context(), other); err != nil || len(names) != 1 || names[0] != "there" {
		t.Fatalf("%q, %v", names, err)
	}
	if got, err := read(uri); err != nil || got != "user: from there" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := book.Add(t.Context(), label(t.TempDir(), "there")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v: the name is that of another folder", err)
	}
	label(there, "renamed")
	if _, err := read(uri); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: the folder is another workspace now", err)
	}
	if err := book.Remove(t.Context(), "there"); err != nil {
		t.Error(err)
	}
	if err := book.Remove(t.Context(), "there"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: removed twice", err)
	}

	file := filepath.Join(home, "handoff", "workspaces.json")
	if err := os.WriteFile(file, []byte("no JSON"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read(uri); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v: a book that cannot be read is not an empty one", err)
	}
	if _, err := book.Add(t.Context(), other); err == nil {
		t.Error("a book that cannot be read was overwritten")
	}
	unnamed, err := workspace.Open(t.TempDir(), workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer unnamed.Close()
	if _, err := book.Add(t.Context(), unnamed); !errors.Is(err, handoff.ErrInvalid) {
		t.Errorf("%v: it has no name", err)
	}
}

// TestBookTogether: of workspaces that are added at once, none is lost.
func TestBookTogether(t *testing.T) {
	home := t.TempDir()
	book := tapes.BookOf(func(name string) string { return map[string]string{"XDG_STATE_HOME": home}[name] })
	const many = 8
	var all sync.WaitGroup
	for i := range many {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, ".handoff.yaml"), fmt.Appendf(nil, "workspace: w%d\n", i), 0o644); err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			ws, err := workspace.Open(dir, workspace.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer ws.Close()
			if _, err := book.Add(t.Context(), ws); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if folders, err := book.Folders(); err != nil || len(folders) != many {
		t.Errorf("%v, %v", folders, err)
	}
}
