//go:build linux

package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
)

// tally counts the results of the changes.
type tally struct {
	out          io.Writer // gets each change as soon as it is judged
	killed, made map[string]int
	number       int
}

func newTally(out io.Writer) *tally {
	return &tally{out: out, killed: map[string]int{}, made: map[string]int{}}
}

// enter prints the result of one change: killer is the package and test that
// failed, empty if the change survived.
func (t *tally) enter(path, name string, c change, killer string) {
	t.made[path]++
	t.number++
	result := "SURVIVED"
	if killer != "" {
		t.killed[path]++
		result = "killed by " + killer
	}
	fmt.Fprintf(t.out, "%3d  %s:%d  %s\n\t- %s\n\t+ %s\n", t.number, name, c.line, result, c.before, c.after)
}

// print writes the percentages and fails if too few changes were killed.
func (t *tally) print(least int) error {
	killed := 0
	fmt.Fprintln(t.out)
	for _, path := range slices.Sorted(maps.Keys(t.made)) {
		fmt.Fprintf(t.out, "%-36s %2d of %2d\n", path, t.killed[path], t.made[path])
		killed += t.killed[path]
	}
	if t.number == 0 {
		return fmt.Errorf("no condition to change in these packages")
	}
	fmt.Fprintf(t.out, "%-36s %2d of %2d killed: %d %%\n", "all", killed, t.number, 100*killed/t.number)
	if 100*killed < least*t.number {
		return fmt.Errorf("%d of %d changes survived; at least %d %% must be killed", t.number-killed, t.number, least)
	}
	return nil
}

// equivalent has changes that no test can notice: file, line before, line after.
type equivalent map[[3]string]bool

func (e equivalent) has(name string, c change) bool { return e[[3]string{name, c.before, c.after}] }

// readEquivalent reads blocks of a file name, "- " with the line as it is, "+ "
// with the line changed, and the reason on the lines that follow. Empty lines
// separate blocks; lines that begin with # are comments.
func readEquivalent(path string) (equivalent, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseEquivalent(path, string(src))
}

func parseEquivalent(path, src string) (equivalent, error) {
	list := equivalent{}
	for block := range strings.SplitSeq(src, "\n\n") {
		lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(block), "\n"), func(s string) bool { return strings.HasPrefix(s, "#") })
		if len(lines) == 0 || len(lines) == 1 && lines[0] == "" {
			continue
		}
		if len(lines) < 4 || !strings.HasPrefix(lines[1], "- ") || !strings.HasPrefix(lines[2], "+ ") {
			return nil, fmt.Errorf("%s: a block needs a file, \"- before\", \"+ after\" and a reason: %q", path, block)
		}
		list[[3]string{lines[0], flat(lines[1][2:]), flat(lines[2][2:])}] = true
	}
	return list, nil
}
