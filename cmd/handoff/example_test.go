package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff"
)

const example = "../../specs/example"

// TestExample holds the worked example true: it lints without a finding of
// any severity, and its metadata and progress say what its documents say.
func TestExample(t *testing.T) {
	var out, talk strings.Builder
	dir, err := filepath.Abs(example)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{stdin: strings.NewReader(""), stdout: &out, stderr: &talk, dir: dir, getenv: func(string) string { return "" },
		now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
	if code := run(context.Background(), w, []string{"lint", "--format", "json"}); code != clean {
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
		if code := run(context.Background(), w, args); code != clean || out.String()+talk.String() != "" {
			t.Errorf("%v: exit code %d: %s%s", args, code, out.String(), talk.String())
		}
	}

	src, err := os.ReadFile(example + "/specs/259_prove_completeness/" + handoff.MetadataFile)
	if err != nil {
		t.Fatal(err)
	}
	m, err := handoff.ParseMetadata(src)
	if err != nil {
		t.Fatal(err)
	}
	p := m.PartialProgress
	if m.Status != "partial" || p.Stage != handoff.StageHandoff || p.PhasesCompleted != 2 || p.PhasesTotal != 4 {
		t.Errorf("metadata: %+v, %+v", m, p)
	}
	if _, err := os.Stat(example + "/" + p.HandoffPath); err != nil {
		t.Errorf("handoff_path leads nowhere: %v", err)
	}
	if len(m.Outputs) != 1 || m.Outputs[0].Type != "handoff" || m.Outputs[0].Path != p.HandoffPath {
		t.Errorf("outputs: %+v", m.Outputs)
	}
	name := handoff.ParseName(p.HandoffPath)
	src, err = os.ReadFile(example + "/" + name.Dir + "/" + handoff.ProgressFile(name.Phase))
	if err != nil {
		t.Fatal(err)
	}
	progress, err := handoff.ParseProgress(src)
	if err != nil {
		t.Fatal(err)
	}
	if progress.Phase != name.Phase || progress.HandoffCount != 1 || len(progress.Objectives) != 2 {
		t.Errorf("progress: %+v", progress)
	}
}
