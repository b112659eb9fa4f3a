package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"handoff/lint/rules"
	"handoff/workspace"
)

func rulesCommand(w *world) *cli.Command {
	return &cli.Command{
		Name:      "rules",
		Usage:     "list the lint rules, or explain one",
		UsageText: "handoff rules [NAME] [flags]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
			dirFlag(),
		},
		Action: func(c *cli.Context) error { return w.rules(c) },
	}
}

func (w *world) rules(c *cli.Context) error {
	if c.NArg() > 1 {
		return fmt.Errorf("rules explains one rule at a time (`handoff rules %s`)", c.Args().First())
	}
	if name := c.Args().First(); name != "" {
		return w.explain(name)
	}
	if c.Bool("json") {
		return w.rulesJSON()
	}
	tw := tabwriter.NewWriter(w.stdout, 0, 0, 2, ' ', 0)
	for _, r := range rules.All {
		fix := ""
		if r.Fixable {
			fix = "fix"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, r.Severity, fix, rules.Summary(r.Name))
	}
	for _, r := range workspace.MetaRules() {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", r.Name, r.Severity, "verify", r.Summary)
	}
	return tw.Flush()
}

// explain prints a rule's documentation with the examples that test it.
func (w *world) explain(name string) error {
	if r, ok := metaRule(name); ok {
		_, err := fmt.Fprintf(w.stdout, "%s (%s, of `handoff verify`)\n\n%s.\n\n%s\n", r.Name, r.Severity, strings.ToUpper(r.Summary[:1])+r.Summary[1:], r.Doc)
		return err
	}
	text, ok := rules.Doc(name)
	if !ok {
		return unknownRule(name)
	}
	r := rules.Find(name)
	fix := "no fix"
	if r.Fixable {
		fix = "has a fix"
	}
	_, err := fmt.Fprintf(w.stdout, "%s (%s, %s)\n\n%s", r.Name, r.Severity, fix, text)
	return err
}

func (w *world) rulesJSON() error {
	type rule struct {
		Name     string `json:"name"`
		Severity string `json:"severity"`
		Fixable  bool   `json:"fixable"`
		Reason   string `json:"reason"`
	}
	list := []rule{}
	for _, r := range rules.All {
		list = append(list, rule{r.Name, r.Severity.String(), r.Fixable, rules.Summary(r.Name)})
	}
	for _, r := range workspace.MetaRules() {
		list = append(list, rule{r.Name, r.Severity.String(), strings.Contains(r.Doc, "`--fix`"), r.Summary})
	}
	return writeJSON(w.stdout, list)
}

func writeJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func metaRule(name string) (workspace.MetaRule, bool) {
	list := workspace.MetaRules()
	i := slices.IndexFunc(list, func(r workspace.MetaRule) bool { return r.Name == name })
	if i < 0 {
		return workspace.MetaRule{}, false
	}
	return list[i], true
}

// ruleSummary is why a rule exists, on one line.
func ruleSummary(name string) string {
	if r, ok := metaRule(name); ok {
		return r.Summary
	}
	return rules.Summary(name)
}

// unquoted reports whether findings of a rule are shown without the line that
// they are about.
func unquoted(name string) bool {
	r := rules.Find(name)
	return r != nil && r.Unquoted
}
