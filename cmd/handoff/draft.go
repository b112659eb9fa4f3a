package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/agents/sessions"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/transcript/facts"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/draft"
)

func draftCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "draft",
		Usage:     "draft a handoff from an agent's transcript, without a model",
		UsageText: "handoff draft [flags]\n\nWithout --session or --transcript it reads the session that it runs in, or the newest one in this folder.",
		Description: "The draft has what the transcript shows: the user's first and last request, the files and lines\n" +
			"that were changed or read, the commands with their exit status, what failed again and again, the\n" +
			"open list of things to do, and git. Each line ends with its place, session.jsonl:LINE. What was\n" +
			"decided and what comes next is not in a transcript: a person or an agent fills that in. It prints\n" +
			"the draft, or writes it with --task or --output.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "the session with this `ID`"},
			&cli.StringFlag{Name: "transcript", Usage: "the session whose transcript, saved stream or export is `FILE`"},
			&cli.StringFlag{Name: "agent", Usage: "only sessions of agent `NAME`; with --transcript: the agent that wrote it"},
			atLeast(1, &cli.IntFlag{Name: "task", Usage: "write it as a handoff of task `N`"}),
			atLeast(1, &cli.IntFlag{Name: "phase", Value: 1, Usage: "number of the phase `P`"}),
			&cli.StringFlag{Name: "slug", Usage: "`WORDS` for the folder of a new task"},
			&cli.BoolFlag{Name: "carry", Usage: "keep what still holds of the task's last handoff: next step, dead ends, context"},
			&cli.StringFlag{Name: "output", Usage: "write it to `FILE`, - for stdout"},
			&cli.BoolFlag{Name: "all", Usage: "print everything, whatever its length, and requests with their line breaks"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON: the facts with their lines, and the text as document"},
		},
		Action: alone(w.inWorkspace(w.draft)),
	}
}

// draftJSON is what --json prints: see schema/draft.schema.json.
type draftJSON struct {
	Agent      string       `json:"agent"`
	Transcript string       `json:"transcript"`
	Facts      *facts.Facts `json:"facts"`
	Document   string       `json:"document"`
	Path       string       `json:"path,omitempty"` // of what was written
}

func (w *process) draft(c *cli.Context, ws *workspace.Workspace) error {
	if err := draftUsage(c); err != nil {
		return err
	}
	o := draft.Origin{All: c.Bool("all"), Task: c.Int("task"), Phase: c.Int("phase")}
	out, err := w.readSession(c, ws, &o)
	if err != nil {
		return err
	}
	if o.Task > 0 {
		return w.writeDraft(c, ws, o, out)
	}
	text, err := draft.Text(c.Context, ws, o, out.Facts)
	if err != nil {
		return err
	}
	out.Document = string(text)
	if file := c.String("output"); file != "" && file != "-" {
		out.Path = file
		if err := atomicfile.Write(nofollow.Named, w.path(file), text, 0o644); err != nil {
			return fmt.Errorf("--output: %w", err)
		}
		return w.result(c, out, file+"\n")
	}
	return w.result(c, out, out.Document)
}

func draftUsage(c *cli.Context) error {
	switch {
	case c.String("session") != "" && c.String("transcript") != "":
		return errors.New("--session and --transcript exclude each other")
	case c.Int("task") > 0 && c.String("output") != "":
		return errors.New("--task and --output exclude each other: --task writes into the folder of the task")
	case c.Int("task") > 0 && c.Bool("all"):
		return errors.New("--task and --all exclude each other: a handoff has one screen")
	case c.Int("task") == 0 && c.IsSet("slug"):
		return errors.New("--slug requires --task")
	case c.Int("task") == 0 && c.Bool("carry"):
		return errors.New("--carry requires --task")
	}
	return nil
}

// readSession reads the selected session, and records its place in the origin.
func (w *process) readSession(c *cli.Context, ws *workspace.Workspace, o *draft.Origin) (out draftJSON, err error) {
	table, err := sessions.Table(ws.Root)
	if table == nil {
		return out, err
	}
	w.complain(err)
	q := sessions.Query{Session: c.String("session"), Agent: c.String("agent"), Dirs: []string{w.dir, ws.Root}, Getenv: w.getenv}
	if file := c.String("transcript"); file != "" {
		q.Transcript = w.path(file)
	}
	if isExported(q) {
		o.Agent, o.Source, o.Command = exporter, exporter+" export "+q.Session, "handoff draft --session "+q.Session+" --all"
		f, err := w.exportFacts(c.Context, q.Session)
		return draftJSON{Agent: exporter, Transcript: o.Source, Facts: f}, err
	}
	if f := readExport(q); f != nil {
		w.nameSource(o, ws, exporter, q.Transcript)
		return draftJSON{Agent: exporter, Transcript: q.Transcript, Facts: f}, nil
	}
	s, err := sessions.Find(table, q)
	if err != nil {
		if q.Transcript == "" && strings.HasPrefix(q.Agent, exporter) {
			err = errors.New("OpenCode keeps its sessions in a database: name one, `handoff draft --session ID`; `opencode session list` has the ids")
		}
		return out, err
	}
	f, err := readFacts(s)
	if err != nil {
		return out, fmt.Errorf("%s: %w", s.File.Path, err)
	}
	w.nameSource(o, ws, s.Agent.Name, s.File.Path)
	return draftJSON{Agent: s.Agent.Name, Transcript: s.File.Path, Facts: f}, nil
}

// nameSource records in an origin which file of which agent it is.
func (w *process) nameSource(o *draft.Origin, ws *workspace.Workspace, agent, path string) {
	o.Agent, o.Source = agent, draft.Source(ws.Root, w.getenv("HOME"), path)
	o.Command = "handoff draft --transcript " + o.Source + " --all"
}

// readFacts reads the whole transcript.
func readFacts(s sessions.Session) (*facts.Facts, error) {
	src, err := regular.Open(s.File.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return facts.Read(src, s.File.Format)
}

// writeDraft writes the draft as a handoff.
func (w *process) writeDraft(c *cli.Context, ws *workspace.Workspace, o draft.Origin, out draftJSON) error {
	if err := w.fence(c, ws, &o.Task); err != nil {
		return err
	}
	if held := w.holder(c, ws, o.Task); held != nil { // by the session that is drafted, as a rule
		w.say("%s; nothing is superseded", plain(held.Error()))
	}
	if c.Bool("carry") {
		before, err := lastOf(c, ws, o.Task)
		if err != nil {
			return err
		}
		o.Before = before
	}
	made, carried, err := draft.Write(c.Context, ws, o, out.Facts, c.String("slug"))
	if err != nil {
		return err
	}
	w.superseded(c, ws, made.Path)
	w.complain(made.Unlinked)
	out.Path = w.shown(ws, made.Path)
	out.Document = made.Doc.Source
	if !c.Bool("json") {
		w.sayLeft(out.Path, made.Findings)
		w.sayVanished(c, ws, made.Path, carried)
		w.sayDisplaced(ws, made.Displaced)
	}
	return w.result(c, out, out.Path+"\n")
}

// lastOf is the path of the last handoff of a task, "" if it has none or that is archived.
func lastOf(c *cli.Context, ws *workspace.Workspace, task int) (path string, err error) {
	e, err := documents.Find(c.Context, ws, ws.Root, strconv.Itoa(task))
	if errors.Is(err, fs.ErrNotExist) || err == nil && e.Archived() {
		return "", nil
	}
	return e.Path, err
}
