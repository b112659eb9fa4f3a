package relays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"time"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/log/receipt"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/settings"
	"handoff/workspace/spawn"
	"handoff/workspace/spawn/meter"
)

// spawnOptions are the options of spawn. again and inWindow are the flags that the user set, for a command
// that starts the agent again, and for one that runs in a window of tmux.
type spawnOptions struct {
	settingsOptions
	agent, via, level        string
	print, budgetGiven, json bool
	ttl                      time.Duration
	budget                   int
	allow, again, inWindow   []string
	ignoreLimit              bool
}

// Spawn is the command `handoff spawn`.
func Spawn(w *command.Process) *cli.Command {
	o := new(spawnOptions)
	return &cli.Command{
		Name:  "spawn",
		Usage: "start an agent that continues a handoff",
		UsageText: "handoff spawn REF [flags] [-- ARG …]\n\n" + command.RefHelp +
			" ARG is passed on to the agent.",
		Description: "Claims the handoff for the agent, and starts the agent in the workspace with the brief on standard\n" +
			"input, HANDOFF_REF and HANDOFF_CLAIM. The lease is renewed until the agent ends. If the work is not\n" +
			"finished then, the claim is released with the reason. The agent's last text is printed; its whole\n" +
			"output is kept as a run of a thread. SIGINT, SIGTERM and SIGHUP are passed on to the agent.\n" +
			"At the level edit, Claude Code, Codex and Gemini CLI may also run the handoff commands that a successor needs.\n" +
			"Exit status: 0 if the handoff is done or the agent wrote the next one; 1 if the agent ended before, or\n" +
			"the claim is refused; 2 for an error; 128 plus the number of the signal that ended it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Destination: &o.agent, Usage: "`NAME`  the agent: one that `handoff agents` lists, or the workspace's own, .handoff/agents/NAME.yaml", DefaultText: "the installed one, if there is only one"},
			&cli.StringFlag{Name: "via", Destination: &o.via, Value: "auto", Usage: "`HOW`  how it is started: " + viaHelp},
			&cli.BoolFlag{Name: "print", Destination: &o.print, Usage: "start nothing: print the prompt, and the command on stderr"},
			&cli.StringFlag{Name: "level", Destination: &o.level, Value: string(agents.Edit), Usage: "`LEVEL`  what it may do without asking: read, edit or all"},
			&cli.DurationFlag{Name: "ttl", Destination: &o.ttl, Value: spawn.LeaseTime, Usage: "`TIME`  how long the lease lasts if handoff is killed, 1s to 744h"},
			command.AtLeast(1, &cli.IntFlag{Name: "budget", Destination: &o.budget, Action: command.Noting[int](&o.budgetGiven), Usage: "`N`  tokens after which the agent is asked for a handoff and then ended: those of all its calls, cached ones included"}),
			ignoreLimitFlag(&o.ignoreLimit), allowFlag(&o.allow), restoreFlag(&o.settingsOptions), keepFlag(&o.settingsOptions),
			cli.JSON(&o.json, "print one JSON object per line for each event, and one for the end",
				cli.PrintsLines[meter.Event]("spawn").Or(cli.Prints[ended]("")), cli.Prints[spawn.Job]("spawn-print")),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.again = command.Repeated(c, "via", "ttl", "budget", "restore-settings")
			o.inWindow = command.Repeated(c, "budget", "ignore-limit", "restore-settings", "keep-settings")
			return runSpawn(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runSpawn(ctx context.Context, w *command.Process, o *spawnOptions, ws *workspace.Workspace, args command.Arguments) error {
	if len(args) == 0 {
		return errors.New("spawn needs one handoff: a path, 259/3 (task/phase), 259 or latest (`handoff next` shows what waits)")
	}
	defer command.DrainBeside(ctx, w, ws)()
	r := spawn.Request{Dir: w.Dir, Ref: args.First(), Claim: command.ClaimOn(ctx, w, ws, args), Level: agents.Level(o.level), Args: args.Tail()}
	var err error
	r.Allow = o.allow
	if err = checkAllowed(r.Level, r.Allow); err != nil {
		return err
	}
	if r.Agent, err = successor(w, ws, o.agent, r.Level); err != nil {
		return err
	}
	via, err := wayOf(o, &r)
	if err != nil {
		return err
	}
	if err := spawnBudget(o.budgetGiven, r.Agent); err != nil {
		return err
	}
	j, err := spawn.Prepare(ctx, ws, r)
	if err != nil {
		return err
	}
	if via == viaTmux {
		return spawnInTmux(w, o, j, ws.Root, r.Claim, args)
	}
	sayChecks(w, ws, r.Agent, r.Level)
	if via == viaPrint {
		return printJob(w, o.json, j, r.Agent)
	}
	g, err := guardSettings(w, &o.settingsOptions, ws, r.Level)
	if err != nil {
		return err
	}
	return runJob(ctx, w, o, j, r.Agent, g, args)
}

// spawnBudget checks --budget.
func spawnBudget(given bool, a agents.Agent) error {
	if given && !reportsTokens(a) {
		return fmt.Errorf("%s does not report the tokens that it uses: leave --budget out", a.Name)
	}
	return nil
}

// reportsTokens reports whether the tokens that an agent uses can be read at all.
func reportsTokens(a agents.Agent) bool { return a.Stream != "text" || a.Transcripts.Format != "" }

// successor is the agent that is started. A workspace's entry that starts
// another command than the built-in one is a choice of the repository: the user
// has to name its file.
func successor(w *command.Process, ws *workspace.Workspace, name string, level agents.Level) (agents.Agent, error) {
	table, err := sessions.Table(ws.Root)
	if table == nil {
		return agents.Agent{}, err
	}
	w.Complain(err)
	if name == "" {
		if name, err = onlyInstalled(table); err != nil {
			return agents.Agent{}, err
		}
	}
	a, err := command.AgentNamed(table, name)
	if err != nil {
		return agents.Agent{}, err
	}
	if _, named := command.AgentEntry(name); !named && changesCommand(a, level) {
		file := sessions.Overrides + "/" + a.Name + ".yaml"
		return a, fmt.Errorf("%s: %s chooses the command: look at it (`handoff agents %s`), then pass --agent %s", a.Name, file, shellword.Quote(a.Name), shellword.Quote(file))
	}
	place, err := receipt.Locate(ws.Root)
	return a.Within(place.Dir, spawn.RulesFolder(w.Getenv)), err
}

// changesCommand reports whether an entry of the workspace starts another
// command than the built-in entry of that name.
func changesCommand(a agents.Agent, level agents.Level) bool {
	if !a.Overridden {
		return false
	}
	b, err := agents.Builtin(a.Name)
	if err != nil || a.Program != b.Program || a.Prompt != b.Prompt {
		return true
	}
	mine, built := a.Permissions, b.Permissions
	if !reflect.DeepEqual(a.ACP, b.ACP) || !reflect.DeepEqual(mine.Env, built.Env) || !slices.Equal(mine.Unkept, built.Unkept) || mine.Allow != built.Allow || mine.Exact != built.Exact || mine.Rules != built.Rules {
		return true
	}
	if len(a.Shell) > 0 && !slices.Equal(a.Shell, b.Shell) { // without it nothing is asked
		return true
	}
	for _, call := range []agents.Call{{Level: level}, {Level: level, Resume: true, Session: "s"}} {
		mine, err := a.Args(call)
		built, builtErr := b.Args(call)
		if (err == nil) != (builtErr == nil) || !slices.Equal(mine, built) {
			return true
		}
	}
	return false
}

// onlyInstalled returns the agent to start if none is named: the only one that is
// installed, of those tried with handoff.
func onlyInstalled(table []agents.Agent) (string, error) {
	var found []string
	for _, a := range table {
		if _, err := exec.LookPath(a.Program); err == nil && a.Tried.Version != "" && !a.Overridden {
			found = append(found, a.Name)
		}
	}
	switch len(found) {
	case 0:
		return "", errors.New("which agent? None of those that were tried is installed: name one with --agent NAME (`handoff agents` lists them)")
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("which agent? Installed are %s: name one with --agent NAME", strings.Join(found, ", "))
}

func printJob(w *command.Process, asJSON bool, j *spawn.Job, a agents.Agent) error {
	if asJSON {
		return command.WriteJSON(w.Stdout, j)
	}
	input := ""
	if a.Prompt == agents.Stdin {
		input = " < PROMPT"
	}
	w.Say("to start it: HANDOFF_CLAIM=$(handoff claim %s --as %s) && export HANDOFF_CLAIM && %s%s", command.Plain(shellword.Quote(j.Path)), command.Plain(shellword.Quote(j.Agent)), command.Plain(shellword.Join(j.Command...)), input)
	_, err := io.WriteString(w.Stdout, j.Prompt)
	return err
}

func runJob(ctx context.Context, w *command.Process, o *spawnOptions, j *spawn.Job, a agents.Agent, g *settingsGuard, args command.Arguments) error {
	ctx, stop := command.WhileRunning(ctx, w) // let the agent end, and release the claim
	defer stop()
	show := spawnEvents{Process: w, json: o.json, terminal: command.IsTerminal(w.Stderr)}
	out, err := j.Run(ctx, spawn.Options{TTL: o.ttl, Budget: o.budget, Getenv: w.Getenv, Event: show.event, Stderr: w.Stderr, IgnoreLimit: o.ignoreLimit,
		Check: func() error { return g.unchanged(j.Agent) }})
	changed := g.unchanged(j.Agent)
	if err != nil {
		if _, said := errors.AsType[*settings.ChangedError](err); !said {
			w.Complain(changed)
		}
		return command.SayRefused(w, err)
	}
	if err := show.end(out); err != nil && !errors.Is(err, syscall.EPIPE) {
		return err
	}
	w.Complain(changed)
	if out.Finished() {
		return command.Found(changed != nil)
	}
	sayUnfinished(w, o, j, out, a, args)
	if out.Run.Reason == runner.Cancelled && ctx.Err() != nil {
		return command.EndOf(ctx, out.Run)
	}
	return command.Exit(command.Findings)
}

// sayUnfinished prints why the work is not finished, and how to continue it.
func sayUnfinished(w *command.Process, o *spawnOptions, j *spawn.Job, out spawn.Outcome, a agents.Agent, args command.Arguments) {
	w.Say("%s", command.Plain(out.Why))
	if out.Unlinked != "" {
		w.Say("%s", command.Plain(out.Unlinked))
	}
	again := ""
	if out.State != receipt.Claimed {
		line := []string{"handoff", "spawn", j.Path, "--agent", cmp.Or(o.agent, a.Name), "--level", o.level}
		line = slices.Concat(line, o.again, allowArgs(j.Allow))
		if more := args.Tail(); len(more) > 0 {
			line = slices.Concat(line, []string{"--"}, more)
		}
		again = " to start again: `" + shellword.Join(line...) + "`;"
	}
	w.Say("%s is %s;%s output: `handoff thread show %s`", command.Plain(j.Path), out.State, command.Plain(again), out.ThreadID)
	if out.Session == "" || a.Program == "" {
		return
	}
	if line, err := j.Resumed(out.Session); err == nil {
		w.Say("its session: `%s`", command.Plain(shellword.Join(line...)))
	}
}

// spawnEvents shows what an agent does.
type spawnEvents struct {
	*command.Process
	json, terminal bool
	text           string // shown once it is not the last one, which is the result
	outErr         error
}

func (s *spawnEvents) event(e meter.Event) {
	switch {
	case s.json:
		if s.outErr == nil {
			s.outErr = command.WriteLine(s.Stdout, e)
		}
	case e.Kind == "lost":
		s.flush()
		s.Say("the record of this turn is incomplete: it was %s", command.Plain(e.Text))
	case !s.terminal:
	case e.Kind == "text":
		s.text += e.Text
	default:
		s.flush()
		fmt.Fprintln(s.Stderr, command.Plain(described(e)))
	}
}

// flush shows the text that the agent has printed so far.
func (s *spawnEvents) flush() {
	if text := strings.TrimSpace(s.text); text != "" {
		fmt.Fprintln(s.Stderr, text)
	}
	s.text = ""
}

// described is an event on one line.
func described(e meter.Event) string {
	switch e.Kind {
	case "tool":
		return "  " + strings.TrimSpace(e.Tool+" "+e.On)
	case "tokens":
		return "  " + say.Number(e.Tokens) + " tokens"
	}
	return "  session " + e.Session
}

// ended is the last line of --json.
type ended struct {
	Kind string `json:"event" enum:"end"`
	spawn.Outcome
}

// end prints the result: the agent's last text, or the outcome.
func (s *spawnEvents) end(out spawn.Outcome) error {
	if s.json {
		return cmp.Or(s.outErr, command.WriteLine(s.Stdout, ended{"end", out}))
	}
	if out.Said == "" {
		return nil
	}
	_, err := fmt.Fprintln(s.Stdout, out.Said)
	return err
}
