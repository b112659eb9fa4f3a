// Package gate finds out whether work is done that somebody says is done: whether the commands
// succeed that the user named, whether objectives are open, and what is not committed.
//
// It runs the commands that it is given, and knows neither agents nor relays. Who may name a
// command is the caller's business: the user on the command line, or a configuration that he
// trusts.
package gate

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/gitindex"
	"handoff/internal/text/prose"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/prove"
)

// Request is what must hold.
type Request struct {
	Commands [][]string    // that must succeed
	AtLeast  time.Duration // that each may take, if the configuration allows less
	Dir      string        // of the task, below the root; "" if it has none
	Phase    int           // whose objectives must be closed; 0 for all phases
	Commits  bool          // files must be committed
	Before   []string      // but for those that were not committed before
	Base     string        // the commit at which the work began; "" if that is not known
}

// Found is how things are.
type Found struct {
	receipt.Evidence
	Output  string   // the end of what the first failed command printed
	Open    []string // objectives
	Missing []string // files that are not committed and must be
}

// Check looks, and runs the commands. Without a command the evidence says so.
func Check(ctx context.Context, ws *workspace.Workspace, r Request) (f Found, err error) {
	f.Open = open(ws, r)
	for _, words := range r.Commands {
		check, output, err := prove.Command(ctx, ws, words, r.AtLeast)
		if err != nil {
			return f, err
		}
		check.Why = prose.OneLine(check.Why)
		if f.Checks = append(f.Checks, check); f.Output == "" {
			f.Output = output
		}
	}
	state, err := gitindex.Current(ctx, ws.Root) // after the commands, which may write
	if err != nil || state.Commit == "" {
		return f, ctx.Err() // not in git, or without a commit
	}
	dirty := prove.Uncommitted(state)
	f.Commit, f.Uncommitted = state.Commit, len(dirty)
	f.Altered = altered(ctx, ws, r)
	if r.Commits {
		f.Missing = slices.DeleteFunc(dirty, func(name string) bool { return slices.Contains(r.Before, name) })
	}
	return f, nil
}

// maxPhase is the last phase whose objectives are looked for if no phase is named.
const maxPhase = 100

// open returns the open objectives of a phase, or of all phases.
func open(ws *workspace.Workspace, r Request) (list []string) {
	if r.Dir == "" {
		return nil
	}
	if r.Phase > 0 {
		_, list = prove.Objectives(ws, r.Dir, r.Phase)
		return list
	}
	for phase := 1; phase <= maxPhase; phase++ {
		_, some := prove.Objectives(ws, r.Dir, phase)
		list = append(list, some...)
	}
	return list
}

// maxNamed is how many open objectives and files a reason names.
const maxNamed = 4

// Refused returns why the work is not done, a sentence each; none if it is.
func (f Found) Refused() (why []string) {
	for _, c := range f.Checks {
		if c.Exit != 0 {
			why = append(why, fmt.Sprintf("`%s` fails: %s", c.Command, c.Why))
		}
	}
	if n := len(f.Open); n > 0 {
		why = append(why, fmt.Sprintf("%s open: %s", counted(n, "objective of the progress file is", "objectives of the progress file are"), some(f.Open)))
	}
	if n := len(f.Missing); n > 0 {
		why = append(why, fmt.Sprintf("%s not committed: %s", counted(n, "file is", "files are"), some(f.Missing)))
	}
	return why
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func some(names []string) string {
	var shown []string
	for _, name := range names[:min(maxNamed, len(names))] {
		shown = append(shown, prose.OneLine(name))
	}
	if more := len(names) - maxNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), more)
	}
	return strings.Join(shown, ", ")
}
