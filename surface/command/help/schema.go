package help

import (
	"fmt"
	"strings"

	"handoff/docs/schema"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// Schema is the command `handoff schema`.
func Schema(w *command.Process) *cli.Command {
	return &cli.Command{
		Name:      "schema",
		Usage:     "print a JSON Schema",
		UsageText: "handoff schema NAME [flags]\n\nNAME is " + strings.Join(schema.Names(), ", ") + ".",
		Action: func(c *cli.Context) error {
			name := c.Args().First()
			src, err := schema.FS.ReadFile(name + ".schema.json")
			switch {
			case c.NArg() != 1:
				return fmt.Errorf("schema needs one name (%s)", strings.Join(schema.Names(), ", "))
			case err != nil:
				return fmt.Errorf("unknown schema %q (%s)", name, strings.Join(schema.Names(), ", "))
			}
			return w.Print(string(src))
		},
	}
}
