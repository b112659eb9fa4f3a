package workspace

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"handoff/workspace/config"
)

// tree writes files, each with a little text, to a new folder.
func placeTree(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, f := range files {
		path := filepath.Join(root, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("# x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestPlaces(t *testing.T) {
	const head = ".git/HEAD .git/objects/x .git/refs/x "
	for _, c := range []struct{ files, want string }{
		{"HANDOFF.md", "HANDOFF.md"},
		{"handoff.md README.md", "handoff.md"},
		{"docs/HANDOFF.md", "docs/HANDOFF.md"},
		{".planning/STATE.md .planning/HANDOFF.json .planning/phases/07/.continue-here.md", ".planning/phases/07/.continue-here.md"},
		{".planning/STATE.md .planning/HANDOFF.json", ".planning/HANDOFF.json"},
		{".planning/STATE.md", ".planning/STATE.md"},
		{".continue-here.md", ".continue-here.md"},
		{"claude-progress.txt notes.txt", "claude-progress.txt"},
		{"docs/引き継ぎ.md", "docs/引き継ぎ.md"},
		{"Übergabe.md", "Übergabe.md"},
		{"uebergabe.md", "uebergabe.md"},
		{"docs/Передача.md", "docs/Передача.md"},
		{"CONSEGNE.md", ""}, // homework, most often
		{"HANDOFF.md docs/handoffs/a.md", "HANDOFF.md + docs/handoffs/a.md"},
		{"HANDOFF.md HANDOFF_2026-07-19.md HANDOFF-2026-07-20-auth.md", "HANDOFF-2026-07-20-auth.md + HANDOFF.md + HANDOFF_2026-07-19.md"},
		{"docs/HANDOFF.md docs/handoff_20260719.md", "docs/HANDOFF.md + docs/handoff_20260719.md"},
		{"HANDOFF.md HANDOFF_TEMPLATE.md HANDOFF_2.md HANDOFF_2026.md", "HANDOFF.md"},
		{"docs/handoffs/README.md docs/handoffs/TEMPLATE.md docs/handoffs/session-template.md docs/handoffs/perf-baseline.md", ""},
		{"README.md src/HANDOFF.md", ""},
		{"HANDOFF.md specs/.keep", ""},            // specs was just made
		{"HANDOFF.md specs/1_a/x.md", ""},         // ours
		{"HANDOFF.md specs/team/1_a/x.md", ""},    // a group of tasks
		{"HANDOFF.md specs/archive/1_a/x.md", ""}, // finished ones
		{"HANDOFF.md specs/team/x.md specs/dev/b/y.md", "HANDOFF.md"},
		{"HANDOFF.md specs/001-login/spec.md specs/dev/y.md", "HANDOFF.md"},
		{"HANDOFF.md specs/team/001-login/handoffs/a.md", ""},
		{"HANDOFF.md specs/001-login/spec.md", "HANDOFF.md"}, // Spec Kit
		{"HANDOFF.md specs/001-login/handoffs/a.md", ""},     // ours by now
		{"HANDOFF.md specs/login.spec.ts", "HANDOFF.md"},     // tests
	} {
		root := placeTree(t, strings.Fields(head+c.files)...)
		var got []string
		for _, d := range Places(root) {
			got = append(got, d.Found...)
			if line := "documents: [" + d.Line() + "]\n"; len(d.Found) > 0 {
				conf, err := config.Parse("c", []byte(line), nil)
				for _, p := range d.Found {
					l := conf.Documents.Of(p)
					if err != nil || l == nil {
						t.Errorf("%s: %s does not select %s: %v", c.files, line, p, err)
					} else if name := l.Read(p); strings.Contains(p, "HANDOFF_2026-") && (name.Time.IsZero() || name.Chain != l.Read(d.Found[0]).Chain) {
						t.Errorf("%s: %s is %+v", c.files, p, name)
					}
				}
			}
		}
		if text := strings.Join(got, " + "); text != c.want {
			t.Errorf("%s: %q, want %q", c.files, text, c.want)
		}
	}
}

func TestPlacesAbove(t *testing.T) {
	for _, c := range []struct{ files, dir, want string }{
		{"HANDOFF.md src/a.go", "src", "."},
		{"docs/HANDOFF.md", "docs", "."},
		{".claude/handoffs/2026-01-02-a.md src/a.go", "src", "."},
		{"HANDOFF.md packages/a/HANDOFF.md", "packages/a", "packages/a"},
		{"src/a.go", "src", ""},
	} {
		root := placeTree(t, strings.Fields(".git/HEAD .git/objects/x .git/refs/x "+c.files)...)
		got := PlacesAbove(filepath.Join(root, filepath.FromSlash(c.dir)))
		if rel, err := filepath.Rel(root, got); got != "" && err == nil {
			got = filepath.ToSlash(rel)
		}
		if got != c.want {
			t.Errorf("%s from %s: %q, want %q", c.files, c.dir, got, c.want)
		}
	}
	root := placeTree(t, "HANDOFF.md", "src/a.go") // no repository: what is above is not the project's
	if got := PlacesAbove(filepath.Join(root, "src")); got != "" {
		t.Errorf("without git: %q", got)
	}
}

// TestOpened: a workspace is opened with the places that its root has, and is found and set up where [Locate] says.
func TestOpened(t *testing.T) {
	for _, c := range []struct {
		files, dir, want string
		setUp            bool
	}{
		{"HANDOFF.md src/a.go", "src", ".", true},
		{"docs/HANDOFF.md", "docs", ".", true}, // found in docs, and of the folder above
		{"HANDOFF.md packages/a/HANDOFF.md", "packages/a", "packages/a", true},
		{"src/a.go", "src", "src", false},
		{"src/a.go", ".", ".", false},
		{"HANDOFF.md specs/team/x.md specs/dev/b/y.md", "specs/team", ".", true},
		{"HANDOFF.md specs/1_a/x.md", "specs/1_a", ".", true},
		{"HANDOFF.md .handoff.yaml src/a.go", "src", ".", true},
		{"specs/.handoff.yaml src/a.go", "specs", ".", true},
	} {
		root := placeTree(t, strings.Fields(".git/HEAD .git/objects/x .git/refs/x "+c.files)...)
		dir, want := filepath.Join(root, filepath.FromSlash(c.dir)), filepath.Join(root, filepath.FromSlash(c.want))
		ws, _ := Open(dir, Options{}) // "# x" is an empty configuration
		found, setUp := Find(dir)
		if at, _ := Locate(dir); ws.Root != want || at != want || found != want || setUp != c.setUp || ws.IsSetUp() != c.setUp {
			t.Errorf("%s from %s: opened at %s, set up: %v; located at %s; found at %s: %v", c.files, c.dir, ws.Root, ws.IsSetUp(), at, found, setUp)
		}
		places := Places(want)
		if _, file := Locate(dir); file != "" {
			places = nil
		}
		if !reflect.DeepEqual(ws.Config.Found, places) {
			t.Errorf("%s from %s: opened with %+v, has %+v", c.files, c.dir, ws.Config.Found, places)
		}
	}
}
