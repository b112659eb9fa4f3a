// Package handoffs has the commands that write handoffs: init, new and draft, and what other commands need that
// write a document besides.
package handoffs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/text/shellword"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/log/receipt"
	"handoff/log/thread"
	"handoff/surface/author"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/command/operations"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/authoring"
	"handoff/workspace/create"
	"handoff/workspace/plans"
	"handoff/workspace/prove"
	"handoff/workspace/receipts"
	"handoff/workspace/threads"
)

// newOptions are the options of new.
type newOptions struct {
	DocumentOptions
	thread                                           *string
	seq                                              *int64
	from, replace, why, key, language                string
	edit, carry, facts, force, json, draft, unfenced bool
	given                                            []string                   // names of the flags that the user set
	again                                            func(from string) []string // the command line that continues with a file
}

// New is the command `handoff new`.
func New(w *command.Process) *cli.Command {
	o := new(newOptions)
	return &cli.Command{
		Name:  "new",
		Usage: "write a handoff and print its path",
		UsageText: "handoff new --task N --phase P --next-action TEXT --file PATH … [flags]\n" +
			"handoff new --from - [flags] < values.yaml\n" +
			"handoff new --task N --from document.md\n" +
			"handoff new --task N --phase P --edit",
		Description: "The name has the current time. A document with lint errors is not written, unless you pass\n" +
			"--draft. For a section without content pass \"None\", or an empty list in a file.\n" +
			"A Markdown document is written unchanged, except that its title gets the phase and the time. Task and phase can\n" +
			"be in its frontmatter, the phase also in its title.\n" +
			"--edit opens $VISUAL or $EDITOR, else git's editor. If you change nothing there, nothing is written.\n" +
			"On a terminal and without flags, it asks for task, phase, next action and file, and opens the editor for the rest.\n" +
			"Without --idempotency-key, repeating a call writes another handoff. With it, the call prints the path of the first\n" +
			"one, for a week; with other values it is refused. Choose a new key for each handoff of a task.\n" +
			"There is no --server, because it reads git, threads and an editor of this machine. Programs write a handoff of a\n" +
			"server with POST /specs/N/handoffs.",
		Flags: command.Flags(DocumentFlags(&o.DocumentOptions),
			&cli.StringFlag{Name: "thread", Action: command.Some(&o.thread), Usage: "`THREAD`  the thread that the handoff comes from"},
			&cli.Int64Flag{Name: "seq", Action: command.Some(&o.seq), Usage: "`N`  the last event of the thread that the handoff covers"},
			&cli.StringFlag{Name: "from", Destination: &o.from, Usage: "`FILE`  read JSON or YAML values ('handoff schema new') or a Markdown document; - for standard input"},
			&cli.BoolFlag{Name: "edit", Destination: &o.edit, Usage: "open it in an editor before it is checked"},
			&cli.StringFlag{Name: "replace", Destination: &o.replace, Usage: "`REF`  the handoff of the same task to supersede; it stays where it is. In a layout with one file, replace that even if it was not taken up"},
			&cli.BoolFlag{Name: "carry", Destination: &o.carry, Usage: "take over dead ends and context of the last handoff that are not given"},
			&cli.BoolFlag{Name: "facts", Destination: &o.facts, Usage: "add branch, commit, changed files, open objectives and the result of the tests to the current state"},
			operations.DraftFlag(&o.draft),
			&cli.StringFlag{Name: "lang", Destination: &o.language, Usage: "`LANG`  language of headings and placeholders: " + templates.Languages()},
			unfencedFlag(&o.unfenced),
			command.KeyFlag(&o.key),
			&cli.BoolFlag{Name: "force", Destination: &o.force, Usage: "write it although somebody else holds the last handoff, and take that over; needs --why"},
			&cli.StringFlag{Name: "why", Destination: &o.why, Usage: "`TEXT`  reason, required by --force"},
			cli.JSON(&o.json, "print {\"path\": …, \"findings\": […]}", cli.Prints[writtenJSON]("written"))),
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return unplaced(c.Args().First())
			}
			return w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
				o.given = command.GivenNames(c)
				o.again = func(from string) []string { return commandLine(c, "from", from) }
				return runNew(c.Context, w, o, ws)
			})(c)
		},
	}
}

// unplaced is the error for an argument, with the flag that it was meant for: other tools take a task or a text.
func unplaced(argument string) error {
	flag := "--next-action"
	n, width, _ := handoff.ParseTask(argument)
	switch _, err := strconv.Atoi(argument); {
	case width > 0:
		argument, flag = strconv.Itoa(n), "--task"
	case err == nil:
		flag = "--task"
	case !strings.Contains(argument, " ") && strings.HasSuffix(argument, ".md"):
		flag = "--from"
	}
	return fmt.Errorf("new takes no argument: %s %s (`handoff new --help` shows the usage)", flag, shellword.Quote(argument))
}

func unfencedFlag(to *bool) cli.Flag {
	return &cli.BoolFlag{Name: "unfenced", Destination: to, Usage: "if the store cannot say whether your claim is stale, write the document anyway, and mark it"}
}

// DocumentOptions are the content of a document; nil is what is not given.
type DocumentOptions struct {
	operations.DocumentPlace
	nextAction, file, location, goal, profile            *string
	decisions, deviations, deadEnds, context, references *[]string
	understand, waitingFor, background                   *[]string
}

// DocumentFlags set the content of a document.
func DocumentFlags(o *DocumentOptions) []cli.Flag {
	text := func(to **string, name, usage string) cli.Flag {
		return &cli.StringFlag{Name: name, Action: command.Some(to), Usage: usage}
	}
	list := func(to **[]string, name, usage string) cli.Flag {
		return &cli.StringSliceFlag{Name: name, Action: command.Some(to), Usage: usage}
	}
	return command.Flags(operations.PlaceFlags(&o.DocumentPlace),
		text(&o.nextAction, "next-action", "`TEXT`  the one step to take next"),
		text(&o.file, "file", "`PATH`  the file being worked on"),
		text(&o.location, "location", "`WHERE`  place in that file, such as \"Line 342, inside parse\""),
		text(&o.goal, "goal", "`TEXT`  the goal, the expected output or the state of the work"),
		list(&o.decisions, "decision", "`TEXT`  a key decision, as \"what: why\"; repeat for more, at most 4"),
		list(&o.deviations, "deviation", "`TEXT`  a deviation from the plan; repeat for more"),
		list(&o.deadEnds, "dead-end", "`TEXT`  what failed, as \"what: why it failed\"; repeat for more, at most 4"),
		list(&o.context, "context", "`TEXT`  a fact to know; repeat for more, at most 5"),
		list(&o.references, "reference", "`TEXT`  a document to read only if stuck; repeat for more, at most 3"),
		list(&o.understand, "understand-first", "`TEXT`  what a successor must understand before it starts; repeat for more, at most 3"),
		list(&o.waitingFor, "waiting-for", "`TEXT`  whom the work waits for, as \"who: what\"; repeat for more, at most 3"),
		list(&o.background, "left-running", "`TEXT`  what still runs, as \"`command`: since when, log `path`, pid N\"; repeat for more, at most 3"),
		text(&o.profile, "profile", "`KIND`  kind of document: handoff or completion"),
	)
}

func runNew(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace) error {
	if len(o.given) == 0 && w.PersonPresent() {
		if err := asks(ctx, w, o, ws); err != nil {
			return err
		}
	}
	var piped []byte
	in, err := draftFrom(w, o, &piped)
	if err == nil {
		err = plans.Named(ws, &in.Values.Named, &in.Values.Task)
	}
	if err == nil && o.thread != nil {
		in.Values.Thread, err = threadNamed(ctx, ws, in.Values.Thread)
	}
	if err == nil {
		err = writeNew(ctx, w, o, ws, in)
	}
	// Unlike findings, a claim that forbids it is nothing the caller could have written better.
	claimed, forbidden := errors.AsType[*authoring.ClaimedError](err)
	if forbidden {
		err = sayForbidden(w, claimed)
	}
	if err != nil && (forbidden || !errors.As(err, new(command.Exit))) {
		keepPiped(w, piped, o.again)
	}
	return err
}

// threadNamed is the id of the thread that ref names. It may be one of another workspace: then
// ref is its id.
func threadNamed(ctx context.Context, ws *workspace.Workspace, ref string) (string, error) {
	t, err := threads.In(ctx, ws, false)
	if err != nil && thread.CheckID(ref) == nil {
		return ref, nil // what is handed over must not wait for a store
	}
	if err != nil {
		return ref, command.ThreadError(err)
	}
	defer t.Close()
	id, err := t.Find(ctx, ref)
	if errors.Is(err, fs.ErrNotExist) && thread.CheckID(ref) == nil {
		return ref, nil
	}
	return id, command.ThreadError(err)
}

// writeNew writes the handoff and prints its path.
func writeNew(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, in *create.Draft) error {
	if err := ws.Choice(); err != nil {
		return err
	}
	if in.Values.Task == 0 && in.Values.Named == "" && in.Values.Phase == 0 && o.replace == "" && ws.Config.New == nil {
		return errors.New("new needs a task and a phase: --task N --phase P (the first: --task 1 --phase 1 --slug WORDS)")
	}
	kept := ""
	req, err := newRequest(ctx, w, o, ws, in, &kept)
	if err != nil {
		return err
	}
	made, err := authoring.Run(ctx, ws, req)
	var refused *create.RefusedError
	if errors.As(err, &refused) {
		w.Because(err)
		operations.ExplainRefusal(w, refused, func(f lint.Finding) string {
			if kept != "" {
				return operations.LineOf(kept, f)
			}
			return placeOf(in, refused.Doc, f)
		})
		sayKept(w, o, in, kept)
		return command.Exit(command.Findings)
	}
	if errors.Is(err, errUnchanged) {
		w.Complain(err)
		return command.Exit(command.Findings)
	}
	if err != nil {
		sayKept(w, o, in, kept)
		return err
	}
	sayAfter(w, &made)
	w.Complain(made.Unlinked)
	sayUnkept(ctx, w, ws, made.Created)
	dropText(kept)
	shown := w.Shown(ws, made.Path)
	if made.Existed {
		w.Say("an earlier call with this idempotency key has written it")
	} else if !o.json {
		operations.SayLeft(w, shown, made.Findings, true)
		sayVanished(ctx, w, ws, made.Path, made.Carried)
		operations.SayOpen(w, made.Beside)
		for _, path := range made.Assumed {
			w.Say("it continues %s, which a program without a session and a terminal claimed here (if that was another agent than you, tell it)", command.Plain(w.Shown(ws, path)))
		}
		sayDisplaced(w, ws, made.Displaced)
		sayOvertaken(w, ws, made.Overtaken, made.Path)
	}
	if made.Overtaken != "" {
		made.Overtaken = w.Shown(ws, made.Overtaken)
	}
	if made.Displaced != "" {
		made.Displaced = w.Shown(ws, made.Displaced)
	}
	return w.Answer(o.json, newJSON(shown, made), shown+"\n")
}

// newRequest is the handoff that the user asks for. kept becomes the file with the text
// of an editor.
func newRequest(ctx context.Context, w *command.Process, o *newOptions, ws *workspace.Workspace, in *create.Draft, kept *string) (req authoring.Request, err error) {
	switch {
	case slices.Contains(o.given, "replace") && o.replace == "":
		return req, errors.New("--replace is empty: name the handoff to replace, or leave it out")
	case o.force && strings.TrimSpace(o.why) == "":
		return req, errors.New("--force needs a reason: --why TEXT")
	case o.key != "" && o.edit:
		return req, errors.New("--idempotency-key and --edit exclude each other")
	}
	req = authoring.Request{
		Request: create.Request{Values: in.Values, Slug: in.Slug, Draft: o.draft, Markdown: in.Markdown, Replace: o.replace, Unfenced: o.unfenced, Language: o.language},
		Carry:   o.carry, Key: o.key, Facts: o.facts, Who: w.Caller(), Dir: w.Dir, How: "handoff new --replace",
		Session: func(ctx context.Context) (func(*handoff.Document) string, []string) {
			return author.Marks(ctx, w.Getenv, ws)
		},
		Written: func(path string) { command.SayOtherTask(ctx, w, ws, path) },
	}
	if o.force {
		req.Force = new(operations.HandoffsIn(w, ws).Request(receipts.ClaimRequest{As: command.CallerName(w.Getenv), Force: true, Why: o.why}))
	}
	if o.facts {
		req.Prepare = func(r *create.Request) error { return addFacts(ctx, w, ws, r) }
	}
	if o.edit {
		req.Edit = func(src []byte) (edited []byte, err error) {
			edited, *kept, err = edit(ctx, w, src)
			return edited, err
		}
	}
	return req, nil
}

// addFacts adds what a person or an agent should not type to the current state.
func addFacts(ctx context.Context, w *command.Process, ws *workspace.Workspace, r *create.Request) error {
	dirs, err := ws.TasksOf(ctx, w.Dir, strconv.Itoa(r.Values.Task))
	if err != nil || len(dirs) == 0 {
		dirs = []string{""} // a new task has no objectives yet
	}
	lines := prove.Facts(ctx, ws, dirs[0], r.Values.Phase)
	tests, err := command.During(w, "running the tests", func() ([]string, error) { return prove.Tests(ctx, ws) })
	if err != nil {
		return err
	}
	lines = append(lines, tests...)
	if r.Values.Bodies == nil {
		r.Values.Bodies = map[handoff.Kind]string{}
	}
	r.Values.Bodies[handoff.CurrentState] = strings.Join(lines, "\n")
	return nil
}

func newJSON(path string, made authoring.Result) writtenJSON {
	return writtenJSON{path, report.Shorts(made.Findings), made.Displaced, made.Overtaken, heldPaths(made.Beside), made.Work.Name}
}

// writtenJSON is what new --json prints.
type writtenJSON struct {
	Path     string         `json:"path"`
	Findings []report.Short `json:"findings"`
	// Displaced is where the handoff is kept that this one replaced before anybody took it up.
	Displaced string `json:"displaced,omitempty"`
	// Overtaken is the handoff of the task that was still waiting and no longer does.
	Overtaken string `json:"overtaken,omitempty"`
	// Beside are the handoffs that others hold and this one does not continue: they stay open.
	Beside []string `json:"beside,omitempty"`
	// Work is the uncommitted work that is kept with it, for `handoff restore`.
	Work string `json:"work,omitempty"`
}

// heldPaths are the handoffs that others hold.
func heldPaths(held []*receipt.HeldError) (paths []string) {
	for _, one := range held {
		paths = append(paths, one.Path)
	}
	return paths
}
