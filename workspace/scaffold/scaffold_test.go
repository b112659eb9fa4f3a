package scaffold_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/scaffold"
)

// run is what init prints, and its error.
func run(t *testing.T, req scaffold.Request) (steps string, err error) {
	t.Helper()
	list, err := scaffold.Run(context.Background(), req)
	var lines []string
	for _, s := range list {
		line := s.Verb + " " + s.Path
		if s.Why != "" {
			line += " (" + s.Why + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", "), err
}

func must(t *testing.T, req scaffold.Request, want string) {
	t.Helper()
	if got, err := run(t, req); err != nil || got != want {
		t.Errorf("%+v: %q, %v, want %q", req, got, err, want)
	}
}

func exists(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

const template = ".handoff/templates/handoff.md.tmpl"

// TestInit: init creates what is missing, keeps what exists, and --remove takes back exactly what
// was created and not changed.
func TestInit(t *testing.T) {
	root := t.TempDir()
	must(t, scaffold.Request{Root: root}, "created .handoff.yaml, created specs/")
	must(t, scaffold.Request{Root: root, Template: true}, "kept .handoff.yaml, kept specs/, created "+template)
	must(t, scaffold.Request{Root: root, Template: true}, "kept .handoff.yaml, kept specs/, kept "+template)
	if w, err := workspace.Open(root, workspace.Options{}); err != nil || w.Root != root {
		t.Errorf("%v: the configuration is not one", err)
	}
	must(t, scaffold.Request{Root: root, Remove: true}, "removed "+template+", removed .handoff.yaml, removed specs/")
	for _, name := range []string{".handoff.yaml", "specs", ".handoff"} {
		if exists(root, name) {
			t.Errorf("%s is left", name)
		}
	}
	must(t, scaffold.Request{Root: root, Remove: true}, "")
}

// TestRemove: what people made or changed since stays, with the reason.
func TestRemove(t *testing.T) {
	for name, c := range map[string]struct {
		before, after string // a file, before and after init; "" for none
		want          string
	}{
		"the folder existed":            {"specs/x", "", "removed .handoff.yaml, left specs/ (not empty)"},
		"a task was added":              {"", "specs/1_a/x.md", "removed .handoff.yaml, left specs/ (not empty)"},
		"the configuration was changed": {"", ".handoff.yaml", "left .handoff.yaml (changed since init), left specs/ (not created by init)"},
		"the template was changed":      {"", template, "left " + template + " (changed since init), removed .handoff.yaml, removed specs/"},
		"a template beside it":          {"", ".handoff/templates/mine.tmpl", "removed " + template + ", removed .handoff.yaml, removed specs/"},
	} {
		root := t.TempDir()
		if c.before != "" {
			treetest.Write(t, root, c.before, "")
		}
		if _, err := run(t, scaffold.Request{Root: root, Template: strings.HasPrefix(c.after, ".handoff/")}); err != nil {
			t.Fatal(err)
		}
		if c.after != "" {
			treetest.Write(t, root, c.after, "max_lines: 9\n")
		}
		must(t, scaffold.Request{Root: root, Remove: true}, c.want)
		if c.after != "" && !exists(root, c.after) {
			t.Errorf("%s: %s is gone", name, c.after)
		}
	}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	must(t, scaffold.Request{Root: root}, "created .handoff.yaml, kept specs/")
	must(t, scaffold.Request{Root: root, Remove: true}, "removed .handoff.yaml, left specs/ (not created by init)")
}

// TestPlaces: a tree that has handoffs elsewhere gets a configuration for that place, and nothing else.
func TestPlaces(t *testing.T) {
	root := t.TempDir()
	treetest.Write(t, root, "HANDOFF.md", "# Handoff\n")
	must(t, scaffold.Request{Root: root}, "created .handoff.yaml (the handoffs here: HANDOFF.md)")
	if c := loaded(t, root); len(c.Documents) != 1 || !c.Documents[0].Holds("HANDOFF.md") || exists(root, "specs") {
		t.Errorf("%+v", c.Documents)
	}
	must(t, scaffold.Request{Root: root}, "kept .handoff.yaml") // it is set up
	must(t, scaffold.Request{Root: root, Remove: true}, "removed .handoff.yaml")

	two := t.TempDir()
	treetest.Write(t, two, "HANDOFF.md", "# Handoff\n")
	treetest.Write(t, two, "CONTINUITY.md", "# Ledger\n")
	_, err := run(t, scaffold.Request{Root: two})
	choose, ok := errors.AsType[*scaffold.ChooseError](err)
	if !ok || len(choose.Found) != 2 || exists(two, ".handoff.yaml") || exists(two, ".handoff") {
		t.Fatalf("%v: several places, and something was created", err)
	}
	for _, part := range []string{"HANDOFF.md: `handoff init --preset ", "CONTINUITY.md: `handoff init --preset ", "only you know", "`--preset " + task.Default + "` makes task folders in specs/"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%v: %q is missing", err, part)
		}
	}
	must(t, scaffold.Request{Root: two, Preset: choose.Found[0].Name}, "created .handoff.yaml (the handoffs here: "+choose.Found[0].Found[0]+")")
	must(t, scaffold.Request{Root: two, Preset: choose.Found[0].Name}, "kept .handoff.yaml")
	_, err = run(t, scaffold.Request{Root: two, Preset: choose.Found[1].Name})
	if err == nil || !strings.Contains(err.Error(), ".handoff.yaml exists and is not changed: add these lines to it:\ndocuments:\n  - preset: "+choose.Found[1].Preset) {
		t.Errorf("%v", err)
	}
}

func loaded(t *testing.T, root string) config.Config {
	t.Helper()
	c, err := config.Parse(".handoff.yaml", []byte(read(t, root, ".handoff.yaml")), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestPresets: every preset and known place gets a configuration that selects it, and --remove knows it.
func TestPresets(t *testing.T) {
	names := task.PresetNames()
	for _, p := range task.Places() {
		if len(p.Files) == 1 && !strings.Contains(p.Files[0], "*") {
			names = append(names, p.Files[0])
		}
	}
	for _, name := range names {
		root := t.TempDir()
		if got, err := run(t, scaffold.Request{Root: root, Preset: name}); err != nil || !strings.HasPrefix(got, "created .handoff.yaml") || strings.Contains(got, "(") {
			t.Errorf("%s: %q, %v", name, got, err)
			continue
		}
		if c := loaded(t, root); name != task.Default && (len(c.Documents) != 1 || c.Documents[0].Name != name && !c.Documents[0].Holds(name)) {
			t.Errorf("%s: %+v", name, c.Documents)
		}
		if got, err := run(t, scaffold.Request{Root: root, Remove: true}); err != nil || !strings.HasPrefix(got, "removed .handoff.yaml") || exists(root, ".handoff.yaml") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	root := t.TempDir()
	if _, err := run(t, scaffold.Request{Root: root, Preset: "nope"}); !errors.Is(err, handoff.ErrInvalid) || !strings.Contains(err.Error(), task.Default) || exists(root, ".handoff.yaml") {
		t.Errorf("%v: an unknown preset, and the known ones", err)
	}
}

// TestGitHook: the hooks of the repository are added on request and removed with the rest.
func TestGitHook(t *testing.T) {
	needs.Tool(t, "git")
	root := t.TempDir()
	treetest.Write(t, root, ".git/HEAD", "ref: refs/heads/main\n")
	for _, dir := range []string{"objects", "refs", "hooks"} {
		if err := os.MkdirAll(filepath.Join(root, ".git", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	must(t, scaffold.Request{Root: root}, "created .handoff.yaml, created specs/")
	if exists(root, ".git/hooks/pre-commit") {
		t.Error("a hook that was not asked for")
	}
	must(t, scaffold.Request{Root: root, GitHook: true}, "kept .handoff.yaml, kept specs/, created .git/hooks/pre-commit, created .git/hooks/pre-merge-commit")
	must(t, scaffold.Request{Root: root, Remove: true}, "removed .git/hooks/pre-commit, removed .git/hooks/pre-merge-commit, removed .handoff.yaml, removed specs/")
	if _, err := run(t, scaffold.Request{Root: t.TempDir(), GitHook: true}); err == nil {
		t.Error("a hook without a repository")
	}
}

// TestLinks: nothing is created, read or removed through symlinks that leave the tree.
func TestLinks(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	needs.Symlink(t, outside, filepath.Join(root, "specs"))
	if got, err := run(t, scaffold.Request{Root: root}); err == nil || strings.Contains(got, "specs/") {
		t.Errorf("%q, %v: specs leads out of the tree", got, err)
	}
	if err := os.Remove(filepath.Join(root, ".handoff.yaml")); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	treetest.Write(t, outside, "c.yaml", "max_lines: 9\n")
	needs.Symlink(t, filepath.Join(outside, "c.yaml"), filepath.Join(root, ".handoff.yaml"))
	if got, err := run(t, scaffold.Request{Root: root}); err == nil || strings.Contains(got, "kept .handoff.yaml") {
		t.Errorf("%q, %v: the configuration leads out of the tree", got, err)
	}
	if _, err := run(t, scaffold.Request{Root: root, Remove: true}); err == nil || !exists(root, ".handoff.yaml") || !exists(root, "specs") || !exists(outside, "c.yaml") {
		t.Errorf("%v: links were removed, or what they lead to", err)
	}
}
