package rules

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/lint"
)

// realDocument is a document that an agent wrote, as the corpus keeps it:
// REPO/COMMIT/PATH-IN-THE-WORKSPACE.
type realDocument struct {
	root, path string
	source     []byte
	siblings   []string
}

// realDocuments reads the real handoffs below HANDOFF_CORPUS, which are not
// part of the project.
func realDocuments(t testing.TB) (list []realDocument) {
	root := needs.Folder(t, "HANDOFF_CORPUS")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(filepath.Dir(file)) != handoff.Folder || filepath.Ext(file) != ".md" {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		parts := strings.SplitN(filepath.ToSlash(rel), "/", 3)
		source, err := os.ReadFile(file)
		if len(parts) == 3 {
			list = append(list, realDocument{filepath.Join(root, parts[0], parts[1]), parts[2], source, siblings(filepath.Dir(file))})
		}
		return err
	})
	if err != nil || len(list) == 0 {
		t.Fatalf("%s: no handoffs (%v)", root, err)
	}
	return list
}

// siblings are the names of the documents of a folder.
func siblings(dir string) (names []string) {
	entries, _ := os.ReadDir(dir) // of a folder that was just walked
	for _, e := range entries {
		if !e.IsDir() && filepath.Ext(e.Name()) == ".md" {
			names = append(names, e.Name())
		}
	}
	return names
}

func (r *realDocument) input() *lint.Input {
	return &lint.Input{
		Doc: read(r.source), Path: r.path, Name: handoff.ParseName(r.path),
		Siblings: r.siblings, Now: time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC),
		Look: r.look,
	}
}

func (r *realDocument) look(p string) lint.Facts {
	if path.IsAbs(p) {
		return lint.Facts{Exists: true} // on the author's machine
	}
	file := filepath.Join(r.root, filepath.FromSlash(p))
	info, err := os.Stat(file)
	if err != nil {
		return lint.Facts{}
	}
	return lint.Facts{Exists: true, Folder: info.IsDir(), Lines: func() int {
		src, _ := os.ReadFile(file) // a folder has none
		return strings.Count(string(src), "\n")
	}}
}

// TestCorpus counts what each rule finds in real documents; -v shows the
// counts and CORPUS_RULE=name the findings of one rule. What must stay at zero
// there does.
func TestCorpus(t *testing.T) {
	documents := realDocuments(t)
	set := lint.Defaults()
	for _, r := range All {
		if set.Profile = lint.Handoff; r.Profiles == lint.Completion {
			set.Profile = lint.Completion
		}
		files, findings := 0, 0
		for i := range documents {
			list := found(documents[i].input(), r, &set)
			if findings += len(list); len(list) > 0 {
				files++
			}
			if os.Getenv("CORPUS_RULE") == r.Name && len(list) > 0 {
				t.Logf("%s/%s\n%s", path.Base(path.Dir(filepath.ToSlash(documents[i].root))), documents[i].path, render(list))
			}
		}
		t.Logf("%-24s %3d findings in %3d of %d documents", r.Name, findings, files, len(documents))
		if findings > 0 && slices.Contains([]string{"secret", "hidden-character", "leftover-placeholder", "hidden-comment", "dead-line"}, r.Name) {
			t.Errorf("%s: %d findings, and no real document holds any", r.Name, findings)
		}
	}
}
