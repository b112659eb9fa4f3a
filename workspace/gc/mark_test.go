package gc

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/tape"
	"handoff/log/thread"
	"handoff/log/thread/compile"
	"handoff/log/thread/frame"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/threads"
)

// stays returns which of the blobs a much later collection would keep.
func stays(t *testing.T, w *workspace.Workspace) map[artifact.ID]bool {
	t.Helper()
	old := workspace.New(w.Root, config.Default(), workspace.Options{Now: longAfter})
	if _, err := Collect(t.Context(), old, Request{Delete: true}); err != nil {
		t.Fatal(err)
	}
	left := map[artifact.ID]bool{}
	err := w.VerifyArtifacts(t.Context(), nil, func(a workspace.CheckedArtifact) error { left[a.ID] = true; return a.Err })
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func open(t *testing.T) *workspace.Workspace {
	t.Helper()
	w := workspace.New(t.TempDir(), config.Default(), workspace.Options{})
	if err := os.Mkdir(w.Specs(), 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func putText(t *testing.T, w *workspace.Workspace, text string) artifact.ID {
	t.Helper()
	store, err := w.Artifacts()
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	id, _, err := store.Put([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestGCNamedInFrames: what threads, runs and tapes name stays, and what that
// names in turn: bundles of handoffs, contexts of runs, summaries of
// compactions, artifacts of tools.
func TestGCNamedInFrames(t *testing.T) {
	w, ctx := open(t), t.Context()
	garbage := putText(t, w, "garbage")
	threads, err := threads.In(ctx, w, true)
	if err != nil {
		t.Fatal(err)
	}
	defer threads.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	info, _, err := threads.Store.Create(ctx, thread.CreateRequest{})
	must(err)
	m, err := threads.Store.PostMessage(ctx, info.ThreadID, thread.MessageRequest{Content: "x"})
	must(err)
	inner := putText(t, w, "named by the bundle only")
	h, err := threads.Store.Handoff(ctx, info.ThreadID, thread.HandoffRequest{SummaryMarkdown: new("see " + inner.String())})
	must(err)
	c, err := threads.Store.Checkpoint(ctx, info.ThreadID, thread.CheckpointRequest{SummaryMarkdown: new("sum"), ToMessageID: &m.ID})
	must(err)
	_, run, err := threads.Store.SpawnRun(ctx, info.ThreadID, thread.RunRequest{MessageID: m.ID})
	must(err)
	compiled, err := compile.Compile(compile.FromStore(threads.Store, threads.Blobs.Get), compile.Request{ThreadID: info.ThreadID, RunSessionID: run, ActorID: "a", Origin: "o"})
	must(err)
	_, err = compiled.Keep(threads.Blobs.Put)
	must(err)
	_, err = threads.Store.RecordContext(ctx, info.ThreadID, *compiled.Decision, *compiled.Compiled())
	must(err)
	output := putText(t, w, "the output of a tool")
	_, err = threads.Store.StartSession(ctx, run, "x")
	must(err)
	_, err = threads.Store.AppendSession(ctx, run, &frame.ToolEnded{ToolID: "t", Artifacts: json.RawMessage(`{"id":"` + output.String() + `"}`)})
	must(err)
	taped := putText(t, w, "named by a tape")
	tapes, err := tape.Open(filepath.Join(w.Root, workspace.StateDir), tape.Options{})
	must(err)
	defer tapes.Close()
	main, err := tapes.Tape("main")
	must(err)
	_, err = main.Handoff(ctx, "phase-1", json.RawMessage(`{"bundle":"`+taped.String()+`"}`), nil)
	must(err)

	left := stays(t, w)
	ids := map[string]artifact.ID{"what a bundle names": inner, "an output": output, "what a tape names": taped, "a context": compiled.Bundle.ID()}
	for what, text := range map[string]string{"a handoff's bundle": h.SummaryArtifactID, "a compaction's summary": c.SummaryArtifactID} {
		ids[what], err = artifact.ParseID(text)
		must(err)
	}
	for what, id := range ids {
		if !left[id] {
			t.Errorf("%s is gone", what)
		}
	}
	if left[garbage] || len(left) != len(ids) {
		t.Errorf("%d stay, want %d", len(left), len(ids))
	}
}

// TestGCFollowsLinks: references reached through a link within the workspace, or in one
// of the named folders outside of it, count.
func TestGCFollowsLinks(t *testing.T) {
	for place, outside := range map[string]bool{
		".handoff/threads/t.jsonl": false, "specs/1_x": false, "specs/1_x/handoffs/d.md": false,
		"specs": true, "data": true, // as a whole
	} {
		w := open(t)
		id := putText(t, w, "named")
		out := filepath.Join(w.Root, "elsewhere")
		if outside {
			out = t.TempDir()
		}
		name := filepath.Join(out, "deep", "file.jsonl")
		treetest.Write(t, out, "deep/file.jsonl", id.String())
		to := out
		if filepath.Ext(place) != "" {
			to = name
		}
		os.Remove(filepath.Join(w.Root, place)) // specs, where that is the place
		treetest.Link(t, to, filepath.Join(w.Root, place))
		for link, to := range map[string]string{"loop": out, "self": filepath.Join(out, "self"), "nowhere": filepath.Join(out, "nothing")} {
			needs.Symlink(t, to, filepath.Join(out, link))
		}
		if left := stays(t, w); !left[id] {
			t.Errorf("%s: what it names is gone", place)
		}
	}
}

// TestGCStaysInside: a link that leaves the workspace is reported and not
// followed, even one to the root of the disk. A named folder is searched.
func TestGCStaysInside(t *testing.T) {
	w := open(t)
	id := putText(t, w, "named outside")
	out := t.TempDir()
	treetest.Write(t, out, "deep/file", id.String())
	treetest.Write(t, w.Root, "specs/1_x/here", "")
	needs.Symlink(t, "/", filepath.Join(w.Root, "specs/1_x/all"))
	needs.Symlink(t, "/", filepath.Join(w.Root, "specs/2_y"))
	needs.Symlink(t, filepath.Join(out, "deep/file"), filepath.Join(w.Root, "specs/1_x/file"))
	ctx, cancel := context.WithTimeout(t.Context(), waittest.Limit) // a disk takes longer
	defer cancel()
	for also, want := range map[string]string{
		"": "specs/1_x/all specs/1_x/file specs/2_y", out: "specs/1_x/all specs/2_y",
	} {
		w.Options.Now = longAfter
		req := Request{}
		if also != "" {
			req.Also = []string{also}
		}
		res, err := Collect(ctx, w, req)
		if err != nil || strings.Join(res.Outside, " ") != want || len(res.Garbage) != strings.Count(want, "file") {
			t.Errorf("also %q: %q are outside, %d garbage, %v", also, res.Outside, len(res.Garbage), err)
		}
	}
	res, err := Collect(ctx, w, Request{Delete: true})
	if !errors.Is(err, errUnseen) || len(res.Outside) != 3 || len(res.Garbage) != 0 {
		t.Errorf("%q are outside, %d garbage, %v: somebody may need it", res.Outside, len(res.Garbage), err)
	}
	if _, _, _, err := w.PutArtifact(strings.NewReader("more"), artifact.ID{}); err != nil {
		t.Fatal(err)
	}
	res, err = Collect(ctx, w, Request{Delete: true, SkipLinks: true})
	if err != nil || len(res.Garbage) != 2 {
		t.Errorf("%d removed where that was asked for, %v", len(res.Garbage), err)
	}
}

// TestGCWaitingRequests: a request that waits for the store is in the git folder, and may be all
// that names an artifact.
func TestGCWaitingRequests(t *testing.T) {
	needs.Tool(t, "git")
	for _, file := range []string{"outbox/0000000001-a-b.json", "outbox/refused/0000000001-a-b.json", "requests/a.json", "receipts/a.jsonl"} {
		w, id := gcTree(t)
		if out, err := exec.Command("git", "init", "-q", w.Root).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if res, err := Collect(t.Context(), w, Request{}); err != nil || res.Kept != 0 {
			t.Fatalf("%+v, %v", res, err)
		}
		treetest.Write(t, w.Root, ".git/handoff/"+file, id.String())
		if res, err := Collect(t.Context(), w, Request{Delete: true}); err != nil || res.Kept != 1 {
			t.Errorf("named in %s: %+v, %v", file, res, err)
		}
	}
}
