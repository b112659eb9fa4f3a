// Package treetest writes small workspaces for tests: files and handoffs, and a
// check whether a handoff is linked. It knows the paths and keys of a tree, but
// imports none of the packages that read or write one.
package treetest

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/testing/needs"
)

// Write writes a file below root, with the folders that it needs.
func Write(t testing.TB, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Memory is a folder in memory, if the system has one that can run programs, and else one of the
// disk: for a test that restores and changes small files by the thousand, and is not about the disk.
func Memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "h")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	try := filepath.Join(dir, "try")
	if os.WriteFile(try, []byte("#!/bin/sh\n"), 0o755) != nil || exec.Command(try).Run() != nil {
		return t.TempDir()
	}
	os.Remove(try)
	return dir
}

// WriteDocument writes [Document] to its path.
func WriteDocument(t testing.TB, root, path string) {
	t.Helper()
	Write(t, root, path, Document(path))
}

// Document is a complete handoff, of other bytes for each path.
func Document(path string) string {
	return "# Phase 1 Handoff - 20260101T000000Z\n\n## Immediate Next Action\nRun `" + path + "`.\n\n## References (read only if stuck)\n- Plan: plan.md\n"
}

// Link puts a relative symlink to a path at another: for os.Root, an absolute one
// always leads out.
func Link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	rel, err := filepath.Rel(filepath.Dir(path), to)
	if err != nil {
		t.Fatal(err)
	}
	needs.Symlink(t, rel, path)
}

// Linked reports whether the metadata of a document's task names its bundle, and
// the bundle is in the store.
func Linked(root, path string) bool {
	task, _, _ := strings.Cut(path, "/handoffs/")
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(task), ".return-meta.json"))
	if err != nil {
		return false
	}
	var metadata struct {
		Artifacts []struct {
			Path string `json:"path"`
			ID   string `json:"bundle_artifact_id"`
		} `json:"artifacts"`
	}
	if json.Unmarshal(src, &metadata) != nil {
		return false
	}
	for _, a := range metadata.Artifacts {
		if a.Path == path && a.ID != "" {
			_, err := os.Stat(filepath.Join(root, ".rip/artifacts/blobs", a.ID))
			return err == nil
		}
	}
	return false
}

// Temps are the temporary files below a folder, and those of unfinished exchanges.
func Temps(t *testing.T, root string) (found []string) {
	t.Helper()
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (atomicfile.IsTemp(d.Name()) || atomicfile.IsHeld(d.Name())) {
			found = append(found, path)
		}
		return nil
	})
	return found
}
