package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff/log/thread/compile/render"
	"handoff/surface/command"
)

// formFlag is --for, the format of a context.
func formFlag(to *string, of string) cli.Flag {
	f := &cli.StringFlag{Name: "for", Destination: to, Value: "prompt", Usage: "`FORM` of " + of + ": prompt, openresponses, anthropic or openai"}
	f.Action = func(_ *cli.Context, name string) error {
		if form(name).Name == "" {
			return fmt.Errorf("unknown --for %q%s", name, command.Hint(name, command.Enumerated(f.Usage)))
		}
		return nil
	}
	return f
}

func budgetFlag(to *int, of string) cli.Flag {
	return command.AtLeast(1, &cli.IntFlag{Name: "budget", Destination: to, Usage: of + "at most about `N` tokens", DefaultText: "no limit"})
}

func refsFlag(to *bool, where string) cli.Flag {
	return &cli.BoolFlag{Name: "refs", Destination: to, Usage: where + "include references to bundles, files and side effects"}
}

// contextOptions are what a context contains.
type contextOptions struct {
	budget                   int
	refs, noBase, incomplete bool
}

func contextFlags(o *contextOptions) []cli.Flag {
	return []cli.Flag{
		budgetFlag(&o.budget, ""),
		refsFlag(&o.refs, ""),
		&cli.BoolFlag{Name: "no-base", Destination: &o.noBase, Usage: "leave out what the thread inherits, as RIP does"},
		&cli.BoolFlag{Name: "incomplete", Destination: &o.incomplete, Usage: "leave out what is missing or damaged, instead of failing"},
	}
}

// form is the format of --for. Chat also has the name openai.
func form(name string) render.Format {
	if name == "openai" {
		name = "chat"
	}
	f, _ := render.FormatOf(name)
	return f
}
