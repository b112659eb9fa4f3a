package agents

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/config"
	"handoff/workspace/documents"
	"handoff/workspace/plans"
	"handoff/workspace/scaffold"
	"handoff/workspace/trust"
)

// initOptions are the options of init.
type initOptions struct {
	preset                    string
	gitHook, template, remove bool
	local, untilMerge, json   bool
}

// Init is the command `handoff init`.
func Init(w *command.Process) *cli.Command {
	o := new(initOptions)
	return &cli.Command{
		Name:  "init",
		Usage: "set up a tree for handoffs",
		Description: "Creates .handoff.yaml, and specs/ unless the tree already has handoffs somewhere: HANDOFF.md and its\n" +
			"relatives, docs/handoffs, thoughts/, memory-bank/, .planning/ and others are used where they are.\n" +
			"If they are in several places, init names them and creates nothing: --preset chooses one, by its name or\n" +
			"by its path (--preset docs/HANDOFF.md). Existing files are kept, so init can be repeated.\n" +
			"If most of them are in another language than English, `language:` has new ones written in it.\n" +
			"--remove deletes what init created, unless somebody changed it since.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "preset", Destination: &o.preset, Usage: "`NAME`  where handoffs are: " + strings.Join(task.PresetNames(), ", ")},
			&cli.BoolFlag{Name: "git-hook", Destination: &o.gitHook, Usage: "check staged handoffs before each commit and merge; also by husky, lefthook or pre-commit"},
			&cli.BoolFlag{Name: "template", Destination: &o.template, Usage: "write the document template to .handoff/templates, for changes"},
			&cli.BoolFlag{Name: "local", Destination: &o.local, Usage: "keep handoffs out of git, by .git/info/exclude: each clone has its own"},
			&cli.BoolFlag{Name: "until-merge", Destination: &o.untilMerge, Usage: "keep handoffs on their branch: 'handoff verify' fails for one that is merged"},
			&cli.BoolFlag{Name: "remove", Destination: &o.remove, Usage: "delete what init created"},
			cli.JSON(&o.json, "print JSON ('handoff schema init')", cli.Published("init")),
		},
		Action: command.Alone(func(c *cli.Context) error { return runInit(c.Context, w, o) }),
	}
}

func runInit(ctx context.Context, w *command.Process, o *initOptions) error {
	branch, err := mergedInto(ctx, w, o)
	if err != nil {
		return err
	}
	own, before := o.template && !o.remove && mayTrust(w), rootOf(w)
	steps, err := scaffold.Run(ctx, scaffold.Request{
		Root:     w.Dir,
		GitHook:  o.gitHook,
		Template: o.template,
		Remove:   o.remove,
		Preset:   o.preset,
		Local:    o.local, UntilMerge: branch, Language: languageHere(ctx, w, o),
	})
	if own && err == nil {
		err = trustOwn(w)
	}
	here := handoffsOf(ctx, w)
	if done := initResultOf(o, steps, here, err); !o.json {
		done.print(w)
	} else if err == nil || len(steps) > 0 { // without a step, why there is none is what is printed
		if err := command.WriteJSON(w.Stdout, done); err != nil {
			return err
		}
	}
	if err == nil && !o.remove {
		sayWhere(w, steps, before)
		offerBaseline(w, here)
		sayUnreported(ctx, w, w.Dir)
	}
	if ws, unopened := w.Here(); err == nil && unopened == nil && !o.remove {
		sayCommitted(ctx, w, ws)
		if plan := plans.Line(ws); plan != "" {
			w.Say("%s", command.Plain(plan))
		}
	}
	return err
}

// languageHere is the language of most handoffs that a tree without a configuration has; "" for English, and for none.
func languageHere(ctx context.Context, w *command.Process, o *initOptions) string {
	if _, err := os.Lstat(filepath.Join(w.Dir, config.File)); err == nil || o.remove {
		return ""
	}
	options := w.Options()
	options.Say = nil // what there is to say of the workspace, others say
	ws, err := workspace.Open(w.Dir, options)
	if err != nil {
		return ""
	}
	defer ws.Close()
	const most = 50 // documents are looked at
	list, _ := documents.Paths(ctx, ws, documents.Filter{})
	var docs []*handoff.Document
	for _, e := range list[:min(len(list), most)] {
		if doc, err := documents.ReadInside(ws, e); err == nil {
			docs = append(docs, doc)
		}
	}
	return scaffold.LanguageOf(docs)
}

// mergedInto is the branch that others are merged into, for --until-merge; "" without that.
func mergedInto(ctx context.Context, w *command.Process, o *initOptions) (string, error) {
	switch {
	case !o.local && !o.untilMerge || o.remove:
		return "", nil
	case o.local && o.untilMerge:
		return "", errors.New("handoffs that are never committed are on no branch: give --local or --until-merge")
	case regular.GitTop(w.Dir) == "":
		return "", errors.New("not in a git repository: there is no branch, and nothing is committed")
	case o.local:
		return "", nil
	}
	branch, err := gitindex.Main(ctx, w.Dir)
	if err == nil && branch == "" {
		err = errors.New("no branch is checked out: write `until_merge: BRANCH` to .handoff.yaml")
	}
	return branch, err
}

// sayCommitted reports handoffs that git has, although they are to stay out of it.
func sayCommitted(ctx context.Context, w *command.Process, ws *workspace.Workspace) {
	if !ws.Config.Local {
		return
	}
	list, _ := documents.Paths(ctx, ws, documents.Filter{})
	var paths []string
	for _, e := range list {
		paths = append(paths, e.Path)
	}
	if n, err := ws.Committed(ctx, paths); err == nil && n > 0 {
		w.Say("git has %s already, and keeps what it has: `git rm --cached -- PATH` takes a file out of the next commit and leaves it here", command.Plural(n, "handoff"))
	}
}

// offerBaseline tells how to leave out the findings of a tree that already has many handoffs.
func offerBaseline(w *command.Process, here handoffsHere) {
	if here.number >= command.ManyOld {
		w.Say("%d handoffs are here already: if `handoff lint` finds too much in them, `%s` leaves out what is known", here.number, command.BeginBaseline)
	}
}

// mayTrust reports whether nothing can act here that the user has not trusted. Then what
// a command of his adds is his own word, too.
func mayTrust(w *command.Process) bool {
	ws, err := workspace.Open(w.Dir, w.Options())
	return err == nil && ws.Root == w.Dir && ws.MayAct() == nil
}

// trustOwn records that what the user has just added may act. Without a place for that he
// is asked when it is used.
func trustOwn(w *command.Process) error {
	ws, err := workspace.Open(w.Dir, w.Options())
	if err != nil {
		return err
	}
	_, err = command.TrustBookOf(w).Trust(ws.Root, ws.Config, w.Now())
	switch {
	case errors.Is(err, trust.ErrInside):
		w.Complain(err) // the template waits for it; all else works
		return nil
	case errors.Is(err, trust.ErrNoPlace):
		return nil
	}
	return err
}
