package main

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"handoff/surface/command"
)

const relayOpening = "A relay of two agents, which are the script scripted.sh of some twenty lines, works in"

// relaySteps show a relay, whose agents need no account.
func relaySteps() []demoStep {
	const objective = "Add discount codes to the cart. Totals are whole cents."
	return []demoStep{
		{"The first agent is asked for a handoff before its context is full; the second one continues, and is believed when the check passes:", func(d *demo) {
			d.do(func() error {
				if _, err := exec.LookPath("sh"); err != nil {
					return fmt.Errorf("%w: the script of the agents is for a POSIX shell", err)
				}
				return nil
			})
			d.shop()
			d.copied("relay", "shop")
			d.do(func() error {
				const entry = "scripted.yaml" // agents of a repository are in a folder of their own
				dir := filepath.Join(d.tree("shop"), ".handoff", "agents")
				return cmp.Or(os.MkdirAll(dir, 0o755), os.Rename(filepath.Join(d.tree("shop"), entry), filepath.Join(dir, entry)))
			})
			d.typed("", "handoff relay --agent .handoff/agents/scripted.yaml --task 1 --level all --until 'grep -q Math.round cart.js' -- '"+objective+"'")
			d.follow(d.tree("shop"), "relay", "--agent", ".handoff/agents/scripted.yaml", "--task", "1", "--level", "all", "--until", "grep -q Math.round cart.js", "--", objective)
		}},
		{"Each step is on record:", func(d *demo) {
			d.person(nil, "receipts", "1")
			d.person(nil, "relay", "--list")
		}},
	}
}

// follow runs a command that takes some seconds, and shows its lines as they come.
func (d *demo) follow(dir string, args ...string) {
	if d.err != nil {
		return
	}
	lines := &indenting{d: d}
	inner := &command.Process{Stdin: bytes.NewReader(nil), Stdout: lines, Stderr: lines, Dir: dir, Now: d.w.Now, NewID: d.w.NewID, Getenv: d.home}
	if code := run(d.ctx, inner, args); code != command.Clean {
		d.err = fmt.Errorf("handoff %s: exit status %d", args[0], code)
	}
	lines.end()
}

// indenting shows whole lines as they are written. The agent's standard error is written beside what
// the command prints.
type indenting struct {
	d *demo

	mu   sync.Mutex // of d, too, while the command runs
	rest []byte
}

func (w *indenting) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	if i := bytes.LastIndexByte(w.rest, '\n'); i >= 0 {
		w.d.shown(string(w.rest[:i+1]))
		w.rest = append([]byte(nil), w.rest[i+1:]...)
	}
	return len(p), w.d.err
}

func (w *indenting) end() {
	if len(w.rest) > 0 {
		w.d.shown(string(w.rest))
	}
}
