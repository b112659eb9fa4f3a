package check

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"strings"

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
			cli.JSON(&o.json, "print JSON", cli.Prints[[]ruleJSON]("rules")),
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
	return w.Print(listRules(w))
}

// listRules is a line for each rule. On a terminal the reason is broken at words.
func listRules(w *command.Process) string {
	rules, width := command.KnownRules(), 0
	for _, r := range rules {
		width = max(width, len(r.Name))
	}
	columns := cmp.Or(w.Columns(), math.MaxInt)
	var b strings.Builder
	for _, r := range rules {
		what := ""
		switch {
		case r.Verify:
			what = "verify"
		case r.Fixable:
			what = "fix"
		}
		before := fmt.Sprintf("%-*s  %-7s  %-6s  ", width, r.Name, r.Severity, what)
		b.WriteString(before + command.Fill(r.Docs.Summary(r.Name), len(before), columns) + "\n")
	}
	return b.String()
}

func explainRule(w *command.Process, name string) error {
	text, err := command.RuleText(name)
	if err != nil {
		return err
	}
	return w.Print(text)
}

// ruleJSON is a rule as --json prints it.
type ruleJSON struct {
	Name     string `json:"name"`
	Severity string `json:"severity" enum:"error,warning,note" doc:"severity, unless the configuration has another one"`
	Fixable  bool   `json:"fixable"`
	Reason   string `json:"reason"`
}

func printRulesJSON(out io.Writer) error {
	list := []ruleJSON{}
	for _, r := range command.KnownRules() {
		list = append(list, ruleJSON{r.Name, r.Severity.String(), r.Fixable, r.Docs.Summary(r.Name)})
	}
	return command.WriteJSON(out, list)
}
