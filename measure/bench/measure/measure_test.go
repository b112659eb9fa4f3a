//go:build linux

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func ran(name string, cpu ...float64) *command {
	wall := make([]float64, len(cpu))
	for i := range cpu {
		wall[i] = 2*cpu[i] + 100
	}
	return &command{name: name, cpu: cpu, wall: wall, rss: 50}
}

func TestBars(t *testing.T) {
	list := []*command{ran("floor", 90, 110, 100), ran("lint", 240, 260), ran("slow", 4000), {name: "gone", failed: os.ErrNotExist}}
	for _, c := range []struct{ bar, measured, verdict string }{
		{"lint / floor <= 3", "2.50", "ok"},
		{"lint / floor <= 2.4", "2.50", "missed"},
		{"lint / slow <= 1/15", "1/16.0", "ok"},
		{"wall lint / floor <= 2", "2.00", "ok"},
		{"wall lint / floor <= 1.9", "2.00", "missed"},
		{"lint / slow <= 1/17", "1/16.0", "missed"},
		{"lint - floor <= 150ms", "150 ms", "ok"},
		{"lint - floor <= 149ms", "150 ms", "missed"},
		{"lint <= 40MB", "50.0 MB", "missed"},
		{"lint <= 51MB", "50.0 MB", "ok"},
		{"wall lint <= 600ms", "600 ms", "ok"},
		{"wall lint <= 599ms", "600 ms", "missed"},
		{"lint / gone <= 2", "–", "not measured: gone did not run"},
		{"absent <= 2MB", "–", "not measured: absent did not run"},
	} {
		b, err := parseBar(c.bar)
		if err != nil {
			t.Error(err)
			continue
		}
		if measured, verdict := b.against(list); measured != c.measured || verdict != c.verdict {
			t.Errorf("%s: %q, %q; want %q, %q", c.bar, measured, verdict, c.measured, c.verdict)
		}
	}
}

func TestMalformedBars(t *testing.T) {
	for _, s := range []string{"", "lint", "lint < 3", "lint / floor <= x", "lint / floor <= 0", "lint - floor <= 3", "lint <= 40", "wall lint <= 40MB", "wall a - b <= 3ms", "a * b <= 3"} {
		if _, err := parseBar(s); err == nil {
			t.Errorf("%q was taken for a bar", s)
		}
	}
}

func TestParseCommands(t *testing.T) {
	list, err := parseCommands(strings.Fields("a ls -l --- b true"))
	if err != nil || len(list) != 2 || list[0].name != "a" || strings.Join(list[0].args, " ") != "ls -l" || list[1].name != "b" {
		t.Errorf("%+v, %v", list, err)
	}
	for _, s := range []string{"", "a", "a --- b true", "a true --- b"} {
		if _, err := parseCommands(strings.Fields(s)); err == nil {
			t.Errorf("%q was taken for commands", s)
		}
	}
}

// A linter's findings are not a failure, and one failed command does not stop
// the measurement of the others.
func TestMeasure(t *testing.T) {
	logs := t.TempDir()
	list, err := parseCommands([]string{
		"finds", "sh", "-c", "echo one; echo two; echo talk >&2; exit 1", "---",
		"breaks", "sh", "-c", "echo why >&2; exit 2", "---",
		"absent", "./no-such-program"})
	if err != nil {
		t.Fatal(err)
	}
	err = measure(list, 3, logs)
	for _, part := range []string{"breaks: exit status 2: why", "absent: "} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not say %q", err, part)
		}
	}
	finds := list[0]
	if len(finds.cpu) != 3 || finds.exit != 1 || finds.lines != 3 || finds.first <= 0 || finds.rss <= 0 {
		t.Errorf("measured %+v", finds)
	}
	if out, err := os.ReadFile(filepath.Join(logs, "finds.out")); err != nil || string(out) != "one\ntwo\n" {
		t.Errorf("kept output %q, %v", out, err)
	}
	if find(list, "breaks") != nil || find(list, "absent") != nil {
		t.Error("a command that could not run counts as measured")
	}
}

// A program runs before each run of a command, also before the warm-up, and is not measured.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	before, file := filepath.Join(dir, "before"), filepath.Join(dir, "file")
	if err := os.WriteFile(before, []byte("#!/bin/sh\necho new >"+file+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	list, _ := parseCommands([]string{"takes", "sh", "-c", "rm " + file, "---", "fails", "true"})
	list[0].before, list[1].before = before, filepath.Join(dir, "absent")
	err := measure(list, 3, t.TempDir())
	if len(list[0].cpu) != 3 || err == nil || !strings.Contains(err.Error(), "absent") || find(list, "fails") != nil {
		t.Errorf("%d runs, %v", len(list[0].cpu), err)
	}
	if err := run(1, "", "", []string{"a", "true"}, surroundings{before: map[string]string{"b": before}}, nil); err == nil {
		t.Error("a program before a command that is not measured")
	}
}

// A command reads its file from the beginning in each run.
func TestInput(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(in, []byte("yes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	list, _ := parseCommands([]string{"reads", "grep", "-qx", "yes", "---", "empty", "sh", "-c", "! read line"})
	list[0].in = in
	if err := measure(list, 2, t.TempDir()); err != nil || list[0].exit != 0 || list[1].exit != 0 || len(list[0].faults) != 2 || list[0].faults[0] == 0 {
		t.Errorf("%v: %+v, %+v", err, list[0], list[1])
	}
}

// CPU time is the time of the command, without waiting for it.
func TestCPUTime(t *testing.T) {
	list, _ := parseCommands([]string{"sleeps", "sleep", "0.2", "---", "works", "sh", "-c", "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"})
	if err := measure(list, 1, t.TempDir()); err != nil {
		t.Fatal(err)
	}
	sleeps, works := list[0], list[1]
	if sleeps.wall[0] < 200 || sleeps.cpu[0] > 100 || works.cpu[0] < 2*sleeps.cpu[0] {
		t.Errorf("sleep: %.1f ms CPU, %.1f ms wall; loop: %.1f ms CPU", sleeps.cpu[0], sleeps.wall[0], works.cpu[0])
	}
}

func TestEveryOtherRoundRunsBackwards(t *testing.T) {
	list := []*command{ran("a"), ran("b"), ran("c")}
	var order string
	for round := range 3 {
		for _, c := range turn(list, round) {
			order += c.name
		}
	}
	if order != "abccbaabc" {
		t.Errorf("order %s", order)
	}
}
