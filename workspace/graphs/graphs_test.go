package graphs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/treetest"
	"handoff/internal/text/tree"
	"handoff/log/receipt"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/graphs"
	"handoff/workspace/receipts"
	"handoff/workspace/tapes"
	"handoff/workspace/threads"
)

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	n := 0
	now := time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC)
	return workspace.New(t.TempDir(), config.Default(), workspace.Options{Now: func() time.Time { return now }, NewID: func() string { n++; return fmt.Sprintf("id%d", n) }})
}

// drawn are nodes, a line each: kind, what leads there, id, title and notes; * marks what is asked for.
func drawn(nodes []*tree.Node) string {
	var b strings.Builder
	var add func(n *tree.Node, indent string)
	add = func(n *tree.Node, indent string) {
		line := indent + n.Kind + ": "
		if n.Edge != "" {
			line += n.Edge + " > "
		}
		line += n.ID
		if n.Focus {
			line += "*"
		}
		if n.Title != nil {
			line += " " + *n.Title
		}
		if len(n.Notes) > 0 {
			line += " (" + strings.Join(n.Notes, ", ") + ")"
		}
		if n.Href != "" {
			line += " -> " + n.Href
		}
		b.WriteString(line + "\n")
		for _, c := range n.Children {
			add(c, indent+"  ")
		}
	}
	for _, n := range nodes {
		add(n, "")
	}
	return b.String()
}

func same(t *testing.T, what string, nodes []*tree.Node, want string) {
	t.Helper()
	if got := drawn(nodes); got != want {
		t.Errorf("%s:\n%swant\n%s", what, got, want)
	}
}

// TestTasks: the tasks that are not finished, with their phases and why they wait; below a task its handoffs,
// each with what became of it.
func TestTasks(t *testing.T) {
	w := open(t)
	old, newest := "specs/1_count/handoffs/phase-1-handoff-20260212T143022Z.md", "specs/1_count/handoffs/phase-2-handoff-20260212T144022Z.md"
	treetest.WriteDocument(t, w.Root, old)
	treetest.WriteDocument(t, w.Root, newest)
	treetest.WriteDocument(t, w.Root, "specs/2_done/handoffs/phase-1-handoff-20260212T143022Z.md")
	treetest.Write(t, w.Root, "specs/2_done/.return-meta.json", `{"status": "completed"}`)
	treetest.WriteDocument(t, w.Root, "specs/3_bad/handoffs/phase-1-handoff-20260212T143022Z.md")
	treetest.Write(t, w.Root, "specs/3_bad/.return-meta.json", `{`)
	treetest.Write(t, w.Root, "specs/1_count/.return-meta.json", `{"status": "partial", "partial_progress": {"handoff_path": "`+newest+`", "phases_completed": 1, "phases_total": 4}}`)
	b, err := receipts.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Claim(context.Background(), receipts.Target{Dir: w.Root, Ref: newest}, receipt.ClaimRequest{By: "ada", TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	nodes, err := graphs.Tasks(context.Background(), w)
	if err != nil {
		t.Error(err)
	}
	same(t, "all tasks", nodes, "broken: specs/3_bad (broken: specs/3_bad/.return-meta.json: not valid JSON: `handoff verify` shows where, ◇)\nheld: specs/1_count (held by ada, 1 of 4 phases, ●─◇─○─◆ ada ─○─○)\n")
	nodes, err = graphs.Task(context.Background(), w, "specs/1_count")
	if err != nil {
		t.Error(err)
	}
	same(t, "a task", nodes, "held: specs/1_count (held by ada, 1 of 4 phases, ●─◇─○─◆ ada ─○─○)\n"+
		"  : 1/1 of 2026-02-12T14:30:22Z Run `"+old+"`.\n"+
		"  held: claimed by ada > 1/2 of 2026-02-12T14:40:22Z* Run `"+newest+"`. (claimed)\n")
	treetest.Write(t, w.Root, old, "<<<<<<< a\n# T\n=======\n# U\n>>>>>>> b\n")
	if nodes, _ = graphs.Task(context.Background(), w, "specs/1_count"); len(nodes) != 1 || nodes[0].Children[0].Kind != "broken" || len(nodes[0].Children[0].Notes) != 1 {
		t.Errorf("a conflict:\n%s", drawn(nodes))
	}
	if nodes, _ := graphs.Task(context.Background(), w, "specs/9_none"); len(nodes) != 0 {
		t.Errorf("no such task: %s", drawn(nodes))
	}
}

// TestThreads: threads with their branches and runs, and where the nodes lead.
func TestThreads(t *testing.T) {
	w := open(t)
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	ids := map[string]string{}
	for _, title := range []string{"one", "two"} {
		info, _, err := all.Create(t.Context(), thread.CreateRequest{Title: &title})
		if err != nil {
			t.Fatal(err)
		}
		ids[title] = info.ThreadID
	}
	title := "side"
	branch, err := all.Branch(t.Context(), ids["one"], thread.BranchRequest{Title: &title})
	if err != nil {
		t.Fatal(err)
	}
	links := graphs.Links{Thread: func(id string) string { return "/t/" + id }}
	nodes, err := graphs.Thread(t.Context(), all, "", links)
	if err != nil {
		t.Error(err)
	}
	same(t, "all", nodes, ": id1 one -> /t/id1\n  : branch at 0 > id5 side -> /t/id5\n: id3 two -> /t/id3\n")
	nodes, err = graphs.Thread(t.Context(), all, branch.ThreadID, graphs.Links{})
	if err != nil {
		t.Error(err)
	}
	same(t, "one", nodes, ": id1 one\n  : branch at 0 > id5* side\n")
	if nodes, err := graphs.Thread(t.Context(), all, "none", links); err == nil || nodes != nil {
		t.Errorf("%v: no such thread", err)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if nodes, err := graphs.Thread(stopped, all, "", links); err == nil || len(nodes) != 0 {
		t.Errorf("%v: %d trees after the caller has gone", err, len(nodes))
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(w.Root, workspace.StateDir, "threads")
	for _, err := range []error{os.Remove(filepath.Join(dir, ids["one"]+".jsonl")), os.WriteFile(filepath.Join(dir, ids["two"]+".jsonl"), []byte("{}\n"), 0o644)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	all, err = threads.In(t.Context(), w, false)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	nodes, err = graphs.Thread(t.Context(), all, "", links)
	if err != nil || len(nodes) != 2 || len(nodes[0].Children) != 1 || nodes[0].Children[0].Kind != "broken" || !strings.Contains(drawn(nodes[:1]), "id3.jsonl:1: ") {
		t.Errorf("%v: a thread that cannot be read:\n%s", err, drawn(nodes))
	}
	same(t, "a parent that is missing, and no link to it", nodes[1:], "broken: id1 (missing)\n  : branch at 0 > id5 side -> /t/id5\n")
}

// TestRuns: below a thread are its last runs, and how each ended.
func TestRuns(t *testing.T) {
	w := open(t)
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	info, _, err := all.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := all.PostMessage(t.Context(), info.ThreadID, thread.MessageRequest{Content: "x"})
	if err != nil {
		t.Fatal(err)
	}
	spawn := func(run, ended string) {
		if _, _, err := all.SpawnRun(t.Context(), info.ThreadID, thread.RunRequest{MessageID: m.ID, SessionID: run}); err != nil {
			t.Fatal(err)
		}
		if ended == "completed" {
			if _, err := all.StartSession(t.Context(), run, "x"); err != nil {
				t.Fatal(err)
			}
		}
		if ended != "" {
			if _, err := all.EndRun(t.Context(), info.ThreadID, run, ended, "", ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	spawn("r1", "killed")
	spawn("r2", "completed")
	spawn("r3", "")
	want := "  stale: run at 2 > r1 (killed)\n  done: run at 4 > r2 (completed)\n  held: run at 6 > r3 (running)\n"
	nodes, err := graphs.Thread(t.Context(), all, info.ThreadID, graphs.Links{})
	if err != nil {
		t.Error(err)
	}
	same(t, "three", nodes, ": "+info.ThreadID+"*\n"+want)
	for i := range 17 {
		spawn(fmt.Sprintf("s%d", i), "killed")
	}
	if nodes, _ = graphs.Thread(t.Context(), all, info.ThreadID, graphs.Links{}); len(nodes[0].Children) != 20 || !strings.HasPrefix(drawn(nodes[0].Children), strings.ReplaceAll("\n"+want, "\n  ", "\n")[1:]) {
		t.Errorf("20 runs:\n%s", drawn(nodes))
	}
	spawn("last", "killed")
	if nodes, _ = graphs.Thread(t.Context(), all, info.ThreadID, graphs.Links{}); len(nodes[0].Children) != 21 || nodes[0].Children[0].ID != "earlier runs" || nodes[0].Children[1].ID != "r2" {
		t.Errorf("21 runs:\n%s", drawn(nodes))
	}
}

// TestNear: of a deep chain the picture beside a thread has its nearest relatives.
func TestNear(t *testing.T) {
	w := open(t)
	all, err := threads.In(t.Context(), w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	first, _, err := all.Create(t.Context(), thread.CreateRequest{})
	if err != nil {
		t.Fatal(err)
	}
	ids := []string{first.ThreadID}
	for range 60 {
		b, err := all.Branch(t.Context(), ids[len(ids)-1], thread.BranchRequest{})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, b.ThreadID)
	}
	for at, want := range map[int][2]string{0: {ids[0], ids[20]}, 20: {ids[0], ids[40]}, 30: {"10 threads before", ids[50]}, 60: {"40 threads before", ids[60]}} {
		node, err := all.Lineage(t.Context(), ids[at])
		if err != nil {
			t.Fatal(err)
		}
		near, more, err := all.Near(t.Context(), ids[at], graphs.MaxNear)
		if err != nil {
			t.Fatal(err)
		}
		check := func(roots []*tree.Node, first string) {
			last, n := roots[0], 1
			for ; len(last.Children) > 0; n++ {
				last = last.Children[0]
			}
			if roots[0].ID != first || last.ID != want[1] || n > 42 {
				t.Errorf("around %d: %d from %s to %s, want %s to %s", at, n, roots[0].ID, last.ID, first, want[1])
			}
		}
		check(graphs.Near(all, node, false, graphs.Links{}), want[0])
		if at > 20 {
			want[0] = "earlier threads"
		}
		check(graphs.Near(all, near, more, graphs.Links{}), want[0])
	}
}

// TestTapes: tapes with their anchors and forks; archives and tapes that cannot be read have no anchors.
func TestTapes(t *testing.T) {
	w := open(t)
	all, err := tapes.In(w, "", true)
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	main, err := all.Tape("")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 25 {
		if _, err := main.HandOff(t.Context(), tapes.HandoffRequest{Name: fmt.Sprintf("a%d", i)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"side", "gone"} {
		if _, err := main.Fork(t.Context(), tapes.ForkRequest{To: name}); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := all.Tape("gone")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := gone.Discard(t.Context(), tapes.DiscardRequest{}); err != nil {
		t.Fatal(err)
	}
	links := graphs.Links{Tape: func(name string) string { return "/tape/" + name }}
	nodes, err := graphs.Tape(t.Context(), all, "main", links)
	if err != nil || len(nodes) != 1 {
		t.Fatalf("%v: %d trees", err, len(nodes))
	}
	anchors := ""
	for i := 5; i < 25; i++ {
		anchors += fmt.Sprintf("  anchor: anchor %d > a%d (2026-02-12T15:00:00Z)\n", 3+2*i, i)
	}
	side := "  : from entry 1 > main-fork-id1 side -> /tape/side\n" + strings.ReplaceAll("  "+strings.TrimSuffix(anchors, "\n"), "\n", "\n  ") + "\n"
	same(t, "a tape", nodes, ": main* -> /tape/main\n"+anchors+side+"  done: from entry 1 > main-fork-id2 gone (discarded)\n")
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if nodes, err := graphs.Tape(stopped, all, "", links); err == nil || len(nodes) != 0 {
		t.Errorf("%v: %d trees after the caller has gone", err, len(nodes))
	}
	if err := all.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.Root, workspace.StateDir, "tape", "main.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o755); err != nil {
		t.Fatal(err)
	}
	if all, err = tapes.In(w, "", false); err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	nodes, _ = graphs.Tape(t.Context(), all, "", graphs.Links{})
	if len(nodes) != 1 || nodes[0].Kind != "broken" || nodes[0].Href != "" {
		t.Errorf("a tape that cannot be read:\n%s", drawn(nodes))
	}
}
