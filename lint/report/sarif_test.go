package report

import (
	"encoding/json"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/lint"
)

func TestSARIFKeepsToTheSchema(t *testing.T) {
	src, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	doc, err := jsonschema.UnmarshalJSON(src)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat() // among others, that URIs are URIs
	if err := compiler.AddResource("sarif.json", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	linked := options()
	linked.Link = func(rule string) string { return "https://example.org/" + rule }
	for _, opt := range []Options{options(), linked, {}} {
		for _, files := range [][]file{samples(), nil} {
			log, err := jsonschema.UnmarshalJSON(strings.NewReader(write(t, "sarif", opt, files)))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(log); err != nil {
				t.Error(err)
			}
		}
	}
	bad, err := jsonschema.UnmarshalJSON(strings.NewReader(strings.Replace(write(t, "sarif", options(), samples()), `"ruleId"`, `"rule"`, 1)))
	if err != nil || schema.Validate(bad) == nil {
		t.Errorf("a wrong key passes: %v", err)
	}
}

// sarifLog is what code scanning reads.
type sarifLog struct {
	Runs []struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Results []sarifResult `json:"results"`
	} `json:"runs"`
}

func readSARIF(t *testing.T, files []file) sarifLog {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal([]byte(write(t, "sarif", options(), files)), &log); err != nil {
		t.Fatal(err)
	}
	return log
}

func TestSARIFPlaces(t *testing.T) {
	run := readSARIF(t, samples()).Runs[0]
	i := 0
	for _, s := range samples() {
		for range s.findings {
			at := run.Results[i].Locations[0].Physical.Artifact
			u, err := url.Parse(at.URI)
			if err != nil {
				t.Fatal(err)
			}
			path := strings.TrimPrefix(u.Path, "./")
			if u.Scheme == "file" {
				path = strings.Replace(path, "/C:", "C:", 1)
			}
			if path != s.path || (u.Scheme == "file") == (at.BaseID != "") {
				t.Errorf("%q becomes %q of %q", s.path, at.URI, at.BaseID)
			}
			i++
		}
	}
	// "- 😀 éx `simp`": the emoji is two units, é one.
	if r := run.Results[1].Locations[0].Physical.Region; r != (sarifRegion{3, 9, 3, 15}) {
		t.Errorf("got %+v", r)
	}
	if r := run.Results[0].Locations[0].Physical.Region; r != (sarifRegion{StartLine: 1}) {
		t.Errorf("the file as a whole: got %+v", r)
	}
	if f := run.Results[3].Fixes[0].Changes[0].Replacements; len(f) != 3 ||
		f[0].Deleted != (sarifRegion{1, 1, 2, 1}) || f[1].Deleted != (sarifRegion{5, 1, 5, 1}) || f[2].Inserted != nil {
		t.Errorf("got %+v", f)
	}
	for _, r := range run.Results {
		if r.RuleIndex != nil && run.Tool.Driver.Rules[*r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is not %s", *r.RuleIndex, r.RuleID)
		}
	}
}

// A finding keeps its fingerprint when lines come before it, and two on equal
// lines have two.
func TestSARIFFingerprints(t *testing.T) {
	of := func(source string, at ...int) (list []string) {
		f := file{"a.md", source, nil}
		for _, n := range at {
			f.findings = append(f.findings, lint.Finding{Rule: "r", Severity: lint.Error, Lines: lines(n, n), Col: 1, EndCol: 2, Message: "m"})
		}
		for _, r := range readSARIF(t, []file{f}).Runs[0].Results {
			list = append(list, r.Fingerprints["primaryLocationLineHash"])
		}
		return list
	}
	before := of("one\ntwo\none\n", 1, 2, 3)
	after := of("new\n\none\n  two \none\n", 3, 4, 5)
	if strings.Join(before, " ") != strings.Join(after, " ") {
		t.Errorf("got %v, then %v", before, after)
	}
	if before[0] == before[1] || before[0] == before[2] {
		t.Errorf("findings share a fingerprint: %v", before)
	}
}
