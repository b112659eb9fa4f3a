package workspace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/workspace/config"
)

// TestGoldenStore reads the store of a real RIP, copied, so that a lock or a
// folder of ours would not end up in it.
func TestGoldenStore(t *testing.T) {
	contracts := needs.Folder(t, "HANDOFF_CONTRACTS")
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(filepath.Join(contracts, "rip-golden-store"))); err != nil {
		t.Fatal(err)
	}
	w, ctx := New(filepath.Join(root, "workspace"), config.Default(), Options{}), t.Context()
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
		if schema, err := bundle.Check(b.Bytes()); err != nil || schema != bundle.HandoffSchema {
			t.Errorf("%s: %s, %v", id, schema, err)
		}
	}
}
