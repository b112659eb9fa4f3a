package thread

import (
	"encoding/json"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"handoff/internal/text/tree"
)

// drawn is a tree in a format of [tree.Draw].
func drawn(n *Node, format string) string { return tree.Draw(format, n.Drawn()) }

// family is a thread with a branch, a handoff, and their descendants.
func family(w *fixture) (root, branch, off, leaf string) {
	w.t.Helper()
	root = w.create("the <root> \"1\"")
	w.run(root, "one")
	b, err := w.Branch(ctx, root, BranchRequest{Title: new("branch\n#2")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.post(b.ThreadID, "in the branch")
	w.post(root, "after the branch")
	h, err := w.Handoff(ctx, root, HandoffRequest{SummaryMarkdown: new("s"), FromSeq: new(uint64(2))})
	if err != nil {
		w.t.Fatal(err)
	}
	l, err := w.Branch(ctx, b.ThreadID, BranchRequest{Title: new("leaf")})
	if err != nil {
		w.t.Fatal(err)
	}
	w.post(l.ThreadID, "in the leaf")
	w.post(b.ThreadID, "after the leaf")
	return root, b.ThreadID, h.ThreadID, l.ThreadID
}

func TestLineage(t *testing.T) {
	w := newFixture(t)
	root, branch, off, leaf := family(w)
	w.create("another")
	if _, err := w.Archive(ctx, leaf, By{}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		root: `ROOT  "the <root> \"1\""  *
├─ BRANCH  "branch\n#2"  branch at 3
│  └─ LEAF  "leaf"  branch at 2  (archived)
└─ OFF  handoff at 2
`,
		branch: `ROOT  "the <root> \"1\""
└─ BRANCH  "branch\n#2"  branch at 3  *
   └─ LEAF  "leaf"  branch at 2  (archived)
`,
		leaf: `ROOT  "the <root> \"1\""
└─ BRANCH  "branch\n#2"  branch at 3
   └─ LEAF  "leaf"  branch at 2  (archived)  *
`,
	} {
		tree, err := w.Lineage(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.NewReplacer(root, "ROOT", branch, "BRANCH", off, "OFF", leaf, "LEAF")
		if got := names.Replace(drawn(tree, "text")); got != want {
			t.Errorf("\n%swant\n%s", got, want)
		}
		src, err := json.Marshal(tree)
		var back Node
		if err != nil || json.Unmarshal(src, &back) != nil || drawn(&back, "text") != drawn(tree, "text") || strings.Contains(string(src), `"children":null`) {
			t.Errorf("%s, %v", src, err)
		}
	}
	tree, _ := w.Lineage(ctx, root)
	names := strings.NewReplacer(root, "ROOT", branch, "BRANCH", off, "OFF", leaf, "LEAF")
	wantMermaid := `graph TD
  n0["the #lt;root#gt; #quot;1#quot;<br/>ROOT"]
  style n0 stroke-width:3px
  n1["branch #35;2<br/>BRANCH"]
  n0 -->|"branch at 3"| n1
  n2["OFF"]
  n0 -.->|"handoff at 2"| n2
  n3["leaf<br/>LEAF<br/>archived"]
  n1 -->|"branch at 2"| n3
`
	if got := names.Replace(drawn(tree, "mermaid")); got != wantMermaid {
		t.Errorf("\n%swant\n%s", got, wantMermaid)
	}
	wantDOT := `digraph lineage {
  node [shape=box];
  "ROOT" [label="the <root> \"1\"\nROOT", penwidth=3];
  "BRANCH" [label="branch #2\nBRANCH"];
  "ROOT" -> "BRANCH" [label="branch at 3"];
  "OFF" [label="OFF"];
  "ROOT" -> "OFF" [label="handoff at 2", style=dashed];
  "LEAF" [label="leaf\nLEAF\narchived"];
  "BRANCH" -> "LEAF" [label="branch at 2"];
}
`
	if got := names.Replace(drawn(tree, "dot")); got != wantDOT {
		t.Errorf("\n%swant\n%s", got, wantDOT)
	}
	wantKind(t, "unknown", second(w.Lineage(ctx, "unknown")), fs.ErrNotExist)
}

// view yields the events that a thread inherits by branching, and then its own.
func (w *fixture) view(id string) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) { w.inherit(id, math.MaxUint64, yield) }
}

func (w *fixture) inherit(id string, upTo uint64, yield func(Event, error) bool) (more bool) {
	info, err := w.firstEvents(id)
	if err != nil {
		yield(Event{}, err)
		return false
	}
	if p := info.Parent; p != nil && p.Kind == ByBranch && !w.inherit(p.ThreadID, p.Seq, yield) {
		return false
	}
	for e, err := range w.Events(id, 0) {
		if err == nil && e.Seq > upTo {
			break
		}
		if !yield(e, err) || err != nil {
			return false
		}
	}
	return true
}

func (w *fixture) resolved(id string) (string, error) {
	var all []string
	for e, err := range w.view(id) {
		if err != nil {
			return strings.Join(all, ", "), err
		}
		if m, ok := e.Payload.(*Message); ok {
			all = append(all, m.Content)
		}
	}
	return strings.Join(all, ", "), nil
}

func TestInherited(t *testing.T) {
	w := newFixture(t)
	root, branch, off, leaf := family(w)
	for id, want := range map[string]string{
		root: "one, after the branch", branch: "one, in the branch, after the leaf", off: "", leaf: "one, in the branch, in the leaf",
	} {
		if got, err := w.resolved(id); got != want || err != nil {
			t.Errorf("%q, want %q, %v", got, want, err)
		}
	}
	_, err := w.resolved("unknown")
	wantKind(t, "unknown", err, fs.ErrNotExist)
}

// plant writes the file of a thread by hand.
func (w *fixture) plant(id string, payloads ...Payload) {
	w.t.Helper()
	if err := w.Store.create(w.t.Context(), Continuity, id, w.frames(id, 0, payloads...)); err != nil {
		w.t.Fatal(err)
	}
}

// TestBrokenLineage has parents that are deleted, truncated, or their own
// descendants.
func TestBrokenLineage(t *testing.T) {
	w := newFixture(t)
	branchOf := func(parent string, seq uint64) []Payload {
		return []Payload{&Created{Workspace: workspaceName, Title: nil}, &Branched{ParentThreadID: parent, ParentSeq: seq, ParentMessageID: nil, ActorID: "a", Origin: "o"}}
	}
	w.plant("orphan", branchOf("gone", 3)...)
	w.plant("a", branchOf("b", 1)...)
	w.plant("b", branchOf("a", 1)...)
	w.plant("self", branchOf("self", 1)...)
	w.plant("out", branchOf("../../etc/passwd", 1)...)
	w.plant("short", &Created{Workspace: workspaceName, Title: nil})
	w.plant("long", branchOf("short", 5)...)
	if tree, err := w.Lineage(ctx, "orphan"); err != nil || drawn(tree, "text") != "gone  (missing)\n└─ orphan  branch at 3  *\n" {
		t.Errorf("%v, %v", tree, err)
	}
	for _, id := range []string{"a", "b", "self"} {
		if tree, err := w.Lineage(ctx, id); err == nil {
			t.Errorf("%s is in %s", id, drawn(tree, "text"))
		}
	}
	if list, err := w.List(ctx); err != nil || len(list) != 7 {
		t.Errorf("%d threads, %v", len(list), err)
	}
	var ids []string
	roots, err := w.Trees(ctx)
	for _, n := range roots {
		ids = append(ids, n.ThreadID)
		if n.Missing != (n.ThreadID == "gone" || n.ThreadID == "../../etc/passwd") || len(n.Children) != 1 {
			t.Errorf("%s", drawn(n, "text"))
		}
	}
	if slices.Sort(ids); strings.Join(ids, " ") != "../../etc/passwd gone short" {
		t.Errorf("the roots are %q", ids)
	}
	for _, id := range []string{"a", "b", "self"} {
		if err == nil || !strings.Contains(err.Error(), "thread "+id+" is not in a tree") {
			t.Errorf("the error does not name %s: %v", id, err)
		}
	}
}

// TestTrees: each tree is that of its root's lineage, and each thread is in one.
func TestTrees(t *testing.T) {
	w := newFixture(t)
	root, _, _, _ := family(w)
	other := w.create("another")
	roots, err := w.Trees(ctx)
	if err != nil || len(roots) != 2 || roots[0].ThreadID != root || roots[1].ThreadID != other {
		t.Fatalf("%v, %v", roots, err)
	}
	for _, n := range roots {
		want, err := w.Lineage(ctx, n.ThreadID)
		if err != nil {
			t.Fatal(err)
		}
		want.Focus = false
		if got := drawn(n, "text"); got != drawn(want, "text") {
			t.Errorf("\n%swant\n%s", got, drawn(want, "text"))
		}
	}
}

func TestLineageOfMany(t *testing.T) {
	w := newFixture(t)
	root := w.create("root")
	id := root
	for range 50 {
		b, err := w.Branch(ctx, id, BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Branch(ctx, root, BranchRequest{}); err != nil {
			t.Fatal(err)
		}
		id = b.ThreadID
	}
	os.Remove(filepath.Join(w.root, ".handoff/threads.jsonl"))
	w = openFixture(t, w.root, new(atomic.Uint64))
	if tree, err := w.Lineage(ctx, root); err != nil || strings.Count(drawn(tree, "text"), "\n") != 101 {
		t.Errorf("%v", err)
	}
	if tree, err := w.Lineage(ctx, id); err != nil || strings.Count(drawn(tree, "text"), "\n") != 51 {
		t.Errorf("%v", err)
	}
}
