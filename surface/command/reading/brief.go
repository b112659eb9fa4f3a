package reading

import (
	"context"

	"handoff/document/brief"
	"handoff/surface/command"
	"handoff/surface/command/claims"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
	"handoff/workspace/spawn/prompt"
)

// briefOptions are the options of brief.
type briefOptions struct {
	level, as string
	maxBytes  int
	json      bool
}

// Brief is the command `handoff brief`.
func Brief(w *command.Process) *cli.Command {
	o := new(briefOptions)
	return &cli.Command{
		Name:      "brief",
		Usage:     "print what a successor needs, in levels",
		UsageText: "handoff brief [REF] [flags]\n\n" + command.RefHelp + " Without it: the one that you have claimed here, else the latest.",
		Description: "Level 1 is the next action and the state of the work, 2 adds decisions, dead ends and\n" +
			"context, 3 the references; full is the document.",
		Flags: []cli.Flag{
			command.OneOf(&cli.StringFlag{Name: "level", Destination: &o.level, Value: "1", Usage: "level of detail `LEVEL`: 1, 2, 3 or full"}),
			&cli.IntFlag{Name: "max-bytes", Destination: &o.maxBytes, Value: 10000, Usage: "at most `N` bytes, in whole lines"},
			claims.AsFlag(&o.as, "record that it was shown to `NAME`; of a handoff that you have claimed that is recorded anyway"),
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON: the fields of ls --json, the text as brief, and its sections"},
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runBrief(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runBrief(ctx context.Context, w *command.Process, o *briefOptions, ws *workspace.Workspace, args command.Arguments) error {
	level, _ := brief.ParseLevel(o.level)
	ref, err := claims.ClaimedRef(ctx, w, ws, args)
	if err != nil {
		return err
	}
	if ref == "" && len(args) == 0 {
		ref = "latest"
	}
	if ref == "" {
		if ref, err = args.Only("brief", command.WantsHandoff); err != nil {
			return err
		}
	}
	src, _, err := findHandoff(ctx, w, ws, ref)
	if err != nil {
		return err
	}
	e := documents.Entry{Path: src.Path, Name: src.Name, When: src.When}
	src.Notes = outdated.Notes(ctx, ws, e, outdated.Since(ctx, ws, e, src.Doc), o.maxBytes/3)
	text, err := brief.Make(src, level, o.maxBytes)
	if err != nil {
		return err
	}
	if err := claims.Delivered(ctx, w, ws, src.Path, o.as); err != nil {
		return err
	}
	return w.Answer(o.json, struct {
		documents.Row
		Brief    string            `json:"brief"`
		Sections map[string]string `json:"sections"` // as in the file that new --from reads
	}{rowOf(src), text, brief.Sections(src.Doc, level)}, text)
}

// rowOf returns a document's data in the form that ls prints.
func rowOf(src brief.Source) documents.Row {
	return documents.MakeRow(documents.Entry{Path: src.Path, Name: src.Name, When: src.When}, src.Doc, nil)
}

// findHandoff reads the document that ref names. Its Path is relative to the root, where the successor starts; here is
// relative to the working directory.
func findHandoff(ctx context.Context, w *command.Process, ws *workspace.Workspace, ref string) (src brief.Source, here string, err error) {
	e, err := documents.Find(ctx, ws, w.Dir, ref)
	if err != nil {
		return src, "", err
	}
	if e.Doubt != "" {
		w.Say("%s: this is %s", command.Plain(e.Doubt), command.Plain(w.Shown(ws, e.Path)))
	}
	doc, err := documents.Read(ws, e)
	if err != nil {
		return brief.Source{Name: e.Name, Path: e.Path}, w.Shown(ws, e.Path), err
	}
	return prompt.SourceOf(ctx, ws, e, doc), w.Shown(ws, e.Path), nil
}
