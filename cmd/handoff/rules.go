package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	taskrules "handoff/workspace/reconcile/rules"
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

// ruleText is the documentation of a rule with the examples that test it.
func ruleText(name string) (string, error) {
	r := ruleNamed(name)
	if r == nil {
		return "", unknownRule(name)
	}
	about := "no fix"
	if r.Fixable {
		about = "has a fix"
	}
	if r.verify {
		about = "of `handoff verify`"
	}
	archive, _ := r.docs.Archive(name)
	return fmt.Sprintf("%s (%s, %s)\n\n%s", r.Name, r.Severity, about, archive), nil
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

// knownRule is a rule of lint or of verify.
type knownRule struct {
	*lint.Rule
	docs   lint.Docs
	verify bool
}

// knownRules are the rules of lint, then those of verify. Configurations may
// contain both.
func knownRules() (list []knownRule) {
	for _, r := range rules.All {
		list = append(list, knownRule{r, rules.Docs, false})
	}
	for _, r := range taskrules.All {
		list = append(list, knownRule{&r.Rule, taskrules.Docs, true})
	}
	return list
}

// ruleNamed is the rule of that name, or nil.
func ruleNamed(name string) *knownRule {
	for _, r := range knownRules() {
		if r.Name == name {
			return &r
		}
	}
	return nil
}

func ruleNames() (names []string) {
	for _, r := range knownRules() {
		names = append(names, r.Name)
	}
	return names
}

// ruleSummary is the reason for a rule, on one line.
func ruleSummary(name string) string {
	if r := ruleNamed(name); r != nil {
		return r.docs.Summary(name)
	}
	return ""
}

// unquoted reports whether findings of a rule are shown without the line that
// they refer to.
func unquoted(name string) bool {
	r := ruleNamed(name)
	return r != nil && r.Unquoted
}

// reportRules describes the rules of verify, or those of lint, to reports.
func reportRules(verify bool) func() []report.Rule {
	return func() (list []report.Rule) {
		for _, r := range knownRules() {
			if r.verify == verify {
				list = append(list, report.Rule{Name: r.Name, Severity: r.Severity, Summary: r.docs.Summary(r.Name), Doc: r.docs.Text(r.Name)})
			}
		}
		return list
	}
}
