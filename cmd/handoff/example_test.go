package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/surface/command"
)

const exampleDir = "../../specs/example"

// TestExample checks the worked example: it lints without a finding of any
// severity, and its metadata and progress match its documents.
func TestExample(t *testing.T) {
	var out, talk strings.Builder
	dir, err := filepath.Abs(exampleDir)
	if err != nil {
		t.Fatal(err)
	}
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &talk, Dir: dir, Getenv: func(string) string { return "" },
		Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
	if code := run(context.Background(), w, []string{"lint", "--format", "json"}); code != command.Clean {
		t.Errorf("exit code %d: %s%s", code, out.String(), talk.String())
	}
	var report struct {
		Findings []any
		Summary  struct{ Files int }
	}
	if err := json.Unmarshal([]byte(out.String()), &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Findings) != 0 || report.Summary.Files != 1 {
		t.Errorf("%d files, findings: %v", report.Summary.Files, report.Findings)
	}

	for _, args := range [][]string{{"sync", "--check"}, {"verify", "--strict"}} {
		out.Reset()
		talk.Reset()
		if code := run(context.Background(), w, args); code != command.Clean || out.String()+talk.String() != "" {
			t.Errorf("%v: exit code %d: %s%s", args, code, out.String(), talk.String())
		}
	}

	var m struct {
		Status   string
		Progress struct {
			Stage           string
			HandoffPath     string `json:"handoff_path"`
			PhasesCompleted int    `json:"phases_completed"`
			PhasesTotal     int    `json:"phases_total"`
		} `json:"partial_progress"`
		Outputs []struct{ Type, Path string } `json:"artifacts"`
	}
	exampleJSON(t, "specs/259_prove_completeness/"+handoff.MetadataFile, &m)
	p := m.Progress
	if m.Status != "partial" || p.Stage != handoff.StageHandoff || p.PhasesCompleted != 2 || p.PhasesTotal != 4 {
		t.Errorf("metadata: %+v, %+v", m, p)
	}
	if _, err := os.Stat(exampleDir + "/" + p.HandoffPath); err != nil {
		t.Errorf("handoff_path leads nowhere: %v", err)
	}
	if len(m.Outputs) != 1 || m.Outputs[0].Type != "handoff" || m.Outputs[0].Path != p.HandoffPath {
		t.Errorf("outputs: %+v", m.Outputs)
	}
	name := handoff.ParseName(p.HandoffPath)
	var progress struct {
		Phase      int
		Count      int `json:"handoff_count"`
		Objectives []any
	}
	exampleJSON(t, name.Dir+"/"+handoff.ProgressFile(name.Phase), &progress)
	if progress.Phase != name.Phase || progress.Count != 1 || len(progress.Objectives) != 2 {
		t.Errorf("progress: %+v", progress)
	}
}

// exampleJSON reads a file of the example.
func exampleJSON(t *testing.T, name string, into any) {
	t.Helper()
	src, err := os.ReadFile(exampleDir + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, into); err != nil {
		t.Fatal(err)
	}
}

// seedExamples are the two examples of metadata in the handoff schema, as one
// file, with the id of the bundle that links the handoff.
const seedExamples = `{
  "status": "partial",
  "partial_progress": {
    "stage": "context_exhaustion_handoff",
    "details": "Approaching context limit. Handoff written with current proof state.",
    "handoff_path": "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md",
    "phases_completed": 2,
    "phases_total": 4
  },
  "artifacts": [
    {
      "type": "handoff",
      "path": "specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md",
      "summary": "Context exhaustion handoff for phase 3 with goal state and approach constraints",
      "bundle_artifact_id": "47d8099738b46b71d54e5d5b6f55deb4ad58ce228b3623886cdf8d5ac51a7600"
    }
  ]
}
`

// TestExampleGolden compares metadata that sync writes with the examples of the
// schema. If the agent wrote the two free texts and nothing else, the result is
// the same to the byte; if it wrote only that it stopped, all but these texts
// is. Without metadata, sync creates none.
func TestExampleGolden(t *testing.T) {
	const (
		details = "Approaching context limit. Handoff written with current proof state."
		summary = "Context exhaustion handoff for phase 3 with goal state and approach constraints"
		task    = "specs/259_prove_completeness"
		doc     = task + "/handoffs/phase-3-handoff-20260212T143022Z.md"
		next    = "Apply `rcases` on `h_ih` to extract the induction hypothesis, then use `exact` with `ih_coherent`."
	)
	tests := map[string]struct{ before, want string }{
		"two texts": {`{
  "status": "in_progress",
  "partial_progress": "` + details + `",
  "artifacts": [
    {
      "type": "handoff",
      "path": "` + doc + `",
      "summary": "` + summary + `"
    }
  ]
}
`, seedExamples},
		"a status":   {"{\n  \"status\": \"partial\"\n}\n", strings.NewReplacer(details, next, summary, "Handoff of phase 3: "+next).Replace(seedExamples)},
		"true as is": {seedExamples, seedExamples},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(exampleDir)); err != nil {
				t.Fatal(err)
			}
			meta := filepath.Join(dir, task, handoff.MetadataFile)
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, ".rip")), os.Remove(meta)); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir, Getenv: func(string) string { return "" }, Now: time.Now}
			if code := run(context.Background(), w, []string{"sync"}); code != command.Clean {
				t.Fatalf("exit code %d: %s", code, out.String())
			}
			if _, err := os.Lstat(meta); err == nil {
				t.Error("metadata was made up")
			}
			if err := os.WriteFile(meta, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			if code := run(context.Background(), w, []string{"sync"}); code != command.Clean {
				t.Fatalf("exit code %d: %s", code, out.String())
			}
			if got, err := os.ReadFile(meta); err != nil || string(got) != tt.want {
				t.Errorf("%v, got\n%s\nwant\n%s", err, got, tt.want)
			}
			if code := run(context.Background(), w, []string{"verify", "--strict"}); code != command.Clean {
				t.Errorf("exit code %d: %s", code, out.String())
			}
		})
	}
	if src, err := os.ReadFile(filepath.Join(exampleDir, task, handoff.MetadataFile)); err != nil || string(src) != seedExamples {
		t.Errorf("the example itself, %v:\n%s", err, src)
	}
}
