package main

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
	"handoff/internal/testing/waittest"
)

// servedIn runs serve in a folder, and returns the address that it prints. If the test
// fails, it shows the rest of what the server printed.
func servedIn(t *testing.T, bin, dir string) (address string) {
	t.Helper()
	cmd := programIn(t, bin, dir, "serve", "--listen", "127.0.0.1:0")
	talk, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	in, rest := bufio.NewReader(talk), make(chan []byte, 1)
	first, _ := in.ReadString('\n')
	go func() {
		text, _ := io.ReadAll(in)
		rest <- text
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		text := <-rest
		if err := cmd.Wait(); t.Failed() {
			t.Logf("the server ended with %v:\n%s", err, text)
		}
	})
	address, ok := strings.CutPrefix(strings.TrimSpace(first), "handoff listening on ")
	if !ok {
		t.Fatalf("serve printed %q", first)
	}
	return address
}

// TestServeOverStore has two workspaces with one store. One is served, in the other
// commands are run: both see what is posted in either, and compile the same context.
func TestServeOverStore(t *testing.T) {
	bin, top := commandDir(t), t.TempDir()
	store := natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0] + "/shared"
	a, b := filepath.Join(top, "a"), filepath.Join(top, "b")
	trustRoots(t, a, b)
	for _, dir := range []string{a, b} {
		if err := os.MkdirAll(filepath.Join(dir, "specs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, ".handoff.yaml"), []byte("store: "+store+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	run := func(dir string, args ...string) string {
		t.Helper()
		out, err := programIn(t, bin, dir, args...).Output()
		if err != nil {
			t.Fatalf("%v in %s: %v\n%s", args, filepath.Base(dir), err, stderr(err))
		}
		return string(out)
	}
	run(a, "store", "copy", "files", store)
	server := servedIn(t, bin, a)

	// The fields of a thread that is printed as JSON are on one line.
	_, id, _ := strings.Cut(run(b, "thread", "create", "--json"), `"thread_id":"`)
	id, _, _ = strings.Cut(id, `"`)
	run(b, "thread", "post-message", id, "--content", "the first one, by a command")
	run(top, "thread", "post-message", id, "--content", "the second one, by the server", "--server", server)
	run(b, "thread", "post-message", id, "--content", "the third one, by a command")
	run(a, "thread", "post-message", id, "--content", "the fourth one, beside the server")
	var events string
	waittest.Until(t, "all messages at the server", func() bool {
		events = run(top, "thread", "events", id, "--server", server)
		return strings.Contains(events, "the fourth one")
	})
	for who, got := range map[string]string{"b": run(b, "thread", "events", id), "a": run(a, "thread", "events", id)} {
		if got != events {
			t.Errorf("the events in %s:\n%s\nat the server:\n%s", who, got, events)
		}
	}
	at := -1
	for _, message := range []string{"the first one", "the second one", "the third one", "the fourth one"} {
		next := strings.Index(events, message)
		if next <= at || strings.Count(events, message) != 1 {
			t.Errorf("%q is missing, doubled or out of order:\n%s", message, events)
		}
		at = next
	}

	bundle := run(b, "compile", id, "--stdout")
	if !strings.Contains(bundle, "the second one, by the server") {
		t.Errorf("the context lacks a message:\n%s", bundle)
	}
	made := run(b, "compile", id)
	if got := run(top, "compile", id, "--server", server); got != made {
		t.Errorf("the server compiled %s, the command %s", got, made)
	}
	if got := run(a, "artifact", "get", strings.TrimSpace(made)); got != strings.TrimSuffix(bundle, "\n") {
		t.Errorf("the artifact in the other workspace:\n%s\nwant\n%s", got, bundle)
	}
	// Another machine has nothing yet, so it fetches all of it.
	if err := os.RemoveAll(filepath.Join(b, ".handoff")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a, b} {
		if got := run(dir, "compile", id, "--stdout"); got != bundle {
			t.Errorf("compiled in %s:\n%s\nwant\n%s", filepath.Base(dir), got, bundle)
		}
	}
}

// stderr is what a command printed that failed.
func stderr(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return ""
}
