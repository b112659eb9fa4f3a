package operations

import (
	"fmt"

	"handoff/internal/text/nearest"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// FormFlag is --for, the format of a context.
func FormFlag(to *string, of string) cli.Flag {
	f := &cli.StringFlag{Name: "for", Destination: to, Value: "prompt", Usage: "`FORM`  form of " + of + ": prompt, openresponses, anthropic or openai"}
	f.Action = func(_ *cli.Context, name string) error {
		if Form(name).Name == "" {
			return fmt.Errorf("unknown --for %q%s", name, nearest.Hint(name, command.Enumerated(f.Usage)))
		}
		return nil
	}
	return f
}

// BudgetFlag is --budget, the size of a context in tokens.
func BudgetFlag(to *int, of string) cli.Flag {
	return command.AtLeast(1, &cli.IntFlag{Name: "budget", Destination: to, Usage: "`N`  " + of + "at most about that many tokens", DefaultText: "no limit"})
}

// RefsFlag is --refs, how artifacts are shown in a context.
func RefsFlag(to *bool, where string) cli.Flag {
	return &cli.BoolFlag{Name: "refs", Destination: to, Usage: where + "include references to bundles, files, threads and side effects, and the contexts of these threads"}
}

// RefsTextFlag is --refs-text, whether a context has the texts of what it refers to.
func RefsTextFlag(to *bool, where string) cli.Flag {
	return &cli.BoolFlag{Name: "refs-text", Destination: to, Usage: where + "include the texts of the files and artifacts, too"}
}

// ContextOptions are what a context contains.
type ContextOptions struct {
	Budget                             int
	Refs, RefsText, NoBase, Incomplete bool
}

// ContextFlags are the flags of how a context is compiled.
func ContextFlags(o *ContextOptions) []cli.Flag {
	return []cli.Flag{
		BudgetFlag(&o.Budget, ""),
		RefsFlag(&o.Refs, ""), RefsTextFlag(&o.RefsText, ""),
		&cli.BoolFlag{Name: "no-base", Destination: &o.NoBase, Usage: "leave out what the thread inherits, as RIP does"},
		&cli.BoolFlag{Name: "incomplete", Destination: &o.Incomplete, Usage: "leave out what is missing or damaged, instead of failing"},
	}
}

// Form is the format of --for. Chat also has the name openai.
func Form(name string) render.Format {
	if name == "openai" {
		name = "chat"
	}
	f, _ := render.FormatOf(name)
	return f
}

// Request is the context that the options request.
func (o *ContextOptions) Request() compile.Request {
	return compile.Request{Base: !o.NoBase, Incomplete: o.Incomplete, Refs: o.Refs, RefsText: o.RefsText, Budget: o.Budget}
}
