package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/document/handoff"
	"handoff/internal/testing/schematest"
)

// sarifLog is what GitHub's code scanning reads of a report.
type sarifLog struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name, SemanticVersion string
				Rules                 []struct {
					ID                                      string
					ShortDescription, FullDescription, Help struct{ Text string }
					DefaultConfiguration                    struct{ Level string }
				}
			}
		}
		Results []struct {
			RuleID, Level       string
			RuleIndex           *int
			Message             struct{ Text string }
			PartialFingerprints struct{ PrimaryLocationLineHash string }
			Locations           []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI, URIBaseID string }
					Region           *struct{ StartLine, StartColumn, EndLine, EndColumn int }
				}
			}
		}
	}
}

// TestSARIFOfCommands: what lint and verify write about a bad tree is valid by the
// schema of OASIS, and has what GitHub's code scanning requires.
func TestSARIFOfCommands(t *testing.T) {
	schema := schematest.File(t, "../../lint/report/testdata/sarif-schema-2.1.0.json")
	bin, tree := commandDir(t), badTree(t)
	for name, atLeast := range map[string]int{"lint": 50, "verify": 10} {
		out, _ := programIn(t, bin, tree, name, "--format", "sarif").Output() // it fails: there are findings
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var log sarifLog
		if err := json.Unmarshal(out, &log); err != nil || log.Version != "2.1.0" || len(log.Runs) != 1 || len(log.Runs[0].Results) < atLeast {
			t.Fatalf("%s: %v, %.300s", name, err, out)
		}
		checkForGitHub(t, name, log)
	}
}

// checkForGitHub checks what docs.github.com requires of a SARIF file for code
// scanning, beside the schema.
func checkForGitHub(t *testing.T, name string, log sarifLog) {
	t.Helper()
	levels := []string{"none", "note", "warning", "error"}
	run := log.Runs[0]
	if d := run.Tool.Driver; d.Name != "handoff" || d.SemanticVersion != handoff.Version {
		t.Errorf("%s: driver %s %s", name, d.Name, d.SemanticVersion)
	}
	for _, r := range run.Tool.Driver.Rules {
		if r.ID == "" || r.ShortDescription.Text == "" || len(r.ShortDescription.Text) > 1024 || r.FullDescription.Text == "" || r.Help.Text == "" || !slices.Contains(levels, r.DefaultConfiguration.Level) {
			t.Errorf("%s: rule %+v", name, r)
		}
	}
	seen := map[string]bool{}
	for _, r := range run.Results {
		if r.RuleIndex == nil || *r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID ||
			!slices.Contains(levels, r.Level) || r.Message.Text == "" || len(r.Locations) != 1 {
			t.Errorf("%s: result %+v", name, r)
			continue
		}
		at := r.Locations[0].PhysicalLocation
		if u, err := url.Parse(at.ArtifactLocation.URI); err != nil || u.IsAbs() || at.ArtifactLocation.URIBaseID != "%SRCROOT%" {
			t.Errorf("%s: %+v: the checkout has no such file (%v)", name, at.ArtifactLocation, err)
		}
		if g := at.Region; g != nil && (g.StartLine < 1 || g.EndLine < g.StartLine || g.EndLine == g.StartLine && g.EndColumn > 0 && g.EndColumn < g.StartColumn) {
			t.Errorf("%s: region %+v", name, *g)
		}
		print := at.ArtifactLocation.URI + " " + r.PartialFingerprints.PrimaryLocationLineHash
		if r.PartialFingerprints.PrimaryLocationLineHash == "" || seen[print] {
			t.Errorf("%s: %s has the fingerprint %q of another finding, or none", name, r.RuleID, print)
		}
		seen[print] = true
	}
}
