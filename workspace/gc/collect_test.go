package gc

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/config"
)

// gcTree is a workspace with an old blob that nothing names.
func gcTree(t *testing.T) (*workspace.Workspace, artifact.ID) {
	t.Helper()
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{Now: longAfter})
	id, _, _, err := w.PutArtifact(strings.NewReader("garbage"), artifact.ID{})
	if err != nil {
		t.Fatal(err)
	}
	return w, id
}

func longAfter() time.Time { return time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC) }

// TestGCUnread: if a file cannot be read, its references are unknown.
func TestGCUnread(t *testing.T) {
	needs.Unix(t, "files without a mode for reading")
	needs.NotRoot(t, func() {
		w, id := gcTree(t)
		treetest.Write(t, w.Root, "specs/1_x/.return-meta.json", "{}")
		if err := os.Chmod(filepath.Join(w.Root, "specs/1_x/.return-meta.json"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Collect(t.Context(), w, Request{Delete: true}); err == nil || !strings.Contains(err.Error(), "nothing removed") {
			t.Error(err)
		}
		if err := w.ReadArtifact(t.Context(), new(bytes.Buffer), id, 0, -1); err != nil {
			t.Error(err)
		}
	})
}

// TestGCAtTheEdges finds an id wherever a read block ends within it, and after
// any number of hex digits.
func TestGCAtTheEdges(t *testing.T) {
	w, id := gcTree(t)
	for _, before := range []int{0, 1, 63, 64, 65, 64<<10 - 64, 64<<10 - 63, 64<<10 - 32, 64<<10 - 1, 64 << 10, 1<<17 + 7} {
		for _, pad := range []string{"z", "a"} {
			treetest.Write(t, w.Root, ".handoff/threads/t.jsonl", strings.Repeat(pad, before)+id.String()+pad)
			if res, err := Collect(t.Context(), w, Request{}); err != nil || res.Kept != 1 {
				t.Errorf("behind %d of %s: %+v, %v", before, pad, res, err)
			}
		}
	}
	treetest.Write(t, w.Root, ".handoff/threads/t.jsonl", id.String()[:63]+"z"+id.String()[63:])
	if res, err := Collect(t.Context(), w, Request{}); err != nil || len(res.Garbage) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestGCPutAgain puts a blob, to name it, after it was listed as old and unnamed.
func TestGCPutAgain(t *testing.T) {
	w, id := gcTree(t)
	store, err := artifact.Open(w.Root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	data, err := store.Get(id)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	path := filepath.Join(w.Root, filepath.FromSlash(artifact.Blobs), id.String())
	if err := os.Chtimes(path, now, now.Add(-48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	c := collector{ctx: t.Context(), store: store, blobs: map[string]artifact.Info{}, named: map[string]bool{}}
	if err := c.list(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := store.Put(data); err != nil {
		t.Fatal(err)
	}
	var res Result
	err = c.sweep(&res, Request{Delete: true, Age: 24 * time.Hour}, now)
	if _, getErr := store.Get(id); err != nil || getErr != nil || res.Young != 1 || len(res.Garbage) > 0 {
		t.Errorf("%+v, %v, %v", res, err, getErr)
	}
}

// TestGCWriting: a temporary file that may still have a writer stays at any age.
func TestGCWriting(t *testing.T) {
	w, _ := gcTree(t)
	for name, age := range map[string]time.Duration{"writing": writing - time.Minute, "killed": writing + time.Minute} {
		path := filepath.Join(w.Root, filepath.FromSlash(artifact.Blobs), ".handoff-tmp-"+name)
		treetest.Write(t, w.Root, artifact.Blobs+"/.handoff-tmp-"+name, "half")
		if err := os.Chtimes(path, longAfter(), longAfter().Add(-age)); err != nil {
			t.Fatal(err)
		}
	}
	res, err := Collect(t.Context(), w, Request{Delete: true})
	if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(w.Root, filepath.FromSlash(artifact.Blobs), "*"))
	if err != nil || len(left) != 1 || filepath.Base(left[0]) != ".handoff-tmp-writing" || len(res.Garbage) != 2 {
		t.Errorf("%q, %+v, %v", left, res, err)
	}
}

// TestGCLocked waits for a writer of ours.
func TestGCLocked(t *testing.T) {
	w, id := gcTree(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := w.Locked(t.Context(), func() error {
		_, err := Collect(ctx, w, Request{Delete: true})
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := w.ReadArtifact(t.Context(), new(bytes.Buffer), id, 0, -1); err != nil {
		t.Error(err)
	}
}

// TestGoldenStore keeps all that a real RIP stored, whether its store is found in
// its place or is named.
func TestGoldenStore(t *testing.T) {
	contracts := needs.Folder(t, "HANDOFF_CONTRACTS")
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(contracts, "rip-golden-store"))); err != nil {
		t.Fatal(err)
	}
	w := workspace.New(filepath.Join(root, "workspace"), config.Default(), workspace.Options{Now: longAfter})
	for _, also := range [][]string{nil, {filepath.Join(root, "data")}} {
		res, err := Collect(t.Context(), w, Request{Delete: true, Also: also})
		if err != nil || len(res.Garbage) > 0 || res.Kept+res.Foreign == 0 {
			t.Errorf("%+v, %v", res, err)
		}
	}
}
