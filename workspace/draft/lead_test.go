package draft_test

import (
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/workspace/draft"
)

// TestLead: the first step is what the transcript shows to be open, the surest sign first.
func TestLead(t *testing.T) {
	wrote := facts.File{Path: "a.go", Line: 2}
	test := facts.Command{Text: "go test ./...", Line: 5, Seen: 6, State: facts.Exited, Exit: 1}
	passed := facts.Command{Text: "go vet ./...", Line: 7, Seen: 8, State: facts.Succeeded}
	looked := facts.Command{Text: "cd x && grep -n y a.go", Line: 9, Seen: 10, State: facts.Exited, Exit: 1}
	failure := facts.Failure{Text: test.Text, Command: true, Times: 1, Call: 5, Lines: []int{6}, Exit: 1, Exited: true, Error: "FAIL: TestSum"}
	todos := []facts.Todo{{Text: "round up", Status: "pending", Line: 3}, {Text: "round down", Status: "in_progress", Line: 3}}
	done := []facts.Todo{{Text: "round up", Status: "completed", Line: 3}}
	asked, said := facts.Quote{Text: "I can use either.\n\nWhich database do you mean?", Line: 20}, facts.Quote{Text: "All of it is done.", Line: 20}
	clean, dirty := &gitindex.State{Branch: "main"}, &gitindex.State{Branch: "main", Changed: []string{"a.go", "b.go"}}
	for name, c := range map[string]struct {
		o    draft.Origin
		f    facts.Facts
		want string
	}{
		"failed and in progress": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test}, Failures: []facts.Failure{failure}, Todos: todos},
			"Continue with `round down`, which was in progress (session.jsonl:3): `go test ./...` failed last, with exit 1, `FAIL: TestSum` (session.jsonl:5, 6)."},
		"failed": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test, looked}, Failures: []facts.Failure{failure}},
			"Find out why `go test ./...` fails, the last thing that the agent ran: exit 1, `FAIL: TestSum` (session.jsonl:5, 6)."},
		"failed, then another one passed": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test, passed}, Failures: []facts.Failure{failure}},
			"Compare `a.go`, which was changed last (session.jsonl:2), with the goal below."},
		"the first open entry":       {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Todos: todos[:1]}, "Continue with `round up`, the first open entry of its list (session.jsonl:3)."},
		"a question":                 {draft.Origin{}, facts.Facts{Commands: []facts.Command{passed}, Said: asked, Todos: todos}, "Get an answer to what the agent asked last: `Which database do you mean?` (session.jsonl:20)."},
		"a question that was passed": {draft.Origin{}, facts.Facts{Commands: []facts.Command{{Text: "go build", Line: 21, State: facts.Succeeded}}, Called: 21, Said: asked, Todos: todos}, "Continue with `round down`"},
		"a question, then a limit":   {draft.Origin{Why: "usage limit"}, facts.Facts{Commands: []facts.Command{passed}, Said: asked, Todos: todos}, "Continue with `round down`"},
		"finished":                   {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{passed}, Said: said, Todos: done}, "Nothing is open that the transcript shows: check the files against the goal below"},
		"finished, not committed":    {draft.Origin{Git: dirty}, facts.Facts{Written: []facts.File{wrote}, Said: said}, "Nothing is open that the transcript shows, but 1 file that it changed is not committed: check"},
		"finished, without git":      {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Said: said}, "Compare `a.go`"},
		"finished, and a commit failed": {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{{Text: "git commit -m x", Line: 5, State: facts.Exited, Exit: 1}},
			Failures: []facts.Failure{{Text: "git commit -m x", Command: true, Times: 1, Call: 5, Lines: []int{6}}}, Said: said}, "Nothing is open"},
		"finished, and a test fails":   {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test}, Failures: []facts.Failure{failure}, Said: said}, "Find out why `go test ./...` fails"},
		"a request that was not begun": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Said: said, Last: facts.Quote{Text: "Now the docs", Line: 22}, Calls: 3}, "Begin with the user's last request, `Now the docs` (session.jsonl:22): nothing in the transcript follows it."},
		"not allowed":                  {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{{Text: "rm -r build", Line: 5, Seen: 6, State: facts.Refused}}}, "Ask what to do instead of `rm -r build`, which was not allowed (session.jsonl:5, 6)."},
		"a request in the middle": {draft.Origin{}, facts.Facts{Read: []facts.File{wrote}, Last: facts.Quote{Text: "Why?", Line: 1}, Calls: 1, Called: 2},
			"Continue with the user's last request below: the session ended in the middle of it, after it read `a.go` (session.jsonl:2)."},
		"a search in the middle": {draft.Origin{}, facts.Facts{Read: []facts.File{wrote}, Last: facts.Quote{Text: "Why?", Line: 4}, Calls: 2, Called: 7},
			"Continue with the user's last request below: the session ended in the middle of it (session.jsonl:7)."},
		"a call that was announced": {draft.Origin{Git: clean}, facts.Facts{Last: facts.Quote{Text: "Why?", Line: 4}, Calls: 2, Called: 7, Midway: true, Said: facts.Quote{Text: "It fails.\n\nNow the docs:", Line: 9}},
			"Continue with the user's last request below: the session ended in the middle of it; its last words were `Now the docs:` (session.jsonl:9)."},
		"a long message that ends with a question": {draft.Origin{}, facts.Facts{Said: facts.Quote{Text: "It", Line: 20, Cut: true, End: "of it.\nWhich one?"}}, "Get an answer to what the agent asked last: `Which one?` (session.jsonl:20)."},
		"just compacted": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Called: 2, Last: facts.Quote{Text: "Do it", Line: 1}, Compacted: 9,
			Summary: facts.Quote{Text: "1. Request: x", Line: 9, Cut: true, End: "8. Current Work: y\n\n9. Optional Next Step:\n   Fix the guard in a.go.\n   Then add tests.\n\nIf you need specific details from before compaction, read"}},
			"Continue with `Fix the guard in a.go. Then add tests.`, as the host's summary names the next step (session.jsonl:9)."},
		"a pipeline that ran after it": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test, {Text: "go test ./a | tail -5", Line: 7, State: facts.Succeeded}}, Failures: []facts.Failure{failure}}, "Compare `a.go`"},
		"a search with a quoted bar": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{{Text: `rg -n "a|b/c" docs 2>/dev/null`, Line: 7, State: facts.Exited, Exit: 2}},
			Failures: []facts.Failure{{Text: `rg -n "a|b/c" docs 2>/dev/null`, Command: true, Times: 1, Call: 7, Lines: []int{8}}}}, "Compare `a.go`"},
		"a list that it outlived": {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}, Last: facts.Quote{Text: "Why?", Line: 9}, Called: 10, Said: said, Todos: todos}, "Nothing is open"},
		"a list that it needs":    {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}, Last: facts.Quote{Text: "Go on", Line: 9}, Called: 10, Calls: 4, Todos: todos}, "Continue with `round down`"},
		"failed before a compaction": {draft.Origin{}, facts.Facts{Written: []facts.File{wrote}, Commands: []facts.Command{test}, Failures: []facts.Failure{failure}, Compacted: 8},
			"Find out why `go test ./...` fails, the last thing that the agent ran: exit 1, `FAIL: TestSum` (session.jsonl:5, 6, compacted)."},
		"not finished": {draft.Origin{Git: clean}, facts.Facts{Written: []facts.File{wrote}}, "Compare `a.go`"},
	} {
		if v := draft.Values(c.o, &c.f); !strings.HasPrefix(v.NextAction, c.want) {
			t.Errorf("%s: %s\nwant %s", name, v.NextAction, c.want)
		}
	}
}

// TestChecked: a draft says what checked the work after its last change, and what only before it.
func TestChecked(t *testing.T) {
	run := func(text string, line int, s facts.State, exit int) facts.Command {
		return facts.Command{Text: text, Line: line, Seen: line + 1, State: s, Exit: exit}
	}
	wrote := []facts.File{{Path: "a.js", Line: 10}}
	for name, c := range map[string]struct {
		f    facts.Facts
		want string
	}{
		"nothing":      {facts.Facts{Written: wrote}, "**Checked after the last change**: none, as far as recorded (session.jsonl:10)"},
		"only before":  {facts.Facts{Written: wrote, Commands: []facts.Command{run("npm test", 7, facts.Exited, 0)}}, "**: none since `a.js`; before it passed: tests, `npm test` (session.jsonl:7)"},
		"passed":       {facts.Facts{Written: wrote, Commands: []facts.Command{run("npm test", 11, facts.Exited, 0)}}, "**: passed: tests, `npm test` (session.jsonl:11)"},
		"failed":       {facts.Facts{Written: wrote, Commands: []facts.Command{run("npm test", 11, facts.Exited, 1)}}, "**: failed: tests, `npm test` (session.jsonl:11)"},
		"not known":    {facts.Facts{Written: wrote, Commands: []facts.Command{run("npm test", 11, facts.Background, 0)}}, "**: unknown: tests, `npm test` (session.jsonl:11)"},
		"two ways":     {facts.Facts{Written: wrote, Commands: []facts.Command{run("npm test | tail", 11, facts.Exited, 0), run("npm run lint", 13, facts.Exited, 1)}}, "**: unknown: tests, `npm test` (session.jsonl:11); failed: linters, `npm run lint` (session.jsonl:13)"},
		"only a check": {facts.Facts{Commands: []facts.Command{run("npm test", 11, facts.Exited, 1)}}, ""},
	} {
		body := draft.Values(draft.Origin{}, &c.f).Bodies[handoff.CurrentState]
		if c.want == "" && strings.Contains(body, "Checked after") || !strings.Contains(body, c.want) {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// TestCompacted: a draft shows the host's summary, and says of each fact from before it that it is.
func TestCompacted(t *testing.T) {
	f := facts.Facts{Compactions: 1, Compacted: 9, Summary: facts.Quote{Text: "The user wants a parser. It is half done.", Line: 9},
		Written: []facts.File{{Path: "a.go", Line: 4}, {Path: "b.go", Line: 12}}, Last: facts.Quote{Text: "Go on", Line: 2}}
	v := draft.Values(draft.Origin{}, &f)
	body := v.Bodies[handoff.CurrentState]
	for _, want := range []string{"**The host's summary at the compaction, which may be wrong**: `The user wants a parser. It is half done.` (session.jsonl:9)", "`a.go` (session.jsonl:4, compacted)", "`b.go` (session.jsonl:12)"} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in\n%s", want, body)
		}
	}
	if !strings.Contains(v.State.Goal, "(session.jsonl:2, compacted)") {
		t.Error(v.State.Goal)
	}
	if !strings.Contains(strings.Join(v.References, "\n"), `"compacted" is what is from before line 9, where`) {
		t.Error(v.References)
	}
}

// TestSaidLast: of a long last message the end is shown, too.
func TestSaidLast(t *testing.T) {
	text := "It begins here. " + strings.Repeat("Many words follow. ", 60) + "It fails on line 7."
	v := draft.Values(draft.Origin{}, &facts.Facts{Said: facts.Quote{Text: text, Line: 4}})
	body := v.Bodies[handoff.CurrentState]
	cut := draft.Values(draft.Origin{}, &facts.Facts{Said: facts.Quote{Text: text[:500], Line: 4, Cut: true, End: text[300:]}})
	if again := cut.Bodies[handoff.CurrentState]; again != body {
		t.Errorf("%s\n%s", again, body)
	}
	if !strings.Contains(body, "`It begins here.") || !strings.Contains(body, "It fails on line 7.` (session.jsonl:4)") || len(body) > 800 {
		t.Errorf("%d bytes: %s", len(body), body)
	}
}
