package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.yaml.in/yaml/v4"

	"handoff/internal/testing/needs"
)

// action is what the tests read of action.yml.
type action struct {
	Inputs map[string]struct{ Default string }
	Runs   struct {
		Steps []struct {
			ID, Run, Uses string
			Env           map[string]string
		}
	}
}

func readAction(t *testing.T) action {
	t.Helper()
	src, err := os.ReadFile("../../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var a action
	if err := yaml.Unmarshal(src, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// job is a job of GitHub Actions that runs the action's own steps.
type job struct {
	dir, temp string
	values    map[string]string // of the expressions: "inputs.paths", "steps.check.outputs.status"
	log       strings.Builder
}

func newJob(t *testing.T, a action, inputs map[string]string) *job {
	j := &job{dir: t.TempDir(), temp: t.TempDir(), values: map[string]string{}}
	for name, in := range a.Inputs {
		j.values["inputs."+name] = in.Default
	}
	for name, value := range inputs {
		j.values["inputs."+name] = value
	}
	return j
}

var expression = regexp.MustCompile(`\$\{\{ *([a-z.]+) *\}\}`)

// run runs the steps that are commands, up to the first one that fails, and returns
// its exit status.
func (j *job) run(t *testing.T, a action) int {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range a.Runs.Steps {
		if step.Run == "" {
			continue
		}
		cmd := exec.Command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step.Run)
		cmd.Dir, cmd.Stdout, cmd.Stderr = j.dir, &j.log, &j.log
		cmd.Env = append(os.Environ(), clockVar+"=2026-02-12T16:05:00Z", "GITHUB_ACTION_PATH="+root, "RUNNER_TEMP="+j.temp,
			"GITHUB_OUTPUT="+j.file(step.ID), "GITHUB_STEP_SUMMARY="+j.file("summary"))
		for name, value := range step.Env {
			cmd.Env = append(cmd.Env, name+"="+expression.ReplaceAllStringFunc(value, func(e string) string {
				return j.values[expression.FindStringSubmatch(e)[1]]
			}))
		}
		err := cmd.Run()
		for line := range strings.Lines(j.read(t, step.ID)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			j.values["steps."+step.ID+".outputs."+name] = value
		}
		if err != nil {
			return cmd.ProcessState.ExitCode()
		}
	}
	return 0
}

func (j *job) file(name string) string { return filepath.Join(j.temp, "of-"+name) }

func (j *job) read(t *testing.T, name string) string {
	t.Helper()
	src, err := os.ReadFile(j.file(name))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(src)
}

const actionDocument = "specs/1_a/handoffs/phase-1-handoff-20260212T160500Z.md"

// documentWith is a handoff with a title and a next action.
func documentWith(title, action string) string {
	return "# " + title + "\n\n## Immediate Next Action\n" + action + "\n\n" +
		"## Current State\n- **File**: README.md\n- **Location**: Line 1\n- **Goal state**: all tests pass\n\n" +
		"## Key Decisions Made\nNone\n\n## What NOT to Try\nNone\n\n## Critical Context (max 5 items)\nNone\n\n## References (read only if stuck)\nNone\n"
}

var (
	vagueAction = documentWith("Phase 1 Handoff - 20260212T160500Z", "Continue the work")
	wrongTitle  = documentWith("##[error]Handoff", "Run `go test ./...` and fix README.md.")
	goodHandoff = documentWith("Phase 1 Handoff - 20260212T160500Z", "Run `go test ./...` and fix README.md.")
)

func TestAction(t *testing.T) {
	needs.Unix(t, "bash")
	needs.Tool(t, "bash")
	a := readAction(t)
	bin := filepath.Join(commandDir(t), "handoff")
	for _, c := range []struct {
		name, document string
		inputs         map[string]string
		status         int
		summary        string
	}{
		{"error", vagueAction, nil, 1, "    " + actionDocument + ":4:1: error: next action names nothing to act on"},
		{"error, not verified", vagueAction, map[string]string{"verify": "false"}, 1, "(vague-next-action)"},
		{"other path", vagueAction, map[string]string{"paths": "\nspecs/2_b\n", "verify": "false"}, 0, "No findings."},
		{"warning", wrongTitle, nil, 0, "(malformed-title)"},
		{"warning, strict", wrongTitle, map[string]string{"strict": "true"}, 1, "(malformed-title)"},
		{"note of verify", goodHandoff, map[string]string{"strict": "true"}, 0, "(unlinked-handoff)"},
		{"no handoffs", "", nil, 2, "not set up in"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := newJob(t, a, c.inputs)
			j.values["inputs.binary"] = bin
			writeFile(t, j.dir, "README.md", "# Project\n")
			if c.document != "" {
				writeFile(t, j.dir, actionDocument, c.document)
				writeFile(t, j.dir, "specs/2_b/handoffs/phase-1-handoff-20260212T160500Z.md", goodHandoff)
			}
			if got := j.run(t, a); got != c.status {
				t.Errorf("exit status %d, want %d\n%s", got, c.status, &j.log)
			}
			if got := j.values["steps.check.outputs.status"]; got != strconv.Itoa(c.status) {
				t.Errorf("output status: %q", got)
			}
			if summary := j.read(t, "summary"); !strings.Contains(summary, c.summary) || strings.Contains(summary, "### handoff verify") != (j.values["inputs.verify"] == "true") {
				t.Errorf("summary, want %q:\n%s", c.summary, summary)
			}
			checkLog(t, j.log.String())
			var report struct{ Runs []any }
			sarif, err := os.ReadFile(filepath.Join(j.values["steps.check.outputs.reports"], "lint.sarif"))
			if c.status < 2 && (err != nil || json.Unmarshal(sarif, &report) != nil || len(report.Runs) != 1) {
				t.Errorf("lint.sarif: %v, %s", err, sarif)
			}
		})
	}
}

// checkLog: what documents decide is between the commands that make GitHub ignore
// commands, and matchers are removed again.
func checkLog(t *testing.T, log string) {
	t.Helper()
	stopped := regexp.MustCompile(`(?s)^handoff version .*\n::add-matcher::.*/\.github/handoff-matcher\.json\n::stop-commands::([0-9a-f]{32})\n(.*)\n?::([0-9a-f]{32})::\n(.*)$`).FindStringSubmatch(log)
	if stopped == nil || stopped[1] != stopped[3] {
		t.Fatalf("commands are not stopped:\n%s", log)
	}
	for _, m := range matchers(t) {
		if !strings.Contains(stopped[4], "::remove-matcher owner="+m.Owner+"::\n") {
			t.Errorf("%s is not removed", m.Owner)
		}
	}
}

// TestActionBuilds: without a binary, the action builds its own sources.
func TestActionBuilds(t *testing.T) {
	needs.Unix(t, "bash")
	needs.Tool(t, "bash")
	if testing.Short() {
		t.Skip("builds the command")
	}
	a := readAction(t)
	j := newJob(t, a, nil)
	writeFile(t, j.dir, actionDocument, vagueAction)
	if got := j.run(t, a); got != 1 || !strings.Contains(j.log.String(), "vague-next-action") {
		t.Errorf("exit status %d\n%s", got, &j.log)
	}
}

// matcher is a problem matcher of GitHub Actions.
type matcher struct {
	Owner, Severity string
	Pattern         []struct {
		Regexp                                      string
		File, Line, Column, Severity, Message, Code int
	}
}

func matchers(t *testing.T) []matcher {
	t.Helper()
	var file struct{ ProblemMatcher []matcher }
	src, err := os.ReadFile("../../.github/handoff-matcher.json")
	if err != nil || json.Unmarshal(src, &file) != nil || len(file.ProblemMatcher) == 0 {
		t.Fatalf("%v\n%s", err, src)
	}
	return file.ProblemMatcher
}

// matched is what a matcher finds in a line.
type matched struct{ file, line, severity, code string }

func problemsIn(t *testing.T, all []matcher, line string) (found []matched) {
	for _, m := range all {
		p := m.Pattern[0]
		groups := regexp.MustCompile(p.Regexp).FindStringSubmatch(line)
		if groups == nil {
			continue
		}
		groups[0] = "" // of what a pattern does not name
		severity := groups[p.Severity]
		if severity == "" {
			severity = map[string]string{"notice": "note"}[m.Severity]
		}
		found = append(found, matched{groups[p.File], groups[p.Line], severity, groups[p.Code]})
	}
	return found
}

// badTree has the bad example of each rule of lint, and a file with a bad name.
func badTree(t *testing.T) (tree string) {
	t.Helper()
	tree = t.TempDir()
	archives, err := filepath.Glob("../../lint/rules/*.txtar")
	if err != nil || len(archives) < 40 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for i, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if f.Name == "bad.md" {
				writeFile(t, tree, "specs/"+strconv.Itoa(i+1)+"_a/handoffs/phase-1-handoff-20260212T160500Z.md", string(f.Data))
			}
		}
	}
	writeFile(t, tree, "specs/99_a/handoffs/phase-1-handoff-20260212.md", vagueAction)
	return tree
}

// TestMatchers lints the bad examples of all rules: in the text of each finding, one
// matcher finds what JSON reports.
func TestMatchers(t *testing.T) {
	bin, tree := commandDir(t), badTree(t)
	lint := func(format string) []byte {
		out, _ := programIn(t, bin, tree, "lint", "--quiet", "--format", format).Output() // it fails: there are findings
		return out
	}
	var want struct {
		Findings []struct {
			Path, Severity, Rule string
			Line                 int
		}
	}
	if err := json.Unmarshal(lint("json"), &want); err != nil || len(want.Findings) < 50 {
		t.Fatalf("%d findings, %v", len(want.Findings), err)
	}
	lines := strings.Split(strings.TrimSpace(string(lint("text"))), "\n")
	if len(lines) != len(want.Findings) {
		t.Fatalf("%d lines for %d findings", len(lines), len(want.Findings))
	}
	all, used := matchers(t), map[string]bool{}
	for i, f := range want.Findings {
		place := ""
		if f.Line > 0 {
			place = strconv.Itoa(f.Line)
		}
		used[f.Severity+strconv.FormatBool(f.Line > 0)] = true
		if found := problemsIn(t, all, lines[i]); len(found) != 1 || found[0] != (matched{f.Path, place, f.Severity, f.Rule}) {
			t.Errorf("%s\nfound %+v, want %+v", lines[i], found, f)
		}
	}
	if !used["errortrue"] || !used["errorfalse"] || !used["warningtrue"] || !used["notetrue"] {
		t.Errorf("not all kinds of findings: %v", used)
	}
}
