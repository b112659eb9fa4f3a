package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"handoff/surface/command"
)

// compacted is a call for a session whose summary lacks a rule.
var compacted = []string{"write", "compacted.jsonl", `{"type":"user","uuid":"1","sessionId":"s","message":{"role":"user","content":"Never touch the vendor folder."}}
{"type":"system","subtype":"compact_boundary","uuid":"2","sessionId":"s"}
{"type":"user","uuid":"3","sessionId":"s","isCompactSummary":true,"message":{"role":"user","content":"The parser fails on tabs, as the test of the scanner shows: it expects blanks."}}
`, ";", "--transcript", "compacted.jsonl"}

// failures are calls that end with the status of a row of the table in docs/build-on.md, each in a workspace of its own.
var failures = map[string][]string{
	"lint": {"1"}, "fix": {"write", "bare.md", "# Phase 1 Handoff - 20260212T143022Z\n\n## current State\n", ";", "--diff", "bare.md"}, "bundle check": {"note"}, "doctor": {"codex"},
	"verify": {"write", "specs/1_a/handoffs/phase-7-handoff-20260212T150000Z.md", "# Phase 7", ";", "--strict"}, "bundle diff": {"write", "specs/1_a/handoffs/phase-1-handoff-20260212T160500Z.md", "# Other", ";", "1"},
	"artifact verify": {"write", ".rip/artifacts/blobs/$note", "damaged", ";"}, "tape check": {"write", ".handoff/tape/main.jsonl", "{damaged\n", ";"},
	"chain":       {"new", "--task", "1", "--phase", "2", "--next-action", "Go on.", "--dead-end", "a: lost", "--draft", ";", "new", "--task", "1", "--phase", "3", "--next-action", "Go on.", "--draft", ";", "1"},
	"diff":        {"new", "--task", "1", "--phase", "2", "--next-action", "Go on.", "--dead-end", "a: lost", "--draft", ";", "new", "--task", "1", "--phase", "3", "--next-action", "Go on.", "--draft", ";", "1/2", "1/3"},
	"conformance": {"--", "cat"}, "audit": compacted,
	"sync": {"write", "specs/1_a/handoffs/phase-7-handoff-20260212T150000Z.md", "# Phase 7", ";", "--check"}, "next": {}, "search": {"no", "such", "words"}, "gauge": {"--transcript", "session.jsonl", "--at", "1"}, "sessions": {}, "watch": {"--status"}, "trust": {"--show"},
	"claim": {"1", "--as", "bob"}, "ack": {"1", "--first-action", "something else", "--as", "ann"}, "renew": {"claim", "1", "--as", "bob", "--force", "--why", "x", ";", "env", "HANDOFF_CLAIM", "$claim", ";", "1"},
	"release": {"claim", "1", "--as", "bob", "--force", "--why", "x", ";", "env", "HANDOFF_CLAIM", "$claim", ";", "1"}, "done": {"1", "--as", "bob"}, "new": {"--task", "1", "--phase", "2"}, "task close": {"1"}, "task archive": {"1"}, "task rename": {"1", "other"},
	"restore": {"new", "--task", "4", "--slug", "d", "--phase", "1", "--next-action", "Go on.", "--draft", ";", "write", "note", "again", ";", "4"}, "artifact fetch": {`{"id":"` + strings.Repeat("0", 64) + `"}`}, "spawn": {"1", "--agent", ".handoff/agents/loud.yaml"},
	"relay": {"--task", "3", "--slug", "c", "--agent", ".handoff/agents/loud.yaml", "--", "do it"}, "hook": {"nonsense"},
}

// withFindings are the commands that may end with 1, by the table.
func withFindings(t *testing.T) map[string]bool {
	t.Helper()
	src, err := os.ReadFile("../../docs/build-on.md")
	if err != nil {
		t.Fatal(err)
	}
	named, listed := regexp.MustCompile("`([a-z ]+)`"), map[string]bool{}
	for _, row := range regexp.MustCompile(`(?m)^\| 1 \| (.*?) \|`).FindAllStringSubmatch(string(src), -1) {
		for _, name := range named.FindAllStringSubmatch(row[1], -1) {
			listed[name[1]] = true
		}
	}
	return listed
}

// TestExitStatus compares the table of exit statuses with what the commands return; TestEachJSON finds what it lacks.
func TestExitStatus(t *testing.T) {
	whole, listed := furnished(t), withFindings(t)
	for name := range listed {
		args, ok := failures[name]
		if !ok {
			t.Errorf("%s: add a call to failures", name)
			continue
		}
		if out, errs, code := whole.copy(t).steps(strings.Fields(name), args); code != command.Findings {
			t.Errorf("%s %q: %d, the table says 1: %s%s", name, args, code, out, errs)
		}
	}
	for name := range failures {
		if !listed[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
	for _, name := range leafCommands() {
		if _, _, code := whole.run(append(strings.Fields(name), "--no-such-flag")...); code != command.Failed && name != "hook" {
			t.Errorf("%s with an unknown flag: %d, the table says 2", name, code)
		}
	}
	for script, want := range map[string]int{"exit 7": 7, "kill -TERM $$": 128 + 15} {
		if _, errs, code := whole.copy(t).run("run", "$thread", "--content", "x", "--", "sh", "-c", script); code != want {
			t.Errorf("run of %s: %d, want %d: %s", script, code, want, errs)
		}
	}
	if _, errs, code := whole.copy(t).run("claim", "issue:7", "--as", "bob", "--", "sh", "-c", "exit 7"); code != 7 {
		t.Errorf("claim of a command: %d: %s", code, errs)
	}
}
