package operations

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"handoff/agents"
	"handoff/internal/file/nofollow"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
)

// CheckLevel refuses what the level of the agent that runs this command does not allow. The
// rules of a host see how a command line begins, not its flags, so the command itself
// checks them.
func CheckLevel(w *command.Process, c *cli.Context) error {
	value := w.Getenv(agents.LevelVar)
	if value == "" && w.Claim() == "" {
		return nil // a person, or an agent that a person started
	}
	level, starts := agents.LevelOf(value)
	if starts && command.CommandName(c) == "acp" {
		return startsAt(level, agents.Level(c.String("level")))
	}
	if level == agents.All && w.Claim() == "" {
		return nil
	}
	u := Use{dir: w.Dir, root: AgentRoot(w), Level: agents.ReadOnly}
	if u.of(c) == nil {
		return nil // even at the lowest level, as most commands: the claim need not be read
	}
	if u.Level = LevelIn(w, u.root); u.Level == agents.All {
		return nil
	}
	return u.of(c)
}

// startsAt refuses an agent with more rights than its starter gave.
func startsAt(most, asked agents.Level) error {
	if agents.Lowest(most, asked) != asked {
		return fmt.Errorf("--level %s: refused at level %s", asked, most)
	}
	return nil
}

// AgentRoot is the folder in which the agent works, without symlinks.
func AgentRoot(w *command.Process) string {
	root := w.Getenv(agents.RootVar)
	if !filepath.IsAbs(root) {
		root, _ = workspace.Locate(w.Dir)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return root
}

// LevelIn is the level of the agent that runs the process, in a workspace with that root.
func LevelIn(w *command.Process, root string) agents.Level {
	level, _ := agents.LevelOf(w.Getenv(agents.LevelVar))
	return agents.Lowest(level, claimLevel(w, root))
}

// claimLevel is the level of the claim that the process has. An agent that has lost the
// variable with its level still has that of its claim.
func claimLevel(w *command.Process, root string) agents.Level {
	place, err := receipt.Locate(root)
	if err != nil || w.Claim() == "" {
		return agents.All
	}
	name, life, err := receipt.Open(place).Claimed(context.Background(), w.Claim())
	if err != nil || life.Check(name, w.Claim()) != nil {
		return agents.All // not a claim of this workspace, or one that has ended
	}
	level, _ := agents.LevelOf(life.Claim.Level)
	return level
}

// Use is how an agent uses a command.
type Use struct {
	root  string // its folder, without symlinks
	dir   string // in which the command works
	Level agents.Level

	writing bool // the command changes files
}

// of returns why the command line is refused, nil if it is allowed.
func (u Use) of(c *cli.Context) error {
	name := command.CommandName(c)
	d, ok := EffectsOf(name)
	if !ok {
		return u.Refused(name, "does what is not known")
	}
	if err := u.is("handoff "+name, d.Does); err != nil {
		return err
	}
	if err := u.enter(c); err != nil {
		return err
	}
	u.writing = d.Does == WritesFiles
	for _, f := range c.Command.Flags {
		e, ok := d.Flag(f.Names()[0])
		if isGiven(c, f) && !ok {
			return u.Refused(command.Dashed(f.Names()[0]), "does what is not known")
		}
		u.writing = u.writing || isGiven(c, f) && e == WritesFiles
	}
	for _, f := range c.Command.Flags {
		if e, _ := d.Flag(f.Names()[0]); isGiven(c, f) {
			if err := u.is(command.Dashed(f.Names()[0]), e, valuesOf(c, f)...); err != nil {
				return err
			}
		}
	}
	args := c.Args().Slice()
	if d.Tail != NoEffect && len(args) > 1 {
		if err := u.is(name+" -- "+args[1], d.Tail); err != nil {
			return err
		}
		args = args[:1]
	}
	if len(args) > 0 {
		return u.is(name+" "+args[0], d.Args, args...)
	}
	return nil
}

// enter goes where -C leads. Hosts run some commands elsewhere than in the project.
func (u *Use) enter(c *cli.Context) error {
	if dir := c.String("C"); dir != "" && !filepath.IsAbs(dir) {
		u.dir = u.dir + string(filepath.Separator) + dir
	} else if dir != "" {
		u.dir = dir
	} else if MayBeAnywhere(c) || c.Command.Name == "mcp" {
		return nil
	}
	return u.inside("the folder "+u.dir, u.dir)
}

// is checks one effect. what names the part of the command line that has it, values are
// the paths in it.
func (u Use) is(what string, e Effect, values ...string) error {
	switch e {
	case NoEffect, KeepsRecords:
		return nil
	case WritesFiles:
		if u.Level == agents.Edit {
			return nil
		}
		return u.Refused(what, Reasons[e])
	case NamesPath, NamesFile:
		for _, v := range values {
			if err := u.at(what, v, e == NamesFile || u.writing); err != nil {
				return err
			}
		}
		return nil
	}
	return u.Refused(what, Reasons[e])
}

// at checks a path, and the path in FORMAT=PATH.
func (u Use) at(what, value string, written bool) error {
	if value == "-" {
		return nil
	}
	if written && u.Level == agents.ReadOnly {
		return u.Refused(what, Reasons[WritesFiles])
	}
	_, after, _ := strings.Cut(value, "=")
	for _, p := range []string{value, after} {
		if p != "" && !filepath.IsAbs(p) {
			p = u.dir + string(filepath.Separator) + p // not joined: that would clean LINK/..
		}
		if p == "" {
			continue
		}
		if err := u.inside(what, p); err != nil {
			return err
		}
		if rel, _ := nofollow.Reaches(u.root, p); written && rel != "." && agents.IsSetting(rel) {
			return u.Refused(what, Reasons[ChangesSettings])
		}
	}
	return nil
}

func (u Use) inside(what, p string) error {
	if _, ok := nofollow.Reaches(u.root, p); !ok {
		return u.Refused(what, "leads out of "+u.root)
	}
	return nil
}

// Refused is the error for what an agent may not do, with the reason.
func (u Use) Refused(what, why string) error {
	return fmt.Errorf("%s %s: refused at level %s", what, why, u.Level)
}

// isGiven reports whether a flag is set, other than to false.
func isGiven(c *cli.Context, f cli.Flag) bool {
	name := f.Names()[0]
	return c.IsSet(name) && c.Value(name) != false
}

// valuesOf are the values of a flag.
func valuesOf(c *cli.Context, f cli.Flag) []string {
	name := f.Names()[0]
	if _, ok := f.(*cli.StringSliceFlag); ok {
		return c.StringSlice(name)
	}
	return []string{fmt.Sprint(c.Value(name))}
}
