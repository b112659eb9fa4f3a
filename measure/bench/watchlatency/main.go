//go:build linux

// Command watchlatency measures the time from the close of a handoff until its
// task's metadata is on the disk, and until other watchers report the file. See
// measure/bench/watch.sh.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

var (
	handoffs = flag.Int("handoffs", 2000, "handoffs to write")
	pace     = flag.Duration("pace", 3*time.Millisecond, "pause between two of them; for stream: from one to the next")
	perTask  = flag.Int("per-task", 4, "handoffs of one task")
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: watchlatency [flags] tree DIR TASKS | floor DIR | durable DIR | metadata LABEL DIR COMMAND … | lines LABEL DIR COMMAND … | stream LABEL DIR COMMAND … | rewrites LABEL DIR COMMAND … | steady LABEL DIR COMMAND … | start DIR COMMAND …")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "watchlatency:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 2 {
		flag.Usage()
		os.Exit(2)
	}
	switch mode, rest := args[0], args[1:]; mode {
	case "tree":
		var n int
		if _, err := fmt.Sscan(rest[1], &n); err != nil {
			return err
		}
		return makeTree(rest[0], n)
	case "floor":
		return floor(rest[0])
	case "durable":
		return durable(rest[0])
	case "start":
		return start(rest[0], rest[1:])
	case "metadata":
		return metadata(rest[0], rest[1], rest[2:])
	case "lines":
		return lines(rest[0], rest[1], rest[2:])
	case "stream":
		return stream(rest[0], rest[1], rest[2:])
	case "rewrites":
		return rewrites(rest[0], rest[1], rest[2:])
	case "steady":
		return steady(rest[0], rest[1], rest[2:])
	}
	return fmt.Errorf("unknown mode %q", args[0])
}

// task is the i-th task's folder.
func task(dir string, i int) string { return filepath.Join(dir, "specs", fmt.Sprintf("%d_task", i+1)) }

func document(i int) string {
	return fmt.Sprintf(`# Phase 1 Handoff - 20260212T143022Z

## Immediate Next Action
Apply `+"`rcases` on `h_ih_%d`"+` to extract the induction hypothesis, then use `+"`exact`"+` with it.

## Current State
- **File**: Theories/Bimodal/Lindenbaum.lean
- **Location**: Line 342, inside `+"`theorem lindenbaum_extension`"+`

## Key Decisions Made
1. Use GHCoherentPartialFamily approach: Easier to maintain coherence than direct MCS construction

## What NOT to Try
1. `+"`simp`"+` alone: Insufficient for structural coherence goals - need explicit rcases

## Critical Context (max 5 items)
- `+"`insert_F`"+` is defined in line 156

## References (read only if stuck)
- Plan: plans/implementation-001.md, Phase 3
`, i)
}

// makeTree creates tasks with a handoff, a plan and a progress file each.
func makeTree(dir string, tasks int) error {
	for i := range tasks {
		for name, text := range map[string]string{
			"handoffs/phase-1-handoff-20260212T143022Z.md": document(i),
			"plans/implementation-001.md":                  "# Plan\n\n### Phase 1: first [COMPLETED]\n\n### Phase 2: second\n",
			"progress/phase-1-progress.json":               "{\n  \"phase\": 1,\n  \"handoff_count\": 1\n}\n",
			".return-meta.json":                            "{\n  \"status\": \"in_progress\"\n}\n",
		} {
			path := filepath.Join(task(dir, i), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// handoff is the path of the i-th handoff to write, and of its task.
func handoff(dir string, i int) (path, in string) {
	in = task(dir, i / *perTask)
	at := time.Date(2026, 2, 13, 0, 0, 0, 0, time.UTC).Add(time.Duration(i%*perTask) * time.Second)
	return filepath.Join(in, "handoffs", "phase-2-handoff-"+at.Format("20060102T150405Z")+".md"), in
}

func report(label string, took []time.Duration) {
	slices.Sort(took)
	at := func(q float64) string {
		return fmt.Sprintf("%.2f", float64(took[min(int(q*float64(len(took))), len(took)-1)].Microseconds())/1000)
	}
	fmt.Printf("| %s | %d | %s | %s | %s |\n", label, len(took), at(.5), at(.99), at(1))
}
