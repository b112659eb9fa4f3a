package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/help"
)

// TestGroups: each command is in one group of the help, and a group names only
// commands that exist.
func TestGroups(t *testing.T) {
	app := newApp(&command.Process{}, "")
	check := func(above string, commands []*cli.Command, groups []help.Group) {
		var grouped, exist []string
		for _, g := range groups {
			grouped = append(grouped, g.Commands...)
		}
		for _, cmd := range commands {
			exist = append(exist, cmd.Name)
		}
		slices.Sort(grouped)
		slices.Sort(exist)
		if !slices.Equal(grouped, exist) {
			t.Errorf("%q: the groups have %v, the commands are %v", above, grouped, exist)
		}
	}
	check("", app.Commands, groups)
	for name, groups := range subgroups {
		check(name, app.Command(name).Subcommands, groups)
	}
}

// TestShortHelp: what a person sees first fits one screen, with each command that a person types.
func TestShortHelp(t *testing.T) {
	text := help.Formatted(book.ShortPage(newApp(&command.Process{}, "")), 80, false)
	if n := strings.Count(text, "\n"); n > 29 {
		t.Errorf("%d lines, at most 29:\n%s", n, text)
	}
	for _, g := range groups {
		for _, name := range g.Commands {
			if shown := regexp.MustCompile(`(?m)(^|[ ,])` + name + `(,| |$)`).MatchString(text); shown != (g.Short != help.Nothing) {
				t.Errorf("%s: shown: %v\n%s", name, shown, text)
			}
		}
	}
}

// TestHelpOfEach: --help of each command is about that command, also if the
// command has the same name as the program.
func TestHelpOfEach(t *testing.T) {
	for _, name := range leafCommands() {
		var out strings.Builder
		w := &command.Process{Stdout: &out, Stderr: &out, Dir: t.TempDir(), Getenv: func(string) string { return "" }}
		if code := run(t.Context(), w, append(strings.Fields(name), "--help")); code != command.Clean || !strings.Contains(out.String(), "\n  handoff "+name) {
			t.Errorf("handoff %s --help: exit status %d, %.200q", name, code, out.String())
		}
	}
}

// TestHelpFits: help is not wider than the terminal, except for commands to
// type.
func TestHelpFits(t *testing.T) {
	app := newApp(&command.Process{}, "")
	for _, width := range []int{40, 80, help.Width} {
		text := help.Formatted(book.AppPage(app), width, false) + help.Formatted(book.ShortPage(app), width, false)
		for _, cmd := range app.Commands {
			text += help.Formatted(book.CommandPage(cmd, cmd.Name), width, false)
			for _, sub := range cmd.Subcommands {
				text += help.Formatted(book.CommandPage(sub, cmd.Name+" "+sub.Name), width, false)
			}
		}
		for line := range strings.Lines(text) {
			line = strings.TrimSuffix(line, "\n")
			if displaywidth.String(line) > width && strings.Contains(strings.TrimLeft(line, " "), " ") && !strings.HasPrefix(line, "  ") {
				t.Errorf("wider than %d: %q", width, line)
			}
		}
	}
}

// leafCommands are the names of all commands without subcommands.
func leafCommands() (names []string) {
	var walk func(above string, list []*cli.Command)
	walk = func(above string, list []*cli.Command) {
		for _, c := range list {
			if len(c.Subcommands) > 0 {
				walk(above+c.Name+" ", c.Subcommands)
				continue
			}
			names = append(names, above+c.Name)
		}
	}
	walk("", newApp(&command.Process{}, "").Commands)
	return names
}
