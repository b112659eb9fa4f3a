package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"
)

// rulesOptions are the options of rules.
type rulesOptions struct {
	json bool
}

func rulesCommand(w *process) *cli.Command {
	o := new(rulesOptions)
	return &cli.Command{
		Name:      "rules",
		Usage:     "list the lint rules, or explain one",
		UsageText: "handoff rules [NAME] [flags]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Destination: &o.json, Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error { return runRules(w, o, argsOf(c)) },
	}
}

func runRules(w *process, o *rulesOptions, args arguments) error {
	if len(args) > 1 {
		return fmt.Errorf("rules explains one rule at a time (`handoff rules %s`)", args.First())
	}
	if name := args.First(); name != "" {
		return explainRule(w, name)
	}
	if o.json {
		return printRulesJSON(w.stdout)
	}
	tw := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	for _, r := range knownRules() {
		what := ""
		switch {
		case r.verify:
			what = "verify"
		case r.Fixable:
			what = "fix"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, r.Severity, what, r.docs.Summary(r.Name))
	}
	return tw.Flush()
}

func explainRule(w *process, name string) error {
	text, err := ruleText(name)
	if err != nil {
		return err
	}
	return w.print(text)
}

func printRulesJSON(out io.Writer) error {
	type rule struct {
		Name     string `json:"name"`
		Severity string `json:"severity"`
		Fixable  bool   `json:"fixable"`
		Reason   string `json:"reason"`
	}
	list := []rule{}
	for _, r := range knownRules() {
		list = append(list, rule{r.Name, r.Severity.String(), r.Fixable, r.docs.Summary(r.Name)})
	}
	return writeJSON(out, list)
}
