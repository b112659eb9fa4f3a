package report

import (
	"strings"

	"handoff/lint"
)

// The parts of SARIF 2.1.0 that are written, in the order of the standard.
type (
	sarifText struct {
		Text string `json:"text"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"semanticVersion,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID         string         `json:"id"`
		Short      *sarifText     `json:"shortDescription,omitempty"`
		Full       *sarifText     `json:"fullDescription,omitempty"`
		HelpURI    string         `json:"helpUri,omitempty"`
		Help       *sarifHelp     `json:"help,omitempty"`
		Default    sarifDefault   `json:"defaultConfiguration"`
		Properties sarifRuleProps `json:"properties"`
	}
	sarifHelp struct {
		Text     string `json:"text"`
		Markdown string `json:"markdown"`
	}
	sarifDefault struct {
		Enabled *bool  `json:"enabled,omitempty"`
		Level   string `json:"level"`
	}
	sarifRuleProps struct {
		Tags      []string `json:"tags"`
		Precision string   `json:"precision"`
		Severity  string   `json:"problem.severity"` // GitHub's: error, warning, recommendation
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
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI    string `json:"uri"`
		BaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn,omitempty"`
		EndLine     int `json:"endLine,omitempty"`
		EndColumn   int `json:"endColumn,omitempty"` // behind the last character
	}
	sarifFix struct {
		Description sarifText     `json:"description"`
		Changes     []sarifChange `json:"artifactChanges"`
	}
	sarifChange struct {
		Artifact     sarifArtifact      `json:"artifactLocation"`
		Replacements []sarifReplacement `json:"replacements"`
	}
	sarifReplacement struct {
		Deleted  sarifRegion `json:"deletedRegion"`
		Inserted *sarifText  `json:"insertedContent,omitempty"`
	}
)

func driverOf(opt Options) sarifDriver {
	d := sarifDriver{Name: "handoff", Version: strings.TrimPrefix(opt.Version, "v"), Rules: []sarifRule{}}
	for _, r := range opt.Rules {
		rule := sarifRule{ID: r.Name, Default: sarifDefault{Level: level(r.Severity)},
			Properties: sarifRuleProps{[]string{"handoff"}, "high", problemSeverity(r.Severity)}}
		if r.Severity == lint.Off {
			rule.Default.Enabled = new(bool)
		}
		if r.Summary != "" {
			rule.Short, rule.Full = &sarifText{r.Summary}, &sarifText{r.Summary}
		}
		if r.Doc != "" {
			rule.Help = &sarifHelp{r.Doc, r.Doc}
		}
		if opt.Link != nil {
			rule.HelpURI = opt.Link(r.Name)
		}
		d.Rules = append(d.Rules, rule)
	}
	return d
}

func problemSeverity(s lint.Severity) string {
	switch s {
	case lint.Error:
		return "error"
	case lint.Warning:
		return "warning"
	}
	return "recommendation"
}
