// Package plugin_test generates the folder plugin/ and the marketplace files, which
// let agents install hooks, the MCP server and the skill together. The hooks are
// those of agents/host, as `handoff setup` writes them.
package plugin_test

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"handoff/document/handoff"
)

//go:generate go test -vet=off . -run TestFiles -update

var update = flag.Bool("update", false, "write the generated files")

// root is the repository.
const root = "../.."

// TestFiles compares the generated files with those of the repository.
func TestFiles(t *testing.T) {
	want := generated(t)
	for path, text := range want {
		file := filepath.Join(root, path)
		if *update {
			write(t, file, text)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != string(text) {
			t.Errorf("%s is out of date (%v): go generate ./...", path, err)
		}
	}
	for path := range written(t) {
		if _, ok := want[path]; !ok && filepath.Base(path) != "README.md" {
			t.Errorf("%s is not generated: delete it, or generate it", path)
		}
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// written are the files of plugin/, by their path from the root of the repository.
func written(t *testing.T) map[string]bool {
	t.Helper()
	files := map[string]bool{}
	err := fs.WalkDir(os.DirFS(root), "plugin", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files[path] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestVersions: the packages for other languages have the version of the project.
func TestVersions(t *testing.T) {
	for path, pattern := range map[string]string{
		"sdk/typescript/package.json": `(?m)^  "version": "([^"]+)"`,
		"sdk/python/pyproject.toml":   `(?m)^version = "([^"]+)"`,
	} {
		src, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if m := regexp.MustCompile(pattern).FindSubmatch(src); m == nil || string(m[1]) != handoff.Version {
			t.Errorf("%s has version %q, the project %s", path, m, handoff.Version)
		}
	}
}
