package main

import (
	"os"
	"path/filepath"
	"strings"

	"handoff/specs/example"
	"handoff/surface/command"
)

const (
	writeValues = `state: {file: specs/259_prove_completeness/plans/implementation-001.md, location: Line 15, goal: "` + "`lake build`" + ` passes"}
decisions: ["Weak completeness first: the strong form needs compactness"]
dead_ends: ["Filtration: it does not preserve the density axiom"]
context: ["` + "`lindenbaum_extension`" + ` is proved since phase 3"]
references: ["Plan: specs/259_prove_completeness/plans/implementation-001.md, Phase 4"]
`
	vagueStep = "next_action: Continue working on the proof\n"
	goodStep  = `next_action: "State ` + "`weak_completeness`" + ` in Completeness.lean and prove it by ` + "`lindenbaum_extension`" + `."` + "\n"
)

var writeNew = []string{"new", "--task", "259", "--phase", "4", "--from", "values.yaml", "--carry"}

// writeSteps show how a handoff is written.
func writeSteps() []demoStep {
	return []demoStep{
		{"An agent runs out of context and writes what comes to mind:", func(d *demo) {
			d.do(func() error { return os.CopyFS(d.dir, example.Files) })
			d.values(vagueStep + writeValues)
			d.typed("", "cat values.yaml")
			d.shown(vagueStep + writeValues)
		}},
		{"It is refused, and nothing is written:", func(d *demo) { d.example(command.Findings, writeNew...) }},
		{"The agent names the one step to take. The tool adds the time, the file name and the form, and what earlier agents found out:", func(d *demo) {
			d.values(goodStep + writeValues)
			d.typed("", "head -1 values.yaml")
			d.shown(goodStep)
			d.example(command.Clean, writeNew...)
		}},
		{"A lead agent that is a program reads the metadata: where to resume, and the handoff's content-addressed bundle:", func(d *demo) {
			const path = "specs/259_prove_completeness/.return-meta.json"
			d.typed("", "cat "+path)
			d.do(func() error {
				text, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(path)))
				d.shown(string(text))
				return err
			})
		}},
		{"Document, metadata, plan and bundle agree:", func(d *demo) { d.example(command.Clean, "verify") }},
		{"People and agents see what waits:", func(d *demo) { d.example(command.Clean, "ls") }},
		{"The successor gets what it needs to start, and no more:", func(d *demo) { d.example(command.Clean, "brief", "259/4") }},
	}
}

// values writes the values of the next handoff.
func (d *demo) values(text string) {
	d.do(func() error { return os.WriteFile(filepath.Join(d.dir, "values.yaml"), []byte(text), 0o644) })
}

// example runs a command in the example and shows it.
func (d *demo) example(expected int, args ...string) {
	d.typed("", "handoff "+strings.Join(args, " "))
	d.shown(d.handoff(d.dir, d.home, expected, args...))
}
