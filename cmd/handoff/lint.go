package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/internal/nearest"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	"handoff/workspace"
)

func lintCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "check handoffs",
		UsageText: "handoff lint [PATH …] [flags]\n\nWithout a path, all handoffs of the workspace; - reads standard input.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "mend what is safe to mend"},
			&cli.BoolFlag{Name: "rename", Usage: "with --fix, rename files whose time is known"},
			&cli.BoolFlag{Name: "diff", Usage: "show what --fix would change"},
			&cli.BoolFlag{Name: "staged", Usage: "check the content of git's index"},
			&cli.StringFlag{Name: "stdin-filename", Usage: "take standard input for `PATH`"},
			&cli.StringFlag{Name: "format", Value: "text", Usage: "print `FORMAT`: " + strings.Join(report.Formats(), ", ")},
			&cli.StringSliceFlag{Name: "output", Usage: "write to `[FORMAT=]FILE`; repeat for more"},
			&cli.StringFlag{Name: "baseline", Usage: "leave out the findings that `FILE` counts"},
			&cli.BoolFlag{Name: "update-baseline", Usage: "write what there is now into the baseline"},
			&cli.BoolFlag{Name: "prune", Usage: "take out of the baseline what is no longer found"},
			&cli.BoolFlag{Name: "statistics", Usage: "count the findings of each rule"},
			&cli.BoolFlag{Name: "strict", Usage: "fail on warnings too"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no count at the end"},
			colourFlag(),
		}, ruleFlags()...),
		Action: func(c *cli.Context) error { return w.lint(c, false) },
	}
}

func fixCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "fix",
		Usage:     "mend what is safe to mend: lint --fix",
		UsageText: "handoff fix [PATH …] [flags]",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "rename", Usage: "rename files whose time is known"},
			&cli.BoolFlag{Name: "diff", Usage: "show what would change"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no count at the end"},
			colourFlag(),
		}, ruleFlags()...),
		Action: func(c *cli.Context) error { return w.lint(c, true) },
	}
}

// ruleFlags say which rules run and how.
func ruleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "only", Usage: "run `RULE` and no other; repeat for more"},
		&cli.StringSliceFlag{Name: "disable", Usage: "leave out `RULE`; repeat for more"},
		&cli.StringFlag{Name: "profile", Usage: "take documents for `KIND`: handoff, completion or auto"},
		&cli.IntFlag{Name: "max-lines", Usage: "most `LINES` of a document", DefaultText: "the configuration's, else 40"},
		&cli.StringFlag{Name: "config", Usage: "read `FILE` in place of the .handoff.yaml that is found"},
		&cli.BoolFlag{Name: "no-config", Usage: "read no configuration file"},
		dirFlag(),
	}
}

// lintRequest reads the flags.
func (w *world) lintRequest(c *cli.Context, fix bool) (workspace.LintRequest, error) {
	req := workspace.LintRequest{
		Dir: w.path(c.String("C")), Paths: c.Args().Slice(), Known: ruleNames(), Now: w.now(),
		Config: c.String("config"), Isolated: c.Bool("no-config"),
		Stdin: w.stdin, StdinName: c.String("stdin-filename"), Staged: c.Bool("staged"),
		Fix: fix || c.Bool("fix"), Diff: c.Bool("diff"), Rename: c.Bool("rename"),
	}
	switch {
	case req.Staged && (req.Fix || req.Diff):
		return req, fmt.Errorf("--staged checks git's index, which --fix cannot change: run `handoff fix`, then `git add`")
	case req.Rename && !req.Fix:
		return req, fmt.Errorf("--rename goes with --fix")
	case c.Bool("prune") && !c.IsSet("baseline"), c.Bool("update-baseline") && !c.IsSet("baseline"):
		return req, fmt.Errorf("--prune and --update-baseline go with --baseline FILE")
	}
	for _, flag := range []string{"only", "disable"} {
		for _, name := range c.StringSlice(flag) {
			if rules.Find(name) == nil {
				return req, fmt.Errorf("--%s: unknown rule %q%s", flag, name, hint(name, []string{nearest.Word(name, ruleNames())}, ""))
			}
		}
	}
	req.Rules = chosenRules(c.StringSlice("only"), c.StringSlice("disable"))
	profile, ok := workspace.ParseProfile(c.String("profile"))
	if !ok && c.IsSet("profile") {
		return req, fmt.Errorf("unknown profile %q (handoff, completion, auto)", c.String("profile"))
	}
	req.Override = func(s *lint.Settings) {
		if c.IsSet("profile") {
			s.Profile = profile
		}
		if c.IsSet("max-lines") {
			s.MaxLines = c.Int("max-lines")
		}
	}
	return req, nil
}

func chosenRules(only, disable []string) []*lint.Rule {
	if len(only)+len(disable) == 0 {
		return rules.All
	}
	has := func(list []string, name string) bool {
		for _, n := range list {
			if n == name {
				return true
			}
		}
		return false
	}
	var list []*lint.Rule
	for _, r := range rules.All {
		if (len(only) == 0 || has(only, r.Name)) && !has(disable, r.Name) {
			list = append(list, r)
		}
	}
	return list
}
