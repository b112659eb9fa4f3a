package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	"handoff/workspace/check"
	"handoff/workspace/config"
	"handoff/workspace/sync"
)

func lintCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "check handoffs",
		UsageText: "handoff lint [PATH …] [flags]\n\nPATH is a file, a folder, or the number of a task. Without one, all handoffs of the workspace;\n- reads standard input.",
		Description: "Exit status: 1 if there are errors (with --strict also warnings) or --diff shows a change.\n" +
			"In a workspace without handoffs it is 0, and a line on stderr says where lint looked.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "fix", Usage: "fix what can be fixed safely"},
			&cli.BoolFlag{Name: "rename", Usage: "with --fix, also rename files whose time is known, and update their metadata"},
			zoneFlag(),
			&cli.BoolFlag{Name: "diff", Usage: "show what --fix would change"},
			&cli.BoolFlag{Name: "staged", Usage: "check what is staged in git's index"},
			stdinNameFlag(), allowEmptyFlag(),
			&cli.StringFlag{Name: "baseline", Usage: "leave out findings recorded in `FILE`"},
			&cli.BoolFlag{Name: "update-baseline", Usage: "write the current findings to the baseline"},
			&cli.BoolFlag{Name: "prune", Usage: "remove from the baseline what is no longer found"},
			&cli.BoolFlag{Name: "statistics", Usage: "count findings by rule"},
		}, slices.Concat(reportFlags(), ruleFlags())...),
		Action: func(c *cli.Context) error { return w.lint(c, false) },
	}
}

func fixCommand(w *process) *cli.Command {
	return &cli.Command{
		Name:      "fix",
		Usage:     "fix what can be fixed safely: lint --fix",
		UsageText: "handoff fix [PATH …] [flags]",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "rename", Usage: "also rename files whose time is known, and update their metadata"},
			zoneFlag(),
			&cli.BoolFlag{Name: "diff", Usage: "show what would change"},
			stdinNameFlag(), allowEmptyFlag(), quietFlag(), colourFlag(new(string)),
		}, ruleFlags()...),
		Action: func(c *cli.Context) error { return w.lint(c, true) },
	}
}

func zoneFlag() cli.Flag {
	return &cli.StringFlag{Name: "zone", Usage: "with --rename, time zone of file names that have none, `ZONE`: UTC, local, +02:00 or Europe/Berlin"}
}

func stdinNameFlag() cli.Flag {
	return &cli.StringFlag{Name: "stdin-filename", Usage: "file name to report for standard input: `PATH`"}
}

// allowEmptyFlag is --allow-empty of the commands that fail if there is no
// folder for handoffs: without that error, a check in the wrong folder would
// pass.
func allowEmptyFlag() cli.Flag {
	return &cli.BoolFlag{Name: "allow-empty", Usage: "succeed if there is no specs/ here or above"}
}

// quietFlag is --quiet of the commands that end with a count.
func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print no count at the end"}
}

// reportFlags select the findings that fail, and the format and destination of
// reports.
func reportFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Value: "text", Usage: "output `FORMAT`: " + strings.Join(report.Formats(), ", ")},
		&cli.BoolFlag{Name: "json", Usage: "same as --format json"},
		&cli.StringSliceFlag{Name: "output", Usage: "also write to `[FORMAT=]FILE`; repeat for more"},
		&cli.BoolFlag{Name: "strict", Usage: "fail on warnings too"},
		quietFlag(), colourFlag(new(string)),
	}
}

// ruleFlags select and configure rules.
func ruleFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "only", Usage: "run only `RULE`; repeat for more"},
		&cli.StringSliceFlag{Name: "disable", Usage: "do not run `RULE`; repeat for more"},
		oneOf(&cli.StringFlag{Name: "profile", Usage: "treat documents as `KIND`: handoff, completion or auto"}),
		atLeast(1, &cli.IntFlag{Name: "max-lines", Usage: "maximum length of a document in `LINES`", DefaultText: "the configuration's, else 40"}),
		&cli.StringFlag{Name: "config", Usage: "use configuration `FILE` instead of .handoff.yaml"},
		&cli.BoolFlag{Name: "no-config", Usage: "use no configuration file"},
	}
}

// lintRequest reads the flags.
func (w *process) lintRequest(c *cli.Context, fix bool) (check.Request, error) {
	req := check.Request{
		Dir: w.dir, Paths: c.Args().Slice(),
		Only: words(c.StringSlice("only")), Disable: words(c.StringSlice("disable")),
		Config: c.String("config"), Isolated: c.Bool("no-config"),
		Stdin: w.stdin, StdinName: c.String("stdin-filename"), Staged: c.Bool("staged"),
		AllowEmpty: c.Bool("allow-empty"), Fix: fix || c.Bool("fix"), Diff: c.Bool("diff"), Rename: c.Bool("rename"), Relink: sync.Relink,
	}
	if err := compatible(c, &req); err != nil {
		return req, err
	}
	for _, name := range slices.Concat(req.Only, req.Disable) {
		if rules.Find(name) == nil {
			return req, unknownRule(name)
		}
	}
	zone, err := parseZone(c.String("zone"))
	if err != nil {
		return req, err
	}
	req.Override = func(s *lint.Settings) {
		if c.IsSet("profile") {
			s.Profile, _ = config.ParseProfile(c.String("profile"))
		}
		if c.IsSet("max-lines") {
			s.MaxLines = c.Int("max-lines")
		}
		s.Zone = zone
	}
	return req, nil
}

// parseZone reads --zone; nil if it is not set.
func parseZone(s string) (*time.Location, error) {
	switch strings.ToLower(s) {
	case "":
		return nil, nil
	case "utc":
		return time.UTC, nil
	case "local":
		return time.Local, nil
	}
	if t, err := time.Parse("-07:00", s); err == nil {
		_, east := t.Zone()
		return time.FixedZone(s, east), nil
	}
	if zone, err := time.LoadLocation(s); err == nil {
		return zone, nil
	}
	return nil, fmt.Errorf("unknown --zone %q (UTC, local, +02:00, Europe/Berlin)", s)
}

// words splits lists of names: "a,b" is two.
func words(lists []string) []string {
	var out []string
	for _, l := range lists {
		out = append(out, strings.Split(l, ",")...)
	}
	return out
}

// compatible rejects flags that contradict each other.
func compatible(c *cli.Context, req *check.Request) error {
	stdin := slices.Contains(req.Paths, "-")
	switch {
	case req.Staged && (req.Fix || req.Diff):
		return errors.New("--staged checks git's index, which --fix cannot change: run `handoff fix`, then `git add`")
	case req.Staged && stdin:
		return errors.New("--staged reads git's index and - standard input: give one of them")
	case stdin && len(req.Paths) > 1:
		return errors.New("- cannot be combined with files: check standard input and files separately")
	case stdin && req.Rename:
		return errors.New("--rename needs a file: standard input has no name to change")
	case !stdin && req.StdinName != "":
		return fmt.Errorf("--stdin-filename requires - (`handoff lint - --stdin-filename %s`)", req.StdinName)
	case req.Rename && !req.Fix && !req.Diff:
		return errors.New("--rename requires --fix or --diff")
	case c.IsSet("zone") && !req.Rename:
		return errors.New("--zone requires --rename")
	case (c.Bool("prune") || c.Bool("update-baseline")) && c.String("baseline") == "":
		return errors.New("--prune and --update-baseline require --baseline FILE")
	case (c.Bool("prune") || c.Bool("update-baseline")) && (c.IsSet("only") || c.IsSet("disable")):
		return errors.New("a baseline counts all rules: leave out --only and --disable to change it")
	case c.Bool("prune") && c.Bool("update-baseline"):
		return errors.New("--update-baseline leaves nothing to --prune: give one of them")
	}
	return nil
}
