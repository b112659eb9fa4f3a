package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/artifact"
	"handoff/bundle"
	"handoff/internal/testing/needs"
)

// TestGoldenStore reads the store of a real RIP, copied, so that a lock or a
// folder of ours would not end up in it.
func TestGoldenStore(t *testing.T) {
	contracts := needs.Folder(t, "HANDOFF_CONTRACTS")
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(contracts, "rip-golden-store"))); err != nil {
		t.Fatal(err)
	}
	w, ctx := &Workspace{Root: filepath.Join(root, "workspace")}, t.Context()
	var ids []artifact.ID
	err := w.VerifyArtifacts(ctx, nil, func(a CheckedArtifact) error {
		if a.Err != nil && !errors.Is(a.Err, artifact.ErrNotHashed) {
			t.Errorf("%s: %v", a.ID, a.Err)
		}
		ids = append(ids, a.ID)
		return nil
	})
	if err != nil || len(ids) == 0 {
		t.Fatal(len(ids), err)
	}
	for _, id := range ids {
		var b bytes.Buffer
		if err := w.ReadArtifact(ctx, &b, id, 0, -1); err != nil {
			t.Fatal(err)
		}
		if schema, err := CheckBundle(b.Bytes()); err != nil || schema != bundle.HandoffSchema {
			t.Errorf("%s: %s, %v", id, schema, err)
		}
	}
	w.Options.Now = longAfter
	later := GCRequest{Delete: true}
	for _, also := range [][]string{nil, {filepath.Join(root, "data")}} {
		later.Also = also
		if res, err := w.GC(ctx, later); err != nil || len(res.Garbage) > 0 {
			t.Errorf("%+v, %v", res, err)
		}
	}
}

// gcTree is a workspace with an old blob that nothing names.
func gcTree(t *testing.T) (*Workspace, artifact.ID) {
	t.Helper()
	w := &Workspace{Root: t.TempDir(), Options: Options{Now: longAfter}}
	id, _, _, err := w.PutArtifact(strings.NewReader("garbage"), artifact.ID{})
	if err != nil {
		t.Fatal(err)
	}
	return w, id
}

func longAfter() time.Time { return time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC) }

// TestGCUnread: when a file cannot be read, nobody knows what it names.
func TestGCUnread(t *testing.T) {
	needs.Unix(t, "files without a mode for reading")
	needs.NotRoot(t, func() {
		w, id := gcTree(t)
		write(t, w.Root, "specs/1_x/.return-meta.json", "{}")
		if err := os.Chmod(filepath.Join(w.Root, "specs/1_x/.return-meta.json"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := w.GC(t.Context(), GCRequest{Delete: true}); err == nil || !strings.Contains(err.Error(), "nothing removed") {
			t.Error(err)
		}
		if err := w.ReadArtifact(t.Context(), new(bytes.Buffer), id, 0, -1); err != nil {
			t.Error(err)
		}
	})
}

// TestGCAtTheEdges finds an id wherever a block that is read ends within it,
// and behind any number of hex digits.
func TestGCAtTheEdges(t *testing.T) {
	w, id := gcTree(t)
	for _, before := range []int{0, 1, 63, 64, 65, 64<<10 - 64, 64<<10 - 63, 64<<10 - 32, 64<<10 - 1, 64 << 10, 1<<17 + 7} {
		for _, pad := range []string{"z", "a"} {
			write(t, w.Root, ".handoff/threads/t.jsonl", strings.Repeat(pad, before)+id.String()+pad)
			if res, err := w.GC(t.Context(), GCRequest{}); err != nil || res.Kept != 1 {
				t.Errorf("behind %d of %s: %+v, %v", before, pad, res, err)
			}
		}
	}
	write(t, w.Root, ".handoff/threads/t.jsonl", id.String()[:63]+"z"+id.String()[63:])
	if res, err := w.GC(t.Context(), GCRequest{}); err != nil || len(res.Garbage) != 1 {
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
	res, err := c.sweep(GCRequest{Delete: true, Age: 24 * time.Hour}, now)
	if _, getErr := store.Get(id); err != nil || getErr != nil || res.Young != 1 || len(res.Garbage) > 0 {
		t.Errorf("%+v, %v, %v", res, err, getErr)
	}
}

// TestGCLocked waits for a writer of ours.
func TestGCLocked(t *testing.T) {
	w, id := gcTree(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := w.locked(t.Context(), func() error {
		_, err := w.GC(ctx, GCRequest{Delete: true})
		return err
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	if err := w.ReadArtifact(t.Context(), new(bytes.Buffer), id, 0, -1); err != nil {
		t.Error(err)
	}
}

// A thread that cannot be opened is not reported as damaged: what it holds is
// not known.
func TestVerifyUnopened(t *testing.T) {
	needs.Unix(t, "files without a mode for reading")
	needs.NotRoot(t, func() {
		w, _ := gcTree(t)
		const path = StateDir + "/threads/00000001-0000-4000-8000-000000000001.jsonl"
		write(t, w.Root, path, "{}\n")
		if err := os.Chmod(filepath.Join(w.Root, path), 0); err != nil {
			t.Fatal(err)
		}
		var last *Verified
		err := w.Verify(t.Context(), VerifyRequest{}, func(v *Verified) error { last = v; return nil })
		if err != nil || last == nil || !errors.Is(last.Err, fs.ErrPermission) || len(last.Files) > 0 {
			t.Errorf("%+v, %v", last, err)
		}
	})
}
