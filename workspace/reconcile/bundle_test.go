package reconcile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/parse"
	"handoff/workspace/reconcile"
)

func documentOf(src string) reconcile.Document {
	const path = "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	return reconcile.Document{Path: path, Name: handoff.ParseName(path), Doc: parse.Document([]byte(src))}
}

// TestBundleIDs compares the ids of bundles with recorded ones: if they
// changed, sync would rewrite all metadata.
func TestBundleIDs(t *testing.T) {
	tests := []struct{ src, id string }{
		{"# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `make`.\n", "d2540cc8a0483a22c55d27e5db60a010942647beec10d0d157c9cbbf5d61796d"},
		{"# T\n\n## Current State\n- **File**: Theories/Lindenbaum.lean\n- **Location**: Line 342\n\n## References (read only if stuck)\n" +
			"- Plan: specs/870_zorn/plans/implementation-001.md, Phase 3\n- `lint/rules/prose.go:12`, [r](docs/r.md#goal)\n- ../x.md, ~/y.md\n", "984578b9f696d3032471e44ec1ecc54e9aba96fd74205e3c4e303deb4281158d"},
		{"# T\n\n## Current State\n- **Files**: code/MANIFEST.in, setup.py\n  and code/README.md\n  - below: code/other.py\n", "6f7960486401686be90b06e7da61fd1edb8a07f27c2ee24ce0f91a60d0897fd4"},
		{"# T\n\n## Current State\n**File**: `a/b.go` (12 lines)\n**Files modified**: c/d.go, e/f.go\n", "5bc0dfe38823f292336c8ef803d3bb5c380c0c733c8bdba4212c55764e2d7b3d"},
		{"---\nthread: 0198c0de-0000-7000-8000-000000000000\nseq: 7\n---\n# T\n\n## References\n- " + strings.Repeat("ab", 32) + "\n- specs/1_x/plans\n", "08b4416c99c6ee45c988a65c02bda7d3d6fbe0ec63d67c7b21b3c39bdbe57138"},
		{"# T\n\n## Current State\n- **File**: /home/user/elsewhere/a.go\n\n## References\n- /etc/hosts\n", "3e7e3cd2bf920c84eac39ed54556b946295512c5cbac0a269c79e89b9f6b7295"},
		{"", "d7804794c05a3086f8d7ac7dcfd6fcf9ca0cf9ec52ee8ca675f4bce20e2912d0"},
	}
	for _, tt := range tests {
		d := documentOf(tt.src)
		if got := reconcile.Bundle(d).ID().String(); got != tt.id {
			t.Errorf("%q: bundle %s, want %s", tt.src, got, tt.id)
		}
		state := reconcile.State{Local: regular.Within("/home/user/proofs")}
		if got := state.Bundle(d).ID().String(); got != tt.id {
			t.Errorf("%q in a workspace: bundle %s, want %s", tt.src, got, tt.id)
		}
	}
}

func TestBundleReferences(t *testing.T) {
	tests := []struct {
		name, src string
		want      []string
	}{
		{"absolute paths into the workspace",
			"## Current State\n- **File**: /home/user/proofs/a/b.lean\n\n## References\n- Plan: /home/user/proofs/specs/1_x/p.md, Phase 3\n- /home/user/proofs/../other/c.md\n- a/b.lean\n",
			[]string{"a/b.lean", "specs/1_x/p.md"}},
		{"a second file",
			"## Current State\n**File**: a/b.lean\n**File**: `c/d.lean`\n",
			[]string{"a/b.lean", "c/d.lean"}},
		{"a list below the label",
			"## Current State\n**Files**:\n\n- a/b.go: two lines\n- see c.go\n\n**Location**: line 1\n\n- d/e.go\n",
			[]string{"a/b.go"}},
		{"names in the root",
			"## Current State\n- **Files**:\n  - main.go\n  - `go.mod`: that of a.go, b/c.go\n  - see d.go\n",
			[]string{"main.go", "go.mod", "b/c.go"}},
		{"a list in the item",
			"## Current State\n- **Files**:\n  - a/b.go\n  - /home/user/proofs/c/d.go\n- **Build**: e/f.go\n",
			[]string{"a/b.go", "c/d.go"}},
		{"names that are no paths",
			"## References\n- Lines 8106-8111 in RecursiveSeed.lean\n- phase-6-handoff-20260312-001.md through 003.md\n- ./go.mod\n- x/y.md\n",
			[]string{"go.mod", "x/y.md"}},
	}
	state := reconcile.State{Local: regular.Within("/home/user/proofs")}
	for _, tt := range tests {
		if got := paths(state.Bundle(documentOf(tt.src))); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func paths(b bundle.Handoff) (list []string) {
	for _, f := range b.Refs.Files[1:] {
		list = append(list, f.Path)
	}
	return list
}

// TestBundleElsewhere: a document that names its files by absolute paths is
// linked on one machine. On another, where the workspace is in another folder,
// nothing is stale and nothing is written.
func TestBundleElsewhere(t *testing.T) {
	const dir = "specs/259_prove_completeness"
	here, there := t.TempDir(), t.TempDir()
	src := "# Phase 3 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `make`.\n\n## Current State\n- **File**: " +
		filepath.ToSlash(here) + "/a/b.lean\n\n## References\n- " + filepath.ToSlash(here) + "/specs/259_prove_completeness/plans/p.md\n"
	const document, metadata = dir + "/handoffs/phase-3-handoff-20260212T143022Z.md", dir + "/.return-meta.json"
	put(t, here, document, []byte(src))
	put(t, here, metadata, []byte("{\"status\": \"partial\"}\n"))
	linked := syncIn(t, here, dir)
	if got := paths(linked); !slices.Equal(got, []string{"a/b.lean", dir + "/plans/p.md"}) {
		t.Errorf("linked to %q", got)
	}
	meta, err := os.ReadFile(filepath.Join(here, metadata))
	if err != nil {
		t.Fatal(err)
	}
	put(t, there, document, []byte(src))
	put(t, there, metadata, meta)
	if got := syncIn(t, there, dir); got.ID() != linked.ID() {
		t.Errorf("elsewhere it is linked to %q, want %q", paths(got), paths(linked))
	}
	after, err := os.ReadFile(filepath.Join(there, metadata))
	if err != nil || string(after) != string(meta) {
		t.Errorf("the metadata changed elsewhere (%v):\n%s\nwas\n%s", err, after, meta)
	}
}

// syncIn reconciles a task and returns the bundle its one document is linked to.
func syncIn(t *testing.T, root, dir string) bundle.Handoff {
	t.Helper()
	store, err := artifact.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	state, err := new(reconcile.Loader).Load(t.Context(), root, store, dir)
	if err != nil {
		t.Fatal(err)
	}
	plan := reconcile.Make(state)
	if err := reconcile.Apply(root, store, plan); err != nil || len(plan.Bundles) != 1 {
		t.Fatal(plan.Bundles, err)
	}
	data, err := store.Get(plan.Bundles[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	b, err := bundle.ParseHandoff(data)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
