// Package top is the screen of `handoff top`: the tasks of a workspace, those that need a
// person first, what waits, and the handoffs of one task; and its threads, to continue one from a message.
// It follows the workspace, and claims, releases, spawns, branches and hands off on a key, after it has shown the command and asked.
//
// It knows how rows are drawn and which key does what. What a task is doing is decided
// by workspace/overview.
package top

import (
	"context"
	"errors"
	"os"

	tea "charm.land/bubbletea/v2"

	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
	"handoff/workspace/unreported"
)

// Options are what the screen gets from its caller.
type Options struct {
	Workspace *workspace.Workspace
	As        string          // the one that claims, for people
	Session   receipt.Session // in which the screen runs, if an agent started it
	Who       receipts.Caller // who claims and releases
	// Left returns how many tokens a session has left until it is compacted. It may take
	// milliseconds: it is called for the rows on the screen, but not during drawing.
	Left func(host, session string) (tokens int, ok bool)
	// Died returns the session that ended last in the middle of its work without a handoff, nil for none. It
	// may be nil.
	Died func(context.Context) *unreported.Session
	Self string // the path of this program
	// Spawn is the command that starts an agent for the handoff with this path. If it
	// opens a window of its own, the screen stays; else the agent gets the terminal.
	Spawn func(path string) (command []string, window bool)
	Said  <-chan string // messages for the user, from code that has no terminal to write to
	In    *os.File
	Out   *os.File
	Env   []string // of the terminal: TERM, NO_COLOR
}

// Run shows the screen until the user quits or ctx ends.
func Run(ctx context.Context, o Options) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	m := newModel(ctx, o)
	p := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Env))
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(ctx, o, m.board, p.Send)
	}()
	_, err := p.Run()
	stop()
	<-done
	if errors.Is(err, tea.ErrInterrupted) || errors.Is(err, context.Canceled) {
		return nil // a signal ends it as q does
	}
	return err
}
