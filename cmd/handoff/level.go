package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/agents"
	"handoff/internal/file/nofollow"
	"handoff/log/receipt"
	"handoff/surface/command"
	"handoff/workspace"
)

// Check refuses what the level of the agent that runs this command does not allow. The
// rules of a host see how a command line begins, not its flags, so the command itself
// checks them.
func Check(w *command.Process, c *cli.Context) error {
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
	u := use{dir: w.Dir, root: agentRoot(w), level: agents.ReadOnly}
	if u.of(c) == nil {
		return nil // even at the lowest level, as most commands: the claim need not be read
	}
	if u.level = agents.Lowest(level, claimLevel(w, u.root)); u.level == agents.All {
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

// agentRoot is the folder in which the agent works, without symlinks.
func agentRoot(w *command.Process) string {
	root := w.Getenv(agents.RootVar)
	if !filepath.IsAbs(root) {
		root, _ = workspace.Locate(w.Dir)
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	return root
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

// use is how an agent uses a command.
type use struct {
	root  string // its folder, without symlinks
	dir   string // in which the command works
	level agents.Level

	writing bool // the command changes files
}

// of returns why the command line is refused, nil if it is allowed.
func (u use) of(c *cli.Context) error {
	name := command.CommandName(c)
	d, ok := effectsOf(name)
	if !ok {
		return u.refused(name, "does what is not known")
	}
	if err := u.is("handoff "+name, d.does); err != nil {
		return err
	}
	if err := u.enter(c); err != nil {
		return err
	}
	u.writing = d.does == writesFiles
	for _, f := range c.Command.Flags {
		e, ok := d.flag(f.Names()[0])
		if isGiven(c, f) && !ok {
			return u.refused(command.Dashed(f.Names()[0]), "does what is not known")
		}
		u.writing = u.writing || isGiven(c, f) && e == writesFiles
	}
	for _, f := range c.Command.Flags {
		if e, _ := d.flag(f.Names()[0]); isGiven(c, f) {
			if err := u.is(command.Dashed(f.Names()[0]), e, valuesOf(c, f)...); err != nil {
				return err
			}
		}
	}
	if c.Args().Present() {
		return u.is(name+" "+c.Args().First(), d.args, c.Args().Slice()...)
	}
	return nil
}

// enter goes where -C leads. Hosts run some commands elsewhere than in the project.
func (u *use) enter(c *cli.Context) error {
	if dir := c.String("C"); dir != "" && !filepath.IsAbs(dir) {
		u.dir = u.dir + string(filepath.Separator) + dir
	} else if dir != "" {
		u.dir = dir
	} else if mayBeAnywhere(c) || c.Command.Name == "mcp" {
		return nil
	}
	return u.inside("the folder "+u.dir, u.dir)
}

// is checks one effect. what names the part of the command line that has it, values are
// the paths in it.
func (u use) is(what string, e effect, values ...string) error {
	switch e {
	case noEffect, keepsRecords:
		return nil
	case writesFiles:
		if u.level == agents.Edit {
			return nil
		}
		return u.refused(what, reasons[e])
	case namesPath, namesFile:
		for _, v := range values {
			if err := u.at(what, v, e == namesFile || u.writing); err != nil {
				return err
			}
		}
		return nil
	}
	return u.refused(what, reasons[e])
}

// at checks a path, and the path in FORMAT=PATH.
func (u use) at(what, value string, written bool) error {
	if value == "-" {
		return nil
	}
	if written && u.level == agents.ReadOnly {
		return u.refused(what, reasons[writesFiles])
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
			return u.refused(what, reasons[changesSettings])
		}
	}
	return nil
}

func (u use) inside(what, p string) error {
	if _, ok := nofollow.Reaches(u.root, p); !ok {
		return u.refused(what, "leads out of "+u.root)
	}
	return nil
}

func (u use) refused(what, why string) error {
	return fmt.Errorf("%s %s: refused at level %s", what, why, u.level)
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
