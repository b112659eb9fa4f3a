package main

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/help"
)

// Also docs/schema (TestPrintedSchemas): the command is built once for both.
//go:generate go test -vet=off . -run "TestCommandsPage$|TestPrintedSchemas$" -update

var update = flag.Bool("update", false, "write docs/commands.md")

// TestCommandsPage compares docs/commands.md with the help of each command.
func TestCommandsPage(t *testing.T) {
	const page = "../../docs/commands.md"
	want := commandsPage()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || string(got) != want {
		t.Errorf("docs/commands.md is out of date: go generate ./... (%v)", err)
	}
}

func commandsPage() string {
	var b strings.Builder
	app := newApp(&command.Process{}, "")
	whole := book.AppPage(app)
	b.WriteString("# Commands\n\nGenerated from what `--help` prints: `go generate ./...`. The names that commands take are in [the manual](README.md#what-to-type-for-a-handoff-a-task-a-thread-).\n\n")
	b.WriteString(strings.Join(whole.About, "\n\n") + "\n\nEvery command also has `-C DIR` and `-h`, which are left out below.\n")
	for _, list := range whole.Lists {
		if list.Title == "Flags" {
			continue
		}
		fmt.Fprintf(&b, "\n| %s | |\n|---|---|\n", list.Title)
		for _, row := range list.Rows {
			name, _, _ := strings.Cut(row.Name, ",")
			fmt.Fprintf(&b, "| [%s](#handoff-%s) | %s |\n", row.Name, name, cell(row.Text))
		}
	}
	for _, g := range groups {
		for _, name := range g.Commands {
			describe(&b, app.Command(name), name, 2)
		}
	}
	return b.String()
}

// describe writes a command, and those below it.
func describe(b *strings.Builder, cmd *cli.Command, name string, level int) {
	p := book.CommandPage(cmd, name)
	fmt.Fprintf(b, "\n%s %s\n\n%s.\n", strings.Repeat("#", level), p.Name, strings.ToUpper(p.Summary[:1])+p.Summary[1:])
	if len(cmd.Subcommands) == 0 {
		fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.Join(p.Usage, "\n"))
	}
	for _, par := range p.About {
		switch {
		case strings.HasPrefix(par, "handoff "):
			par = "```text\n" + par + "\n```"
		case !strings.HasPrefix(par, " "):
			par = exitStatus.ReplaceAllString(prose(par), "\n\n**$1**")
		}
		fmt.Fprintf(b, "\n%s\n", strings.TrimLeft(par, "\n"))
	}
	for _, list := range p.Lists {
		table(b, list, len(cmd.Subcommands) > 0)
	}
	if len(p.Examples) > 0 {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.Join(p.Examples, "\n"))
	}
	for _, sub := range cmd.Subcommands {
		describe(b, sub, name+" "+sub.Name, level+1)
	}
}

var (
	exitStatus = regexp.MustCompile(`(?:^| )(Exit status:)`)
	typedFlag  = regexp.MustCompile(`(^|[\s(])(--[a-z][a-z-]*[a-z])\b`)
)

// table writes flags, or the names of commands that are described below.
func table(b *strings.Builder, list help.List, commands bool) {
	var rows []string
	for _, row := range list.Rows {
		switch {
		case commands:
			rows = append(rows, fmt.Sprintf("| `%s` | %s |\n", row.Name, cell(row.Text)))
		case row.Name != "-C DIR" && row.Name != "-h, --help":
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s | %s |\n", strings.ReplaceAll(row.Name, "|", `\|`), row.Kind, cell(row.Default), cell(row.Text)))
		}
	}
	switch {
	case len(rows) == 0:
	case commands:
		b.WriteString("\n| " + list.Title + " | |\n|---|---|\n" + strings.Join(rows, ""))
	default:
		b.WriteString("\n| flag | value | default | |\n|---|---|---|---|\n" + strings.Join(rows, ""))
	}
}

// cell is a text in a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(prose(text), "|", `\|`) }

// prose keeps what Markdown would read as marks, outside of code, and makes code of flags.
func prose(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = typedFlag.ReplaceAllString(strings.NewReplacer("*", `\*`, "<", `\<`, "[", `\[`).Replace(parts[i]), "$1`$2`")
	}
	return strings.Join(parts, "`")
}
