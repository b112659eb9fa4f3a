package claims

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"handoff/agents"
	"handoff/document/handoff"
	"handoff/internal/file/gitwork"
	"handoff/internal/text/say"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/work"
)

// restoreOptions are the options of restore.
type restoreOptions struct {
	to              string
	yes, list, json bool
}

// Restore is the command `handoff restore`.
func Restore(w *command.Process) *cli.Command {
	o := new(restoreOptions)
	return &cli.Command{
		Name:      "restore",
		Usage:     "bring back uncommitted work that was kept",
		UsageText: "handoff restore [REF] [flags]\n\n" + command.RefHelp + " It can also be the name that --list shows, such as work/259/1.\nWithout it: the handoff that you have claimed here, else the latest.",
		Description: "`handoff` keeps changed, new and deleted files in refs of the repository when a handoff is written\n" +
			"and when a session or a link of a relay ends, without touching HEAD, the index or the stash.\n" +
			"restore changes the files that were changed then. In a tree with uncommitted changes, or where it\n" +
			"would replace something else, it only prints what it would do; with --yes it keeps what the tree has\n" +
			"now, as work of the same task, and then does it. What was staged is in the second parent:\n" +
			"`git read-tree refs/handoff/work/259/1^2` stages it again.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "to", Destination: &o.to, Usage: "`DIR`  write all files of the tree into this new folder, and change nothing else"},
			&cli.BoolFlag{Name: "yes", Destination: &o.yes, Usage: "restore although the tree has uncommitted changes"},
			&cli.BoolFlag{Name: "list", Destination: &o.list, Usage: "list the work that is kept"},
			cli.JSON(&o.json, "print JSON", cli.Prints[restoreJSON]("restore"), cli.Prints[[]work.Kept]("restore-list")),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			return runRestore(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runRestore(ctx context.Context, w *command.Process, o *restoreOptions, ws *workspace.Workspace, args command.Arguments) error {
	if o.list {
		if len(args) > 0 || o.to != "" || o.yes {
			return errors.New("--list takes no REF and no other flag but --json")
		}
		return listWork(ctx, w, o, ws)
	}
	k, err := keptWork(ctx, w, ws, args)
	if none := (*work.NoneError)(nil); errors.As(err, &none) && work.Shared(ws) {
		var got int
		if got, err = work.Get(ctx, ws); err == nil && got > 0 {
			k, err = keptWork(ctx, w, ws, args)
		} else if err == nil {
			err = none
		}
	}
	if err != nil {
		return err
	}
	sayOmitted(w, k)
	if o.to != "" {
		return restoreTo(ctx, w, o, ws, k)
	}
	plan, err := work.PlanOf(ctx, ws, k)
	if err != nil {
		return err
	}
	if err := mayRestore(w, plan); err != nil {
		return err
	}
	return restorePlan(ctx, w, o, ws, plan)
}

// keptWork is the work that the arguments name.
func keptWork(ctx context.Context, w *command.Process, ws *workspace.Workspace, args command.Arguments) (k work.Kept, err error) {
	ref := ""
	if len(args) > 0 {
		if ref, err = args.Only("restore", command.WantsHandoff); err != nil {
			return k, err
		}
	} else if ref, err = command.ClaimedRef(ctx, w, ws, args); err != nil {
		return k, err
	}
	if work.IsName(ref) {
		return work.Find(ctx, ws, ref)
	}
	last := ref == ""
	if last {
		ref = handoff.Latest
	}
	e, err := documents.Find(ctx, ws, w.Dir, ref)
	if last && errors.Is(err, fs.ErrNotExist) { // the handoffs may be among what is lost
		return work.Last(ctx, ws)
	}
	if err != nil {
		return k, err
	}
	return work.Of(ctx, ws, e.Name.Task, e.Path)
}

// mayRestore refuses an agent that may not write settings of other programs those that were
// kept: an earlier agent may have written them.
func mayRestore(w *command.Process, p *work.Plan) error {
	may := operations.LevelIn(w, operations.AgentRoot(w))
	if may == agents.All || w.Getenv(agents.LevelVar) == "" && w.Claim() == "" {
		return nil
	}
	for _, s := range p.Steps {
		if agents.IsSetting(s.Path) {
			return operations.Use{Level: may}.Refused("restoring "+s.Path, operations.Reasons[operations.ChangesSettings])
		}
	}
	return nil
}

// sayOmitted prints what the work lacks.
func sayOmitted(w *command.Process, k work.Kept) {
	for _, l := range k.Left {
		w.Say("not kept: %s", command.Plain(work.Told(l)))
	}
}

func restoreTo(ctx context.Context, w *command.Process, o *restoreOptions, ws *workspace.Workspace, k work.Kept) error {
	dir := w.Path(o.to)
	if err := work.WriteTo(ctx, ws, k, dir); err != nil {
		return fmt.Errorf("--to %s: %w", o.to, err)
	}
	return w.Answer(o.json, restoreJSON{Kept: k, To: o.to, Restored: true}, o.to+"\n")
}

// restoreJSON is what --json prints.
type restoreJSON struct {
	work.Kept
	To       string        `json:"to,omitempty"`
	Restored bool          `json:"restored"`
	Needs    string        `json:"needs,omitempty"` // why nothing was changed
	Changes  []restoreStep `json:"changes,omitempty"`
	Before   string        `json:"before,omitempty"` // name of what the tree had, if something was kept
}

type restoreStep struct {
	Path   string       `json:"path"`
	Change string       `json:"change"` // "write" or "delete"
	Loss   gitwork.Loss `json:"loss,omitempty"`
}

func restorePlan(ctx context.Context, w *command.Process, o *restoreOptions, ws *workspace.Workspace, p *work.Plan) error {
	out := restoreJSON{Kept: p.Kept, Needs: p.Needs()}
	var text strings.Builder
	for _, s := range p.Steps {
		step := restoreStep{s.Path, "write", s.Loss}
		if s.To.Mode == "" {
			step.Change = "delete"
		}
		out.Changes = append(out.Changes, step)
		fmt.Fprintf(&text, "%-6s %s", step.Change, command.Plain(s.Path))
		if s.Loss != gitwork.None {
			fmt.Fprintf(&text, " (%s)", s.Loss)
		}
		text.WriteByte('\n')
	}
	switch blocked := p.Blocked(); {
	case len(p.Steps) == 0:
		out.Needs = ""
		out.Restored = true
		w.Say("nothing to restore: the files are as they were kept in %s", p.Kept.Name())
		return w.Answer(o.json, out, "")
	case len(blocked) > 0:
		w.Say("nothing changed: %s cannot be restored, something else is there: move it away, or write into a new folder: `handoff restore %s --to DIR`", command.Plain(blocked[0]), p.Kept.Name())
	case out.Needs != "" && !o.yes:
		w.Say("nothing changed: %s. To restore: `handoff restore %s --yes`, which keeps what the tree has now first; or into a new folder: `handoff restore %s --to DIR`",
			out.Needs, p.Kept.Name(), p.Kept.Name())
	default:
		return applyPlan(ctx, w, o, ws, p, out, text.String())
	}
	if err := w.Answer(o.json, out, text.String()); err != nil {
		return err
	}
	return command.Exit(command.Findings)
}

func applyPlan(ctx context.Context, w *command.Process, o *restoreOptions, ws *workspace.Workspace, p *work.Plan, out restoreJSON, text string) error {
	before, err := p.Apply(ctx, ws)
	if before.Ref != "" {
		out.Before = before.Name()
		w.Say("what the tree had is kept: `handoff restore %s` brings that back", before.Name())
	}
	if err != nil {
		return err
	}
	out.Restored, out.Needs = true, ""
	w.Say("restored %s of %s", command.Plural(len(p.Steps), "file"), p.Kept.Name())
	return w.Answer(o.json, out, text)
}

func listWork(ctx context.Context, w *command.Process, o *restoreOptions, ws *workspace.Workspace) error {
	all, err := work.List(ctx, ws, nil)
	if err != nil {
		return err
	}
	if all == nil {
		all = []work.Kept{}
	}
	var rows [][]string
	for _, k := range all {
		rows = append(rows, []string{k.Name(), say.Ago(ws.Now().Sub(k.At)), command.Plain(k.By), command.Plain(k.Handoff)})
	}
	if len(all) == 0 && !o.json {
		w.Say("no uncommitted work is kept")
	}
	return w.Answer(o.json, all, w.Aligned([]string{"WORK", "KEPT", "BY", "HANDOFF"}, rows, 3))
}
