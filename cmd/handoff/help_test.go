package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/urfave/cli/v2"
)

// TestGroups: each command is in one group of the help, and a group names only
// commands that exist.
func TestGroups(t *testing.T) {
	app := newApp(&world{})
	check := func(above string, commands []*cli.Command, groups []commandGroup) {
		var grouped, exist []string
		for _, g := range groups {
			grouped = append(grouped, g.commands...)
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

// TestHelpFits: help is not wider than the terminal, but for what is typed.
func TestHelpFits(t *testing.T) {
	app := newApp(&world{})
	for _, width := range []int{40, 80, helpWidth} {
		h := &helpWriter{width: width}
		h.page(appPage(app))
		for _, cmd := range app.Commands {
			h.page(commandPage(cmd, cmd.Name))
			for _, sub := range cmd.Subcommands {
				h.page(commandPage(sub, cmd.Name+" "+sub.Name))
			}
		}
		for line := range strings.Lines(h.String()) {
			line = strings.TrimSuffix(line, "\n")
			if displaywidth.String(line) > width && strings.Contains(strings.TrimLeft(line, " "), " ") && !strings.HasPrefix(line, "  ") {
				t.Errorf("wider than %d: %q", width, line)
			}
		}
	}
}
