package report

import (
	"fmt"
	"strings"

	"handoff/lint"
)

// Summary counts what a check found. The zero value is ready for
// [Summary.Count].
type Summary struct {
	Files    int // checked
	Affected int // of them, with findings
	Errors   int
	Warnings int
	Notes    int
	Fixable  int    // findings that carry edits or a better name
	Rule     string // of the first of the worst findings

	worst lint.Severity // of Rule
}

// Count adds one file and its findings.
func (s *Summary) Count(findings []lint.Finding) {
	s.Files++
	if len(findings) > 0 {
		s.Affected++
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
		if fixable(f) {
			s.Fixable++
		}
		if s.Rule == "" || f.Severity > s.worst {
			s.Rule, s.worst = f.Rule, f.Severity
		}
	}
}

func fixable(f *lint.Finding) bool { return len(f.Edits) > 0 || f.Rename != "" }

// Findings is how many there are, whatever their severity.
func (s Summary) Findings() int { return s.Errors + s.Warnings + s.Notes }

// Line is the last line of a check, without a line end. It is empty when files
// were checked and nothing was found.
func (s Summary) Line() string {
	if s.Files == 0 {
		return "0 files checked"
	}
	if s.Findings() == 0 {
		return ""
	}
	line := fmt.Sprintf("%s in %d of %s", s.counts(), s.Affected, plural(s.Files, "handoff"))
	var hints []string
	if s.Rule != "" {
		hints = append(hints, "`handoff rules "+visible(s.Rule)+"` explains")
	}
	if s.Fixable > 0 {
		hints = append(hints, fmt.Sprintf("`--fix` can mend %d", s.Fixable))
	}
	if len(hints) > 0 {
		line += "; " + strings.Join(hints, ", ")
	}
	return line
}

func (s Summary) counts() string {
	var parts []string
	for _, c := range [...]struct {
		n    int
		noun string
	}{{s.Errors, "error"}, {s.Warnings, "warning"}, {s.Notes, "note"}} {
		if c.n > 0 {
			parts = append(parts, plural(c.n, c.noun))
		}
	}
	return strings.Join(parts, ", ")
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
