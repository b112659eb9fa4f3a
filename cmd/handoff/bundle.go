package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff"
	"handoff/artifact"
	"handoff/bundle"
	"handoff/workspace"
	"handoff/workspace/documents"
)

func bundleCommand(w *process) *cli.Command {
	const ref = "\n\n" + refHelp
	return &cli.Command{
		Name:  "bundle",
		Usage: "create, show, check and compare the JSON bundles of handoffs",
		Subcommands: []*cli.Command{
			{
				Name: "create", Usage: "store the bundle of a handoff and print its id",
				UsageText: "handoff bundle create REF [flags]" + ref,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "stdout", Usage: "print the bundle, store nothing"},
				},
				Action: w.inWorkspace(w.bundleCreate),
			},
			{
				Name: "show", Usage: "print the bundle that the metadata links to a handoff, or one by its id",
				UsageText: "handoff bundle show REF|ARTIFACT [flags]" + ref + "\nARTIFACT is the id of a bundle, or the beginning of it.",
				Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the stored JSON"}},
				Action:    w.inWorkspace(w.bundleShow),
			},
			{
				Name: "check", Usage: "check a bundle against its schema and print every problem",
				UsageText: "handoff bundle check FILE|ARTIFACT|- [flags]\n\nARTIFACT is the id of a bundle, or the beginning of it.",
				Flags:     []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
				Action:    w.bundleCheck,
			},
			{
				Name: "diff", Usage: "compare a handoff's linked bundle with the document as it is now",
				UsageText: "handoff bundle diff REF [flags]" + ref + "\nExit status: 1 if they differ.",
				Action:    w.inWorkspace(w.bundleDiff),
			},
		},
	}
}

const wantsHandoff = "one handoff: " + refForms

// currentBundle builds the bundle of a handoff in its current state.
func (w *process) currentBundle(c *cli.Context, ws *workspace.Workspace) (b bundle.Handoff, e documents.Entry, err error) {
	ref, err := oneArgument(c, wantsHandoff)
	if err != nil {
		return b, e, err
	}
	if e, err = documents.Find(c.Context, ws, w.dir, ref); err == nil {
		_, b, err = documents.Bundle(ws, e)
	}
	return b, e, err
}

func (w *process) bundleCreate(c *cli.Context, ws *workspace.Workspace) error {
	b, _, err := w.currentBundle(c, ws)
	if err != nil {
		return err
	}
	if c.Bool("stdout") {
		return w.print(string(b.Bytes()) + "\n")
	}
	id, _, _, err := ws.PutArtifact(bytes.NewReader(b.Bytes()), artifact.ID{})
	if err != nil {
		return err
	}
	return w.print(id.String() + "\n")
}

// storedBundle reads the bundle that an ID or a handoff names.
func (w *process) storedBundle(c *cli.Context, ws *workspace.Workspace, arg string) (artifact.ID, []byte, error) {
	id, err := artifact.ParseID(arg)
	if err != nil {
		e, missing := documents.Find(c.Context, ws, w.dir, arg)
		if missing == nil {
			return documents.LinkedBundle(ws, e)
		}
		id, err = ws.FindArtifact(arg)
		if errors.As(err, new(*handoff.AmbiguousError)) {
			return id, nil, err
		}
		if err != nil {
			return id, nil, missing
		}
	}
	var b bytes.Buffer
	err = ws.ReadArtifact(c.Context, &b, id, 0, -1)
	return id, b.Bytes(), err
}

func (w *process) bundleShow(c *cli.Context, ws *workspace.Workspace) error {
	arg, err := oneArgument(c, "an id or "+wantsHandoff)
	if err != nil {
		return err
	}
	id, src, err := w.storedBundle(c, ws, arg)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return w.print(strings.TrimSuffix(string(src), "\n") + "\n")
	}
	schema, err := bundle.Check(src)
	if err != nil {
		return fmt.Errorf("%s is not a bundle (`handoff bundle check %s` shows why, `handoff artifact get` prints it)", id, id)
	}
	head := fmt.Sprintf("%s %s\n", schema, id)
	if schema == bundle.HandoffSchema {
		b, err := bundle.ParseHandoff(src)
		if err != nil {
			return err
		}
		return w.print(head + plainText(handoffText(b)))
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, src, "", "  "); err != nil {
		return err
	}
	return w.print(head + plainText(indented.String()) + "\n")
}

// handoffText formats a bundle as text: one line for each reference, then the
// summary.
func handoffText(b bundle.Handoff) string {
	var s strings.Builder
	line := func(note *string, format string, args ...any) {
		fmt.Fprintf(&s, format, args...)
		if note != nil {
			fmt.Fprintf(&s, " (%s)", *note)
		}
		s.WriteByte('\n')
	}
	for _, t := range b.Refs.Threads {
		at := ""
		if t.MessageID != nil {
			at = ", message " + *t.MessageID
		}
		line(t.Note, "thread %s up to event %d%s", t.ThreadID, t.Seq, at)
	}
	for _, a := range b.Refs.Artifacts {
		line(a.Note, "artifact %s", a.ID)
	}
	for _, f := range b.Refs.Files {
		line(f.Note, "file %s", f.Path)
	}
	s.WriteString("\n" + b.SummaryMarkdown)
	if !strings.HasSuffix(b.SummaryMarkdown, "\n") {
		s.WriteByte('\n')
	}
	return s.String()
}

func (w *process) bundleDiff(c *cli.Context, ws *workspace.Workspace) error {
	now, e, err := w.currentBundle(c, ws)
	if err != nil {
		return err
	}
	id, src, err := documents.LinkedBundle(ws, e)
	if err != nil {
		return err
	}
	if id == now.ID() {
		return nil
	}
	linked, err := bundle.ParseHandoff(src)
	if err != nil {
		return fmt.Errorf("%s is not a handoff bundle (`handoff bundle check %s` shows why)", id, id)
	}
	out := w.out()
	err = w.printDiff(out, "linked "+id.String(), []byte(handoffText(linked)), "now "+now.ID().String(), []byte(handoffText(now)))
	if err := cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	return exit(findings)
}

func (w *process) bundleCheck(c *cli.Context) error {
	name, err := oneArgument(c, "one file, an id, or - for standard input")
	if err != nil {
		return err
	}
	src, shown, err := w.bundleSource(c, name)
	if err != nil {
		return err
	}
	schema, err := bundle.Check(src)
	var invalid *bundle.Invalid
	if err != nil && !errors.As(err, &invalid) {
		return err
	}
	problems := []bundle.Problem{}
	var text strings.Builder
	if invalid != nil {
		problems = invalid.Problems
	}
	for _, p := range problems {
		place := ""
		if p.Pointer != "" {
			place = p.Pointer + " "
		}
		fmt.Fprintf(&text, "%s:%d:%d: error: %s%s\n", plain(shown), p.Line, p.Column, plain(place), plain(p.Text))
	}
	err = w.result(c, struct {
		Schema   string           `json:"schema"`
		Valid    bool             `json:"valid"`
		Problems []bundle.Problem `json:"problems"`
	}{schema, invalid == nil, problems}, text.String())
	if err != nil || invalid == nil {
		return err
	}
	if !c.Bool("json") {
		w.say("%s: not a %s (`handoff schema` prints the schemas)", plural(len(problems), "error"), schema)
	}
	return exit(findings)
}

// bundleSource returns the bundle to check, and its name in findings.
func (w *process) bundleSource(c *cli.Context, name string) (src []byte, shown string, err error) {
	src, shown, err = w.read(name, artifact.DefaultMax)
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(name, `/\.`) {
		return src, shown, err
	}
	ws, failed := w.open(c)
	if failed != nil {
		return nil, name, failed
	}
	id, failed := ws.FindArtifact(name)
	if failed != nil {
		return nil, shown, fmt.Errorf("%w; %w", err, failed)
	}
	var b bytes.Buffer
	err = ws.ReadArtifact(c.Context, &b, id, 0, -1)
	return b.Bytes(), name, err
}
