package report

import (
	"strings"

	"handoff/lint"
)

// The parts of SARIF 2.1.0 that a report uses, with the names of its schema.
type (
	sarifDriver struct {
		Name            string      `json:"name"`
		SemanticVersion string      `json:"semanticVersion,omitempty"`
		Version         string      `json:"version,omitempty"`
		Rules           []sarifRule `json:"rules,omitempty"`
	}
	sarifRule struct {
		ID      string          `json:"id"`
		Short   *sarifText      `json:"shortDescription,omitempty"`
		Full    *sarifText      `json:"fullDescription,omitempty"` // GitHub requires both
		Help    *sarifHelp      `json:"help,omitempty"`
		HelpURI string          `json:"helpUri,omitempty"`
		Default sarifDefault    `json:"defaultConfiguration"`
		Bag     sarifProperties `json:"properties"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifDefault struct {
		Level string `json:"level"`
	}
	// sarifProperties are what GitHub sorts and filters by.
	sarifProperties struct {
		Precision string `json:"precision"`
		Severity  string `json:"problem.severity"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    *int              `json:"ruleIndex,omitempty"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Fixes        []sarifFix        `json:"fixes,omitempty"`
		Properties   map[string]string `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"` // after the last character
	}
	sarifFix struct {
		Changes []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
	// sarifInvocation is the run itself, whatever it found: it failed if
	// something could not be checked.
	sarifInvocation struct {
		Successful bool          `json:"executionSuccessful"`
		Notices    []sarifNotice `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotice struct {
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations,omitempty"`
	}
)

func driverOf(opt Options) sarifDriver {
	d := sarifDriver{Name: "handoff"}
	// "(devel)" and a bare commit are not semantic versions.
	if v := strings.TrimPrefix(opt.Version, "v"); strings.Count(v, ".") >= 2 && v[0] >= '0' && v[0] <= '9' {
		d.SemanticVersion = v
	} else {
		d.Version = opt.Version
	}
	for _, r := range opt.Rules {
		d.Rules = append(d.Rules, ruleOf(r, opt.Link))
	}
	return d
}

func ruleOf(r Rule, link func(string) string) sarifRule {
	out := sarifRule{ID: r.Name, Default: sarifDefault{level(r.Severity)}, Bag: sarifProperties{"high", problem(r.Severity)}}
	if r.Summary != "" {
		out.Short = &sarifText{r.Summary}
		out.Full = out.Short
	}
	if r.Doc != "" {
		out.Help = &sarifHelp{r.Doc, r.Doc}
	}
	if link != nil {
		out.HelpURI = asciiURL(link(r.Name))
	}
	return out
}

// problem is a severity in GitHub's terms, which have no notes.
func problem(s lint.Severity) string {
	switch s {
	case lint.Error, lint.Warning:
		return s.String()
	}
	return "recommendation"
}
