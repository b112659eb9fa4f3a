package reading

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"handoff/agents/transcript"
	"handoff/document/pinned"
	"handoff/internal/file/regular"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/pins"
)

const aboutPinned = "Pinned items are those of What NOT to Try and Critical Context. An item is kept if the next document has its words, or\n" +
	"its id: \"… ^k3f9\" at its end. It is retired if it is struck out there, ~~item~~ (reason), or named in an item\n" +
	"\"Retired: item - reason\". Otherwise it is lost."

const exitPinned = "\nExit status: 0 if nothing is lost, 1 if something is."

// diffOptions are the options of diff.
type diffOptions struct {
	summary string
	json    bool
}

// Diff is the command `handoff diff`.
func Diff(w *command.Process) *cli.Command {
	o := new(diffOptions)
	return &cli.Command{
		Name:        "diff",
		Usage:       "show which pinned items a handoff kept, retired or lost",
		UsageText:   "handoff diff REF [REF] [flags]\n\nWith one REF, the handoff is compared with the one before it in its task; with two, the second with the first.\n\n" + command.RefHelp,
		Description: aboutPinned + "\nWith --summary the handoff is compared with the summaries that a host wrote when it compacted its context: an item is kept\nif 60 % of its words are in one of them, in any order." + exitPinned,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "summary", Destination: &o.summary, Usage: "`FILE`  transcript of Claude Code or Codex, with whose summaries the handoff is compared: those that the host wrote instead of its context"},
			cli.JSON(&o.json, "print JSON: see handoff schema chain", cli.Published("chain")),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runDiff(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

// chainOptions are the options of chain.
type chainOptions struct {
	json bool
}

// Chain is the command `handoff chain`.
func Chain(w *command.Process) *cli.Command {
	o := new(chainOptions)
	return &cli.Command{
		Name:        "chain",
		Usage:       "follow the pinned items of a task from handoff to handoff",
		UsageText:   "handoff chain REF [flags]\n\n" + command.RefHelp,
		Description: aboutPinned + exitPinned,
		Flags:       []cli.Flag{cli.JSON(&o.json, "print JSON: see handoff schema chain", cli.Published("chain"))},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runChain(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runDiff(ctx context.Context, w *command.Process, o *diffOptions, ws *workspace.Workspace, args command.Arguments) error {
	if len(args) < 1 || len(args) > 2 {
		return errors.New("diff needs one handoff or two: 259/3, or 259/2 259/3")
	}
	var found []documents.Entry
	for _, arg := range args {
		e, err := documents.Find(ctx, ws, w.Dir, arg)
		if err != nil {
			return err
		}
		found = append(found, e)
	}
	if file := o.summary; file != "" {
		if len(found) != 1 {
			return errors.New("--summary compares one handoff")
		}
		steps, err := diffSummaries(ctx, w, ws, found[0], file)
		if err != nil {
			return err
		}
		return showChain(w, ws, steps, o.json)
	}
	if len(found) == 1 {
		before, err := pins.Before(ctx, ws, found[0])
		if err != nil {
			return err
		}
		found = []documents.Entry{before, found[0]}
	}
	step, err := pins.Between(ws, found[0], found[1])
	if err != nil {
		return err
	}
	return showChain(w, ws, []pins.Step{step}, o.json)
}

// diffSummaries lists the pinned items that the summaries of a transcript have.
func diffSummaries(ctx context.Context, w *command.Process, ws *workspace.Workspace, e documents.Entry, file string) ([]pins.Step, error) {
	src, err := regular.Read(w.Path(file), nil, author.MaxTranscript)
	if err != nil {
		return nil, fmt.Errorf("--summary: %w", err)
	}
	list, ok := transcript.Summaries(src)
	switch {
	case !ok:
		return nil, fmt.Errorf("--summary %s: not a transcript that handoff knows", file)
	case len(list) == 0:
		return nil, fmt.Errorf("--summary %s: no summary is recorded in it: the context was not compacted, or its host does not record what it wrote", file)
	}
	return pins.InSummaries(ctx, ws, e, file, list)
}

func runChain(ctx context.Context, w *command.Process, o *chainOptions, ws *workspace.Workspace, args command.Arguments) error {
	ref, err := args.Only("chain", command.WantsHandoff)
	if err != nil {
		return err
	}
	e, err := documents.Find(ctx, ws, w.Dir, ref)
	if err != nil {
		return err
	}
	steps, err := pins.Chain(ctx, ws, e)
	if err != nil {
		return err
	}
	return showChain(w, ws, steps, o.json)
}

// chainJSON is what diff --json and chain --json print: see docs/schema/chain.schema.json.
type chainJSON struct {
	Counts   map[pinned.Fate]int `json:"counts"`
	Handoffs []pins.Step         `json:"handoffs"`
}

func showChain(w *command.Process, ws *workspace.Workspace, steps []pins.Step, asJSON bool) error {
	counts := map[pinned.Fate]int{pinned.New: 0, pinned.Kept: 0, pinned.Retired: 0, pinned.Lost: 0}
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%s\n", command.Plain(shownStep(w, ws, s)))
		for _, change := range s.Changes {
			counts[change.Fate]++
			fmt.Fprintf(&b, "  %-7s  %s%s\n", change.Fate, command.Plain(change.Text), command.Plain(aside(change)))
		}
	}
	if err := w.Answer(asJSON, chainJSON{counts, steps}, b.String()); err != nil {
		return err
	}
	for _, s := range steps {
		for _, id := range s.Missing {
			w.Say("%s: artifact %s is not in the store, and the documents do not have its items any more", command.Plain(w.Shown(ws, s.Path)), id)
		}
	}
	w.Say("%d kept, %d retired, %d lost, %d new", counts[pinned.Kept], counts[pinned.Retired], counts[pinned.Lost], counts[pinned.New])
	return command.Found(counts[pinned.Lost] > 0)
}

// aside is the text of a line after the item.
func aside(c pins.Change) string {
	switch {
	case c.Fate == pinned.Retired && c.Reason == "":
		return "  (no reason given)"
	case c.Fate == pinned.Retired:
		return "  (" + c.Reason + ")"
	case c.Edited && c.Moved:
		return "  (edited, in an artifact)"
	case c.Edited:
		return "  (edited)"
	case c.Moved:
		return "  (in an artifact)"
	}
	return ""
}

// shownStep is the path of a document, or the place of a summary as its file was named.
func shownStep(w *command.Process, ws *workspace.Workspace, s pins.Step) string {
	if !strings.HasSuffix(s.Path, ".md") {
		return s.Path
	}
	return w.Shown(ws, s.Path)
}
