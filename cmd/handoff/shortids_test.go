package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// listings are the commands that list things with ids, as they print them for people, and the
// command that takes each of these ids. The others list things with names, or always print JSON
// unless they print to a terminal.
var listings = map[string]struct{ list, take []string }{
	"artifact ls":    {[]string{"artifact", "ls"}, []string{"artifact", "get"}},
	"artifact gc":    {[]string{"artifact", "gc", "--older-than", "0s"}, []string{"artifact", "get"}},
	"graph":          {[]string{"graph", "--thread", "all"}, []string{"thread", "get"}},
	"thread lineage": {[]string{"thread", "lineage", "latest"}, []string{"thread", "get"}},
}

var withoutIDs = []string{"ls", "task list", "tape list", "tape lineage", "thread list"}

// TestListedIDs: what a list prints for people has no long id, and each short one is taken by
// the commands. A new command that lists must be in one of the tables.
func TestListedIDs(t *testing.T) {
	w := &command.Process{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Getenv: func(string) string { return "" }}
	var walk func([]*cli.Command, string)
	walk = func(all []*cli.Command, above string) {
		for _, c := range all {
			name := above + c.Name
			walk(c.Subcommands, name+" ")
			if slices.Contains([]string{"ls", "list", "lineage", "gc", "graph"}, c.Name) && listings[name].list == nil && !slices.Contains(withoutIDs, name) {
				t.Errorf("%s: what does it list?", name)
			}
		}
	}
	walk(newApp(w, "").Commands, "")

	p := &refPlace{dir: t.TempDir()}
	p.must(t, "init")
	p.must(t, "thread", "create", "--title", "root")
	p.must(t, "thread", "post-message", "latest", "--content", "x")
	p.must(t, "thread", "branch", "latest", "--title", "side")
	p.must(t, "compile", "root")
	blobs, err := filepath.Glob(filepath.Join(p.dir, ".rip/artifacts/blobs/*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range append(blobs, filepath.Join(p.dir, ".rip/artifacts/blobs", p.must(t, "artifact", "put"))) {
		if err := os.Chtimes(blob, time.Time{}, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil {
			t.Fatal(err)
		}
	}
	long := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{64}`)
	short := regexp.MustCompile(`(?m)^[^0-9a-f\n]*([0-9a-f]{8,})\b`)
	for name, c := range listings {
		out := p.must(t, c.list...)
		ids := short.FindAllStringSubmatch(out, -1)
		if long.MatchString(out) || len(ids) == 0 {
			t.Errorf("%s:\n%s", name, out)
		}
		for _, id := range ids {
			if code, _, text := p.run(append(slices.Clone(c.take), id[1])...); code != command.Clean {
				t.Errorf("%s: %s %s: %s", name, strings.Join(c.take, " "), id[1], text)
			}
		}
	}
}
