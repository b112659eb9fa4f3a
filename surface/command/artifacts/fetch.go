package artifacts

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"handoff/log/artifact/fetchtool"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace"
)

func artifactSchemaCommand(w *command.Process) *cli.Command {
	return operations.ToolSchema(w, "print the definition of the tool "+fetchtool.Name+", which lets a model read artifacts",
		"handoff artifact schema [flags]\n\n`handoff artifact fetch` executes a call of it.", fetchtool.Tool().JSON)
}

// fetchOptions are the options of artifact fetch.
type fetchOptions struct {
	json bool
}

func artifactFetchCommand(w *command.Process) *cli.Command {
	o := new(fetchOptions)
	return &cli.Command{
		Name: "fetch", Usage: "answer a model's call of the tool " + fetchtool.Name,
		UsageText: "handoff artifact fetch ARGUMENTS|- [flags]\n\n" +
			"ARGUMENTS are the arguments of the call, as the model wrote them: {\"id\":\"…\",\"offset_bytes\":0,\"max_bytes\":65536}.\n" +
			"It prints the content; --json prints RIP's result, which also says whether there is more.\n" +
			"Exit status: 1 if the artifact does not exist, 2 if the arguments are invalid.",
		Flags:  []cli.Flag{cli.JSON(&o.json, "print JSON, also for a failed call", cli.Prints[fetchtool.Result]("artifact-fetch"))},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return artifactFetch(w, o, ws, command.ArgsOf(c)) }),
	}
}

// maxArguments is the maximum size of a call's arguments, in bytes.
const maxArguments = 64 << 10

func artifactFetch(w *command.Process, o *fetchOptions, ws *workspace.Workspace, args command.Arguments) error {
	call, err := args.Only("artifact fetch", `the arguments of a call: '{"id":"…"}', or - for standard input`)
	if err != nil {
		return err
	}
	if call == "-" {
		src, err := io.ReadAll(io.LimitReader(w.Stdin, maxArguments))
		if err != nil {
			return fmt.Errorf("<stdin>: %w", command.Bare(err))
		}
		call = string(src)
	}
	blobs, err := ws.Artifacts()
	if err != nil {
		return err
	}
	defer blobs.Close()
	r := fetchtool.Call([]byte(call), blobs.Range)
	if o.json {
		err = command.WriteLine(w.Stdout, r)
	} else {
		err = printFetched(w, r)
	}
	if err == nil && r.ExitCode != 0 {
		err = command.Exit(r.ExitCode)
	}
	return err
}

func printFetched(w *command.Process, r fetchtool.Result) error {
	for _, text := range r.Stderr {
		w.Say("%s", command.Plain(text))
	}
	out := w.Out()
	_, err := out.WriteString(strings.Join(r.Stdout, ""))
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if p := r.Artifact; p != nil && p.Truncated {
		w.Say("%d of %d bytes: the rest starts at offset_bytes %d", p.Bytes, p.Total, p.Offset+uint64(p.Bytes))
	}
	return nil
}
