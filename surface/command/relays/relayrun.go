package relays

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"handoff/agents/sessions"
	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/log/thread/runner"
	"handoff/surface/command"
	"handoff/workspace"
	"handoff/workspace/relay"
	"handoff/workspace/relay/chain"
	"handoff/workspace/relay/log"
	"handoff/workspace/spawn/meter"
)

// relayRun runs a relay to its end, and reports what is left.
func relayRun(ctx context.Context, w *command.Process, ws *workspace.Workspace, r *relay.Relay, show *relayLog) error {
	defer r.Close()
	ctx, stop := command.WhileRunning(ctx, w) // let the agent end, and release the claim
	defer stop()
	err := r.Run(ctx)
	s := r.State()
	defer func() { sayRunning(w, r.ID, log.LeftRunning(ws)[r.ID]) }()
	if show.outErr != nil && !errors.Is(show.outErr, syscall.EPIPE) {
		err = errors.Join(err, show.outErr)
	}
	if err != nil {
		label, text := toResume(ws, r.ID, s)
		w.Say("%s: `%s`", label, command.Plain(text))
		if errors.Is(err, relay.ErrStopped) {
			return command.Exit(command.Findings)
		}
		if ctx.Err() != nil {
			return command.EndOf(ctx, runner.Result{Reason: runner.Cancelled})
		}
		return command.SayRefused(w, err)
	}
	if r.Asks() != "" {
		sayAsks(w, r.ID, s)
		return command.Exit(command.Asks)
	}
	sayRelay(w, s)
	if s.Over != chain.Done {
		return command.Exit(command.Findings)
	}
	return nil
}

// sayRelay prints the result, and what to run next.
func sayRelay(w *command.Process, s chain.State) {
	used := ""
	if s.Tokens > 0 {
		used = fmt.Sprintf(", %s tokens", say.Number(s.Tokens))
	}
	if s.USD > 0 {
		used += fmt.Sprintf(", $%.2f", s.USD)
	}
	why := ""
	if s.OverWhy != "" {
		why = ": " + s.OverWhy
	}
	w.Say("relay ended with %s%s: %s%s", command.Plural(s.Link, "agent"), used, s.Over, command.Plain(why))
	if s.Over != chain.Done {
		w.Say("to continue: `%s`", command.Plain(anotherRelay(s.Plan)))
	}
}

// anotherRelay starts a relay with the same plan. It is made from the plan, because the
// flags of a relay that was resumed are those of an earlier call.
func anotherRelay(p chain.Plan) string {
	args := append([]string{"handoff", "relay"}, agentFlags(p)...)
	args = append(args, "--task", fmt.Sprint(p.Task), "--level", string(p.Level))
	add := func(flag, value string, set bool) {
		if set {
			args = append(args, flag, value)
		}
	}
	args = append(append(args, allowArgs(p.Allow)...), untilArgs(p.Until)...)
	if p.Leave {
		args = append(args, "--leave-uncommitted")
	}
	add("--idle", spell(p.Idle), p.Idle != 0 && spell(p.Idle) != chain.DefaultIdle.String())
	add("--link-time", spell(p.LinkTime), p.LinkTime != 0 && spell(p.LinkTime) != chain.DefaultLinkTime.String())
	add("--budget-time", spell(p.Time), p.Time > 0)
	add("--on-limit", string(p.OnLimit), p.OnLimit != "" && p.OnLimit != chain.NextOnLimit)
	add("--slug", p.Slug, p.Slug != "")
	add("--via", p.Via, p.Via != viaAuto)
	add("--max-continuations", fmt.Sprint(p.Continuations), p.Continuations != continuations)
	add("--budget", fmt.Sprint(p.Tokens), p.Tokens > 0)
	add("--budget-usd", fmt.Sprint(p.USD), p.USD > 0)
	add("--", p.Objective, p.Objective != "")
	return shellword.Join(args...)
}

func agentFlags(p chain.Plan) []string {
	args := []string{"--agent", p.Agents[0]}
	for _, name := range p.Agents[1:] {
		args = append(args, "--then", name)
	}
	return args
}

// toResume is the command that continues a relay that has stopped: another relay, if the repository
// in which it worked is gone.
func toResume(ws *workspace.Workspace, id string, s chain.State) (label, text string) {
	var gone *relay.RepositoryError
	switch err := relay.OtherRepository(ws, s); {
	case !errors.As(err, &gone):
		return "to continue", resumeCommand(id, s.Plan)
	case gone.Replaced:
		return "to continue in the new repository", anotherRelay(s.Plan)
	}
	return "to continue once there is a repository again", anotherRelay(s.Plan)
}

// resumeCommand continues a relay. The files that choose commands are named again.
func resumeCommand(id string, p chain.Plan) string {
	return shellword.Join(append([]string{"handoff"}, continueArgs("--resume", id, p)...)...)
}

// continueArgs are the arguments that continue a relay by a flag.
func continueArgs(flag, id string, p chain.Plan) []string {
	args := []string{"relay", flag, id}
	for _, name := range p.Agents {
		if strings.HasPrefix(name, sessions.Overrides+"/") {
			args = append(args, agentFlags(p)...)
			break
		}
	}
	return append(append(args, allowArgs(p.Allow)...), untilArgs(p.Until)...)
}

// relayLog shows the facts of a relay.
type relayLog struct {
	spawnEvents
	state chain.State
	tells notifier
	told  string // the agent and model of which it was said that their window is not known
}

func newRelayLog(w *command.Process, o *relayOptions, dir string) *relayLog {
	return &relayLog{spawnEvents: spawnEvents{Process: w, json: o.json, terminal: command.IsTerminal(w.Stderr)}, tells: notifier{w, o.notify, dir}}
}

func (l *relayLog) fact(f chain.Fact) {
	l.state.Apply(f)
	if l.json && l.outErr == nil {
		l.outErr = command.WriteLine(l.Stdout, f)
	}
	if line := f.Line(&l.state); line != "" {
		l.flush()
		fmt.Fprintf(l.Stderr, "%s  %s\n", f.At.Local().Format(time.TimeOnly), command.Plain(line))
	}
	l.tells.notify(f, &l.state)
}

func (l *relayLog) event(e meter.Event) {
	if e.Kind == "unknown_window" && !l.json {
		l.unknown(e.Model)
		return
	}
	if e.Kind != "session" || l.json { // it is a fact, too
		l.spawnEvents.event(e)
	}
}

// unknown says, once for each agent and model, that the relay cannot see when little is left.
func (l *relayLog) unknown(model string) {
	name := l.state.Agent
	if l.told == name+" "+model {
		return
	}
	l.told = name + " " + model
	l.flush()
	l.Say("how much the context of %s holds with %s is not known, so it is not interrupted when little is left; context: {windows: [N]} in %s/%s.yaml names it",
		command.Plain(name), command.Plain(cmp.Or(model, "its model")), sessions.Overrides, command.Plain(name))
}
