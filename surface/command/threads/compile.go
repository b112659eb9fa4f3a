package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"handoff/internal/text/say"
	"handoff/log/thread/compile"
	"handoff/log/thread/compile/render"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace"
	"handoff/workspace/threads"
)

// compileOptions are the options of compile.
type compileOptions struct {
	message               string
	fromSeq               *uint64
	context               operations.ContextOptions
	actor                 actorOptions
	server                operations.ServerOptions
	explain, stdout, json bool
}

// Compile is the command `handoff compile`.
func Compile(w *command.Process) *cli.Command {
	o := new(compileOptions)
	return &cli.Command{
		Name:  "compile",
		Usage: "compile the context for a run of a thread and print its bundle's id",
		UsageText: "handoff compile THREAD [flags]\n\nTHREAD is an id or the beginning of one, latest, or the beginning of a title. Without a cut, it compiles the whole thread." +
			"\nToken counts are estimates, made without the model's tokenizer." +
			"\nMessages that still wait for the store are not in it, which a line on stderr reports." +
			"\nExit status: 1 if --incomplete left something out.",
		Flags: command.Flags(
			&cli.StringFlag{Name: "message-id", Destination: &o.message, Usage: "`ID`  the message for whose answer the context is"},
			&cli.Uint64Flag{Name: "from-seq", Action: command.Some(&o.fromSeq), Usage: "`N`  the last event of the context", DefaultText: "the last"}, operations.ContextFlags(&o.context),
			&cli.BoolFlag{Name: "explain", Destination: &o.explain, Usage: "print what is in the context, what is not and why; store nothing"},
			&cli.BoolFlag{Name: "stdout", Destination: &o.stdout, Usage: "print the bundle, store nothing"},
			cli.JSON(&o.json, "print JSON", cli.Prints[compiledJSON]("compile"), cli.Prints[compile.Explanation]("compile-explain"), cli.Published("context-bundle")), actorFlags(&o.actor), operations.ServerFlags(&o.server, operations.AnyServer)),
		Action: func(c *cli.Context) error { return runCompile(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func runCompile(ctx context.Context, w *command.Process, o *compileOptions, args command.Arguments) error {
	ref, err := args.Only("compile", "a thread (`handoff thread list` lists them)")
	if err != nil {
		return err
	}
	if o.explain && o.stdout {
		return errors.New("--explain and --stdout both print: give one of them")
	}
	stores := !o.explain && !o.stdout
	r := threads.CompileRequest{FromSeq: o.fromSeq, Refs: o.context.Refs, RefsText: o.context.RefsText, Base: new(!o.context.NoBase), Incomplete: o.context.Incomplete, Store: &stores,
		ActorID: o.actor.id, Origin: o.actor.origin}
	if o.message != "" {
		r.MessageID = &o.message
	}
	if o.context.Budget > 0 {
		r.Budget = new(int64(o.context.Budget))
	}
	return withThread(ctx, w, &o.server, stores, ref, func(ctx context.Context, t threadStore, id string) error {
		made, err := t.Compile(ctx, id, r)
		if err != nil {
			return err
		}
		notes := made.Explanation.Notes()
		for _, n := range notes {
			w.Say("%s", command.Plain(n.String()))
		}
		if n := made.Explanation.Queued; n > 0 && (stores || o.server.Given) { // else withThread reports them
			w.Say("%s for this thread not sent to the store yet, and left out here (`handoff store drain` sends what waits)", say.Count(n, "message"))
		}
		return cmp.Or(printContext(w, o, made), command.Found(len(notes) > 0))
	})
}

func printContext(w *command.Process, o *compileOptions, r compile.Result) error {
	switch {
	case o.explain:
		return w.Answer(o.json, r.Explanation, command.PlainText(r.Explanation.String()))
	case o.stdout:
		return w.Print(string(r.Bundle.Bytes()) + "\n")
	}
	return w.Answer(o.json, compiledJSON{r.Bundle.ID().String(), r.Explanation}, r.Bundle.ID().String()+"\n")
}

// compiledJSON is what --json prints.
type compiledJSON struct {
	BundleID    string              `json:"bundle_artifact_id"`
	Explanation compile.Explanation `json:"explanation"`
}

// renderOptions are the options of render.
type renderOptions struct {
	form  string
	tools *string
}

// Render is the command `handoff render`.
func Render(w *command.Process) *cli.Command {
	o := new(renderOptions)
	return &cli.Command{
		Name:  "render",
		Usage: "format a context bundle for a model's provider",
		UsageText: "handoff render BUNDLE [flags]\n\nBUNDLE is the id that `handoff compile` printed, or the beginning of it.\n" +
			"--tools reads tool definitions in the form of any provider or MCP server, and writes them in the form of --for.",
		Flags:  command.Flags(operations.FormFlag(&o.form, "the context"), &cli.StringFlag{Name: "tools", Action: command.Some(&o.tools), Usage: "`FILE`  file with tool definitions to add, - for standard input"}),
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runRender(w, o, ws, command.ArgsOf(c)) }),
	}
}

func runRender(w *command.Process, o *renderOptions, ws *workspace.Workspace, args command.Arguments) error {
	arg, err := args.Only("render", "the id of a context bundle (`handoff compile THREAD` prints one)")
	if err != nil {
		return err
	}
	id, err := ws.FindArtifact(arg)
	if err != nil {
		return err
	}
	tools, err := toolsIn(w, o)
	if err != nil {
		return err
	}
	blobs, err := ws.Artifacts()
	if err != nil {
		return err
	}
	defer blobs.Close()
	r, err := threads.Render(blobs, id, operations.Form(o.form), tools)
	if err != nil {
		return command.ThreadError(err)
	}
	for _, n := range r.Notes {
		w.Say("%s", command.Plain(n.String()))
	}
	return w.Print(string(r.Bytes))
}

// toolsIn reads the tool definitions in the file that --tools names.
func toolsIn(w *command.Process, o *renderOptions) ([]render.Tool, error) {
	switch {
	case o.tools == nil:
		return nil, nil
	case o.form == "prompt":
		return nil, errors.New("--tools: a prompt has no place for tools: give --for openresponses, anthropic or openai")
	}
	src, _, err := w.Read(*o.tools, operations.MaxContent)
	if err != nil {
		return nil, fmt.Errorf("--tools: %w", err)
	}
	tools, err := render.ParseTools(src)
	if err != nil {
		return nil, fmt.Errorf("--tools: %s: %w", *o.tools, err)
	}
	return tools, nil
}
