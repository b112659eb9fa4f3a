package command

import (
	"fmt"

	"handoff/internal/text/nearest"
	"handoff/lint"
	"handoff/lint/report"
	"handoff/lint/rules"
	taskrules "handoff/workspace/reconcile/rules"
)

// UnknownRule suggests the most similar rule. It never lists all rules: there
// are too many.
func UnknownRule(name string) error {
	if k := nearest.Word(name, RuleNames()); k != "" {
		return fmt.Errorf("unknown rule %q: did you mean %s?", name, k)
	}
	return fmt.Errorf("unknown rule %q (`handoff rules` lists them)", name)
}

// RuleText is the documentation of a rule with the examples that test it.
func RuleText(name string) (string, error) {
	r := ruleNamed(name)
	if r == nil {
		return "", UnknownRule(name)
	}
	about := "no fix"
	if r.Fixable {
		about = "has a fix"
	}
	if r.Verify {
		about = "of `handoff verify`"
	}
	archive, _ := r.Docs.Archive(name)
	return fmt.Sprintf("%s (%s, %s)\n\n%s", r.Name, r.Severity, about, archive), nil
}

// KnownRule is a rule of lint or of verify.
type KnownRule struct {
	*lint.Rule
	Docs   lint.Docs
	Verify bool
}

// KnownRules are the rules of lint, then those of verify. Configurations may
// contain both.
func KnownRules() (list []KnownRule) {
	for _, r := range rules.All {
		list = append(list, KnownRule{r, rules.Docs, false})
	}
	for _, r := range taskrules.All {
		list = append(list, KnownRule{&r.Rule, taskrules.Docs, true})
	}
	return list
}

// ruleNamed is the rule of that name, or nil.
func ruleNamed(name string) *KnownRule {
	for _, r := range KnownRules() {
		if r.Name == name {
			return &r
		}
	}
	return nil
}

// RuleNames are the names of the rules of lint and of verify.
func RuleNames() (names []string) {
	for _, r := range KnownRules() {
		names = append(names, r.Name)
	}
	return names
}

// RuleSummary is the reason for a rule, on one line.
func RuleSummary(name string) string {
	if r := ruleNamed(name); r != nil {
		return r.Docs.Summary(name)
	}
	return ""
}

// Unquoted reports whether findings of a rule are shown without the line that
// they refer to.
func Unquoted(name string) bool {
	r := ruleNamed(name)
	return r != nil && r.Unquoted
}

// ReportRules describes the rules of verify, or those of lint, to reports.
func ReportRules(verify bool) func() []report.Rule {
	return func() (list []report.Rule) {
		for _, r := range KnownRules() {
			if r.Verify == verify {
				list = append(list, report.Rule{Name: r.Name, Severity: r.Severity, Summary: r.Docs.Summary(r.Name), Doc: r.Docs.Text(r.Name)})
			}
		}
		return list
	}
}
