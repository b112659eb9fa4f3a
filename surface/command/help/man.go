package help

import (
	"fmt"
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// Man is the command `handoff man`.
func (b *Book) Man(w *command.Process) *cli.Command {
	var list bool
	return &cli.Command{
		Name:      "man",
		Usage:     "print the manual page of handoff, or of a command",
		UsageText: "handoff man [COMMAND …]\nhandoff man --list",
		Description: "The page is roff, from the same source as --help. `man -l` shows it; below a folder man1 in\n" +
			"MANPATH, as handoff.1 or handoff-lint.1, `man` finds it.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "list", Destination: &list, Usage: "list the commands that have a page, one a line, for packages that ship all of them"},
		},
		Action: func(c *cli.Context) error { return b.man(c, w, list) },
	}
}

func (b *Book) man(c *cli.Context, w *command.Process, list bool) error {
	if list {
		return w.Print(manList(c.App.Commands, ""))
	}
	page := b.AppPage(c.App)
	commands := c.App.Commands
	for i, name := range c.Args().Slice() {
		above := strings.Join(c.Args().Slice()[:i], " ")
		cmd := command.CommandNamed(commands, name)
		if cmd == nil {
			return Unknown(commands, strings.TrimPrefix(above+" ", " "), name)
		}
		page, commands = b.CommandPage(cmd, strings.TrimPrefix(above+" "+cmd.Name, " ")), cmd.Subcommands
	}
	return w.Print(manPage(page, c.App.Version))
}

// manList is the commands below the one that above names, parents first.
func manList(commands []*cli.Command, above string) string {
	var b strings.Builder
	for _, cmd := range commands {
		b.WriteString(above + cmd.Name + "\n" + manList(cmd.Subcommands, above+cmd.Name+" "))
	}
	return b.String()
}

// manPage formats a page as roff, with the macros of man(7).
func manPage(p Page, version string) string {
	var b strings.Builder
	name := strings.ReplaceAll(p.Name, " ", "-")
	fmt.Fprintf(&b, ".TH %s 1 \"\" \"handoff %s\" \"handoff\"\n", roff(strings.ToUpper(name)), roff(version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n.SH SYNOPSIS\n.nf\n", roff(name), roff(p.Summary))
	for _, line := range p.Usage {
		b.WriteString(roff(line) + "\n")
	}
	b.WriteString(".fi\n")
	if len(p.About) > 0 {
		b.WriteString(".SH DESCRIPTION\n")
	}
	for i, par := range p.About {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(par, " ") {
			par = ".nf\n" + roff(par) + "\n.fi"
		} else {
			par = roff(par)
		}
		b.WriteString(par + "\n")
	}
	for _, list := range p.Lists {
		fmt.Fprintf(&b, ".SH %s\n", roff(strings.ToUpper(list.Title)))
		for _, row := range list.Rows {
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(row.Name), roff(row.full()))
		}
	}
	if len(p.Examples) > 0 {
		b.WriteString(".SH EXAMPLES\n.nf\n" + roff(strings.Join(p.Examples, "\n")) + "\n.fi\n")
	}
	return b.String()
}

// roff escapes text: backslashes, hyphens, which roff would replace by another
// character, and command characters at the beginning of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "…", `\&...`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
