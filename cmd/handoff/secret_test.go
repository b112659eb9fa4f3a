package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/surface/command"
)

// aSecret is concatenated here, so that secret scanners do not report it.
var aSecret = "gh" + "p_q7Rk2Vx9TzLw4Nd8Ys3Pf6Hc1Mb5Jg0Ae7Uo"

// secretive are documents with a secret, written as $, where rules quote, move
// or point at text.
var secretive = []string{
	"# Phase 1 Handoff - 20260212T143022Z\n\n## Current State\n- **File**: a.go\n- **Location**: Line 1\n- **Goal state**: push with $ now. Then go on. Then stop.\n\n" +
		"## Immediate Next Action\n- Use $ or\n- use it not\n\n## Key Decisions Made\n1. Push with $. It was made by hand. Nobody knows it.\n\n## What NOT to Try\n1. $\n\n" +
		"## Critical Context\n1. a\n1. The old $ is gone. So it is. <!-- $ -->\n\n## References\n- specs/9_x/$/a.md\n- `a.go`, see $\n",
	"# Phase 1 Handoff $\n\n## Notes on $\nx\n\n## Next\nContinue with $\n",
	"---\ntask: $\nlint: [\"$\"]\n---\n# Handoff\n\n## Imediate Next Action $\n\n**Token $**\n\n```\n$\n" + strings.Repeat("$\n", 12) + "```\n",
	"# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\n\n" + strings.Repeat("Either run this $ or run that, and then think about it. ", 12) + "\n",
}

// TestNoReportHoldsASecret prints the findings of documents with a secret in
// every format: none may contain the secret.
func TestNoReportHoldsASecret(t *testing.T) {
	for n, text := range secretive {
		dir := t.TempDir()
		path := filepath.Join(dir, "specs/1_one/handoffs/phase-1-handoff-20260212T143022Z.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text = strings.ReplaceAll(text, "$", aSecret)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		lint := func(stdin string, args ...string) string {
			var out bytes.Buffer
			w := &command.Process{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &out, Dir: dir, Getenv: func(string) string { return "" },
				Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) }}
			run(context.Background(), w, args)
			return out.String()
		}
		for _, args := range [][]string{
			{"lint", "--color", "always"}, {"lint", "--color", "never"}, {"lint", "--json"}, {"lint", "--format", "sarif"},
			{"lint", "--format", "github"}, {"lint", "--format", "junit"}, {"lint", "--color", "always", "--disable", "secret"},
			{"lint", "--json", "--disable", "secret"}, {"lint", "--color", "always", "--profile", "completion"}, {"lint", "-", "--color", "always"},
			{"new", "--task", "2", "--slug", "two", "--phase", "1", "--from", path}, {"verify", "--color", "always"}, {"fix"},
		} {
			got := lint(text, args...)
			if i := strings.Index(got, aSecret[4:12]); i >= 0 {
				t.Errorf("document %d, handoff %q prints the secret: %q", n, args, got[max(0, i-200):i+8])
			}
			if i := strings.Index(got, aSecret[len(aSecret)-8:]); i >= 0 {
				t.Errorf("document %d, handoff %q prints the end of the secret: %q", n, args, got[max(0, i-200):i+8])
			}
			if len(got) < 50 {
				t.Errorf("document %d, handoff %q has nothing to say: %q", n, args, got)
			}
		}
	}
}

// TestHiddenTextIsNotShown: findings in colour show the source line below,
// except for hidden text, which users should not copy.
func TestHiddenTextIsNotShown(t *testing.T) {
	var out bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader("# x\n\n<!-- obey me -->\n\n<p hidden>obey</p>\n\nobey\u200bus\n\nAKIA" + "Q3EGTZ7RLW5KXN2P\n\n\n## Notes on this\nx\n"), Stdout: &out, Stderr: &out,
		Dir: t.TempDir(), Now: time.Now, Getenv: func(string) string { return "" }}
	run(context.Background(), w, []string{"lint", "-", "--color", "always"})
	for _, rule := range []string{"hidden-comment", "hidden-character", "hidden-text", "secret"} {
		if !strings.Contains(out.String(), rule) {
			t.Errorf("no finding of %s", rule)
		}
	}
	for _, text := range []string{"obey", "AKIA", "********"} {
		if strings.Contains(out.String(), text) {
			t.Errorf("%q is shown", text)
		}
	}
	if !strings.Contains(out.String(), "^") {
		t.Error("no source line is shown at all")
	}
}

// TestFixesWithSecrets: JSON contains all edits except those with a secret in
// their text.
func TestFixesWithSecrets(t *testing.T) {
	fixes := func(word string) (n int) {
		var out bytes.Buffer
		w := &command.Process{Stdin: strings.NewReader("# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun `x`\n\n## Key Decisions Made\n1. " + word + "\n\n## Current State\n- x\n\n" +
			"## What NOT to Try\n1. y\n\n## Critical Context\n1. z\n\n## References\n- a.go\n"), Stdout: &out,
			Stderr: new(bytes.Buffer), Dir: t.TempDir(), Now: time.Now, Getenv: func(string) string { return "" }}
		run(context.Background(), w, []string{"lint", "-", "--json"})
		var report struct {
			Findings []struct{ Fix any }
		}
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if f.Fix != nil {
				n++
			}
		}
		return n
	}
	if with, without := fixes(aSecret), fixes("done"); with == 0 || with >= without {
		t.Errorf("%d fixes with a secret, %d without", with, without)
	}
}
