package tape

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/text/tree"
)

// drawn is the trees as text.
func drawn(t testing.TB, w *workshop, name string) string {
	t.Helper()
	var roots []*tree.Node
	for _, n := range must(w.Trees(ctx, name))(t) {
		roots = append(roots, n.Drawn())
	}
	return tree.Text(roots...)
}

func TestTrees(t *testing.T) {
	w, tape := phases(t)
	if got := drawn(t, w, ""); got != "main\n" {
		t.Error(got)
	}
	must(tape.Fork(ctx, ForkRequest{To: "a", FromAnchor: new("p")}))(t)
	must(w.tape("a").Fork(ctx, ForkRequest{Link: true}))(t)
	must(tape.Fork(ctx, ForkRequest{To: "b", FromEntry: new(int64(6))}))(t)
	must(w.tape("b").Merge(ctx, MergeRequest{}))(t)
	must(tape.Fork(ctx, ForkRequest{To: "b"}))(t) // the name is free again
	must(w.tape("a").Discard(ctx, ""))(t)
	add(t, w.tape("another"), message("x"))
	const ofMain = `main
├─ main-fork-00000001  "a"  from p  (discarded)
│  └─ a-fork-00000002  from entry 1
├─ main-fork-00000003  "b"  from entry 6  (merged)
└─ main-fork-00000004  "b"  from entry 1
`
	for name, want := range map[string]string{
		"":                   "another\n" + ofMain,
		"another":            "another  *\n",
		"main":               strings.Replace(ofMain, "main\n", "main  *\n", 1),
		"b":                  strings.Replace(ofMain, "1\n", "1  *\n", 2),
		"main-fork-00000003": strings.Replace(ofMain, "(merged)", "(merged)  *", 1),
	} {
		if name == "b" { // the last of that name
			want = strings.Replace(want, "1  *\n", "1\n", 1)
		}
		if got := drawn(t, w, name); got != want {
			t.Errorf("%s:\n%swant\n%s", name, got, want)
		}
	}
	if _, err := w.Trees(ctx, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	src := must(json.Marshal(must(w.Trees(ctx, "another"))(t)))(t)
	if string(src) != `[{"tape":"another","focus":true,"children":[]}]` {
		t.Errorf("%s", src)
	}
	if err := os.Remove(tape.Path()); err != nil {
		t.Fatal(err)
	}
	if got := drawn(t, w, "main"); !strings.HasPrefix(got, "main  (missing)  *\n") {
		t.Error(got)
	}
}

// TestTreesOfOthers draws lines of Bub, and a session that is its own parent.
func TestTreesOfOthers(t *testing.T) {
	w := open(t)
	line := func(id, parent string) string {
		return `{"session_id": "` + id + `", "parent_session_id": ` + parent + `, "from_anchor": null, "created_at": "2026-11-20T17:40:16+00:00", "status": "active"}` + "\n"
	}
	err := os.MkdirAll(w.folder, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(w.folder, "session_graph.jsonl"), []byte(line("b2dd6a9eb107419f", "null")+
			line(`x\u001b[2J`, `"b2dd6a9eb107419f"`)+line("c1", `"c2"`)+line("c2", `"c1"`)+line("self", `"self"`)), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	want := `b2dd6a9eb107419f  (missing)
└─ x[2J  from start  (missing)
c2  (missing)
└─ c1  from start  (missing)
self  (missing)
`
	if got := drawn(t, w, ""); got != want {
		t.Errorf("%q", got)
	}
}
