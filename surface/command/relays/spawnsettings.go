package relays

import (
	"errors"
	"fmt"
	"strings"

	"handoff/agents"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/relay"
	"handoff/workspace/settings"
)

// settingsOptions are what becomes of settings that an agent changed.
type settingsOptions struct{ restore, keep bool }

func restoreFlag(o *settingsOptions) cli.Flag {
	return &cli.BoolFlag{Name: "restore-settings", Destination: &o.restore, Usage: "restore settings that an agent below the level all changes, instead of stopping: files that other programs run or obey"}
}

func keepFlag(o *settingsOptions) cli.Flag {
	return &cli.BoolFlag{Name: "keep-settings", Destination: &o.keep, Usage: "continue with the settings that an earlier agent changed: you have looked at them"}
}

// settingsGuard compares what programs run or obey with what it was before an agent.
type settingsGuard struct {
	*command.Process
	book   *settings.Book
	before settings.Hashes // nil at the level all, which may change them
	choice settings.Choice // for later changes
}

// guardSettings refuses to start an agent while changes of an earlier one are not settled.
func guardSettings(w *command.Process, o *settingsOptions, ws *workspace.Workspace, level agents.Level) (*settingsGuard, error) {
	g := &settingsGuard{Process: w}
	now := settings.Stop
	switch {
	case o.keep && o.restore:
		return nil, errors.New("--keep-settings and --restore-settings exclude each other")
	case o.keep:
		now = settings.Keep
	case o.restore:
		now, g.choice = settings.Restore, settings.Restore
	}
	var err error
	if g.book, err = settings.Open(ws); err != nil {
		return nil, err
	}
	restored, err := g.book.Begin(now)
	g.sayRestored(restored)
	if err == nil && level != agents.All {
		g.before, err = g.book.Take()
	}
	return g, err
}

func (g *settingsGuard) sayRestored(files []string) {
	if len(files) > 0 {
		g.Say("restored %s; what the agent wrote is in %s", command.Plain(strings.Join(files, ", ")), command.Plain(g.book.Aside()))
	}
}

// unchanged returns the error that stops what comes after an agent.
func (g *settingsGuard) unchanged(by string) error {
	if g.before == nil {
		return nil
	}
	return g.unchangedSince(g.before, by)
}

func (g *settingsGuard) unchangedSince(before settings.Hashes, by string) error {
	restored, err := g.book.Check(before, by, g.choice)
	g.sayRestored(restored)
	return err
}

// guardRelay has a relay compare the settings before each start of a program. It keeps
// them in its journal, so a relay that was killed is compared, too.
func guardRelay(w *command.Process, asked *settingsOptions, ws *workspace.Workspace, level agents.Level, o *relay.Options) error {
	g, err := guardSettings(w, asked, ws, level)
	if err != nil || level == agents.All {
		return err
	}
	o.Keep = asked.keep
	o.Settings = func() (map[string]string, error) { return g.book.Take() }
	o.Unchanged = func(before map[string]string, by string) error { return g.unchangedSince(before, by) }
	return nil
}

// sealLevel keeps the level of a relay where its agents do not write. Its journal is a file
// of the workspace, so an agent could raise the level there and wait for --resume.
func sealLevel(ws *workspace.Workspace, id string, level agents.Level) error {
	book, err := settings.Open(ws)
	if err != nil || level != agents.All {
		return err
	}
	return book.Seal("relay-"+id, string(level))
}

// levelSealed refuses a level that only the journal has.
func levelSealed(ws *workspace.Workspace, id string, level agents.Level) error {
	book, err := settings.Open(ws)
	if err == nil && level == agents.All && !book.Sealed("relay-"+id, string(level)) {
		err = fmt.Errorf("relay %s: its journal has the level all, but it was not started with that here: an agent may have written it. Start another relay", id)
	}
	return err
}
