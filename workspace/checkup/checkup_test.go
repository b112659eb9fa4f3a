package checkup_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/agents/doctor"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/workspace"
	"handoff/workspace/checkup"
	"handoff/workspace/config"
	"handoff/workspace/daemon"
	"handoff/workspace/notes"
	"handoff/workspace/sync"
	"handoff/workspace/trust"
)

var now = time.Date(2026, 2, 12, 14, 30, 22, 0, time.UTC)

func options() workspace.Options { return workspace.Options{Now: func() time.Time { return now }} }

// folder makes a folder with files; one whose name ends with a slash is a folder.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if strings.HasSuffix(name, "/") {
			err = os.MkdirAll(path, 0o755)
		} else if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestUnwritable: a tree that only can be read is not ok, and doctor says so.
func TestUnwritable(t *testing.T) {
	needs.NotRoot(t, func() { unwritable(t) })
}

func unwritable(t *testing.T) {
	dir := folder(t, map[string]string{"specs/": "", ".handoff/receipts/": ""})
	for _, name := range []string{".handoff/receipts", "."} {
		path := filepath.Join(dir, name)
		if err := os.Chmod(path, 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(path, 0o755) })
	}
	for check, state := range map[string]doctor.State{"workspace": doctor.Warning, "receipts": doctor.Problem} {
		if l := find(t, dir, check); l.State != state || !strings.Contains(l.What, "you may not write there") || !strings.HasPrefix(l.Fix, "chmod u+w ") {
			t.Errorf("%+v", l)
		}
	}
}

// find is the line of a check.
func find(t *testing.T, dir, check string) *doctor.Line {
	t.Helper()
	for _, l := range checkup.Lines(t.Context(), dir, options()) {
		if l.State != doctor.OK && l.Fix == "" {
			t.Errorf("nothing to type: %+v", l)
		}
		if l.Check == check {
			return &l
		}
	}
	return nil
}

// TestChecks: each check shows the problem, and ok without it.
func TestChecks(t *testing.T) {
	for name, c := range map[string]struct {
		check string
		files map[string]string
		state doctor.State
		what  string
	}{
		"no workspace":        {"workspace", nil, doctor.Warning, "no workspace"},
		"a workspace":         {"workspace", map[string]string{"specs/": ""}, doctor.OK, "found"},
		"a bad configuration": {"configuration", map[string]string{".handoff.yaml": "max_linse: 3\n"}, doctor.Problem, "max_linse"},
		"a configuration":     {"configuration", map[string]string{".handoff.yaml": "max_lines: 40\n", "specs/": ""}, doctor.OK, "can be read"},
		"no repository":       {"receipts", map[string]string{"specs/": ""}, doctor.OK, "stored here"},
		"a broken repository": {"receipts", map[string]string{"specs/": "", ".git": "gitdir: /no/such/folder\n"}, doctor.Problem, "nothing is delivered"},
		"a file of receipts":  {"receipts", map[string]string{"specs/": "", ".handoff/receipts": "x"}, doctor.Problem, "cannot be written"},
		"requests that wait":  {"outbox", map[string]string{"specs/": "", ".handoff/outbox/0000000001-9b3f1f5a1b2c3d4e-000102030405060708090a0b.json": "{}"}, doctor.Warning, "1 request waiting for the store files, 0 refused"},
		"an empty outbox":     {"outbox", map[string]string{"specs/": "", ".handoff.yaml": "store: nats://127.0.0.1:1/TEST\n"}, doctor.OK, "nothing waits"},
		"no watch":            {"watch", map[string]string{"specs/": ""}, doctor.OK, "no watch is running"},
		"no errors":           {"hook errors", map[string]string{"specs/": ""}, doctor.OK, "none"},
		"a damaged list":      {"hook errors", map[string]string{"specs/": "", ".handoff/hook-errors.json": "[{"}, doctor.Warning, "delete the file"},
	} {
		l := find(t, folder(t, c.files), c.check)
		if l == nil || l.State != c.state || !strings.Contains(l.What, c.what) {
			t.Errorf("%s: %+v", name, l)
		}
	}
}

// TestTrust: doctor shows what can act and whether it may, and which rules are switched off.
func TestTrust(t *testing.T) {
	top := folder(t, map[string]string{"acts/specs/": "", "acts/.handoff.yaml": "store: git:origin\nchecks: {allow: [make check]}\n", "agents/specs/": "", "agents/.handoff/agents/x.yaml": "{}",
		"off/specs/": "", "off/.handoff.yaml": "rules: {secret: off}\n"})
	dir := filepath.Join(top, "acts")
	for _, c := range []struct {
		dir     string
		refused error
		want    string
	}{
		{dir, nil, `ok trusted: store git:origin, check make check`},
		{dir, trust.ErrNotTrusted, `warning not trusted, so these are not used: store git:origin, check make check`},
		{dir, trust.ErrStranger, "warning it belongs to another user, whom you have not trusted: hooks deliver nothing"},
		{filepath.Join(top, "agents"), trust.ErrNotTrusted, ""},
		{filepath.Join(top, "off"), nil, "warning the configuration switches off secret: such text is not reported"},
	} {
		o, got := options(), ""
		o.RuleNames = []string{"secret"}
		o.Trust = func(string, config.Config) error { return c.refused }
		for _, l := range checkup.Lines(t.Context(), c.dir, o) {
			if l.Check == "trust" {
				got += string(l.State) + " " + l.What
			}
		}
		if got != c.want {
			t.Errorf("%s, %v: %q, want %q", c.dir, c.refused, got, c.want)
		}
	}
}

// TestDubious: git refuses a repository of another user, whatever is trusted here.
func TestDubious(t *testing.T) {
	needs.Tool(t, "git")
	dir := folder(t, map[string]string{"specs/": ""})
	if out, err := exec.Command("git", "init", "--quiet", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if l := find(t, dir, "git"); l != nil {
		t.Errorf("the user's own repository: %+v", l)
	}
	t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
	if l := find(t, dir, "git"); l == nil || l.State != doctor.Problem || l.Fix != "git config --global --add safe.directory "+dir {
		t.Errorf("another user's: %+v", l)
	}
}

// TestPaths: commands name the top of the repository and quote paths.
func TestPaths(t *testing.T) {
	dir := folder(t, map[string]string{"a repo/.git/HEAD": "x", "a repo/.git/objects/": "", "a repo/.git/refs/": "", "a repo/sub/": "", "a tree/specs/": "", "a tree/.handoff/receipts": "x"})
	top, receipts := filepath.Join(dir, "a repo"), filepath.Join(dir, "a tree", ".handoff", "receipts")
	for _, c := range []struct{ dir, check, fix string }{
		{filepath.Join(top, "sub"), "workspace", "handoff init -C '" + top + "'"},
		{top, "workspace", "handoff init"},
		{filepath.Join(dir, "a tree"), "receipts", "mv '" + receipts + "' '" + receipts + ".aside'"},
	} {
		if l := find(t, c.dir, c.check); l == nil || l.Fix != c.fix {
			t.Errorf("%s: %+v, want %s", c.dir, l, c.fix)
		}
	}
}

// TestHookErrors: errors of the last 7 days are reported, with the last of them.
func TestHookErrors(t *testing.T) {
	dir := folder(t, map[string]string{"specs/": ""})
	log, err := notes.OpenLog(dir)
	if err != nil {
		t.Fatal(err)
	}
	add := func(age time.Duration, text string) {
		if err := log.Add(t.Context(), notes.Fault{At: now.Add(-age), Host: "codex", Event: "stop", Error: text}); err != nil {
			t.Fatal(err)
		}
	}
	add(8*24*time.Hour, "an old one")
	if l := find(t, dir, "hook errors"); l.State != doctor.OK {
		t.Errorf("%+v", l)
	}
	add(2*time.Hour, "the disk is full")
	add(time.Hour, "no such host")
	if l := find(t, dir, "hook errors"); l.State != doctor.Warning || !strings.Contains(l.What, "2 in the last 7 days") || !strings.Contains(l.What, "stop of codex: no such host") || l.File != log.Path() {
		t.Errorf("%+v", l)
	}
}

// TestWatch: a running watch is found.
func TestWatch(t *testing.T) {
	needs.Unix(t, "a watch answers on a Unix socket")
	dir := folder(t, map[string]string{"specs/": ""})
	ws, err := workspace.Open(dir, workspace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	started, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := daemon.Watch(ctx, ws, daemon.Request{
			Interval: time.Minute, Begun: func() {}, Say: func(string) {}, Progress: func(int, int) {}, Started: func(int, int) { close(started) },
			Did: func(time.Time, sync.Result) {}, Stopping: func() {},
		})
		ended <- err
	}()
	waittest.For(t, "the start", started)
	if l := find(t, dir, "watch"); l.State != doctor.OK || !strings.Contains(l.What, "is running (process ") {
		t.Errorf("%+v", l)
	}
	stop()
	if err := waittest.For(t, "the end", ended); err != nil {
		t.Error(err)
	}
}

// TestFilesOfThisMachine: a claim that was committed is reported, a lock is not.
func TestFilesOfThisMachine(t *testing.T) {
	needs.Tool(t, "git")
	dir := folder(t, map[string]string{"specs/": "", ".handoff/lock": "", ".handoff/agents/x.yaml": ""})
	find := func() (n int) {
		for _, l := range checkup.Lines(t.Context(), dir, options()) {
			if strings.Contains(l.What, "of this machine") {
				n++
			}
		}
		return n
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	git("init", "-q")
	git("add", "-f", ".handoff")
	if find() != 0 {
		t.Error("nothing of this machine is in git")
	}
	if err := os.MkdirAll(filepath.Join(dir, ".handoff/receipts"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".handoff/receipts/a.jsonl"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	git("add", "-f", ".handoff")
	if find() != 1 {
		t.Error("a receipt in git is not reported")
	}
}
