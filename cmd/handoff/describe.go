package main

import (
	"fmt"

	"handoff/internal/text/nearest"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	taskrules "handoff/workspace/reconcile/rules"
)

// unknownRule suggests the most similar rule. It never lists all rules: there
// are too many.
func unknownRule(name string) error {
	if k := nearest.Word(name, ruleNames()); k != "" {
		return fmt.Errorf("unknown rule %q: did you mean %s?", name, k)
	}
	return fmt.Errorf("unknown rule %q (`handoff rules` lists them)", name)
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
