package thread

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/artifact"
)

// TestMain lets the test binary be a process that branches and hands off
// until it is killed, and says what it was told is done.
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
		fmt.Println("post", m.ID)
		key := ""
		if i%2 == 0 {
			key = fmt.Sprint(name, i)
		}
		b, err := s.Branch(ctx, parent, BranchRequest{FromMessageID: &m.ID, Key: key})
		if err != nil {
			return err
		}
		fmt.Println("branch", b.ThreadID)
		h, err := s.Handoff(ctx, parent, HandoffRequest{SummaryMarkdown: new(fmt.Sprint(name, i)), Title: new("x")})
		if err != nil {
			return err
		}
		fmt.Println("handoff", h.ThreadID, h.SummaryArtifactID)
		if _, err := s.Archive(ctx, b.ThreadID, "", ""); err != nil {
			return err
		}
		fmt.Println("archive", b.ThreadID)
	}
}

// TestKilled kills processes that branch and hand off at once: what they were
// told is done is there, and there is no thread without its second frame, none
// whose bundle is missing, no gap in the parent.
func TestKilled(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	parent := w.create("parent")
	done := map[string][]string{}
	for round := range 8 {
		var readers []*bufio.Scanner
		var cmds []*exec.Cmd
		for p := range 2 {
			cmd := exec.Command(self)
			cmd.Env = append(os.Environ(), "THREAD_TEST_BUSY="+w.root, "THREAD_TEST_PARENT="+parent, fmt.Sprintf("THREAD_TEST_NAME=%d.%d.", round, p))
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			readers, cmds = append(readers, bufio.NewScanner(out)), append(cmds, cmd)
		}
		time.Sleep(time.Duration(60+7*round) * time.Millisecond)
		for _, cmd := range cmds {
			cmd.Process.Kill()
		}
		for i, r := range readers {
			for r.Scan() {
				if f := strings.Fields(r.Text()); len(f) > 1 {
					done[f[0]] = append(done[f[0]], f[1])
				}
			}
			cmds[i].Wait()
		}
	}
	if len(done["handoff"]) == 0 {
		t.Fatalf("nothing was done: %v", done)
	}
	checkAfterKill(t, w, parent, done)
}

func checkAfterKill(t *testing.T, w *world, parent string, done map[string][]string) {
	for i, e := range w.events(parent) {
		if e.Seq != uint64(i) {
			t.Fatalf("event %d has the number %d", i, e.Seq)
		}
	}
	for _, id := range done["post"] {
		if _, err := w.MessageByID(parent, id); err != nil {
			t.Error(err)
		}
	}
	list, err := w.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	infos := map[string]Info{}
	for _, info := range list {
		infos[info.ThreadID] = info
		if info.ThreadID == parent {
			continue
		}
		events := w.events(info.ThreadID)
		if len(events) != 2 || parentOf(events[1]) == nil || info.Parent == nil || info.Parent.ThreadID != parent {
			t.Errorf("a ghost: %s of %+v", types(events), info)
		}
		if p, ok := events[1].Payload.(*HandedOff); ok {
			id, _ := artifact.ParseID(*p.SummaryArtifactID)
			if err := w.artifacts.Verify(id); err != nil {
				t.Error(err)
			}
		}
	}
	for _, id := range append(done["branch"], done["handoff"]...) {
		if _, ok := infos[id]; !ok {
			t.Errorf("thread %s is lost", id)
		}
	}
	for _, id := range done["archive"] {
		if !infos[id].Archived {
			t.Errorf("thread %s is no longer archived", id)
		}
	}
	t.Logf("%d threads, %d messages, %d handoffs acknowledged", len(list), len(done["post"]), len(done["handoff"]))
}
