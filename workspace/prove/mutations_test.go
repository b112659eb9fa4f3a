package prove_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/workspace"
	"handoff/workspace/prove"
)

// world is a generated repository with a handoff whose items say how they were checked.
type world struct {
	t     *testing.T
	root  string
	files []string
	items []item
}

// item is an item of the handoff, about a line of a file.
type item struct {
	file string
	line int
	kind int // see marks
}

const lines = 12

func (w *world) path(file string) string { return filepath.Join(w.root, filepath.FromSlash(file)) }

func (w *world) must(err error) {
	if err != nil {
		w.t.Helper()
		w.t.Fatal(err)
	}
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"}, args...)...)
	cmd.Dir = w.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (w *world) write(file string, text []string) {
	w.must(os.MkdirAll(filepath.Dir(w.path(file)), 0o755))
	w.must(os.WriteFile(w.path(file), []byte(strings.Join(text, "\n")+"\n"), 0o644))
}

func (w *world) read(file string) []string {
	src, err := os.ReadFile(w.path(file))
	w.must(err)
	return strings.Split(strings.TrimSuffix(string(src), "\n"), "\n")
}

func text(file string, line int) string { return fmt.Sprintf("value %d of %s", line, file) }

// newWorld commits files in two commits, and writes a handoff about some of their lines.
func newWorld(t *testing.T, random *rand.Rand) *world {
	w := &world{t: t, root: t.TempDir()}
	w.git("init", "-q")
	for i := range 6 {
		file := fmt.Sprintf("src/part%d/f%d.txt", i%3, i)
		w.files = append(w.files, file)
		var all []string
		for n := range lines {
			all = append(all, text(file, n+1))
		}
		all[lines-1] = "last"
		w.write(file, all)
	}
	w.write(".handoff.yaml", []string{"checks:", "  allow: [grep -qxF ...]"})
	w.git("add", ".")
	w.git("commit", "-qm", "first")
	for _, file := range w.files { // this commit may be reverted
		all := w.read(file)
		all[lines-1] = text(file, lines)
		w.write(file, all)
	}
	w.git("commit", "-qam", "second")
	at := w.git("rev-parse", "--short=10", "HEAD")
	doc := []string{"# Phase 1 Handoff - 2026-02-12T14:30:22Z", "", "## Immediate Next Action", "Go on.", "", "## Critical Context"}
	for _, i := range random.Perm(len(w.files)) {
		one := item{w.files[i], 1 + random.IntN(lines), random.IntN(3)}
		w.items = append(w.items, one)
		marks := []string{ // by kind: run; not allowed, with a line; not allowed, with a file
			fmt.Sprintf("%s has its value [verified: grep -qxF '%s' %[1]s @%[3]s]", one.file, text(one.file, one.line), at),
			fmt.Sprintf("The value is at %s:%d [verified: make check @%s]", one.file, one.line, at),
			fmt.Sprintf("`%s` is complete [verified: make check @%s]", one.file, at),
		}
		doc = append(doc, fmt.Sprintf("%d. %s", len(w.items), marks[one.kind]))
	}
	w.write("specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md", doc)
	return w
}

// bad are the items that must not be relied on, by their index.
func (w *world) bad() map[int]bool {
	ws, err := workspace.Open(w.root, workspace.Options{})
	w.must(err)
	found, n := map[int]bool{}, 0
	w.must(prove.New(ws).Newest(w.t.Context(), nil, func(r prove.Result) error {
		found[n] = r.Bad()
		n++
		return nil
	}))
	if n != len(w.items) {
		w.t.Fatalf("%d results for %d items", n, len(w.items))
	}
	return found
}

// mutate changes the world, and returns the items that are not true any more.
func (w *world) mutate(random *rand.Rand) (name string, wrong map[int]bool) {
	wrong = map[int]bool{}
	victim := w.items[random.IntN(len(w.items))]
	all := w.read(victim.file)
	switch name = []string{"nothing", "file changed", "line moved", "commit reverted", "unrelated file changed", "committed again"}[random.IntN(6)]; name {
	case "file changed":
		all[victim.line-1] += "!"
		w.write(victim.file, all)
	case "line moved":
		w.write(victim.file, append([]string{"a new first line"}, all...))
	case "commit reverted":
		w.git("revert", "--no-edit", "HEAD")
	case "unrelated file changed":
		w.write("src/other.txt", []string{fmt.Sprint(random.Int())})
	case "committed again":
		w.git("add", ".")
		w.git("commit", "-qm", "third", "--allow-empty")
	}
	for i, one := range w.items {
		now := w.read(one.file)
		switch one.kind {
		case 0: // the command is what it says
			wrong[i] = !strings.Contains("\n"+strings.Join(now, "\n")+"\n", "\n"+text(one.file, one.line)+"\n")
		case 1:
			wrong[i] = now[one.line-1] != text(one.file, one.line) || len(now) != lines || now[lines-1] == "last"
		case 2:
			wrong[i] = len(now) != lines || now[lines-1] == "last" || name == "file changed" && one.file == victim.file
		}
		if one.kind == 1 && name == "file changed" && one.file == victim.file {
			wrong[i] = true // something else of the file
		}
	}
	return name, wrong
}

// TestMutations changes generated repositories after a handoff was written. At least 95 %
// of the items that are not true any more must be found, and at most 2 % of the others.
// HANDOFF_MUTATIONS sets the number of repositories.
func TestMutations(t *testing.T) {
	needs.Tool(t, "git")
	needs.Tool(t, "grep")
	worlds := 8
	if text := os.Getenv("HANDOFF_MUTATIONS"); text != "" {
		worlds, _ = strconv.Atoi(text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	var wrong, found, right, blamed int
	for range worlds {
		w := newWorld(t, random)
		for i, bad := range w.bad() {
			if bad {
				t.Fatalf("item %d of a new handoff is not believed: %+v", i, w.items[i])
			}
		}
		name, expected := w.mutate(random)
		for i, bad := range w.bad() {
			switch {
			case expected[i] && bad:
				wrong, found = wrong+1, found+1
			case expected[i]:
				wrong++
				t.Logf("%s: item %d (%+v) is believed", name, i, w.items[i])
			case bad:
				right, blamed = right+1, blamed+1
				t.Logf("%s: item %d (%+v) is not believed", name, i, w.items[i])
			default:
				right++
			}
		}
	}
	t.Logf("%d repositories: %d of %d found, %d of %d blamed", worlds, found, wrong, blamed, right)
	if found*100 < wrong*95 || blamed*100 > right*2 || wrong == 0 || right == 0 {
		t.Error("too few are found, or too many blamed")
	}
}
