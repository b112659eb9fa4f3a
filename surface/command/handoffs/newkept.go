package handoffs

import (
	"bytes"
	"errors"
	"fmt"
	"os"

	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/create"
)

// keepPiped keeps values that came through a pipe and were not written: no caller can
// read them again. It prints the command that continues with them.
func keepPiped(w *command.Process, piped []byte, again func(from string) []string) {
	if len(bytes.TrimSpace(piped)) == 0 {
		return
	}
	pattern := "handoff-*.yaml" // or JSON, which is YAML
	if create.IsMarkdown("", piped) {
		pattern = "handoff-*.md"
	}
	f, err := os.CreateTemp("", pattern)
	if err == nil {
		_, err = f.Write(piped)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		w.Say("what you passed on standard input is not kept: %s", command.Plain(err.Error()))
		return
	}
	w.Say("what you passed on standard input is kept in %s", f.Name())
	w.Say("to continue: %s", shellword.Join(again(f.Name())...))
}

// commandLine is the command line of a command, with another value of a flag.
func commandLine(c *cli.Context, flag, value string) []string {
	line := []string{"handoff", c.Command.Name}
	for _, f := range command.GivenFlags(c) {
		name := f.Names()[0]
		dashes, values := "--", []string{fmt.Sprint(c.Value(name))}
		if len(name) == 1 {
			dashes = "-"
		}
		switch f.(type) {
		case *cli.BoolFlag:
			if line = append(line, dashes+name); !c.Bool(name) {
				line[len(line)-1] += "=false"
			}
			continue
		case *cli.StringSliceFlag:
			values = c.StringSlice(name)
		}
		if name == flag {
			values = []string{value}
		}
		for _, v := range values {
			line = append(line, dashes+name, v)
		}
	}
	return line
}
