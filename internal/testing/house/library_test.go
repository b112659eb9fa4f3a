package house

import (
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const libraryBaseline = "internal/testing/house/testdata/library.txt"

// remaining are types of other packages that public names have, with the reason. Programs cannot name such a type,
// and what has it is not promised.
var remaining = map[string]string{
	"handoff/document/task.Layouts":               "what a configuration says; without it, task folders are watched",
	"handoff/internal/file/nofollow.Root":         "of a place of receipts, which Locate makes",
	"handoff/internal/journal.Passed":             "what our own commands repair",
	"handoff/internal/journal/appendlog.Torn":     "what our own commands repair",
	"handoff/internal/journal/appendlog.Upstream": "a store behind the files is opened by a workspace alone",
	"handoff/internal/text/tree.Node":             "what our own commands draw",
	"handoff/lint/report.Short":                   "what our own commands print of a refusal",
	"handoff/log/bundle.Field":                    "members that a type does not have: its JSON has them",
	"handoff/log/bundle.Handoff":                  "a handoff of a thread makes it",
	"handoff/log/tape/entry.Place":                "where our own readers read an entry",
	"handoff/log/tape/entry.Request":              "of our own journals",
	"handoff/log/tape/lineage.Fork":               "Trees has the forks",
	"handoff/log/tape/view.Filter":                "of our own queries",
	"handoff/log/thread/compile.Result":           "Call gives the context as JSON",
	"handoff/workspace/handoffops.At":             perform,
	"handoff/workspace/ops.Any":                   perform,
	"handoff/workspace/tapes.Tape":                perform,
	"handoff/workspace/threads.Threads":           perform,
}

const perform = "operations of our own commands, which programs ask for by Call"

// TestLibrary compares the exported names of the packages that docs/build-on.md calls public with the baseline.
// What is only added needs nothing; what goes needs a line in the changelog, and HANDOFF_UPDATE_PROMISES=1 writes
// the baseline.
func TestLibrary(t *testing.T) {
	s := surfaceOf(publicPackages(t)...)
	unused := maps.Clone(remaining)
	for place, foreign := range s.leaks {
		for _, name := range foreign {
			if remaining[name] == "" {
				t.Errorf("%s has the type %s, which other modules cannot name", place, name)
			}
			delete(unused, name)
		}
	}
	for name := range unused {
		t.Errorf("%s is in no public name any more", name)
	}
	if os.Getenv("HANDOFF_UPDATE_PROMISES") != "" {
		if err := os.WriteFile(libraryBaseline, []byte(strings.Join(slices.Sorted(maps.Keys(s.facts)), "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(libraryBaseline)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range removed(string(before), s.facts) {
		t.Error("removed or changed: " + line)
	}
}

// removed are the lines of a baseline that are no facts now.
func removed(before string, now map[string]bool) (lines []string) {
	for line := range strings.Lines(before) {
		if line = strings.TrimSuffix(line, "\n"); !now[line] {
			lines = append(lines, line)
		}
	}
	return lines
}

// publicPaths are the packages of the table in docs/build-on.md.
func publicPaths(t *testing.T) (paths []string) {
	t.Helper()
	page, err := os.ReadFile("docs/build-on.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?m)^\\| `(handoff/[a-z/]+)` \\|").FindAllSubmatch(page, -1) {
		paths = append(paths, string(m[1]))
	}
	if len(paths) < 8 {
		t.Fatalf("docs/build-on.md has %d packages", len(paths))
	}
	return paths
}

// publicPackages are these with their types.
func publicPackages(t *testing.T) (list []*types.Package) {
	t.Helper()
	paths := publicPaths(t)
	from := compiled(t, paths...)
	for _, path := range paths {
		p, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// compiled imports packages, and those that they import, from what the go command has compiled.
func compiled(t *testing.T, paths ...string) types.Importer {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, paths...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		files[path] = file
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}
