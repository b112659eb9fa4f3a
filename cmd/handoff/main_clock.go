//go:build handofftest

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"handoff/surface/command"
)

// The program that tests start. It is not the test binary, whose imports take as long to
// start as a command runs. It reads three variables that no released program knows:
//
// HANDOFF_TEST_NOW sets the time, in tests whose output contains times.
// HANDOFF_TEST_AHEAD names a file with how far the clock is ahead, such as 3h: a test moves it.
// HANDOFF_TEST_IDS names a folder, in tests whose output contains ids: ids are numbered in
// it across processes.
func main() {
	w := system()
	if now := os.Getenv("HANDOFF_TEST_NOW"); now != "" {
		t, err := time.Parse(time.RFC3339, now)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(command.Failed)
		}
		w.Now = func() time.Time { return t }
	}
	if path := os.Getenv("HANDOFF_TEST_AHEAD"); path != "" {
		w.Now = func() time.Time { return time.Now().Add(ahead(path)) }
	}
	if dir := os.Getenv("HANDOFF_TEST_IDS"); dir != "" {
		w.NewID = func() string { return nextID(dir) }
	}
	os.Exit(run(context.Background(), w, os.Args[1:]))
}

func nextID(dir string) string {
	for n := 1; ; n++ {
		id := fmt.Sprintf("%08x-0000-4000-8000-%012d", n, n)
		if err := os.Mkdir(filepath.Join(dir, id), 0o755); err == nil {
			return id
		} else if !os.IsExist(err) {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(command.Failed)
		}
	}
}

// ahead is the duration in a file; 0 if there is none.
func ahead(path string) time.Duration {
	src, _ := os.ReadFile(path)
	d, _ := time.ParseDuration(string(src))
	return d
}
