// Package agents has the commands that set a repository and its agents up: init, setup, doctor, trust and hook; and those
// about agents and their sessions: agents, gauge, sessions and statusline.
package agents

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"handoff/agents"
	"handoff/internal/text/say"
	"handoff/internal/text/shellword"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// agentsOptions are the options of agents.
type agentsOptions struct {
	probe, json bool
}

// Agents is the command `handoff agents`.
func Agents(w *command.Process) *cli.Command {
	o := new(agentsOptions)
	return &cli.Command{
		Name:      "agents",
		Usage:     "list the agents that handoff knows, and what was tried with them",
		UsageText: "handoff agents [NAME] [flags]\n\nWith a NAME, or .handoff/agents/NAME.yaml, it shows how that agent is started.",
		Description: "The columns are: the name that other commands take; the commands that take it; the path of its program,\n" +
			"if it is installed; its version with which handoff was tried; where it runs out of context, so that it\n" +
			"writes a summary and continues with that, in tokens or as a share of its model's context window; and\n" +
			"what `handoff gauge` reads to know how many tokens are left.\n\n" +
			"Files in .handoff/agents override the entries or add agents: NAME.yaml holds the members to change,\n" +
			"in the form that --json shows.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "probe", Destination: &o.probe, Usage: "run the installed ones to ask for their versions"},
			cli.JSON(&o.json, "print JSON", cli.Prints[[]agentRow]("agents").WithNulls()),
		},
		Action: func(c *cli.Context) error { return listAgents(c.Context, w, o, command.ArgsOf(c)) },
	}
}

// agentRow is an agent as --json prints it.
type agentRow struct {
	agents.Agent
	Installed string `json:"installed"` // path of the program, "" if it is not found
	Probed    string `json:"probed"`    // its version, "" unless asked
}

func listAgents(ctx context.Context, w *command.Process, o *agentsOptions, args command.Arguments) error {
	if len(args) > 1 {
		return fmt.Errorf("unexpected argument %q: name one agent", args.Get(1))
	}
	_, table, err := known(w)
	if err != nil {
		return err
	}
	if name := args.First(); name != "" {
		a, err := command.AgentNamed(table, name)
		if err != nil {
			return err
		}
		table = []agents.Agent{a}
	}
	rows := make([]agentRow, 0, len(table))
	for _, a := range table {
		r := agentRow{Agent: a}
		if a.Program != "" {
			r.Installed, _ = exec.LookPath(a.Program) // a program that is not found is not an error here
		}
		switch {
		case !o.probe || r.Installed == "":
		case a.Overridden: // a repository must not choose which program runs here
			r.Probed = "not run: .handoff/agents has its own entry"
		default:
			r.Probed = probe(ctx, r.Installed, a.Version)
		}
		rows = append(rows, r)
	}
	text := agentTable(w, rows)
	if len(args) == 1 {
		text = strings.Join(rows[0].text(), "\n") + "\n"
	}
	return w.Answer(o.json, rows, text)
}

// probeTime is how long an agent may take to print its version: some agents
// start a runtime first.
const probeTime = 20 * time.Second

// probe returns the first line that a program prints as its version, or the
// reason why it prints none.
func probe(ctx context.Context, program string, args []string) string {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return "failed: " + err.Error()
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(out), []byte("\n"))
	return string(line)
}

func agentTable(w *command.Process, rows []agentRow) string {
	var cells [][]string
	for _, r := range rows {
		tried := cmp.Or(r.Tried.Version, "not tried") // when is shown for one agent
		cells = append(cells, []string{command.Plain(r.Name), r.taken(), command.Plain(cmp.Or(r.Probed, r.Installed, "-")), command.Plain(tried), r.compacts(), command.Plain(r.source())})
	}
	header := []string{"AGENT", "COMMANDS", "INSTALLED", "TRIED WITH", "COMPACTS AT", "GAUGE READS"}
	if w.Columns() == 0 { // agents read it from a pipe, too; programs have --json
		cells = append([][]string{header}, cells...)
	}
	return w.Aligned(header, cells, 2, 3)
}

// taken names the commands that take the agent's name.
func (r agentRow) taken() string {
	var names []string
	if len(r.Setup.Files) > 0 {
		names = append(names, "setup")
	}
	if r.Prompt != agents.None {
		names = append(names, "spawn")
	}
	return strings.Join(names, ", ")
}

func (r agentRow) tried() string {
	if r.Tried.Version == "" {
		return "not tried"
	}
	return r.Tried.Version + " on " + r.Tried.Date
}

// compacts returns where it compacts as text: tokens, or what share of the window where that is known from
// its reports alone.
func (r agentRow) compacts() string {
	c := r.Context
	all := c.Limits()
	switch n := len(all); {
	case n == 1:
		return say.Number(all[0])
	case n > 1:
		return say.Number(all[0]) + " to " + say.Number(all[n-1])
	case c.Percent == 0:
		return "unknown"
	case c.Reserve > 0:
		return say.Number(c.Reserve) + " before full"
	}
	return fmt.Sprintf("%d%% of its window", c.Percent)
}

// source names what the gauge reads for the agent.
func (r agentRow) source() string {
	switch {
	case r.Transcripts.Format != "":
		return "transcripts"
	case r.Stream != "text":
		return "saved streams"
	}
	return "nothing"
}

// text formats an entry for people.
func (r agentRow) text() (lines []string) {
	add := func(name, value string) {
		if value != "" {
			lines = append(lines, command.Plain(fmt.Sprintf("%-12s  %s", name, value)))
		}
	}
	add("name", r.Title)
	add("installed", cmp.Or(r.Probed, r.Installed, "not found"))
	add("tried with", strings.TrimPrefix(r.tried()+": "+r.Tried.What, "not tried: "))
	for _, start := range []struct {
		name string
		call agents.Call
	}{{"start", agents.Call{}}, {"read only", agents.Call{Level: agents.ReadOnly}}, {"all", agents.Call{Level: agents.All}},
		{"own id", agents.Call{Session: "ID"}}, {"resume", agents.Call{Session: "ID", Resume: true}}} {
		start.call.PromptFile = "PROMPT"
		if args, err := r.Args(start.call); err == nil && r.Program != "" {
			add(start.name, shellword.Join(append([]string{r.Program}, args...)...)+map[agents.Channel]string{agents.Stdin: " < PROMPT"}[r.Prompt]+r.unkept(start.call.Level))
		}
	}
	add("over ACP", shellword.Join(r.ACP.Command...))
	add("stream", r.Stream)
	if r.Transcripts.Files != "" {
		add("transcripts", r.Transcripts.Folder+"/"+r.Transcripts.Files)
	}
	add("context", cmp.Or(r.Context.Counts, "unknown: set windows and percent, or at")+"; compacts at "+r.compacts())
	add("notes", r.Notes)
	return lines
}

// unkept says that a command line is refused at its level.
func (r agentRow) unkept(l agents.Level) string {
	if r.Keeps(l) {
		return ""
	}
	return fmt.Sprintf(" (refused: it would not keep the level %s)", cmp.Or(l, agents.Edit))
}
