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

	"handoff/internal/testing/memtest"
	"handoff/surface/command"
)

// TestAppendFile appends a file that is larger than the limit of one request,
// in little memory. If the last line is bad, it appends nothing.
func TestAppendFile(t *testing.T) {
	if !memtest.Alone(t) {
		return
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "specs"), 0o755); err != nil {
		t.Fatal(err)
	}
	line := fmt.Sprintf(`{"role": "user", "content": %q}`+"\n", strings.Repeat("0123456789abcdef", 1<<10))
	good, bad := filepath.Join(dir, "good.jsonl"), filepath.Join(dir, "bad.jsonl")
	for path, text := range map[string]string{good: strings.Repeat(line, 1024), bad: strings.Repeat(line, 100) + "x\n"} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var talk bytes.Buffer
	tape := func(args ...string) (code int, entries int) {
		out := &lineCount{}
		w := &command.Process{Stdin: strings.NewReader(""), Stdout: out, Stderr: &talk, Dir: dir, Getenv: func(string) string { return "" }, Now: time.Now}
		return run(context.Background(), w, append([]string{"tape"}, args...)), out.lines
	}
	if code, _ := tape("append", "--from", bad); code != command.Failed || !strings.Contains(talk.String(), "bad.jsonl:101: ") {
		t.Errorf("%d: %s", code, talk.Bytes())
	}
	if _, err := os.Stat(filepath.Join(dir, ".handoff", "tape", "main.jsonl")); err == nil {
		t.Error("the good lines before a bad one were appended")
	}
	size := int64(1024 * len(line))
	for range 2 { // the second append must add nothing
		peak := memtest.Peak(func() {
			if code, n := tape("append", "--from", good, "--idempotency-key", "k", "--json"); code != command.Clean || n != 1024 {
				t.Errorf("%d, %d entries: %s", code, n, talk.Bytes())
			}
		})
		if peak > size {
			t.Errorf("%d bytes of memory for a file of %d bytes", peak, size)
		}
	}
	if code, n := tape("read", "--kind", "message", "--json"); code != command.Clean || n != 1024 {
		t.Errorf("%d: the tape has %d messages", code, n)
	}
}

// lineCount counts the lines that are written, without storing them.
type lineCount struct{ lines int }

func (c *lineCount) Write(p []byte) (int, error) {
	c.lines += bytes.Count(p, []byte("\n"))
	return len(p), nil
}
