//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// tester makes changes and runs tests on them.
type tester struct {
	root    string
	all     []*pkg
	without map[string]bool
	folder  string                   // changed files, temporary files of tests, logs
	limits  map[string]time.Duration // by package, once its tests ran unchanged; 0 if they failed
	failing []string
}

func newTester(o options, all []*pkg) (*tester, error) {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return nil, err
	}
	t := &tester{root: root, all: all, without: o.without, folder: folder, limits: map[string]time.Duration{}}
	// Some tests start themselves as another user, who needs access to this
	// folder.
	return t, errors.Join(os.Chmod(folder, 0o755), os.Mkdir(t.tmp(), 0o700), os.Chmod(t.tmp(), 0o777|os.ModeSticky))
}

// close also removes files that killed tests left in their temporary folder.
func (t *tester) close() { os.RemoveAll(t.folder) }

func (t *tester) tmp() string     { return filepath.Join(t.folder, "tmp") }
func (t *tester) overlay() string { return filepath.Join(t.folder, "overlay.json") }

// changePackage makes a package's share of the changes, one after the other,
// and records each result.
func (t *tester) changePackage(ctx context.Context, d share, seed uint64, same equivalent, tally *tally) error {
	left := d.count
	for _, c := range shuffled(d.conditions, source(seed, d.ImportPath)) {
		if left == 0 {
			break
		}
		name, err := filepath.Rel(t.root, c.file)
		if err != nil {
			return err
		}
		if same.has(name, c) {
			continue
		}
		compiles, err := t.put(ctx, d.pkg, c)
		if err != nil {
			return err
		}
		if !compiles {
			continue // the next change replaces it
		}
		killer, err := t.judge(ctx, d.pkg)
		if err != nil {
			return err
		}
		tally.enter(d.ImportPath, name, c, killer)
		left--
	}
	return nil
}

// put writes the changed file and the overlay that passes it to the go command,
// and reports whether it compiles.
func (t *tester) put(ctx context.Context, p *pkg, c change) (bool, error) {
	src, err := c.apply()
	if err != nil {
		return false, err
	}
	changed := filepath.Join(t.folder, filepath.Base(c.file))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {c.file: changed}})
	if err := errors.Join(err, os.WriteFile(changed, src, 0o600), os.WriteFile(t.overlay(), overlay, 0o600)); err != nil {
		return false, err
	}
	failed := t.goes(ctx, "build", "-o", os.DevNull, p.ImportPath)
	return failed == nil, ctx.Err()
}

// judge runs the tests that could notice the change and returns the name of the
// first that did; empty if the change survived.
func (t *tester) judge(ctx context.Context, p *pkg) (string, error) {
	for _, q := range judges(p, t.all) {
		if t.without[q.ImportPath] {
			continue
		}
		limit, err := t.limit(ctx, q.ImportPath)
		if err != nil {
			return "", err
		}
		if limit == 0 {
			continue
		}
		failed := t.goes(ctx, "test", "-short", "-count=1", "-vet=off", "-failfast", "-timeout", limit.String(), q.ImportPath)
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if failed != nil {
			return strings.TrimSpace(q.ImportPath + " " + blamed(failed.Error())), nil
		}
	}
	return "", nil
}

// limit returns the time limit for the tests of a package. It runs them once on
// the unchanged code: tests that fail anyway would kill every change, so they
// are reported and left out. The limit is ten times as long, plus half a minute
// in case the machine is busy; a change that exceeds it counts as a hang.
func (t *tester) limit(ctx context.Context, path string) (time.Duration, error) {
	if limit, known := t.limits[path]; known {
		return limit, nil
	}
	overlay, err := os.ReadFile(t.overlay())
	if err != nil {
		return 0, err
	}
	if err := os.WriteFile(t.overlay(), []byte("{}"), 0o600); err != nil {
		return 0, err
	}
	begun := time.Now()
	failed := t.unchanged(ctx, path)
	if failed != nil {
		failed = t.unchanged(ctx, path) // try again: a busy machine can cause one failure
	}
	if t.limits[path] = 10*time.Since(begun).Round(time.Second) + 30*time.Second; failed != nil {
		t.limits[path] = 0
		t.failing = append(t.failing, path)
		fmt.Fprintf(os.Stderr, "mutate: the tests of %s fail without any change: %v\n", path, failed)
	}
	return t.limits[path], errors.Join(ctx.Err(), os.WriteFile(t.overlay(), overlay, 0o600))
}

func (t *tester) unchanged(ctx context.Context, path string) error {
	return t.goes(ctx, "test", "-short", "-count=1", "-vet=off", "-timeout", "60m", path)
}

// goes runs the go command with the overlay, which go commands started by tests
// inherit. Its error is the output. All processes that it started end with it.
func (t *tester) goes(ctx context.Context, args ...string) error {
	out, err := os.Create(filepath.Join(t.folder, "log"))
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = t.root, out, out
	cmd.Env = append(os.Environ(), "GOFLAGS=-overlay="+t.overlay(), "TMPDIR="+t.tmp(), "GOTMPDIR="+t.tmp())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.Cancel = end
	if err := cmd.Start(); err != nil {
		return err
	}
	failed := cmd.Wait()
	end() // processes that a test left running
	if failed == nil {
		return nil
	}
	text, err := os.ReadFile(out.Name())
	return errors.Join(fmt.Errorf("%w\n%s", failed, text), err)
}

var (
	failedTest  = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)
	runningTest = regexp.MustCompile(`(?m)^\s+(Test\S+|Fuzz\S+|Example\S*) \(`)
)

// blamed returns the name of the failed test in the output of go test.
func blamed(output string) string {
	if strings.Contains(output, "panic: test timed out") {
		if m := runningTest.FindStringSubmatch(output); m != nil {
			return m[1] + " (time limit)"
		}
		return "(time limit)"
	}
	if m := failedTest.FindStringSubmatch(output); m != nil {
		return m[1]
	}
	return "(the whole run)"
}
