package agents

import (
	"errors"
	"fmt"
	"strings"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/document/evidence"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/trust"
)

// trustOptions are the options of trust.
type trustOptions struct {
	show, revoke bool
}

// Trust is the command `handoff trust`.
func Trust(w *command.Process) *cli.Command {
	o := new(trustOptions)
	return &cli.Command{
		Name:      "trust",
		Usage:     "let a repository connect to its store and run its checks",
		UsageText: "handoff trust [DIR] [flags]\n\nDIR is a folder of the repository, the current one by default.",
		Description: "A repository can name a store, which receives receipts, threads and artifacts, and commands for `verify\n" +
			"--claims`, `new --facts` and agents at the level edit; it can have a template, which `new` executes, and entries of agents. Until you trust the\n" +
			"repository, nothing connects and nothing is run. This command shows what can act, and records that it may, outside of the\n" +
			"repository, for all its worktrees. If that changes, you are asked again. " + trust.Variable + " lists roots that need no record, for CI and containers.\n" +
			"To type the command is to agree: it does not ask. So it is for people: in a session of an agent it is refused.\n" +
			"Exit status of --show: 0 if everything may act, 1 if not.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "show", Destination: &o.show, Usage: "show what can act and whether it may, and record nothing"},
			&cli.BoolFlag{Name: "revoke", Destination: &o.revoke, Usage: "remove the record, for all worktrees of the repository"},
		},
		Action: func(c *cli.Context) error { return runTrust(w, o, command.ArgsOf(c)) },
	}
}

func runTrust(w *command.Process, o *trustOptions, args command.Arguments) error {
	switch {
	case len(args) > 1:
		return errors.New("trust takes one folder (`handoff trust --help` shows the usage)")
	case o.show && o.revoke:
		return errors.New("--show and --revoke exclude each other")
	case len(args) == 1:
		w.Dir = w.Path(args.First())
		if !workspace.IsDir(w.Dir) {
			return fmt.Errorf("%s: no such folder", args.First())
		}
	}
	ws, err := workspace.Open(w.Dir, w.Options()) // not w.open, which says that it belongs to another user
	if err != nil {
		return err
	}
	book := command.TrustBookOf(w)
	if !o.show {
		if err := isPerson(w.Getenv); err != nil {
			return err
		}
	}
	if o.revoke {
		return revokeTrust(w, book, ws)
	}
	s, err := book.Status(ws.Root, ws.Config)
	if err != nil && o.show {
		return err
	}
	if err := w.Print(trustText(ws, s)); err != nil {
		return err
	}
	if o.show {
		return command.Found(s.Trusted == trust.No || s.Trusted == trust.Changed)
	}
	if s.Trusted == trust.Unneeded {
		w.Say("nothing is recorded: what is added to it later needs your word then")
		return err
	}
	if _, err := book.Trust(ws.Root, ws.Config, w.Now()); err != nil {
		return err
	}
	w.Say("trusted until that changes (`%s` takes it back)", command.Plain(shellword.Join("handoff", "trust", "--revoke", s.Root)))
	return nil
}

// isPerson refuses an agent, at any level: it reads the errors that name this command, and
// would follow them. An agent can still unset the variables by which it is known; below the
// level all its host keeps it from writing the record.
func isPerson(getenv func(string) string) error {
	agent, ok := host.Agent(getenv)
	if !ok && getenv(agents.LevelVar) != "" {
		agent, ok = "an agent", true
	}
	if ok {
		return fmt.Errorf("this is a session of %s, and people decide what is trusted: ask your user to look at `handoff trust --show`, and to type `handoff trust` in a terminal of their own", agent)
	}
	return nil
}

func revokeTrust(w *command.Process, book *trust.Book, ws *workspace.Workspace) error {
	was, err := book.Revoke(ws.Root)
	if err != nil {
		return err
	}
	if !was {
		w.Say("%s: there is no record", command.Plain(ws.Root))
	}
	if s, err := book.Status(ws.Root, ws.Config); err == nil && s.Trusted == trust.Environment {
		w.Say("%s still trusts it", trust.Variable)
	}
	return nil
}

// trustText shows what can act in a workspace, in plain words.
func trustText(ws *workspace.Workspace, s trust.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", command.Plain(s.Root))
	if s.Owner >= 0 {
		fmt.Fprintf(&b, "belongs to   another user (uid %d)\n", s.Owner)
	}
	for _, a := range s.Acts {
		fmt.Fprintf(&b, "%s\n", command.Plain(actText(a)))
	}
	if len(s.Acts) == 0 {
		b.WriteString("acts         in no way: it has no store, no checks, no template and no agents\n")
	}
	if off := ws.Config.SwitchedOff(); len(off) > 0 {
		fmt.Fprintf(&b, "switches off %s: such text in its documents is not reported\n", strings.Join(off, ", "))
	}
	b.WriteString(trustedText(s) + "\n")
	return b.String()
}

// actText is what an act does.
func actText(a trust.Act) string {
	switch a.Kind {
	case trust.Store:
		return "connects to  " + a.What + ", which gets your credentials for stores, and receipts, threads, tapes and artifacts"
	case trust.Check:
		who := "agents at the level edit"
		if strings.HasSuffix(a.Typed(), " "+evidence.More) {
			who += ", with any arguments"
		}
		return "runs         " + a.Typed() + " (`verify --claims`, `new --facts`, " + who + ")"
	case trust.Template:
		return fmt.Sprintf("executes     the template %s (%.12s)", a.What, a.Sum)
	}
	return fmt.Sprintf("starts       the agent of %s, if you name that file; setup, doctor and hooks follow it (%.12s)", a.What, a.Sum)
}

func trustedText(s trust.Status) string {
	switch s.Trusted {
	case trust.Recorded:
		if s.Record.Root != s.Root {
			return "trusted      since " + s.Record.At.Format("2006-01-02 15:04") + ", as another worktree of the repository, " + command.Plain(s.Record.Root)
		}
		return "trusted      since " + s.Record.At.Format("2006-01-02 15:04")
	case trust.Environment:
		return "trusted      by " + trust.Variable
	case trust.Changed:
		return "trusted      no: it has changed since " + s.Record.At.Format("2006-01-02 15:04")
	case trust.Unneeded:
		return "trusted      not necessary"
	}
	return "trusted      no"
}
