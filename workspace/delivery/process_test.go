package delivery_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"handoff/log/receipt"
	"handoff/workspace/delivery"
	"handoff/workspace/receipts"
)

// Variables that make a process of this test binary the hook of a session.
const (
	rootVar    = "DELIVERY_TEST_ROOT"
	sessionVar = "DELIVERY_TEST_SESSION" // host and id
	beginVar   = "DELIVERY_TEST_BEGIN"   // when it asks
	killVar    = "DELIVERY_TEST_KILL"    // it is killed before it prints
)

func TestMain(m *testing.M) {
	root := os.Getenv(rootVar)
	if root == "" {
		os.Exit(m.Run())
	}
	if err := hook(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func hook(root string) error {
	name, id, _ := strings.Cut(os.Getenv(sessionVar), " ")
	_, d, err := open(root, noon, delivery.Desk{Session: receipt.Session{Host: name, ID: id}})
	if err != nil {
		return err
	}
	begin, err := time.Parse(time.RFC3339Nano, os.Getenv(beginVar))
	if err != nil {
		return err
	}
	time.Sleep(time.Until(begin))
	text, err := d.Start(context.Background())
	if err == nil && os.Getenv(killVar) != "" {
		self, _ := os.FindProcess(os.Getpid())
		_ = self.Kill()
		select {}
	}
	fmt.Print(text)
	return err
}

// run runs a hook for each session at the same time, and returns what they print.
func run(t *testing.T, root string, env []string, sessions ...string) (texts []string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now().Add(200 * time.Millisecond).Format(time.RFC3339Nano)
	var hooks []*exec.Cmd
	for _, s := range sessions {
		cmd := exec.Command(self)
		cmd.Env = append(append(os.Environ(), rootVar+"="+root, sessionVar+"="+s, beginVar+"="+begin), env...)
		cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, cmd)
	}
	for _, cmd := range hooks {
		if err := cmd.Wait(); err != nil && env == nil {
			t.Error(err)
		}
		texts = append(texts, fmt.Sprint(cmd.Stdout))
	}
	return texts
}

// got counts the hooks that print the handoff of a task.
func got(texts []string, task int) (n int) {
	for _, text := range texts {
		if strings.Contains(text, pathOf(task)) {
			n++
		}
	}
	return n
}

// TestProcesses: hooks that run at once deliver a handoff once. A session that has
// three of them gets one handoff, also if more wait.
func TestProcesses(t *testing.T) {
	for round := range 5 {
		root := treeOf(t, 2)
		texts := run(t, root, nil, "claude a", "claude a", "claude a")
		if got(texts, 2) != 1 || got(texts, 1) != 0 {
			t.Errorf("round %d, one session: %q", round, texts)
		}
		root = treeOf(t, 1)
		if texts = run(t, root, nil, "claude a", "codex b", "cursor c"); got(texts, 1) != 1 {
			t.Errorf("round %d, three hosts: %q", round, texts)
		}
		root = treeOf(t, 3)
		texts = run(t, root, nil, "claude a", "codex b", "cursor c")
		if got(texts, 1) != 1 || got(texts, 2) != 1 || got(texts, 3) != 1 {
			t.Errorf("round %d, three hosts and three handoffs: %q", round, texts)
		}
	}
}

// TestKilled: if a hook is killed between recording and printing, that output
// is lost. The session has the handoff until it counts as over; then another one gets it.
func TestKilled(t *testing.T) {
	root := treeOf(t, 1)
	if texts := run(t, root, []string{killVar + "=1"}, "claude a"); texts[0] != "" {
		t.Fatalf("printed %q", texts)
	}
	if texts := run(t, root, nil, "claude a", "codex b"); got(texts, 1) != 0 {
		t.Errorf("delivered again: %q", texts)
	}
	ws, _, err := open(root, noon, delivery.Desk{})
	if err != nil {
		t.Fatal(err)
	}
	book, err := receipts.Open(ws)
	if err != nil {
		t.Fatal(err)
	}
	q, err := book.Next(t.Context(), nil)
	if err != nil || len(q.Held) != 1 || q.Held[0].Claimed() || q.Held[0].By != "claude a" {
		t.Errorf("%+v, %v", q, err)
	}
	text, err := desk(t, root, "b", 31*time.Minute).Start(t.Context())
	shows(t, "later", text, err, 1)
}
