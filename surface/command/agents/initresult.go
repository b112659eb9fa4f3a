package agents

import (
	"errors"
	"fmt"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/surface/command"
	"handoff/workspace/config"
	"handoff/workspace/githook"
	"handoff/workspace/scaffold"
)

// initResult is what init --json prints: see docs/schema/init.schema.json.
type initResult struct {
	Files  []initFile `json:"files"`
	ByHand string     `json:"by_hand,omitempty"` // lines for a file that could not be changed safely
	Next   string     `json:"next,omitempty"`    // command
}

type initFile struct {
	Action string `json:"action"`
	File   string `json:"file"`
	Why    string `json:"why,omitempty"`
}

// createsRoot reports whether a step creates the folder of tasks: then the tree had no handoffs.
func createsRoot(s scaffold.Step) bool { return s.Verb == "created" && s.Path == handoff.Root+"/" }

// firstHandoff writes the first handoff of a tree.
const firstHandoff = "handoff new --task 1 --slug first_task --phase 1 --edit"

func initResultOf(o *initOptions, steps []scaffold.Step, here handoffsHere, err error) (r initResult) {
	r.Files = []initFile{}
	begins, found := false, o.preset != "" && o.preset != task.Default // the handoffs are where they were
	for _, s := range steps {
		r.Files = append(r.Files, initFile{s.Verb, s.Path, s.Why})
		begins = begins || createsRoot(s)
		found = found || s.Verb == "created" && s.Path == config.File && (s.Why != "" || here.number > 0)
	}
	if by, ok := errors.AsType[*githook.ByHandError](err); ok {
		r.ByHand = by.Lines
	}
	switch {
	case err != nil || o.remove:
	case begins:
		r.Next = firstHandoff
	case found:
		r.Next = "handoff ls"
	case here.tasks && here.number == 0:
		r.Next = firstHandoff
	}
	return r
}

// print prints it for people.
func (r initResult) print(w *command.Process) {
	for _, f := range r.Files {
		why := ""
		if f.Why != "" {
			why = " (" + f.Why + ")"
		}
		fmt.Fprintf(w.Stdout, "%s %s%s\n", f.Action, f.File, why)
	}
	fmt.Fprint(w.Stdout, r.ByHand)
	if r.Next != "" {
		fmt.Fprintln(w.Stderr, "next: "+r.Next)
	}
}
