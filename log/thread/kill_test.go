package thread

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/internal/testing/killtest"
	"handoff/log/artifact"
)

// TestMain can run the test binary as a process that branches and hands off until
// it is killed, and prints acknowledged results.
func TestMain(m *testing.M) {
	if root := os.Getenv("THREAD_TEST_BUSY"); root != "" {
		if err := busy(root, os.Getenv("THREAD_TEST_PARENT"), os.Getenv("THREAD_TEST_NAME")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func busy(root, parent, name string) error {
	artifacts, err := artifact.Open(root)
	if err != nil {
		return err
	}
	s, err := Open(filepath.Join(root, ".handoff"), Options{Artifacts: artifacts})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		m, err := s.PostMessage(ctx, parent, MessageRequest{Content: fmt.Sprint(name, i)})
		if err != nil {
			return err
		}
		fmt.Println("post", m.ID, m.Seq)
		r := RunRequest{MessageID: NewUUID(), SessionID: NewUUID()}
		if _, err = s.StartSession(ctx, r.SessionID, name, &OutputDelta{Delta: name}, &SessionEnded{Reason: "completed"}); err != nil {
			return err
		}
		if m, err = s.PostRun(ctx, parent, MessageRequest{Content: name}, r, "completed"); err != nil {
			return err
		}
		fmt.Println("post", m.ID, m.Seq)
		fmt.Println("run", r.SessionID, m.ID)
		key := ""
		if i%2 == 0 {
			key = fmt.Sprint(name, i)
		}
		b, err := s.Branch(ctx, parent, BranchRequest{FromMessageID: &m.ID, Key: key})
		if err != nil {
			return err
		}
		fmt.Println("branch", b.ThreadID, b.ParentSeq, m.ID, key)
		h, err := s.Handoff(ctx, parent, HandoffRequest{SummaryMarkdown: new(fmt.Sprint(name, i)), Title: new("x")})
		if err != nil {
			return err
		}
		fmt.Println("handoff", h.ThreadID, h.FromSeq)
		if _, err := s.Archive(ctx, b.ThreadID, By{}); err != nil {
			return err
		}
		fmt.Println("archive", b.ThreadID)
	}
}

// TestKilled kills processes that post, run, branch and hand off, one after the
// other, while others continue. Everything acknowledged exists, and there is no
// thread without its second frame or its bundle, and no gap in the parent.
// HANDOFF_KILLS is the number, 24 by default.
func TestKilled(t *testing.T) {
	kills := 24
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	const perStore = 100 // or there are too many threads to check
	for done := 0; done < kills; done += perStore {
		killSome(t, min(perStore, kills-done))
	}
}

// acks are the acknowledged operations, by kind.
type acks struct {
	mu   sync.Mutex
	said map[string][][]string
}

// seen reports whether one of a kind was printed.
func (a *acks) seen(what string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.said[what]) > 0
}

func (a *acks) collect(r io.Reader) {
	for sc := bufio.NewScanner(r); sc.Scan(); {
		if f := strings.Fields(sc.Text()); len(f) > 1 {
			a.mu.Lock()
			a.said[f[0]] = append(a.said[f[0]], f[1:])
			a.mu.Unlock()
		}
	}
}

func killSome(t *testing.T, kills int) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newFixture(t)
	parent := w.create("parent")
	done := acks{said: map[string][][]string{}}
	killtest.Plan{
		Processes: 8, Kills: kills, Pause: 40 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), "THREAD_TEST_BUSY="+w.root, "THREAD_TEST_PARENT="+parent, fmt.Sprintf("THREAD_TEST_NAME=%d.", i))
			return cmd
		},
		Collect: done.collect, Seen: func() bool { return done.seen("handoff") },
	}.Run(t)
	checkAfterKill(t, w, parent, done.said)
	t.Logf("%d kills: %d messages, %d runs, %d branches, %d handoffs and %d archivings acknowledged",
		kills, len(done.said["post"]), len(done.said["run"]), len(done.said["branch"]), len(done.said["handoff"]), len(done.said["archive"]))
}

// checkAfterKill compares the store with the acknowledged operations.
func checkAfterKill(t *testing.T, w *fixture, parent string, said map[string][][]string) {
	w.post(parent, "the next one") // repairs a torn line
	messageAt := map[uint64]string{}
	n := uint64(0)
	for e, err := range w.Events(parent, 0) {
		if err != nil || e.Seq != n {
			t.Fatalf("event %d has the number %d, %v", n, e.Seq, err)
		}
		if _, ok := e.Payload.(*Message); ok {
			messageAt[e.Seq] = e.ID
		}
		n++
	}
	for _, f := range said["post"] {
		if seq, _ := strconv.ParseUint(f[1], 10, 64); messageAt[seq] != f[0] {
			t.Errorf("message %s is lost: at %d there is %q", f[0], seq, messageAt[seq])
		}
	}
	if count, err := w.MessagesUpTo(parent, math.MaxUint64); err != nil || count != uint64(len(messageAt)) {
		t.Errorf("the index counts %d messages, %v; there are %d", count, err, len(messageAt))
	}
	wholeRuns(t, w, parent, said["run"])
	infos := noGhosts(t, w, parent, n)
	for kind, cut := range map[string]func(*Parent) bool{
		"branch":  func(p *Parent) bool { return p.Kind == ByBranch },
		"handoff": func(p *Parent) bool { return p.Kind == ByHandoff },
	} {
		for _, f := range said[kind] {
			if p := infos[f[0]].Parent; p == nil || !cut(p) || fmt.Sprint(p.Seq) != f[1] {
				t.Errorf("%s %s is lost: %+v", kind, f[0], p)
			}
		}
	}
	for _, f := range said["archive"] {
		if !infos[f[0]].Archived {
			t.Errorf("thread %s is no longer archived", f[0])
		}
	}
	for _, f := range said["branch"] { // a key is still recognized
		if len(f) < 4 || rand.IntN(20) > 0 {
			continue
		}
		if b, err := w.Branch(ctx, parent, BranchRequest{FromMessageID: &f[2], Key: f[3]}); err != nil || !b.Existed || b.ThreadID != f[0] {
			t.Errorf("again with the key %s: %+v, %v", f[3], b, err)
		}
	}
}

// wholeRuns checks each run that was acknowledged or is in the thread: it is in both
// once, and complete.
func wholeRuns(t *testing.T, w *fixture, parent string, said [][]string) {
	times := map[string]int{}
	for e, err := range w.Events(parent, 0) {
		if p, ok := e.Payload.(*RunSpawned); ok && err == nil {
			times[p.RunSessionID]++
		}
	}
	for _, f := range said {
		if times[f[0]] == 0 {
			t.Errorf("run %s is lost", f[0])
		}
	}
	for id, n := range times {
		ended, ok, err := w.SessionEnded(id)
		if n != 1 || !ok || err != nil || ended.Reason != "completed" || len(w.lines(id)) != 3 {
			t.Errorf("run %s stands there %d times, %+v, %v", id, n, ended, err)
		}
	}
}

// noGhosts checks that each thread has both its frames, and the artifacts that they
// refer to.
func noGhosts(t *testing.T, w *fixture, parent string, events uint64) map[string]Info {
	list, err := w.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	files, err := w.Streams(Continuity)
	if err != nil || len(files) != len(list) {
		t.Errorf("%d files, %d threads are listed, %v", len(files), len(list), err)
	}
	infos := map[string]Info{}
	for _, info := range list {
		infos[info.ThreadID] = info
		if info.ThreadID == parent {
			continue
		}
		frames := w.events(info.ThreadID)
		if len(frames) != 2 || info.Parent == nil || info.Parent.ThreadID != parent || info.Parent.Seq >= events {
			t.Errorf("a ghost: %s of %+v", types(frames), info)
			continue
		}
		if p, ok := frames[1].Payload.(*HandedOff); ok {
			id, _ := artifact.ParseID(*p.SummaryArtifactID)
			if err := w.artifacts.Verify(id); err != nil {
				t.Error(err)
			}
		}
	}
	return infos
}
