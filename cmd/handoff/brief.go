package main

import (
	"github.com/urfave/cli/v2"

	"handoff/brief"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
	"handoff/workspace/spawn/prompt"
)

func briefCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "brief",
		Usage:     "print what a successor needs, in levels",
		UsageText: "handoff brief [REF] [flags]\n\n" + refHelp + " Without it: the one that you have claimed here, else the latest.",
		Description: "Level 1 is the next action and the state of the work, 2 adds decisions, dead ends and\n" +
			"context, 3 the references; full is the document.",
		Flags: []cli.Flag{
			oneOf(&cli.StringFlag{Name: "level", Value: "1", Usage: "level of detail `LEVEL`: 1, 2, 3 or full"}),
			&cli.IntFlag{Name: "max-bytes", Value: 10000, Usage: "at most `N` bytes, in whole lines"},
			asFlag("record that it was shown to `NAME`; of a handoff that you have claimed that is recorded anyway"),
			&cli.BoolFlag{Name: "json", Usage: "print JSON: the fields of ls --json, the text as brief, and its sections"},
		},
		Action: w.inWorkspace(w.brief),
	}
}

func (w *process) brief(c *cli.Context, ws *workspace.Workspace) error {
	level, _ := brief.ParseLevel(c.String("level"))
	ref, err := w.claimedRef(c, ws)
	if err != nil {
		return err
	}
	if ref == "" && c.NArg() == 0 {
		ref = "latest"
	}
	src, _, err := w.find(c, ws, ref)
	if err != nil {
		return err
	}
	e := documents.Entry{Path: src.Path, Name: src.Name, When: src.When}
	src.Notes = outdated.Notes(outdated.Since(c.Context, ws, e, src.Doc), c.Int("max-bytes")/3)
	text, err := brief.Make(src, level, c.Int("max-bytes"))
	if err != nil {
		return err
	}
	if err := w.delivered(c, ws, src.Path); err != nil {
		return err
	}
	return w.result(c, struct {
		documents.Row
		Brief    string            `json:"brief"`
		Sections map[string]string `json:"sections"` // as in the file that new --from reads
	}{rowOf(src), text, brief.Sections(src.Doc, level)}, text)
}

// rowOf returns a document's data in the form that ls prints.
func rowOf(src brief.Source) documents.Row {
	return documents.MakeRow(documents.Entry{Path: src.Path, Name: src.Name, When: src.When}, src.Doc, nil)
}

// find reads the document that ref names, or else the one that the command
// names. Its Path is relative to the root, where the successor starts; here is
// relative to the working directory.
func (w *process) find(c *cli.Context, ws *workspace.Workspace, ref string) (src brief.Source, here string, err error) {
	if ref == "" {
		if ref, err = oneArgument(c, wantsHandoff); err != nil {
			return src, "", err
		}
	}
	e, err := documents.Find(c.Context, ws, w.dir, ref)
	if err != nil {
		return src, "", err
	}
	if e.Doubt != "" {
		w.say("%s: this is %s", plain(e.Doubt), plain(w.shown(ws, e.Path)))
	}
	doc, err := documents.Read(ws, e)
	if err != nil {
		return brief.Source{Name: e.Name, Path: e.Path}, w.shown(ws, e.Path), err
	}
	return prompt.SourceOf(c.Context, ws, e, doc), w.shown(ws, e.Path), nil
}
