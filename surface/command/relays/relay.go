// Package relays has the commands that start agents: spawn, relay and acp.
package relays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/agents/sessions"
	"handoff/internal/text/shellword"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
	"handoff/workspace/plans"
	"handoff/workspace/receipts"
	"handoff/workspace/relay"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/spawn/meter"
)

// relayOptions are the options of relay.
type relayOptions struct {
	settingsOptions
	agent, via, slug, level, resume string
	answer                          string
	then, allow, until              []string
	leaveUncommitted                bool
	task, maxContinuations, budget  int
	number                          *int
	named                           *string // of the task, as its plan calls it
	budgetUSD                       float64
	budgetUSDGiven, list, json      bool
	limitOptions
	kept []string // the flags that the user set of those that a resumed relay keeps
}

// keptByResume are the flags whose values a relay keeps when it is resumed, so that they cannot be
// passed again.
var keptByResume = [...]string{"task", "slug", "via", "max-continuations", "budget-usd", "budget", "level", "on-limit", "idle", "link-time", "budget-time", "leave-uncommitted"}

// Relay is the command `handoff relay`.
func Relay(w *command.Process) *cli.Command {
	o := new(relayOptions)
	return &cli.Command{
		Name:  "relay",
		Usage: "run agents one after the other until an objective is done",
		UsageText: "handoff relay --agent NAME --task N [flags] -- OBJECTIVE\n" +
			"handoff relay --resume RELAY\n" +
			"handoff relay --stop RELAY\n" +
			"handoff relay --answer RELAY -- TEXT\n" +
			"handoff relay --list\n\nOBJECTIVE is one text, - to read it from standard input. A handoff of the task that waits needs none.",
		Description: "Starts the agent in the workspace. When its context runs low, it is asked for a handoff, which is checked\n" +
			"like `handoff lint` and `verify` do; the next agent continues that. For an agent that dies without one,\n" +
			"a draft is written from what it printed. Each agent is started like `handoff spawn` does. Every step is\n" +
			"recorded first, so a relay that was killed can be resumed. SIGINT, SIGTERM and SIGHUP are passed on to the agent.\n" +
			"An agent that says that the work is done is believed if the commands of --until succeed, no objective of the\n" +
			"progress file is open and, at the level all, what it changed is committed. Else it is sent back with the reason.\n" +
			"An agent that ends with a question waits for a person: --answer.\n" +
			"At the level edit, Claude Code, Codex and Gemini CLI may also run the handoff commands that a successor needs.\n" +
			"Exit status: 0 if the objective is done; 1 if not: successors or a budget are used up, two handoffs in a row\n" +
			"are refused or missing, done is not proved, or the handoff is claimed; 2 for an error; 3 if a person must answer;\n" +
			"128 plus the number of the signal that ended it.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Destination: &o.agent, Usage: "`NAME`  the first agent: one that `handoff agents` lists, or the workspace's own, .handoff/agents/NAME.yaml", DefaultText: "the installed one, if there is only one"},
			&cli.StringSliceFlag{Name: "then", Action: command.To(&o.then), Usage: "`NAME`  the next agent; repeat for more, the last one stays"},
			&cli.StringFlag{Name: "via", Destination: &o.via, Value: viaAuto, Usage: "`HOW`  how they are started, as in `handoff spawn`: cli, acp or auto"},
			command.TaskFlag(&o.number, &o.named, &cli.StringFlag{Usage: "`N`  the task to which the handoffs belong: its number, or what the plan of another tool calls it"}),
			&cli.StringFlag{Name: "slug", Destination: &o.slug, Usage: "`WORDS`  words for the folder of a new task, joined by underscores", DefaultText: "from the objective"},
			command.AtLeast(0, &cli.IntFlag{Name: "max-continuations", Destination: &o.maxContinuations, Value: continuations, Usage: "`COUNT`  most agents to start after the first one"}),
			&cli.Float64Flag{Name: "budget-usd", Destination: &o.budgetUSD, Action: command.Noting[float64](&o.budgetUSDGiven), Usage: "`X`  stop after so many dollars, as the agents report their costs"},
			command.AtLeast(1, &cli.IntFlag{Name: "budget", Destination: &o.budget, Usage: "`N`  stop after so many tokens of all calls of the agents, cached ones included"}),
			&cli.StringFlag{Name: "level", Destination: &o.level, Value: string(agents.Edit), Usage: "`LEVEL`  what they may do without asking: read, edit or all"},
			notifyFlag(&o.notify), onLimitFlag(&o.limitOptions), idleFlag(&o.limitOptions), linkTimeFlag(&o.limitOptions), budgetTimeFlag(&o.limitOptions), ignoreLimitFlag(&o.ignoreLimit),
			allowFlag(&o.allow), restoreFlag(&o.settingsOptions), keepFlag(&o.settingsOptions),
			&cli.StringSliceFlag{Name: "until", Action: command.To(&o.until), Usage: "`CMD`  command that must succeed before the work counts as done, such as 'go test ./...'; repeat for more", DefaultText: "checks.tests of a repository that you trust"},
			&cli.BoolFlag{Name: "leave-uncommitted", Destination: &o.leaveUncommitted, Usage: "the work may be done without being committed"},
			&cli.StringFlag{Name: "answer", Destination: &o.answer, Usage: "`RELAY`  answer the question of this relay with TEXT, and continue it"},
			&cli.StringFlag{Name: "resume", Destination: &o.resume, Usage: "`RELAY`  continue this relay: its id, the beginning of that or of its objective, or latest"},
			&cli.StringFlag{Name: "stop", Destination: &o.stop, Usage: "`RELAY`  stop this relay, which runs or waits in another process; --resume continues it"},
			&cli.BoolFlag{Name: "list", Destination: &o.list, Usage: "list the relays, the newest first"},
			cli.JSON(&o.json, "print one JSON object per line: the facts of the relay, and the events of the agents",
				cli.PrintsLines[chain.Fact]("relay").Or(cli.Prints[meter.Event]("")), cli.Prints[[]log.Summary]("relay-list")),
		},
		Action: w.InWorkspace(func(c *cli.Context, ws *workspace.Workspace) error {
			o.kept = command.Given(c, keptByResume[:]...)
			return runRelay(c.Context, w, o, ws, command.ArgsOf(c))
		}),
	}
}

func runRelay(ctx context.Context, w *command.Process, o *relayOptions, ws *workspace.Workspace, args command.Arguments) error {
	switch {
	case o.list && (o.resume != "" || o.stop != "" || o.answer != "" || len(args) > 0), o.stop != "" && (o.resume != "" || o.answer != "" || len(args) > 0):
		return errors.New("--list and --stop take no other flag and no objective")
	case o.stop != "":
		return relayStop(ctx, w, o, ws)
	case o.list:
		return relayList(w, o, ws)
	}
	defer command.DrainBeside(ctx, w, ws)()
	if o.resume != "" || o.answer != "" {
		return relayResume(ctx, w, o, ws, args)
	}
	return relayStart(ctx, w, o, ws, args)
}

func relayStart(ctx context.Context, w *command.Process, o *relayOptions, ws *workspace.Workspace, args command.Arguments) error {
	if err := taskOf(o, ws); err != nil {
		return err
	}
	p, err := relayPlan(w, o, args)
	if err != nil {
		return err
	}
	with, err := relayAgents(w, ws, p)
	if err != nil {
		return err
	}
	show := newRelayLog(w, o, ws.Root)
	with.Fact, with.Event, with.Stderr, with.IgnoreLimit = show.fact, show.event, w.Stderr, o.ignoreLimit
	if err := guardRelay(w, &o.settingsOptions, ws, p.Level, &with); err != nil {
		return err
	}
	if with.Until, err = gateOf(w, o, ws, &p); err != nil {
		return err
	}
	if b, err := receipts.Open(ws); err == nil && w.Caller().Alone() { // an error is reported by the relay
		p.Claim = b.ClaimOfTask(w.Caller(), p.Task)
	}
	with.Seal = func(id string) error { return sealLevel(ws, id, p.Level) }
	r, err := relay.Start(ctx, ws, p, with)
	if err != nil {
		return sayRelayRefused(w, err)
	}
	return relayRun(ctx, w, ws, r, show)
}

// taskOf finds the number of the task. Agents of a relay, its records and its commands call a task by that.
func taskOf(o *relayOptions, ws *workspace.Workspace) error {
	if o.number != nil {
		o.task = *o.number
	}
	if o.named == nil {
		return nil
	}
	named := *o.named
	if err := plans.Named(ws, &named, &o.task); err != nil {
		return err
	}
	if o.task < 1 {
		return fmt.Errorf("--task %s: a relay needs a task with a number, and this one has none in its plan: choose one, --task 1", command.Plain(named))
	}
	return nil
}

// continuations is how many further agents a relay starts at most by default.
const continuations = 3

// maxObjective is the most bytes of an objective: it is a part of each prompt.
const maxObjective = 64 << 10

// relayPlan reads the plan from the flags.
func relayPlan(w *command.Process, o *relayOptions, args command.Arguments) (p chain.Plan, err error) {
	p = chain.Plan{Task: o.task, Slug: strings.Join(strings.Fields(strings.ToLower(o.slug)), "_"), Claim: w.Claim(), Agents: append([]string{o.agent}, o.then...), Via: o.via,
		Level: agents.Level(o.level), Continuations: o.maxContinuations, USD: o.budgetUSD, Tokens: o.budget, OnLimit: chain.OnLimit(o.onLimit),
		Idle: seconds(o.idle), LinkTime: seconds(o.linkTime), Time: int(o.budgetTime.Seconds())}
	switch {
	case !slices.Contains([]string{viaAuto, viaCLI, viaACP}, p.Via):
		return p, fmt.Errorf("--via %q: want auto, cli or acp", p.Via)
	case p.Task < 1:
		return p, errors.New("relay needs the task to which its handoffs belong: --task 1 (`handoff ls` lists the handoffs; a new task gets a folder)")
	case o.budgetUSDGiven && !(p.USD > 0):
		return p, fmt.Errorf("--budget-usd %v: want an amount above 0", p.USD)
	case len(args) > 1:
		return p, errors.New("relay takes one objective: put quotes around it")
	}
	if err = o.limitOptions.check(); err != nil {
		return p, err
	}
	p.Allow = o.allow
	if err = checkAllowed(p.Level, p.Allow); err != nil {
		return p, err
	}
	if p.Objective = args.First(); p.Objective == "-" {
		src, _, err := w.Read("-", maxObjective)
		if err != nil {
			return p, err
		}
		p.Objective = string(src)
	}
	p.Objective = strings.TrimSpace(p.Objective)
	return p, nil
}

// relayAgents finds the agents of a plan, and completes the plan's name of one that
// was not named.
func relayAgents(w *command.Process, ws *workspace.Workspace, p chain.Plan) (o relay.Options, err error) {
	o.Getenv = w.Getenv
	for i, name := range p.Agents {
		a, err := successor(w, ws, name, p.Level)
		if err != nil {
			return o, err
		}
		p.Agents[i] = name
		if name == "" {
			p.Agents[i] = a.Name
		}
		if a.Program != "" {
			_, a, err = startedVia(p.Via, a, p.Level)
		}
		if err != nil {
			return o, err
		}
		if err := relayable(a, p); err != nil {
			return o, err
		}
		if err := runner.Lookup(ws.Root, a.Program); err != nil {
			return o, fmt.Errorf("%s: %w: install it, or choose one that `handoff agents` lists with its path", a.Program, err)
		}
		if !slices.ContainsFunc(o.Agents, func(b agents.Agent) bool { return b.Name == a.Name }) {
			sayChecks(w, ws, a, p.Level)
		}
		o.Agents = append(o.Agents, a)
	}
	return o, nil
}

// relayable returns why an agent cannot work in a relay with this plan.
func relayable(a agents.Agent, p chain.Plan) error {
	switch {
	case a.Program == "":
		return fmt.Errorf("%s has no program: write one to %s/NAME.yaml and pass --agent %[2]s/NAME.yaml", a.Name, sessions.Overrides)
	case a.Prompt == agents.File:
		return fmt.Errorf("%s reads its prompt from a file, which a relay does not write", a.Name)
	case p.USD > 0 && !a.ReportsCost && p.Tokens == 0:
		return fmt.Errorf("%s does not report what it costs: limit the tokens instead, or as well, with --budget N", a.Name)
	case p.Tokens > 0 && !reportsTokens(a):
		return fmt.Errorf("%s does not report the tokens that it uses: leave --budget out", a.Name)
	}
	return nil
}

func relayResume(ctx context.Context, w *command.Process, o *relayOptions, ws *workspace.Workspace, args command.Arguments) error {
	answer, err := answerOf(w, o, args)
	if err != nil {
		return err
	}
	id, err := log.Find(ws, cmp.Or(o.answer, o.resume))
	if err != nil {
		return err
	}
	if err := log.Own(ctx, ws, id); err != nil {
		return err
	}
	s, err := log.Read(ws, id)
	if err != nil {
		return err
	}
	if err := namedAgain(o, s.Plan); err != nil {
		return err
	}
	if allow := o.allow; !slices.Equal(allow, s.Plan.Allow) {
		return fmt.Errorf("--allow: a relay that is resumed keeps its commands, which a person names again: `%s`", resumeCommand(id, s.Plan))
	}
	if err := levelSealed(ws, id, s.Plan.Level); err != nil {
		return err
	}
	until, err := gateAgain(o, ws, id, s.Plan)
	if err != nil {
		return err
	}
	with, err := relayAgents(w, ws, s.Plan)
	if err != nil {
		return err
	}
	with.Until, with.Answer = until, answer
	show := newRelayLog(w, o, ws.Root)
	with.Fact, with.Event, with.Stderr, with.IgnoreLimit = show.fact, show.event, w.Stderr, o.ignoreLimit
	if err := guardRelay(w, &o.settingsOptions, ws, s.Plan.Level, &with); err != nil {
		return err
	}
	show.state = s
	r, err := relay.Resume(ctx, ws, id, with)
	if err != nil {
		return sayRelayRefused(w, err)
	}
	return relayRun(ctx, w, ws, r, show)
}

// sayRelayRefused is [command.SayRefused], also for a relay that another process runs.
func sayRelayRefused(w *command.Process, err error) error {
	if errors.Is(err, log.ErrRunning) {
		w.Complain(err)
		return command.Exit(command.Findings)
	}
	return command.SayRefused(w, err)
}

// namedAgain checks that the user names the files that choose commands. The journal is
// a file of the workspace, so it alone must not start a command of the workspace.
func namedAgain(o *relayOptions, p chain.Plan) error {
	given := append([]string{o.agent}, o.then...)
	again := "--agent " + shellword.Quote(p.Agents[0])
	for _, name := range p.Agents[1:] {
		again += " --then " + shellword.Quote(name)
	}
	for i, name := range p.Agents {
		file := strings.HasPrefix(name, sessions.Overrides+"/")
		switch {
		case i < len(given) && given[i] == name, !file && (i >= len(given) || given[i] == ""):
		case file:
			return fmt.Errorf("%s chooses the command: look at it, then pass %s again", name, again)
		default:
			return fmt.Errorf("--agent and --then: a relay that is resumed keeps its agents: %s", again)
		}
	}
	return nil
}
