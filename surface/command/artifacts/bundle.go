package artifacts

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/bundle"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
)

// Bundle is the command `handoff bundle`.
func Bundle(w *command.Process) *cli.Command {
	const ref = "\n\n" + command.RefHelp
	var toStdout, showJSON, checkJSON bool
	return &cli.Command{
		Name:  "bundle",
		Usage: "create, show, check and compare the JSON bundles of handoffs",
		Subcommands: []*cli.Command{
			{
				Name: "create", Usage: "store the bundle of a handoff and print its id",
				UsageText: "handoff bundle create REF [flags]" + ref,
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "stdout", Destination: &toStdout, Usage: "print the bundle, store nothing"},
				},
				Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
					return bundleCreate(c.Context, w, ws, toStdout, command.ArgsOf(c))
				}),
			},
			{
				Name: "show", Usage: "print the bundle that the metadata links to a handoff, or one by its id",
				UsageText: "handoff bundle show REF|ARTIFACT [flags]" + ref + "\nARTIFACT is the id of a bundle, or the beginning of it.",
				Flags:     []cli.Flag{cli.JSON(&showJSON, "print the stored JSON", cli.Published("handoff-bundle"), cli.Published("context-bundle"), cli.Published("compaction-summary"))},
				Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
					return bundleShow(c.Context, w, ws, showJSON, command.ArgsOf(c))
				}),
			},
			{
				Name: "check", Usage: "check a bundle against its schema and print every problem",
				UsageText: "handoff bundle check FILE|ARTIFACT|- [flags]\n\nARTIFACT is the id of a bundle, or the beginning of it.",
				Flags:     []cli.Flag{cli.JSON(&checkJSON, "print JSON", cli.Prints[bundleChecked]("bundle-check"))},
				Action:    func(c *cli.Context) error { return bundleCheck(c.Context, w, checkJSON, command.ArgsOf(c)) },
			},
			{
				Name: "diff", Usage: "compare a handoff's linked bundle with the document as it is now",
				UsageText: "handoff bundle diff REF [flags]" + ref + "\nExit status: 1 if they differ.",
				Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
					return bundleDiff(c.Context, w, ws, command.ArgsOf(c))
				}),
			},
		},
	}
}

// currentBundle builds the bundle of a handoff in its current state.
func currentBundle(ctx context.Context, dir string, ws *workspace.Workspace, name string, args command.Arguments) (b bundle.Handoff, e documents.Entry, err error) {
	ref, err := args.Only(name, command.WantsHandoff)
	if err != nil {
		return b, e, err
	}
	if e, err = documents.Find(ctx, ws, dir, ref); err == nil {
		_, b, err = documents.Bundle(ws, e)
	}
	return b, e, err
}

func bundleCreate(ctx context.Context, w *command.Process, ws *workspace.Workspace, toStdout bool, args command.Arguments) error {
	b, _, err := currentBundle(ctx, w.Dir, ws, "bundle create", args)
	if err != nil {
		return err
	}
	if toStdout {
		return w.Print(string(b.Bytes()) + "\n")
	}
	id, _, _, err := ws.PutArtifact(bytes.NewReader(b.Bytes()), artifact.ID{})
	if err != nil {
		return err
	}
	return w.Print(id.String() + "\n")
}

// shownBundle is a bundle that was stored.
type shownBundle struct {
	id   artifact.ID
	src  []byte
	kept string // of what is kept with the handoff, for people; "" for nothing, and for one that is named by its id
}

// storedBundle reads the bundle that an ID or a handoff names.
func storedBundle(ctx context.Context, dir string, ws *workspace.Workspace, arg string) (s shownBundle, err error) {
	if s.id, err = artifact.ParseID(arg); err != nil {
		e, missing := documents.Find(ctx, ws, dir, arg)
		if missing == nil {
			s.kept = ws.WorkNote(ctx, workspace.WorkOf{Task: e.Name.Task, Handoff: e.Path})
			s.id, s.src, err = documents.LinkedBundle(ws, e)
			return s, err
		}
		s.id, err = ws.FindArtifact(arg)
		if errors.As(err, new(*handoff.AmbiguousError)) {
			return s, err
		}
		if err != nil {
			return s, missing
		}
	}
	var b bytes.Buffer
	err = ws.ReadArtifact(ctx, &b, s.id, 0, -1)
	s.src = b.Bytes()
	return s, err
}

func bundleShow(ctx context.Context, w *command.Process, ws *workspace.Workspace, asJSON bool, args command.Arguments) error {
	arg, err := args.Only("bundle show", "an id or "+command.WantsHandoff)
	if err != nil {
		return err
	}
	s, err := storedBundle(ctx, w.Dir, ws, arg)
	if err != nil {
		return err
	}
	id, src := s.id, s.src
	schema, err := bundle.Check(src)
	if err != nil {
		return fmt.Errorf("%s is not a bundle (`handoff bundle check %s` shows why, `handoff artifact get` prints it)", id, id)
	}
	if asJSON {
		return w.Print(strings.TrimSuffix(string(src), "\n") + "\n")
	}
	head := fmt.Sprintf("%s %s\n", schema, id)
	if schema == bundle.HandoffSchema {
		b, err := bundle.ParseHandoff(src)
		if err != nil {
			return err
		}
		if s.kept != "" {
			head += command.Plain(s.kept) + "\n"
		}
		return w.Print(head + command.PlainText(handoffText(b)))
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, src, "", "  "); err != nil {
		return err
	}
	return w.Print(head + command.PlainText(indented.String()) + "\n")
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

func bundleDiff(ctx context.Context, w *command.Process, ws *workspace.Workspace, args command.Arguments) error {
	now, e, err := currentBundle(ctx, w.Dir, ws, "bundle diff", args)
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
	out := w.Out()
	err = w.PrintDiff(out, "linked "+id.String(), []byte(handoffText(linked)), "now "+now.ID().String(), []byte(handoffText(now)))
	if err := cmp.Or(err, out.Flush()); err != nil {
		return err
	}
	return command.Exit(command.Findings)
}

// bundleChecked is what bundle check --json prints.
type bundleChecked struct {
	Schema   string           `json:"schema"`
	Valid    bool             `json:"valid"`
	Problems []bundle.Problem `json:"problems"`
}

func bundleCheck(ctx context.Context, w *command.Process, asJSON bool, args command.Arguments) error {
	name, err := args.Only("bundle check", "one file, an id, or - for standard input")
	if err != nil {
		return err
	}
	src, shown, err := bundleSource(ctx, w, name)
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
		fmt.Fprintf(&text, "%s:%d:%d: error: %s%s\n", command.Plain(shown), p.Line, p.Column, command.Plain(place), command.Plain(p.Text))
	}
	err = w.Answer(asJSON, bundleChecked{schema, invalid == nil, problems}, text.String())
	if err != nil || invalid == nil {
		return err
	}
	if !asJSON {
		w.Say("%s: not a %s (`handoff schema` prints the schemas)", command.Plural(len(problems), "error"), schema)
	}
	return command.Exit(command.Findings)
}

// bundleSource returns the bundle to check, and its name in findings.
func bundleSource(ctx context.Context, w *command.Process, name string) (src []byte, shown string, err error) {
	src, shown, err = w.Read(name, artifact.DefaultMax)
	if !errors.Is(err, fs.ErrNotExist) || strings.ContainsAny(name, `/\.`) {
		return src, shown, err
	}
	ws, failed := w.Here()
	if failed != nil {
		return nil, name, failed
	}
	id, failed := ws.FindArtifact(name)
	if failed != nil {
		return nil, shown, fmt.Errorf("%w; %w", err, failed)
	}
	var b bytes.Buffer
	err = ws.ReadArtifact(ctx, &b, id, 0, -1)
	return b.Bytes(), name, err
}
