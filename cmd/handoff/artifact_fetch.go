package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/json/toolform"
	"handoff/log/artifact/fetchtool"
	"handoff/workspace"
)

func artifactSchemaCommand(w *process) *cli.Command {
	return toolSchemaCommand(w, "print the tool definition of "+fetchtool.Name+", with which a model reads artifacts",
		"handoff artifact schema [flags]\n\n`handoff artifact fetch` executes a call of it.", fetchtool.Tool().JSON)
}

// toolSchemaCommand prints the definition of a tool in the form of a provider.
func toolSchemaCommand(w *process, usage, text string, in func(form string) ([]byte, error)) *cli.Command {
	form := new(string)
	return &cli.Command{Name: "schema", Usage: usage, UsageText: text,
		Flags: []cli.Flag{&cli.StringFlag{Name: "for", Destination: form, Value: toolform.OpenAI, Usage: "`FORM`: " + strings.Join(toolform.Forms(), ", ")}},
		Action: alone(func(*cli.Context) error {
			src, err := in(*form)
			if err != nil {
				return fmt.Errorf("--for: %w", err)
			}
			return w.print(string(src))
		})}
}

// fetchOptions are the options of artifact fetch.
type fetchOptions struct {
	json bool
}

func artifactFetchCommand(w *process) *cli.Command {
	o := new(fetchOptions)
	return &cli.Command{
		Name: "fetch", Usage: "answer a model's call of the tool " + fetchtool.Name,
		UsageText: "handoff artifact fetch ARGUMENTS|- [flags]\n\n" +
			"ARGUMENTS are the arguments of the call, as the model wrote them: {\"id\":\"…\",\"offset_bytes\":0,\"max_bytes\":65536}.\n" +
			"It prints the content; --json prints RIP's result, which also says whether there is more.\n" +
			"Exit status: 1 if the artifact does not exist, 2 if the arguments are invalid.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON, also for a failed call"}},
		Action: w.inWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return artifactFetch(w, o, ws, argsOf(c)) }),
	}
}

// maxArguments is the maximum size of a call's arguments, in bytes.
const maxArguments = 64 << 10

func artifactFetch(w *process, o *fetchOptions, ws *workspace.Workspace, args arguments) error {
	call, err := args.only("artifact fetch", `the arguments of a call: '{"id":"…"}', or - for standard input`)
	if err != nil {
		return err
	}
	if call == "-" {
		src, err := io.ReadAll(io.LimitReader(w.stdin, maxArguments))
		if err != nil {
			return fmt.Errorf("<stdin>: %w", bare(err))
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
		err = writeLine(w.stdout, r)
	} else {
		err = printFetched(w, r)
	}
	if err == nil && r.ExitCode != 0 {
		err = exit(r.ExitCode)
	}
	return err
}

func printFetched(w *process, r fetchtool.Result) error {
	for _, text := range r.Stderr {
		w.say("%s", plain(text))
	}
	out := w.out()
	_, err := out.WriteString(strings.Join(r.Stdout, ""))
	if err = errors.Join(err, out.Flush()); err != nil {
		return err
	}
	if p := r.Artifact; p != nil && p.Truncated {
		w.say("%d of %d bytes: the rest starts at offset_bytes %d", p.Bytes, p.Total, p.Offset+uint64(p.Bytes))
	}
	return nil
}
