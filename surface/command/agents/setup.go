// Package hosts has the commands that agents are connected by: setup, doctor and hook.
package agents

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"handoff/agents/host"
	"handoff/agents/setup"
	"handoff/document/handoff"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace"
)

// setupOptions are the options of setup.
type setupOptions struct {
	project, user, remove, dryRun, json bool
}

// Setup is the command `handoff setup`.
func Setup(w *command.Process) *cli.Command {
	o := new(setupOptions)
	return &cli.Command{
		Name:      "setup",
		Usage:     "install handoff in an agent: hooks, MCP server, skill",
		UsageText: "handoff setup AGENT … [flags]\n\nAGENT is " + strings.Join(host.Names(), ", ") + ", or all.",
		Description: "Adds what the agent needs to its own settings, and changes nothing else in them: comments, order and\n" +
			"indentation stay. It works in the project, which is the repository around the working directory; with\n" +
			"--user, in the settings of the user for all projects. all means the agents that are found on this\n" +
			"machine or in the project. --remove takes everything away again, so that each file is as it was before.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "project", Destination: &o.project, Usage: "install in this project (the default)"},
			&cli.BoolFlag{Name: "user", Destination: &o.user, Usage: "install for all projects of the user"},
			&cli.BoolFlag{Name: "remove", Destination: &o.remove, Usage: "take away what setup added"},
			&cli.BoolFlag{Name: "dry-run", Destination: &o.dryRun, Usage: "print a diff and change nothing"},
			cli.JSON(&o.json, "print JSON", cli.Prints[setupResult]("setup")),
		},
		Action: func(c *cli.Context) error { return runSetup(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func runSetup(ctx context.Context, w *command.Process, o *setupOptions, args command.Arguments) error {
	req, err := setupRequest(w, o, args)
	if err != nil {
		return err
	}
	plan, err := setup.Make(req)
	if err != nil {
		return err
	}
	for _, f := range plan.Found {
		w.Say("found %s: %s", f.Host, command.Plain(f.Why))
	}
	if !req.User && req.Project != w.Dir {
		w.Say("the project is %s: paths are relative to that", command.Plain(req.Project))
	}
	if o.dryRun {
		return showPlan(w, o.json, plan)
	}
	if !req.User && slices.ContainsFunc(plan.Steps, (*setup.Step).Changes) {
		workspace.CreateStateDir(req.Project)
	}
	done, err := plan.Apply()
	if !req.User && req.Remove {
		workspace.RemoveStateDir(req.Project)
	}
	if err != nil && len(done) > 0 && !req.Remove {
		undo := strings.Join(args, " ") + " --remove"
		if req.User {
			undo += " --user"
		}
		err = fmt.Errorf("%w (what was written before that is listed; `handoff setup %s` takes it away)", err, undo)
	}
	err = errors.Join(printSetup(w, o.json, plan, done, err == nil), err)
	if err == nil && !req.Remove && !req.User && !o.json {
		offerOwnPlace(w, req.Project)
		sayUnreported(ctx, w, req.Project)
	}
	return err
}

func setupRequest(w *command.Process, o *setupOptions, args command.Arguments) (setup.Request, error) {
	names := args
	switch {
	case o.project && o.user:
		return setup.Request{}, errors.New("--project with --user: choose one")
	case len(names) == 0:
		return setup.Request{}, fmt.Errorf("setup needs an agent: %s, or all", strings.Join(host.Names(), ", "))
	case slices.Contains(names, "all"):
		if len(names) > 1 {
			return setup.Request{}, fmt.Errorf("all with %s: all means every agent that is found", strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == "all" }), ", "))
		}
		names = nil
	}
	home := homeOf(w.Getenv)
	if home == "" && o.user {
		return setup.Request{}, fmt.Errorf("%w: the home folder is unknown: set HOME", handoff.ErrInvalid)
	}
	project := command.ProjectAround(w.Dir)
	if project == home && !o.user && !o.remove {
		return setup.Request{}, fmt.Errorf("%w: this is your home folder, no project: --user installs for all of your projects", handoff.ErrInvalid)
	}
	table, why, err := hosts(w, project)
	if err = errors.Join(err, unknownOwn(project, names, why)); err != nil {
		return setup.Request{}, err
	}
	if why != nil {
		w.Say("%s", command.Plain(why.Error()))
	}
	return setup.Request{
		Hosts: names, Project: project, Table: table, User: o.user, Remove: o.remove,
		Machine: setup.Machine{Home: home, Getenv: w.Getenv, LookPath: exec.LookPath, OS: runtime.GOOS},
	}, nil
}

// homeOf is the folder of the user, "" if it is unknown.
func homeOf(getenv func(string) string) string {
	home := getenv("HOME")
	if runtime.GOOS == "windows" {
		home = getenv("USERPROFILE")
	}
	if !filepath.IsAbs(home) {
		return ""
	}
	return home
}

// setupResult is the output with --json.
type setupResult struct {
	Found []setup.Found `json:"found,omitempty"`
	Files []setupFile   `json:"files"`
	Next  []string      `json:"next,omitempty"`
	Other string        `json:"elsewhere,omitempty"` // for people who clone the project
	Dry   bool          `json:"dry_run,omitempty"`
}

type setupFile struct {
	*setup.Step
	Diff string `json:"diff,omitempty"`
}

// showPlan prints what would be done.
func showPlan(w *command.Process, asJSON bool, plan *setup.Plan) error {
	if asJSON {
		result := setupResult{Found: plan.Found, Files: []setupFile{}, Dry: true}
		for _, s := range plan.Steps {
			result.Files = append(result.Files, setupFile{s, string(setupDiff(s))})
		}
		return command.WriteJSON(w.Stdout, result)
	}
	out := w.Out()
	for _, s := range plan.Steps {
		if !s.Changes() {
			w.Say("%s", setupLine(s))
			continue
		}
		old, new := diffNames(s)
		if err := w.PrintDiff(out, old, []byte(s.Before.Bytes), new, []byte(s.After.Bytes)); err != nil {
			return err
		}
	}
	return out.Flush()
}

// printSetup prints the results and the next step.
func printSetup(w *command.Process, asJSON bool, plan *setup.Plan, done []*setup.Step, complete bool) error {
	next, elsewhere := plan.Next, plan.Elsewhere()
	if !complete {
		next, elsewhere = nil, ""
	}
	if asJSON {
		result := setupResult{Found: plan.Found, Files: []setupFile{}, Next: next, Other: elsewhere}
		for _, s := range done {
			result.Files = append(result.Files, setupFile{Step: s})
		}
		return command.WriteJSON(w.Stdout, result)
	}
	for _, s := range done {
		fmt.Fprintln(w.Stdout, setupLine(s))
	}
	for _, line := range next {
		fmt.Fprintf(w.Stderr, "next: %s\n", line)
	}
	if len(next) > 0 {
		fmt.Fprintln(w.Stderr, "then: handoff doctor checks the installation")
	}
	if elsewhere != "" {
		fmt.Fprintf(w.Stderr, "note: %s\n", elsewhere)
	}
	return nil
}

func setupLine(s *setup.Step) string {
	parts := make([]string, len(s.Parts))
	for i, p := range s.Parts {
		parts[i] = string(p)
	}
	line := fmt.Sprintf("%s %s (%s for %s)", s.Verb, s.Path, strings.Join(parts, ", "), strings.Join(s.Hosts, ", "))
	if s.Why != "" {
		line += ": " + s.Why
	}
	return command.Plain(line)
}

func diffNames(s *setup.Step) (old, new string) {
	old, new = "a/"+s.Path, "b/"+s.Path
	if !s.Before.Exists {
		old = "/dev/null"
	}
	if !s.After.Exists {
		new = "/dev/null"
	}
	return command.Plain(old), command.Plain(new)
}

func setupDiff(s *setup.Step) []byte {
	old, new := diffNames(s)
	return diff.Diff(old, []byte(s.Before.Bytes), new, []byte(s.After.Bytes))
}
