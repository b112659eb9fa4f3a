package rip

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/log/artifact"
	"handoff/log/thread"
)

// TestFindsWorkspace imports a store without saying where its blobs are: the
// threads name their workspace, and where that is of another machine the store
// is in one.
func TestFindsWorkspace(t *testing.T) {
	o, _, _ := full(t)
	for name, place := range map[string]func(workspace string) Place{
		"named by the threads": func(string) Place { return newPlace(t) },
		"around the store":     func(w string) Place { return Place{filepath.Join(w, "data"), w} },
	} {
		workspace := t.TempDir()
		at := place(workspace)
		o.give(at)
		if name == "named by the threads" {
			log := files(t, at.Data)["events.jsonl"]
			write(t, at.events(), strings.ReplaceAll(log, `"workspace":"/home/u/proj"`, fmt.Sprintf(`"workspace":%q`, at.Workspace)))
		}
		at.Workspace = ""
		b := newOurs(t)
		r := b.take(at)
		if noProblems(t, r); r.Blobs != 2 || len(r.Missing) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

// TestMissingBlobs reports missing artifacts, in imports and exports.
func TestMissingBlobs(t *testing.T) {
	o, _, _ := full(t)
	place := newPlace(t)
	o.give(place)
	for what, from := range map[string]Place{"not found": {Data: place.Data}, "not in": {Data: place.Data, Workspace: t.TempDir()}} {
		b := newOurs(t)
		r := b.take(from)
		if r.Blobs != 0 || len(r.Missing) != 2 || len(r.Problems) != 1 || len(r.Streams) != 4 {
			t.Fatalf("%s: %+v", what, r)
		}
		for _, want := range []string{"2 artifacts that the events refer to are missing", r.Missing[0].String(), "--rip-workspace"} {
			if !strings.Contains(r.Problems[0].Error(), want) {
				t.Errorf("%s: %v, want %q in it", what, r.Problems[0], want)
			}
		}
		out := newPlace(t)
		if r := b.give(out); len(r.Missing) != 2 || len(r.Problems) != 1 || len(r.Streams) != 4 {
			t.Errorf("%s: given out: %+v", what, r)
		}
		if r := b.take(place); len(r.Problems) != 0 || r.Blobs != 2 || r.Same != 4 {
			t.Errorf("%s: taken in with the workspace: %+v", what, r)
		}
	}
}

// TestMissingBlobsAreCounted keeps the problem short, however many are missing.
func TestMissingBlobsAreCounted(t *testing.T) {
	var ids []artifact.ID
	for i := range 9 {
		ids = append(ids, artifact.Sum([]byte{byte(i)}))
	}
	if err := missingBlobs(ids, []string{"/w"}, ""); !strings.HasSuffix(err.Error(), "and 6 more") || len(err.Error()) > 400 {
		t.Error(err)
	}
}

// TestChildrenOfADivergedThread imports a thread that has other events here. What
// continues the part that is left out is left out too: threads, their children,
// and runs. What continues the common part is imported.
func TestChildrenOfADivergedThread(t *testing.T) {
	theirs := newOurs(t)
	info, err := theirs.Ensure(ctx)
	if err != nil {
		t.Fatal(err)
	}
	root := info.ThreadID
	place := newPlace(t)
	theirs.give(place)
	o := newOurs(t)
	o.take(place)

	run := func(s *ours, id string) (message, session string) {
		m, err := s.PostMessage(ctx, id, thread.MessageRequest{Content: "posted in " + s.root})
		if err == nil {
			_, session, err = s.SpawnRun(ctx, id, thread.RunRequest{MessageID: m.ID})
		}
		if err == nil {
			_, err = s.StartSession(ctx, session, "x")
		}
		if err != nil {
			t.Fatal(err)
		}
		return m.ID, session
	}
	branch := func(of string, seq uint64) string {
		b, err := theirs.Branch(ctx, of, thread.BranchRequest{FromSeq: &seq})
		if err != nil {
			t.Fatal(err)
		}
		return b.ThreadID
	}
	run(o, root)
	_, refused := run(theirs, root)
	child, same := branch(root, 2), branch(root, 0)
	grandchild := branch(child, 1)
	h, err := theirs.Handoff(ctx, root, thread.HandoffRequest{SummaryMarkdown: new("of what is not there")})
	if err != nil {
		t.Fatal(err)
	}
	_, kept := run(theirs, same)
	theirs.give(place)

	r := o.take(place)
	for _, id := range []string{child, grandchild, h.ThreadID} {
		if o.Has(id) {
			t.Errorf("thread %s came in", id)
		}
	}
	if !o.Has(same) || !o.HasStream(thread.Session, kept) || o.HasStream(thread.Session, refused) {
		t.Errorf("want thread %s and run %s, not run %s: %+v", same, kept, refused, r.Streams)
	}
	if blobs, _ := os.ReadDir(filepath.Join(o.root, artifact.Blobs)); len(blobs) != 0 {
		t.Errorf("the bundle of a handoff that is left out came in: %v", blobs)
	}
	said := fmt.Sprint(r.Problems)
	for _, want := range []string{
		"thread " + root + ": event 1 here is a different one",
		"thread " + child + " continues from event 2 of thread " + root + ", whose events from 1 on are left out",
		"thread " + grandchild + " continues from event 1 of thread " + child + ", whose events from 0 on are left out",
		"thread " + h.ThreadID + " continues from event 2 of thread " + root,
		"thread " + root + ": runs of its left-out part are left out as well: 1",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%s\nwant in it: %s", said, want)
		}
	}
	if len(r.Problems) != 5 || !errors.Is(r.Problems[0], fs.ErrExist) {
		t.Errorf("%d problems: %s", len(r.Problems), said)
	}
}
