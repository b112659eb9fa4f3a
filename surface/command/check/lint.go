// Package check has the commands that check documents and tasks: lint, fix, rules and verify.
package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/workspace/check"
	"handoff/workspace/config"
	"handoff/workspace/documents"
	"handoff/workspace/sync"
)

// lintOptions are the options of lint and fix. What is nil is not given.
type lintOptions struct {
	reportOptions
	baseline, config, stdinName, zone                          string
	only, disable                                              []string
	profile                                                    *string
	maxLines                                                   *int
	fix, rename, diff, staged, isolated, allowEmpty, zoneGiven bool
	updateBaseline, prune, statistics, skipOthers              bool
}

// Lint is the command `handoff lint`.
func Lint(w *command.Process) *cli.Command {
	o := new(lintOptions)
	return &cli.Command{
		Name:      "lint",
		Usage:     "check handoffs",
		UsageText: "handoff lint [PATH …] [flags]\n\nPATH is a file, a folder, or the number of a task. Without one, all handoffs of the workspace;\n- reads standard input.",
		Description: "Exit status: 1 if there are errors (with --strict also warnings) or --diff shows a change.\n" +
			"In a workspace without handoffs it is 0, and a line on stderr says where lint looked.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "fix", Destination: &o.fix, Usage: "fix what can be fixed safely"},
			&cli.BoolFlag{Name: "rename", Destination: &o.rename, Usage: "with --fix, also rename files whose time is known, and update their metadata"},
			zoneFlag(o),
			&cli.BoolFlag{Name: "diff", Destination: &o.diff, Usage: "show what --fix would change"},
			&cli.BoolFlag{Name: "staged", Destination: &o.staged, Usage: "check what is staged in git's index"},
			&cli.BoolFlag{Name: "skip-others", Destination: &o.skipOthers, Usage: "leave out files among PATH that are not handoffs, by the configuration or in a known place"},
			stdinNameFlag(o), command.AllowEmptyFlag(&o.allowEmpty),
			&cli.StringFlag{Name: "baseline", Destination: &o.baseline, Usage: "`FILE`  leave out findings that are recorded in this file"},
			&cli.BoolFlag{Name: "update-baseline", Destination: &o.updateBaseline, Usage: "write the current findings to the baseline"},
			&cli.BoolFlag{Name: "prune", Destination: &o.prune, Usage: "remove from the baseline what is no longer found"},
			&cli.BoolFlag{Name: "statistics", Destination: &o.statistics, Usage: "count findings by rule"},
		}, slices.Concat(reportFlags(&o.reportOptions), ruleFlags(o))...),
		Action: func(c *cli.Context) error { return runLint(c.Context, w, o, command.ArgsOf(c)) },
	}
}

// Fix is the command `handoff fix`.
func Fix(w *command.Process) *cli.Command {
	o := &lintOptions{fix: true}
	return &cli.Command{
		Name:      "fix",
		Usage:     "fix what can be fixed safely: lint --fix",
		UsageText: "handoff fix [PATH …] [flags]",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "rename", Destination: &o.rename, Usage: "also rename files whose time is known, and update their metadata"},
			zoneFlag(o),
			&cli.BoolFlag{Name: "diff", Destination: &o.diff, Usage: "show what would change"},
			stdinNameFlag(o), command.AllowEmptyFlag(&o.allowEmpty), command.QuietFlag(&o.quiet), command.ColourFlag(&o.color),
		}, ruleFlags(o)...),
		Action: func(c *cli.Context) error { return runLint(c.Context, w, o, command.ArgsOf(c)) },
	}
}

func zoneFlag(o *lintOptions) cli.Flag {
	return &cli.StringFlag{Name: "zone", Destination: &o.zone, Action: command.Noting[string](&o.zoneGiven), Usage: "`ZONE`  with --rename, time zone of file names that have none, such as UTC, local, +02:00 or Europe/Berlin"}
}

func stdinNameFlag(o *lintOptions) cli.Flag {
	return &cli.StringFlag{Name: "stdin-filename", Destination: &o.stdinName, Usage: "`PATH`  file name to report for standard input"}
}

// reportOptions are how findings are reported.
type reportOptions struct {
	format, color       string
	output              []string
	formatGiven         bool
	json, strict, quiet bool
}

// reportFlags select the findings that fail, and the format and destination of
// reports.
func reportFlags(o *reportOptions, more ...cli.Printed) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Destination: &o.format, Action: command.Noting[string](&o.formatGiven), Value: "text", Usage: "`FORMAT`  output format: " + strings.Join(report.Formats(), ", ")},
		cli.JSON(&o.json, "same as --format json", append([]cli.Printed{cli.Prints[report.FindingReport]("findings")}, more...)...),
		&cli.StringSliceFlag{Name: "output", Action: command.To(&o.output), Usage: "`[FORMAT=]FILE`  file to write to as well; repeat for more"},
		&cli.BoolFlag{Name: "strict", Destination: &o.strict, Usage: "fail on warnings too"},
		command.QuietFlag(&o.quiet), command.ColourFlag(&o.color),
	}
}

// ruleFlags select and configure rules.
func ruleFlags(o *lintOptions) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "only", Action: command.To(&o.only), Usage: "`RULE`  run only this rule; repeat for more"},
		&cli.StringSliceFlag{Name: "disable", Action: command.To(&o.disable), Usage: "`RULE`  do not run this rule; repeat for more"},
		command.OneOf(&cli.StringFlag{Name: "profile", Action: command.Some(&o.profile), Usage: "`KIND`  how to treat documents: handoff, completion or auto"}),
		command.AtLeast(1, &cli.IntFlag{Name: "max-lines", Action: command.Some(&o.maxLines), Usage: "`LINES`  most lines of a document", DefaultText: "the configuration's, else 40"}),
		&cli.StringFlag{Name: "config", Destination: &o.config, Usage: "`FILE`  configuration to use instead of .handoff.yaml"},
		&cli.BoolFlag{Name: "no-config", Destination: &o.isolated, Usage: "use no configuration file"},
	}
}

// lintRequest reads the flags.
func lintRequest(w *command.Process, o *lintOptions, args command.Arguments) (check.Request, error) {
	req := check.Request{
		Dir: w.Dir, Paths: args,
		Only: words(o.only), Disable: words(o.disable),
		Config: o.config, Isolated: o.isolated,
		Stdin: w.Stdin, StdinName: o.stdinName, Staged: o.staged,
		AllowEmpty: o.allowEmpty, SkipOthers: o.skipOthers, Fix: o.fix, Diff: o.diff, Rename: o.rename, Relink: sync.Relink, Taken: documents.Taken, Named: documents.PathsOf,
	}
	if err := compatible(o, &req); err != nil {
		return req, err
	}
	for _, name := range slices.Concat(req.Only, req.Disable) {
		if rules.Find(name) == nil {
			return req, command.UnknownRule(name)
		}
	}
	zone, err := parseZone(o.zone)
	if err != nil {
		return req, err
	}
	req.Override = func(s *lint.Settings) {
		if o.profile != nil {
			s.Profile, _ = config.ParseProfile(*o.profile)
		}
		if o.maxLines != nil {
			s.MaxLines = *o.maxLines
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
func compatible(o *lintOptions, req *check.Request) error {
	stdin, changes := slices.Contains(req.Paths, "-"), o.prune || o.updateBaseline
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
	case o.zoneGiven && !req.Rename:
		return errors.New("--zone requires --rename")
	case changes && o.baseline == "":
		return errors.New("--prune and --update-baseline require --baseline FILE")
	case changes && (o.only != nil || o.disable != nil):
		return errors.New("a baseline counts all rules: leave out --only and --disable to change it")
	case o.prune && o.updateBaseline:
		return errors.New("--update-baseline leaves nothing to --prune: give one of them")
	}
	return nil
}
