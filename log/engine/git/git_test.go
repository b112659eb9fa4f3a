package git

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

// remote makes a bare repository and a clone that has it as "origin".
func remote(t *testing.T) (bare, clone string) {
	t.Helper()
	needs.Tool(t, "git")
	dir := t.TempDir()
	bare, clone = filepath.Join(dir, "bare.git"), filepath.Join(dir, "clone")
	git(t, dir, "init", "--quiet", "--bare", bare)
	git(t, dir, "clone", "--quiet", bare, clone)
	return bare, clone
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// open opens a store as one clone does, with objects of its own.
func open(t *testing.T, clone string) *Engine {
	t.Helper()
	dir := t.TempDir()
	e, err := Open(waittest.Context(t), clone, "origin", nofollow.Root(dir), filepath.Join(dir, "objects"), Options{Poll: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestEngine(t *testing.T) {
	clones := map[engine.Engine]string{}
	enginetest.Run(t, func(t *testing.T) engine.Engine {
		_, clone := remote(t)
		e := open(t, clone)
		clones[e] = clone
		return e
	}, enginetest.Supports{Batches: true, Racers: 4, Rounds: 3, Another: func(t *testing.T, first engine.Engine) engine.Engine {
		return open(t, clones[first])
	}})
}

func TestRefs(t *testing.T) {
	for log, want := range map[string]string{
		"threads.jsonl":    "l-threads%2Ejsonl",
		"receipts/a1.json": "d-receipts/l-a1%2Ejson",
		"a":                "l-a",
		"a/b":              "d-a/l-b",
		"X/..y.lock/@{":    "d-%58/d-%2E%2Ey%2Elock/l-%40%7B",
	} {
		if got := refOf(log); got != prefix+want {
			t.Errorf("%s: ref %s, want %s", log, got, want)
		}
	}
	long := strings.Repeat("é*", 80)
	for _, log := range []string{"a", "a/b", long + "/" + long, "c-/l-/d-", "%", "%41", "A"} {
		if got, ok := logOf(refOf(log)); !ok || got != log {
			t.Errorf("%.20q: read back as %.20q, %v", log, got, ok)
		}
		for part := range strings.SplitSeq(refOf(log), "/") {
			if len(part) > 255 {
				t.Errorf("%.20q: a part of its ref has %d bytes", log, len(part))
			}
		}
	}
	for _, ref := range []string{prefix + "x", prefix + "l-a/l-b", prefix + "d-a", prefix + "l-%4", prefix + "l-A", "refs/heads/l-a"} {
		if log, ok := logOf(ref); ok {
			t.Errorf("%s is not one of ours, but was read as %q", ref, log)
		}
	}
}
