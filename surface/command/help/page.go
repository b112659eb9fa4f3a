package help

import (
	"strings"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// Page is the content of `--help`, of the manual page and of the reference of a command, so
// that they cannot differ.
type Page struct {
	Name     string   // "handoff tape append"
	Summary  string   // one line
	Usage    []string // lines as the user types them
	About    []string // paragraphs; an indented one is not wrapped
	Lists    []List
	Examples []string // lines as the user types them
	after    string   // what comes last
}

// List is a list of commands or flags under a title.
type List struct {
	Title string
	Rows  []Row
}

// Row is a command, or a flag with its value.
type Row struct {
	Name, Text string
	Kind       string // of a flag's value: "text", "number", "time"; "" for a flag without one
	Default    string // of a flag, "" for an empty one
}

var helpFlag = Row{Name: "-h, --help", Text: "show this help"}

// AppPage is the page of handoff itself: its commands in groups.
func (b *Book) AppPage(app *cli.App) Page {
	return Page{
		Name:     app.Name,
		Summary:  app.Usage,
		Usage:    []string{app.UsageText},
		About:    paragraphs(app.Description),
		Lists:    append(commandLists(app.Commands, b.Groups), List{"Flags", []Row{helpFlag, {Name: "-v, --version", Text: "print the version"}}}),
		Examples: b.Examples[""],
	}
}

// ShortPage is what a person sees first: the commands of every day, and the names of most others.
func (b *Book) ShortPage(app *cli.App) Page {
	page := Page{Name: app.Name, Summary: app.Usage, Usage: []string{app.UsageText}}
	more := List{Title: "More"}
	for _, g := range b.Groups {
		switch g.Short {
		case Lines:
			page.Lists = append(page.Lists, commandLists(app.Commands, []Group{g})...)
		case Names:
			more.Rows = append(more.Rows, Row{Name: g.Title, Text: strings.Join(g.Commands, ", ")})
		}
	}
	page.Lists = append(page.Lists, more)
	page.after = ShortDescription
	return page
}

// CommandPage is the page of a command. name is as the user types it: "tape
// append".
func (b *Book) CommandPage(cmd *cli.Command, name string) Page {
	usage, more, _ := strings.Cut(cmd.UsageText, "\n\n")
	page := Page{
		Name:     "handoff " + name,
		Summary:  cmd.Usage,
		Usage:    strings.Split(usage, "\n"),
		About:    append(paragraphs(more), paragraphs(cmd.Description)...),
		Examples: b.Examples[name],
	}
	if len(cmd.Subcommands) > 0 {
		page.Lists = commandLists(cmd.Subcommands, b.Subgroups[name])
		return page
	}
	page.Lists = []List{flagList(cmd.Flags)}
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
func commandLists(commands []*cli.Command, groups []Group) []List {
	if groups == nil {
		groups = []Group{{Title: "Commands"}}
		for _, cmd := range commands {
			groups[0].Commands = append(groups[0].Commands, cmd.Name)
		}
	}
	var lists []List
	for _, g := range groups {
		list := List{Title: g.Title}
		for _, name := range g.Commands {
			for _, cmd := range commands {
				if cmd.Name == name {
					list.Rows = append(list.Rows, Row{Name: strings.Join(cmd.Names(), ", "), Text: cmd.Usage})
				}
			}
		}
		lists = append(lists, list)
	}
	return lists
}

func flagList(flags []cli.Flag) List {
	list := List{Title: "Flags"}
	for _, f := range flags {
		list.Rows = append(list.Rows, flagRow(f))
	}
	list.Rows = append(list.Rows, helpFlag)
	return list
}

// flagRow is a flag with its value, and "…" if it may be repeated.
func flagRow(f cli.Flag) Row {
	var names []string
	for _, n := range f.Names() {
		names = append([]string{command.Dashed(n)}, names...) // the short name first
	}
	name := strings.Join(names, ", ")
	doc := f.(cli.DocGenerationFlag)
	value, text := command.ValueAndUsage(doc.GetUsage())
	if command.WantsValue(f) {
		name += " " + value
	}
	if s, ok := f.(cli.DocGenerationSliceFlag); ok && s.IsSliceFlag() {
		name += " …"
	}
	return Row{name, text, kindOf(f), defaultOf(doc)}
}

// full is the text of a row with the default.
func (r Row) full() string {
	if r.Default == "" {
		return r.Text
	}
	return r.Text + " (default: " + r.Default + ")"
}

// kindOf is what a flag's value is.
func kindOf(f cli.Flag) string {
	if !command.WantsValue(f) {
		return ""
	}
	switch f.(type) {
	case *cli.DurationFlag:
		return "time"
	case *cli.StringFlag, *cli.StringSliceFlag:
		return "text"
	}
	return "number"
}

// defaultOf describes a flag's default; "" for a zero value.
func defaultOf(f cli.DocGenerationFlag) string {
	if _, list := f.(*cli.StringSliceFlag); list || !command.WantsValue(f) {
		return ""
	}
	switch d := f.GetDefaultText(); d {
	case "", `""`, "0", "0s":
		return ""
	default:
		return strings.Trim(d, `"`)
	}
}
