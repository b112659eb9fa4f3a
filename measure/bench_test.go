package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/schematest"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"measure": main})
}

func TestScript(t *testing.T) {
	needs.Tool(t, "git")
	needs.Tool(t, "grep")
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), RequireExplicitExec: true, Setup: func(e *testscript.Env) error {
		e.Setenv("BIN", filepath.SplitList(e.Getenv("PATH"))[0]) // the folder of measure, which contains little else
		return nil
	}})
}

// benched is what `measure` prints.
func benched(t *testing.T, args ...string) string {
	t.Helper()
	var out, talk bytes.Buffer
	if code := run(context.Background(), streams{strings.NewReader(""), &out, &talk}, args); code != 0 || talk.Len() > 0 {
		t.Fatalf("measure %v: exit %d: %s", args, code, talk.String())
	}
	return out.String()
}

// TestBenchPage: docs/bench.md has what the command prints.
func TestBenchPage(t *testing.T) {
	needs.Tool(t, "git")
	needs.Tool(t, "grep")
	onPage(t, benched(t, "-markdown", "findable", "truth", "chain", "deliver", "budget", "continuity"))
}

// The recorded sessions may not be copied into the project.
func TestBenchPageOfSessions(t *testing.T) {
	corpus := needs.Folder(t, "HANDOFF_CORPUS")
	onPage(t, benched(t, "-markdown", "replay", "-transcript", filepath.Join(corpus, "transcripts", "claude-code")))
}

func onPage(t *testing.T, text string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "docs", "bench.md"))
	if err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(text, "\n## ") {
		if part = strings.TrimPrefix(strings.TrimSpace(part), "## "); !strings.Contains(string(page), "\n## "+part+"\n") {
			t.Errorf("docs/bench.md has other figures than `measure -markdown`:\n## %s", part)
		}
	}
}

func TestBenchJSON(t *testing.T) {
	text := benched(t, "chain", "replay", "-json")
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	if err := schematest.File(t, "bench.schema.json").Validate(value); err != nil {
		t.Error(err)
	}
	var v benchJSON
	if err := json.Unmarshal([]byte(text), &v); err != nil || len(v.Suites) != 2 || v.Suites[1].Skipped == "" {
		t.Errorf("%s (%v)", text, err)
	}
}

// TestFigures: each figure of the pages is listed with what prints it; a source that is named is run, and a wrong name is told.
func TestFigures(t *testing.T) {
	list := benched(t, "figures")
	for _, want := range []string{"docs/bench.md:", "  from docs/bench.md:", ": command: cd measure && go run .", ": by hand: "} {
		if !strings.Contains(list, want) {
			t.Errorf("%q is not in the list:\n%s", want, list)
		}
	}
	if ran := benched(t, "figures", "TestOddLines", "projects replay"); !strings.Contains(ran, "--- PASS: TestOddLines") || !strings.Contains(ran, "Not printed here:\n  cd measure && go run . -transcript ~/.claude/projects replay") {
		t.Error(ran)
	}
	if not := benched(t, "figures", "../../cobra"); !strings.Contains(not, "Not printed here:\n  cd measure && go run . -repository ../../cobra planted (docs/bench.md:20): write something for ../../cobra") {
		t.Error(not)
	}
	var out, talk bytes.Buffer
	if code := run(t.Context(), streams{strings.NewReader(""), &out, &talk}, []string{"figures", "TestNowhere"}); code != 2 || !strings.Contains(talk.String(), `no figure is from "TestNowhere"`) {
		t.Errorf("exit %d: %s", code, talk.String())
	}
}
