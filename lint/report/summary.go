package report

import (
	"fmt"
	"strings"

	"handoff/internal/text/prose"
	"handoff/internal/text/visible"
	"handoff/lint"
)

// Summary counts what a check found. The zero value is ready for use.
type Summary struct {
	Files     int // checked
	FilesWith int // those of them that have findings
	Errors    int
	Warnings  int
	Notes     int
	Fixable   int    // findings that have edits
	Fixed     int    // edits made in this run; set by the caller
	FirstRule string // of the first of the worst findings

	worst lint.Severity // of FirstRule
}

// Count adds one file and its findings.
func (s *Summary) Count(findings []lint.Finding) {
	s.Files++
	if len(findings) > 0 {
		s.FilesWith++
	}
	for i := range findings {
		f := &findings[i]
		switch f.Severity {
		case lint.Error:
			s.Errors++
		case lint.Warning:
			s.Warnings++
		default:
			s.Notes++
		}
		if len(f.Edits) > 0 {
			s.Fixable++
		}
		if s.FirstRule == "" || f.Severity > s.worst {
			s.FirstRule, s.worst = f.Rule, f.Severity
		}
	}
}

// Findings is the number of findings of any severity.
func (s Summary) Findings() int { return s.Errors + s.Warnings + s.Notes }

// SummaryLine is the last line of a check, without a line end. It is empty if
// files were checked and there is nothing to report.
func SummaryLine(s Summary) string {
	switch {
	case s.Files == 0:
		return "0 files checked"
	case s.Findings() == 0 && s.Fixed == 0:
		return ""
	case s.Findings() == 0:
		return fmt.Sprintf("%d fixed, nothing left in %s", s.Fixed, prose.Count(s.Files, "handoff"))
	}
	where := "1 handoff"
	if s.Files != 1 {
		where = fmt.Sprintf("%d of %d handoffs", s.FilesWith, s.Files)
	}
	return s.Line(where)
}

// Line is the number of findings, with where they are and what to do about them.
func (s Summary) Line(where string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s", s.counts(), where)
	if s.Fixed > 0 {
		fmt.Fprintf(&b, ", %d fixed", s.Fixed)
	}
	sep := "; "
	if s.FirstRule != "" {
		fmt.Fprintf(&b, "%s`handoff rules %s` explains", sep, visible.Text(s.FirstRule))
		sep = ", "
	}
	if s.Fixable > 0 {
		fmt.Fprintf(&b, "%s%d fixable with `--fix`", sep, s.Fixable)
	}
	return b.String()
}

// counts is the number of findings of each severity: "1 error, 2 warnings".
func (s Summary) counts() string {
	var parts []string
	for _, c := range []struct {
		n    int
		what string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Notes, "note"}} {
		if c.n > 0 {
			parts = append(parts, prose.Count(c.n, c.what))
		}
	}
	return strings.Join(parts, ", ")
}
