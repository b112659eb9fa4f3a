package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"handoff/internal/testing/needs"
	"handoff/surface/command"
)

// terminal opens a pseudoterminal: tty for the command, and its master side.
func terminal(t *testing.T) (behind, tty *os.File) {
	behind, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		needs.Missing(t, "terminals", err.Error())
	}
	t.Cleanup(func() { behind.Close() })
	number, err := unix.IoctlGetInt(int(behind.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(behind.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		needs.Missing(t, "terminals", err.Error())
	}
	t.Cleanup(func() { tty.Close() })
	return behind, tty
}

// TestIndexingOnATerminal builds the index of a long thread: a terminal shows
// the progress on one line, and any other output does not contain it.
func TestIndexingOnATerminal(t *testing.T) {
	const id = "00000000-0000-4000-8000-000000000001"
	dir := t.TempDir()
	path := filepath.Join(dir, ".handoff/threads", id+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	line := func(n int, rest string) {
		fmt.Fprintf(&log, `{"id":"e%d","session_id":"%s","stream_kind":"continuity","stream_id":"%s","timestamp_ms":1,"seq":%d,"type":"continuity_%s}`+"\n", n, id, id, n, rest)
	}
	line(0, `created","workspace":"/w","title":null`)
	for n := 1; log.Len() < 20<<20; n++ {
		line(n, `message_appended","actor_id":"user","origin":"cli","content":"`+strings.Repeat("x", 4096)+`"`)
	}
	if err := os.WriteFile(path, log.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	behind, tty := terminal(t)
	now := time.Now()
	status := func(w *command.Process) {
		t.Helper()
		w.Dir, w.Getenv, w.Stdout = dir, func(string) string { return "" }, new(bytes.Buffer)
		w.Now = func() time.Time { now = now.Add(time.Second); return now }
		if code := run(context.Background(), w, []string{"thread", "compaction-status", id}); code != command.Clean {
			t.Fatalf("exit code %d: %s", code, w.Stderr)
		}
	}
	status(&command.Process{Stderr: tty})
	buf := make([]byte, 64<<10)
	n, err := behind.Read(buf)
	shown := strings.Split(strings.TrimSpace(string(buf[:n])), "\r")
	if last := "indexing " + id + ".jsonl: 100 %"; err != nil || len(shown) < 4 || shown[len(shown)-1] != last {
		t.Errorf("%q, %v", shown, err)
	}
	if err := os.RemoveAll(path + ".idx"); err != nil {
		t.Fatal(err)
	}
	var talk bytes.Buffer
	if status(&command.Process{Stderr: &talk}); talk.Len() > 0 {
		t.Errorf("%q", &talk)
	}
}
