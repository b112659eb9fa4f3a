package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/thread"
)

// TestManyClients: commands and a server write to one thread concurrently; the
// server is killed and restarted on its stale socket. No event may be lost and
// no sequence number used twice. RIP's counterparts are
// local_authority_multi_client and serve_restart_recovery.
func TestManyClients(t *testing.T) {
	needs.Unix(t, "the server listens on a Unix socket")
	bin := filepath.Join(commandDir(t), "handoff")
	dir, err := os.MkdirTemp("", "") // the path of t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	command := func(args ...string) string {
		cmd := exec.Command(bin, args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%q: %v, %s", args, err, out)
		}
		return string(out)
	}
	server := func() *exec.Cmd {
		cmd := exec.Command(bin, "serve", "--listen", "unix:s")
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
		waittest.Until(t, "the server to answer", func() bool {
			return exec.Command(bin, "-C", dir, "thread", "list", "--server", "unix:s").Run() == nil
		})
		return cmd
	}
	var made thread.Info
	if err := json.Unmarshal([]byte(command("thread", "create")), &made); err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{}
	for round := range 2 {
		running := server()
		var all sync.WaitGroup
		for n := range 12 {
			text := fmt.Sprintf("message %d of round %d", n, round)
			said[text] = true
			args := []string{"thread", "post-message", made.ThreadID, "--content", text}
			if n%2 == 0 {
				args = append(args, "--server", "unix:s")
			}
			all.Go(func() { command(args...) })
		}
		all.Wait()
		if err := running.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		running.Wait()
	}
	lines := strings.Split(strings.TrimSpace(command("thread", "events", made.ThreadID)), "\n")
	for n, line := range lines {
		e, err := thread.Parse([]byte(line))
		if err != nil || e.Seq != uint64(n) {
			t.Fatalf("%d: %s, %v", n, line, err)
		}
		if m, ok := e.Payload.(*thread.Message); ok {
			delete(said, m.Content)
		}
	}
	if len(said) > 0 || len(lines) < 25 {
		t.Errorf("%d events; lost: %v", len(lines), said)
	}
}
