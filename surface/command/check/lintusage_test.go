package check

import (
	"strings"
	"testing"

	"handoff/workspace/check"
)

// TestLintContradictions: options of lint that contradict each other, without a command line.
func TestLintContradictions(t *testing.T) {
	lint := func(o lintOptions, paths ...string) error {
		req := check.Request{Paths: paths, Fix: o.fix, Diff: o.diff, Rename: o.rename, Staged: o.staged, StdinName: o.stdinName}
		return compatible(&o, &req)
	}
	for _, c := range []struct {
		err  error
		want string // what the error begins with; "" for none
	}{
		{lint(lintOptions{}), ""},
		{lint(lintOptions{staged: true, fix: true}), "--staged checks git's index, which"},
		{lint(lintOptions{staged: true}, "-"), "--staged reads"},
		{lint(lintOptions{}, "-", "a.md"), "- cannot be combined"},
		{lint(lintOptions{rename: true, fix: true}, "-"), "--rename needs a file"},
		{lint(lintOptions{stdinName: "a.md"}), "--stdin-filename requires -"},
		{lint(lintOptions{rename: true}), "--rename requires"},
		{lint(lintOptions{rename: true, diff: true, zoneGiven: true}), ""},
		{lint(lintOptions{zoneGiven: true}), "--zone requires"},
		{lint(lintOptions{prune: true}), "--prune and --update-baseline require"},
		{lint(lintOptions{prune: true, baseline: "b", only: []string{"title"}}), "a baseline counts all rules"},
		{lint(lintOptions{updateBaseline: true, baseline: "b", disable: []string{"title"}}), "a baseline counts all rules"},
		{lint(lintOptions{prune: true, updateBaseline: true, baseline: "b"}), "--update-baseline leaves"},
	} {
		got := ""
		if c.err != nil {
			got = c.err.Error()
		}
		if c.want == "" && c.err != nil || !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
