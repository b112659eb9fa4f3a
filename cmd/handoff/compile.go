package main

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"handoff/thread/compile"
	"handoff/thread/compile/render"
	"handoff/workspace"
	"handoff/workspace/threads"
)

func compileCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "compile",
		Usage: "compile the context for a run of a thread and print its bundle's id",
		UsageText: "handoff compile THREAD [flags]\n\nTHREAD is an id or the beginning of one, latest, or the beginning of a title. Without a cut, it compiles the whole thread." +
			"\nToken counts are estimates, made without the model's tokenizer." +
			"\nExit status: 1 if --incomplete left something out.",
		Flags: flags(
			&cli.StringFlag{Name: "message-id", Usage: "compile the context for answering message `ID`"},
			&cli.Uint64Flag{Name: "from-seq", Usage: "up to event `N`", DefaultText: "the last"}, contextFlags(),
			&cli.BoolFlag{Name: "explain", Usage: "print what is in the context, what is not and why; store nothing"},
			&cli.BoolFlag{Name: "stdout", Usage: "print the bundle, store nothing"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"}, actorFlags(), serverFlags(anyServer)),
		Action: w.compile,
	}
}

func (w *process) compile(c *cli.Context) error {
	ref, err := oneArgument(c, "a thread (`handoff thread list` lists them)")
	if err != nil {
		return err
	}
	context := contextRequest(c)
	if c.Bool("explain") && c.Bool("stdout") {
		return errors.New("--explain and --stdout both print: give one of them")
	}
	stores := !c.Bool("explain") && !c.Bool("stdout")
	r := threads.CompileRequest{FromSeq: optional(c, "from-seq", c.Uint64), Refs: context.Refs, Base: &context.Base, Incomplete: context.Incomplete, Store: &stores,
		ActorID: c.String("actor-id"), Origin: c.String("origin")}
	if c.String("message-id") != "" {
		r.MessageID = optional(c, "message-id", c.String)
	}
	if context.Budget > 0 {
		r.Budget = new(int64(context.Budget))
	}
	return w.withThread(c, stores, ref, func(t threadStore, id string) error {
		made, err := t.Compile(c.Context, id, r)
		if err != nil {
			return err
		}
		notes := made.Explanation.Notes()
		for _, n := range notes {
			w.say("%s", plain(n.String()))
		}
		return cmp.Or(w.printContext(c, made), found(len(notes) > 0))
	})
}

func (w *process) printContext(c *cli.Context, r compile.Result) error {
	switch {
	case c.Bool("explain"):
		return w.result(c, r.Explanation, plainText(r.Explanation.String()))
	case c.Bool("stdout"):
		return w.print(string(r.Bundle.Bytes()) + "\n")
	}
	return w.result(c, struct {
		BundleID    string              `json:"bundle_artifact_id"`
		Explanation compile.Explanation `json:"explanation"`
	}{r.Bundle.ID().String(), r.Explanation}, r.Bundle.ID().String()+"\n")
}

func renderCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:  "render",
		Usage: "format a context bundle for a model's provider",
		UsageText: "handoff render BUNDLE [flags]\n\nBUNDLE is the id that `handoff compile` printed, or the beginning of it.\n" +
			"--tools reads tool definitions in the form of any provider or MCP server, and writes them in the form of --for.",
		Flags:  flags(formFlag("the context"), &cli.StringFlag{Name: "tools", Usage: "add the tool definitions in `FILE`, - for standard input"}),
		Action: w.inWorkspace(w.render),
	}
}

func (w *process) render(c *cli.Context, ws *workspace.Workspace) error {
	arg, err := oneArgument(c, "the id of a context bundle (`handoff compile THREAD` prints one)")
	if err != nil {
		return err
	}
	id, err := ws.FindArtifact(arg)
	if err != nil {
		return err
	}
	tools, err := w.tools(c)
	if err != nil {
		return err
	}
	blobs, err := ws.Artifacts()
	if err != nil {
		return err
	}
	defer blobs.Close()
	r, err := threads.Render(blobs, id, form(c.String("for")), tools)
	if err != nil {
		return threadError(err)
	}
	for _, n := range r.Notes {
		w.say("%s", plain(n.String()))
	}
	return w.print(string(r.Bytes))
}

// tools reads the tool definitions in the file that --tools names.
func (w *process) tools(c *cli.Context) ([]render.Tool, error) {
	name := c.String("tools")
	switch {
	case !c.IsSet("tools"):
		return nil, nil
	case c.String("for") == "prompt":
		return nil, errors.New("--tools: a prompt has no place for tools: give --for openresponses, anthropic or openai")
	}
	src, _, err := w.read(name, maxContent)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	tools, err := render.ParseTools(src)
	if err != nil {
		return nil, fmt.Errorf("--tools: %s: %w", name, err)
	}
	return tools, nil
}
