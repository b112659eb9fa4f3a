package handoffs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"handoff/log/artifact"
	"handoff/log/convert"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace"
	conversion "handoff/workspace/convert"
	"handoff/workspace/create"
	"handoff/workspace/plans"
)

// convertOptions are the options of convert.
type convertOptions struct {
	DocumentOptions
	to, tape, name, thread, title string
	sending                       convert.Sending
	draft, write, json            bool
	given                         []string // names of the flags that the user set
}

// Convert is the command `handoff convert`.
func Convert(w *command.Process) *cli.Command {
	o := new(convertOptions)
	text := func(to *string, name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Destination: to, Usage: usage}
	}
	return &cli.Command{
		Name:  "convert",
		Usage: "convert a handoff to a document, bundle, thread, anchor or envelope",
		UsageText: "handoff convert FROM --to document|bundle|thread|anchor|envelope|ce-handoff/v1|t3-handoff:1|gsd|gsd-json [flags]\n\n" +
			"FROM is a document (a path, 259/3, 259, latest), the id of a bundle, a file that holds a bundle, an envelope or\n" +
			"an anchor (- for standard input), a thread (its id, or thread:ID@SEQ), tape://workspace/TAPE/anchor/NAME, or a file (or -) in the form\n" +
			"ce-handoff/v1 of compound-engineering, t3-handoff:1 of t3code, or gsd (.continue-here.md) or gsd-json (HANDOFF.json) of Get Shit Done.",
		Description: "Without --write the result is printed and nothing is written. Fields that the target form cannot hold are reported\n" +
			"on stderr. With --write, an existing result is not written again, except an envelope.",
		Flags: command.Flags(
			text(&o.to, "to", "`FORM`  target form: document, bundle, thread, anchor, envelope, ce-handoff/v1, t3-handoff:1, gsd or gsd-json"),
			&cli.BoolFlag{Name: "write", Destination: &o.write, Usage: "store the result: a document as new does, an artifact, a thread or an anchor"},
			text(&o.tape, "tape", "`NAME`  tape of an anchor or envelope"),
			text(&o.name, "name", "`NAME`  name of an anchor"),
			text(&o.thread, "thread", "`THREAD`  the thread that a new thread continues, or THREAD@SEQ"),
			text(&o.title, "title", "`TEXT`  title of a thread"),
			text(&o.sending.From, "from-agent", "`WHOM`  sender of an envelope, e.g. agent:worker-1"),
			text(&o.sending.To, "to-agent", "`WHOM`  receiver of an envelope"),
			text(&o.sending.Reason, "reason", "`TEXT`  reason in an envelope"),
			DocumentFlags(&o.DocumentOptions), operations.DraftFlag(&o.draft),
			cli.JSON(&o.json, "print the result as JSON, with the fields that are lost", cli.Prints[convertedJSON]("convert"))),
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.given = command.GivenNames(c)
			return runConvert(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runConvert(ctx context.Context, w *command.Process, o *convertOptions, ws *workspace.Workspace, args command.Arguments) error {
	from, err := args.Only("convert", "one handoff: 259/3 (task/phase), the id of a bundle or of a thread, a file, or a tape:// URI")
	if err != nil {
		return err
	}
	if o.to == "" {
		return errors.New("convert needs --to FORM: document, bundle, thread, anchor, envelope, ce-handoff/v1, t3-handoff:1, gsd or gsd-json")
	}
	to, err := convert.ParseForm(o.to)
	if err != nil {
		return command.ThreadError(fmt.Errorf("--to: %w", err))
	}
	if err := fitsForm(o, to); err != nil {
		return err
	}
	document, in, err := documentAsked(o)
	if err != nil {
		return err
	}
	if err := plans.Named(ws, &document.Values.Named, &document.Values.Task); err != nil {
		return err
	}
	r := conversion.Request{From: from, Dir: w.Dir, To: to, Write: o.write, Document: document,
		Tape: o.tape, Name: o.name, Thread: o.thread, Title: o.title, Sending: o.sending}
	if from == "-" {
		if r.Source, r.From, err = w.Read(from, artifact.DefaultMax); err != nil {
			return err
		}
	}
	writesDocument := r.Write && to == convert.Document
	if writesDocument {
		if err := operations.MayWrite(ctx, w, ws, document); err != nil {
			return err
		}
	}
	done, err := command.During(w, "converting", func() (conversion.Conversion, error) { return conversion.Run(ctx, ws, r) })
	if err != nil {
		return operations.ConvertError(&operations.Call{W: w, Args: args, Tape: operations.TapeOptions{Name: o.tape}}, err, in.Place)
	}
	operations.SayWritten(w, ws, done.Written)
	if writesDocument {
		command.Superseded(ctx, w, ws, done.Path)
	}
	if done.Existed {
		w.Say("it already exists: nothing is written")
	}
	if o.json {
		return printConvertedJSON(w, ws, done)
	}
	return operations.PrintConverted(w, ws, r.Write, done)
}

// fitsForm rejects flags that apply to another form.
func fitsForm(o *convertOptions, to convert.Form) error {
	of := map[string][]convert.Form{"tape": {convert.Anchor, convert.Envelope}, "name": {convert.Anchor, convert.Envelope},
		"thread": {convert.Thread}, "title": {convert.Thread},
		"from-agent": {convert.Envelope}, "to-agent": {convert.Envelope}, "reason": {convert.Envelope}}
	for _, f := range append(DocumentFlags(new(DocumentOptions)), operations.DraftFlag(new(bool))) {
		of[f.Names()[0]] = []convert.Form{convert.Document}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		if slices.Contains(o.given, name) && !slices.Contains(of[name], to) {
			return fmt.Errorf("--%s is for --to %s, not for --to %s", name, of[name][0], to)
		}
	}
	return operations.NamesTape(slices.Contains(o.given, "tape"), o.tape)
}

// documentAsked is the document that the flags request.
func documentAsked(o *convertOptions) (create.Request, *create.Draft, error) {
	in := new(create.Draft)
	err := Overlay(&o.DocumentOptions, in)
	return create.Request{Values: in.Values, Slug: in.Slug, Draft: o.draft}, in, err
}

func printConvertedJSON(w *command.Process, ws *workspace.Workspace, done conversion.Conversion) error {
	result := json.RawMessage(done.Text)
	if operations.IsMarkdown(done.To) {
		result = nil
		if done.Path == "" {
			result, _ = json.Marshal(string(done.Text)) // a string always marshals
		} else {
			done.Path = w.Shown(ws, done.Path)
		}
	}
	return command.WriteLine(w.Stdout, convertedJSON{done, result})
}

// convertedJSON is what --json prints.
type convertedJSON struct {
	conversion.Conversion
	Result json.RawMessage `json:"result,omitempty" doc:"in the form of --to: JSON, or a text"`
}
