package documents

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/config"
)

// TestInside tests callers that may see only the workspace.
func TestInside(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	w := workspace.New(root, config.Default(), workspace.Options{})
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const doc = "specs/1_a/handoffs/phase-1-handoff-20260212T143022Z.md"
	write(filepath.Join(root, doc), "# Title\n")
	write(filepath.Join(root, "secret.md"), "secret\n")
	write(filepath.Join(outside, "secret.md"), "secret\n")
	for _, ref := range []string{doc, "1", "1/1", "latest"} {
		e, err := FindInside(context.Background(), w, ref)
		if err != nil || e.Path != doc {
			t.Errorf("%s: %v, %v", ref, e.Path, err)
		}
		if d, err := ReadInside(w, e); err != nil || d.Source != "# Title\n" {
			t.Errorf("%s: %v", ref, err)
		}
	}
	for _, ref := range []string{
		"secret.md", "/etc/hosts.md", filepath.Join(outside, "secret.md"), filepath.Join(root, doc), "../secret.md",
		"specs/../secret.md", "specs/1_a/handoffs/../../../secret.md", "./" + doc, "specs/1_a/.return-meta.json.md",
		"specs//1_a/handoffs/x.md", "specs/1_a/handoffs/.x.md", "specs/1_a/handoffs/phase-2-handoff.md", "\x00.md",
		"specs/1_a/handoffs/\x00.md", "specs/1_a/handoffs/" + strings.Repeat("x", 300) + ".md", doc + "/specs/1_a/handoffs/x.md",
	} {
		e, err := FindInside(context.Background(), w, ref)
		if err == nil {
			_, err = ReadInside(w, e)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v", ref, err)
		}
	}
	link := "specs/1_a/handoffs/phase-3-handoff-20260212T143022Z.md"
	needs.Symlink(t, filepath.Join(outside, "secret.md"), filepath.Join(root, link))
	e, err := FindInside(context.Background(), w, link)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ReadInside(w, e); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link out of the workspace: %v", err)
	}
}

func TestMetadata(t *testing.T) {
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	if err := os.MkdirAll(filepath.Join(w.Root, "specs/1_a/.return-meta.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	if src, err := Metadata(w, "specs/1_a"); err == nil {
		t.Errorf("a folder was read: %q", src)
	}
	if _, err := Metadata(w, "specs/2_b"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no task: %v", err)
	}
}
