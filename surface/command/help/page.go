package help

import (
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// Page is the content of both `--help` and the manual page of a command, so
// that they cannot differ.
type Page struct {
	name    string   // "handoff tape append"
	summary string   // one line
	usage   []string // lines as the user types them
	about   []string // paragraphs; an indented one is not wrapped
	lists   []helpList
	example []string // lines as the user types them
	after   string   // what comes last
}

// helpList is a list of commands or flags under a title.
type helpList struct {
	title string
	rows  []helpRow
}

type helpRow struct{ name, text string }

var helpFlag = helpRow{"-h, --help", "show this help"}

// AppPage is the page of handoff itself: its commands in groups.
func (b *Book) AppPage(app *cli.App) Page {
	return Page{
		name:    app.Name,
		summary: app.Usage,
		usage:   []string{app.UsageText},
		about:   paragraphs(app.Description),
		lists:   append(commandLists(app.Commands, b.Groups), helpList{"Flags", []helpRow{helpFlag, {"-v, --version", "print the version"}}}),
		example: b.Examples[""],
	}
}

// ShortPage is what a person sees first: the commands of every day, and the names of most others.
func (b *Book) ShortPage(app *cli.App) Page {
	page := Page{name: app.Name, summary: app.Usage, usage: []string{app.UsageText}}
	more := helpList{title: "More"}
	for _, g := range b.Groups {
		switch g.Short {
		case Lines:
			page.lists = append(page.lists, commandLists(app.Commands, []Group{g})...)
		case Names:
			more.rows = append(more.rows, helpRow{g.Title, strings.Join(g.Commands, ", ")})
		}
	}
	page.lists = append(page.lists, more)
	page.after = ShortDescription
	return page
}

// CommandPage is the page of a command. name is as the user types it: "tape
// append".
func (b *Book) CommandPage(cmd *cli.Command, name string) Page {
	usage, more, _ := strings.Cut(cmd.UsageText, "\n\n")
	page := Page{
		name:    "handoff " + name,
		summary: cmd.Usage,
		usage:   strings.Split(usage, "\n"),
		about:   append(paragraphs(more), paragraphs(cmd.Description)...),
		example: b.Examples[name],
	}
	if len(cmd.Subcommands) > 0 {
		page.lists = commandLists(cmd.Subcommands, b.Subgroups[name])
		return page
	}
	page.lists = []helpList{flagList(cmd.Flags)}
	return page
}

// paragraphs splits a description at empty lines and before indented lines, and
// joins the lines of each paragraph.
func paragraphs(text string) []string {
	var list []string
	open := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			open = false
		case strings.HasPrefix(line, " "):
			list, open = append(list, line), false
		case open:
			list[len(list)-1] += " " + line
		default:
			list, open = append(list, line), true
		}
	}
	return list
}

// commandLists sorts commands into groups, in the groups' order. Without groups
// they are one list.
func commandLists(commands []*cli.Command, groups []Group) []helpList {
	if groups == nil {
		groups = []Group{{Title: "Commands"}}
		for _, cmd := range commands {
			groups[0].Commands = append(groups[0].Commands, cmd.Name)
		}
	}
	var lists []helpList
	for _, g := range groups {
		list := helpList{title: g.Title}
		for _, name := range g.Commands {
			for _, cmd := range commands {
				if cmd.Name == name {
					list.rows = append(list.rows, helpRow{strings.Join(cmd.Names(), ", "), cmd.Usage})
				}
			}
		}
		lists = append(lists, list)
	}
	return lists
}

func flagList(flags []cli.Flag) helpList {
	list := helpList{title: "Flags"}
	for _, f := range flags {
		list.rows = append(list.rows, flagRow(f))
	}
	list.rows = append(list.rows, helpFlag)
	return list
}

// flagRow is a flag with its value, and "…" if it may be repeated.
func flagRow(f cli.Flag) helpRow {
	var names []string
	for _, n := range f.Names() {
		names = append([]string{command.Dashed(n)}, names...) // the short name first
	}
	name := strings.Join(names, ", ")
	doc := f.(cli.DocGenerationFlag)
	value, text := valueAndUsage(doc.GetUsage())
	if command.WantsValue(f) {
		name += " " + value
	}
	if s, ok := f.(cli.DocGenerationSliceFlag); ok && s.IsSliceFlag() {
		name += " …"
	}
	if d := defaultOf(doc); d != "" {
		text += " (default: " + d + ")"
	}
	return helpRow{name, text}
}

// valueAndUsage returns the name of a flag's value, which the usage puts in
// backticks, and the usage without the backticks.
func valueAndUsage(usage string) (value, text string) {
	before, rest, ok := strings.Cut(usage, "`")
	if !ok {
		return "", usage
	}
	value, after, _ := strings.Cut(rest, "`")
	return value, before + value + after
}

// defaultOf describes a flag's default; "" for a zero value.
func defaultOf(f cli.DocGenerationFlag) string {
	switch f.(type) {
	case *cli.BoolFlag, *cli.StringSliceFlag:
		return ""
	}
	switch d := f.GetDefaultText(); d {
	case "", `""`, "0":
		return ""
	default:
		return strings.Trim(d, `"`)
	}
}
