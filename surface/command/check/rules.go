package check

import (
	"fmt"
	"io"
	"text/tabwriter"

	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// rulesOptions are the options of rules.
type rulesOptions struct {
	json bool
}

// Rules is the command `handoff rules`.
func Rules(w *command.Process) *cli.Command {
	o := new(rulesOptions)
	return &cli.Command{
		Name:      "rules",
		Usage:     "list the lint rules, or explain one",
		UsageText: "handoff rules [NAME] [flags]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error { return runRules(w, o, command.ArgsOf(c)) },
	}
}

func runRules(w *command.Process, o *rulesOptions, args command.Arguments) error {
	if len(args) > 1 {
		return fmt.Errorf("rules explains one rule at a time (`handoff rules %s`)", args.First())
	}
	if name := args.First(); name != "" {
		return explainRule(w, name)
	}
	if o.json {
		return printRulesJSON(w.Stdout)
	}
	tw := tabwriter.NewWriter(w.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range command.KnownRules() {
		what := ""
		switch {
		case r.Verify:
			what = "verify"
		case r.Fixable:
			what = "fix"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, r.Severity, what, r.Docs.Summary(r.Name))
	}
	return tw.Flush()
}

func explainRule(w *command.Process, name string) error {
	text, err := command.RuleText(name)
	if err != nil {
		return err
	}
	return w.Print(text)
}

func printRulesJSON(out io.Writer) error {
	type rule struct {
		Name     string `json:"name"`
		Severity string `json:"severity"`
		Fixable  bool   `json:"fixable"`
		Reason   string `json:"reason"`
	}
	list := []rule{}
	for _, r := range command.KnownRules() {
		list = append(list, rule{r.Name, r.Severity.String(), r.Fixable, r.Docs.Summary(r.Name)})
	}
	return command.WriteJSON(out, list)
}
