package handoffs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"handoff/agents/sessions"
	"handoff/agents/transcript/facts"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/log/receipt"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/create"
	"handoff/workspace/documents"
	"handoff/workspace/draft"
	"handoff/workspace/plans"
	"handoff/workspace/unreported"
)

// draftOptions are the options of draft.
type draftOptions struct {
	command.NamedSession
	slug, output                      string
	number                            *int
	named                             *string // of the task, as its plan calls it
	task, phase                       int
	slugGiven, carry, all, json, save bool
}

// Draft is the command `handoff draft`.
func Draft(w *command.Process) *cli.Command {
	o := new(draftOptions)
	return &cli.Command{
		Name:      "draft",
		Usage:     "draft a handoff from an agent's transcript, without a model",
		UsageText: "handoff draft [flags]\n\nWithout --session or --transcript it reads the session that it runs in, or the newest one in this folder.",
		Description: "The draft has what the transcript shows: the user's first and last request, the files and lines\n" +
			"that were changed or read, the commands with their exit status, what failed again and again, the\n" +
			"open list of things to do, and git. Each line ends with its place, session.jsonl:LINE. What was\n" +
			"decided and what comes next is not in a transcript: a person or an agent fills that in. It prints\n" +
			"the draft, or writes it with --save, --task or --output. `handoff sessions` lists the sessions.",
		Flags: command.Flags(command.SessionFlags(&o.NamedSession, "transcript, saved stream or export"),
			&cli.BoolFlag{Name: "save", Destination: &o.save, Usage: "write it as a handoff: of the task that the session worked on, else of a new one"},
			command.TaskFlag(&o.number, &o.named, &cli.StringFlag{Usage: "`N`  write it as a handoff of this task: its number, or what the plan of another tool calls it"}),
			command.AtLeast(1, &cli.IntFlag{Name: "phase", Destination: &o.phase, Value: 1, Usage: "`P`  number of the phase"}),
			&cli.StringFlag{Name: "slug", Destination: &o.slug, Action: command.Noting[string](&o.slugGiven), Usage: "`WORDS`  words for the folder of a new task"},
			&cli.BoolFlag{Name: "carry", Destination: &o.carry, Usage: "keep what still holds of the task's last handoff: next step, dead ends, context"},
			&cli.StringFlag{Name: "output", Destination: &o.output, Usage: "`FILE`  file to write it to, - for stdout"},
			&cli.BoolFlag{Name: "all", Destination: &o.all, Usage: "print everything, whatever its length, and requests with their line breaks"},
			cli.JSON(&o.json, "print JSON: the facts with their lines, and the text as document", cli.Published("draft"))),
		Action: command.Alone(w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error { return runDraft(c.Context, w, o, ws) })),
	}
}

// draftJSON is what --json prints: see docs/schema/draft.schema.json.
type draftJSON struct {
	Agent      string       `json:"agent"`
	Transcript string       `json:"transcript"`
	Facts      *facts.Facts `json:"facts"`
	Document   string       `json:"document"`
	Path       string       `json:"path,omitempty"` // of what was written

	session receipt.Session // that is drafted; of a subagent its own
}

func runDraft(ctx context.Context, w *command.Process, o *draftOptions, ws *workspace.Workspace) error {
	if err := draftUsage(o); err != nil {
		return err
	}
	origin := draft.Origin{All: o.all, Task: o.task, Phase: o.phase}
	if o.named != nil {
		origin.Named = *o.named
		if err := plans.Named(ws, &origin.Named, &origin.Task); err != nil {
			return err
		}
	}
	out, err := readSession(ctx, w, o, ws, &origin)
	if err != nil {
		return err
	}
	if o.save {
		if ws, err = begun(ctx, w, ws); err != nil {
			return err
		}
		if err := placeDraft(ctx, ws, o, &origin, out); err != nil {
			return err
		}
	}
	if origin.Task > 0 || origin.Named != "" {
		return writeDraft(ctx, w, o, ws, origin, out)
	}
	text, err := draft.Text(ctx, ws, origin, out.Facts)
	if err != nil {
		return err
	}
	out.Document = string(text)
	if file := o.output; file != "" && file != "-" {
		out.Path = file
		if err := atomicfile.Write(nofollow.Named, w.Path(file), text, 0o644); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		return w.Answer(o.json, out, file+"\n")
	}
	return w.Answer(o.json, out, out.Document)
}

func draftUsage(o *draftOptions) error {
	if o.number != nil {
		if o.task = *o.number; o.task < 1 {
			return fmt.Errorf("--task %d: want at least 1", o.task)
		}
	}
	if o.Session != "" && o.Transcript != "" {
		return errors.New("--session and --transcript exclude each other")
	}
	task := o.task > 0 || o.named != nil
	switch {
	case o.save && (o.output != "" || o.all || task):
		return errors.New("--save excludes --task, --output and --all")
	case task && o.output != "":
		return errors.New("--task and --output exclude each other: --task writes into the folder of the task")
	case task && o.all:
		return errors.New("--task and --all exclude each other: a handoff has one screen")
	case !task && o.slugGiven && !o.save:
		return errors.New("--slug requires --task or --save")
	case !task && o.carry:
		return errors.New("--carry requires --task")
	}
	return nil
}

// readSession reads the selected session, and records its place in the origin.
func readSession(ctx context.Context, w *command.Process, o *draftOptions, ws *workspace.Workspace, origin *draft.Origin) (out draftJSON, err error) {
	table, err := sessions.Table(ws.Root)
	if table == nil {
		return out, err
	}
	w.Complain(err)
	q := sessions.Query{Session: o.Session, Agent: o.Agent, Dirs: []string{w.Dir, ws.Root}, Getenv: w.Getenv}
	if o.Transcript != "" {
		q.Transcript = w.Path(o.Transcript)
	}
	if isExported(q) {
		origin.Agent, origin.Source, origin.Command = exporter, exporter+" export "+q.Session, "handoff draft --session "+q.Session+" --all"
		f, err := exportFacts(ctx, w, q.Session)
		return draftJSON{Agent: exporter, Transcript: origin.Source, Facts: f}, err
	}
	if f := readExport(q); f != nil {
		nameSource(w.Getenv, origin, ws, exporter, q.Transcript)
		return draftJSON{Agent: exporter, Transcript: q.Transcript, Facts: f}, nil
	}
	named, err := namedHere(ctx, w, ws, table, &q)
	if err != nil {
		return out, err
	}
	origin.Why = named.Why
	s, err := sessions.Find(table, q)
	if err != nil {
		if q.Transcript == "" && strings.HasPrefix(q.Agent, exporter) {
			err = errors.New("OpenCode keeps its sessions in a database: name one, `handoff draft --session ID`; `opencode session list` has the ids")
		}
		return out, err
	}
	f, err := author.Facts(s)
	if err != nil {
		return out, fmt.Errorf("%s: %w", s.File.Path, err)
	}
	nameSource(w.Getenv, origin, ws, s.Agent.Name, s.File.Path)
	return draftJSON{Agent: s.Agent.Name, Transcript: s.File.Path, Facts: f, session: receipt.Session{Host: s.Agent.Name, ID: cmp.Or(named.ID, f.Session)}}, nil
}

// nameSource records in an origin which file of which agent it is.
func nameSource(getenv func(string) string, origin *draft.Origin, ws *workspace.Workspace, agent, path string) {
	origin.Agent, origin.Source = agent, draft.Source(ws.Root, getenv("HOME"), path)
	origin.Command = "handoff draft --transcript " + origin.Source + " --all"
}

// writeDraft writes the draft as a handoff.
func writeDraft(ctx context.Context, w *command.Process, o *draftOptions, ws *workspace.Workspace, origin draft.Origin, out draftJSON) error {
	if err := command.Fence(ctx, w, ws, &origin.Task); err != nil {
		return err
	}
	req := create.Request{Values: templates.Values{Task: origin.Task, Named: origin.Named, Phase: origin.Phase}, Slug: o.slug}
	switch beside, held := operations.Held(ctx, w, ws, req); {
	case held == nil:
		operations.SayOpen(w, beside)
	case ws.Config.New != nil && ws.Config.New.Replaces: // there the draft would take its place
		return command.SayRefused(w, held)
	default: // by the session that is drafted, as a rule
		w.Say("%s; nothing is superseded", command.Plain(held.Error()))
	}
	if o.carry {
		before, err := lastOf(ctx, ws, origin)
		if err != nil {
			return err
		}
		origin.Before = before
	}
	made, carried, err := draft.Write(ctx, ws, origin, out.Facts, o.slug)
	if err != nil {
		return err
	}
	w.Complain(unreported.Drafted(ctx, ws, out.session))
	command.Superseded(ctx, w, ws, made.Path)
	w.Complain(made.Unlinked)
	sayUnkept(ctx, w, ws, made)
	out.Path = w.Shown(ws, made.Path)
	out.Document = made.Doc.Source
	if !o.json {
		operations.SayLeft(w, out.Path, made.Findings, false)
		sayVanished(ctx, w, ws, made.Path, carried)
		sayDisplaced(w, ws, made.Displaced)
		sayOvertaken(w, ws, made.Overtaken, made.Path)
	}
	return w.Answer(o.json, out, out.Path+"\n")
}

// lastOf is the path of the last handoff of the task of a draft, "" if it has none or that is archived.
func lastOf(ctx context.Context, ws *workspace.Workspace, of draft.Origin) (path string, err error) {
	if of.Named != "" {
		list, err := documents.List(ctx, ws, documents.OfTask(0, of.Named))
		if len(list) == 0 {
			return "", err
		}
		return list[0].Path, nil
	}
	e, err := documents.Find(ctx, ws, ws.Root, strconv.Itoa(of.Task))
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Archived() {
		return "", nil
	}
	return e.Path, err
}
