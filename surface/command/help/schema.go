package help

import (
	"encoding/json"
	"fmt"
	"strings"

	"handoff/docs/schema"
	"handoff/internal/text/nearest"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// Schema is the command `handoff schema`. commands are all commands.
func Schema(w *command.Process, commands func() []*cli.Command) *cli.Command {
	return &cli.Command{
		Name:  "schema",
		Usage: "print a JSON Schema",
		UsageText: "handoff schema [NAME|COMMAND] [flags]\n\n" +
			"NAME is config or new, for what you write; receipt, context-handoff or a bundle, for what is kept; or the name of what\n" +
			"a command prints with --json. COMMAND is such a command (`handoff schema task list`). Without a name it lists them.",
		Action: func(c *cli.Context) error { return printSchema(w, command.ArgsOf(c), commands) },
	}
}

func printSchema(w *command.Process, args command.Arguments, commands func() []*cli.Command) error {
	if len(args) == 0 {
		return listSchemas(w)
	}
	name := strings.Join(args, "-")
	src, err := schema.FS.ReadFile(name + ".schema.json")
	if err == nil {
		return w.Print(string(src))
	}
	printed := printedBy(commands(), args)
	if len(printed) == 0 {
		hint := ""
		if near := nearest.Word(name, schema.Names()); near != "" {
			hint = ": did you mean " + near + "?"
		}
		return fmt.Errorf("unknown schema %q%s (`handoff schema` lists them)", name, hint)
	}
	for _, other := range printed[1:] {
		w.Say("with other flags it prints another one: `handoff schema %s`", other.Schema)
	}
	src, err = schema.FS.ReadFile(printed[0].Schema + ".schema.json")
	if err != nil {
		return err // cannot be: a test holds that each is there
	}
	return w.Print(string(src))
}

// printedBy is what the command with that name prints.
func printedBy(commands []*cli.Command, words []string) []cli.Printed {
	cmd := command.CommandNamed(commands, words[0])
	switch {
	case cmd == nil:
		return nil
	case len(words) > 1:
		return printedBy(cmd.Subcommands, words[1:])
	}
	return cli.PrintedBy(cmd.Flags)
}

func listSchemas(w *command.Process) error {
	var rows [][]string
	for _, name := range schema.Names() {
		src, err := schema.FS.ReadFile(name + ".schema.json")
		var about struct{ Title string }
		if err == nil {
			err = json.Unmarshal(src, &about)
		}
		if err != nil {
			return err
		}
		rows = append(rows, []string{name, about.Title})
	}
	return w.Print(w.Aligned([]string{"NAME", "WHAT"}, rows, 2))
}
