package mcp

import (
	"cmp"
	"fmt"
	"path/filepath"

	"handoff/internal/text/prose"
	"handoff/lint"
	"handoff/workspace/check"
	"handoff/workspace/documents"
	"handoff/workspace/verify"
)

// checkValue is the result of handoff_check.
type checkValue struct {
	Ref      string    `json:"ref,omitempty"`
	Path     string    `json:"path"`
	Errors   int       `json:"errors"`
	Warnings int       `json:"warnings"`
	Findings []finding `json:"findings"` // errors first
	More     int       `json:"more,omitempty"`
}

// checkArguments are the arguments of handoff_check.
type checkArguments struct {
	Ref string `yaml:"ref" about:"As in handoff_current"`
}

// inspect is the tool handoff_check: lint of one handoff, and verify of its task.
func inspect(c *call) (answer, error) {
	var in checkArguments
	if err := c.arguments(&in); err != nil {
		return answer{}, err
	}
	e, err := c.find(cmp.Or(in.Ref, "latest"))
	if err != nil {
		return answer{}, err
	}
	v := checkValue{Ref: e.Ref(), Path: e.Path, Findings: []finding{}}
	if err := c.lint(e, &v); err != nil {
		return answer{}, err
	}
	if e.Name.Dir != "" {
		if err := c.verify(e.Name.Dir, &v); err != nil {
			return answer{}, err
		}
	}
	text := fmt.Sprintf("%s: %s, %s\n", e.Name.Called(e.Path), prose.Count(v.Errors, "error"), prose.Count(v.Warnings, "warning")) + lines(v.Findings)
	if v.More > 0 {
		text += fmt.Sprintf("and %d more\n", v.More)
	}
	return answer{text: text, value: v}, nil
}

func (c *call) lint(e documents.Entry, v *checkValue) error {
	req := check.Request{Dir: c.ws.Root, Paths: []string{filepath.FromSlash(e.Path)}}
	return check.Run(c, c.ws.Options, req, func(r *check.Result) error {
		for _, f := range r.Findings {
			f.Path = filepath.ToSlash(f.Path)
			v.add(f, len(f.Edits) > 0, "`handoff fix "+f.Path+"` fixes it")
		}
		return r.Err
	})
}

func (c *call) verify(dir string, v *checkValue) error {
	return verify.Run(c, c.ws, verify.Request{Tasks: []string{dir}}, func(r *verify.Result) error {
		for _, file := range r.Files {
			for _, f := range file.Findings {
				v.add(f, f.Derivable, "`handoff sync "+dir+"` fixes it")
			}
		}
		return r.Err
	})
}

// add counts a finding, and lists it if there is room.
func (v *checkValue) add(f lint.Finding, fixable bool, fix string) {
	one := findingOf(f)
	if fixable {
		one.Fix = foreign(fix)
	}
	switch f.Severity {
	case lint.Error:
		v.Errors++
	case lint.Warning:
		v.Warnings++
	}
	if len(v.Findings) == maxFindings {
		v.More++
		return
	}
	v.Findings = append(v.Findings, one)
}
