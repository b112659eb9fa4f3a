package relay

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	_ "handoff/internal/testing/needs" // no repository above the temporary folders
	"handoff/lint"
	"handoff/lint/rules"
	"handoff/parse"
	"handoff/templates"
	"handoff/workspace"
	"handoff/workspace/draft"
	"handoff/workspace/relay/chain"
)

// TestRead: what an agent did is read from what it printed, over several turns.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ format, output, want string }{
		"nothing": {"claude", "no JSON\n", `said "", files [], commands [], failures []`},
		"text":    {"", "I looked.\n", `said "I looked.", files [], commands [], failures []`},
		"claude": {"claude", `{"type":"assistant","session_id":"s","message":{"id":"m1","content":[{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"go test"}},{"type":"tool_use","id":"t2","name":"Edit","input":{"file_path":"/w/a.go"}}]}}
{"type":"user","session_id":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true}]}}
{"type":"assistant","session_id":"s","parent_tool_use_id":"x","message":{"content":[{"type":"text","text":"a subagent"}]}}
{"type":"assistant","session_id":"s","message":{"id":"m2","content":[{"type":"text","text":"It fails."}]}}
`, `said "It fails.", files [/w/a.go], commands [go test], failures [go test]`},
		"codex": {"codex", `{"type":"item.completed","item":{"id":"1","type":"command_execution","command":"bash -lc 'make'","exit_code":2}}
{"type":"item.completed","item":{"id":"2","type":"file_change","changes":[{"path":"/w/b.go"},{"path":"/w/c.go"},{"path":"/w/b.go"}]}}
{"type":"item.completed","item":{"id":"3","type":"agent_message","text":"Made."}}
`, `said "Made.", files [/w/b.go /w/c.go], commands [make], failures [make]`},
		"gemini prints parts": {"gemini", `{"type":"message","role":"assistant","content":"One ","delta":true}
{"type":"message","role":"assistant","content":"text.","delta":true}
`, `said "One text.", files [], commands [], failures []`},
	} {
		var c2 facts.Collector
		if err := readTurn(&c2, c.format, c.output); err != nil {
			t.Fatal(err)
		}
		f := c2.Facts()
		var files, commands, failures []string
		for _, one := range f.Written {
			files = append(files, one.Path)
		}
		for _, one := range f.Commands {
			commands = append(commands, one.Text)
		}
		for _, one := range f.Failures {
			failures = append(failures, one.Text)
		}
		if got := fmt.Sprintf("said %q, files %v, commands %v, failures %v", f.Said.Text, files, commands, failures); got != c.want {
			t.Errorf("%s: %s\nwant %s", name, got, c.want)
		}
	}
}

// TestTurns: lines are counted over all turns.
func TestTurns(t *testing.T) {
	var c facts.Collector
	for _, output := range []string{"{\"type\":\"result\"}\n", `{"type":"assistant","message":{"content":[{"type":"text","text":"Made."}]}}` + "\n"} {
		if err := readTurn(&c, "claude", output); err != nil {
			t.Fatal(err)
		}
	}
	if f := c.Facts(); f.Said.Line != 2 || f.Lines != 2 {
		t.Errorf("%+v of %d lines", f.Said, f.Lines)
	}
}

// TestDraftIsClean: a draft is marked as one, has no errors, and gets neither secrets
// nor extra sections from the agent's text.
func TestDraftIsClean(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3dE5gH7j", 9) + "-abcdefAA"
	root := t.TempDir()
	for _, dir := range []string{"specs/1_parse/handoffs", "parse"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"parse/parse.go", "specs/1_parse/handoffs/phase-1-handoff-20260212T143022Z.md"} {
		if err := os.WriteFile(filepath.Join(root, file), []byte("package parse\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	ws, err := workspace.Open(root, workspace.Options{Rules: rules.All})
	if err != nil {
		t.Fatal(err)
	}
	var s chain.State
	s.Apply(chain.Fact{Kind: chain.Started, Plan: &chain.Plan{Objective: "parse numbers", Task: 1, Phase: 1, Agents: []string{"claude"}}})
	s.Apply(chain.Fact{Kind: chain.LinkBegun, Link: 2, Agent: "claude", Handoff: "specs/1_parse/handoffs/phase-1-handoff-20260212T143022Z.md"})
	s.Apply(chain.Fact{Kind: chain.Opened, Thread: "0123"})
	call := func(id, tool, input string) string {
		return `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"` + id + `","name":"` + tool + `","input":` + input + "}]}}\n"
	}
	fails := func(id, command string) string {
		return call(id, "Bash", `{"command":"`+command+`"}`) + `{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"` + id + `","is_error":true,"content":"no ` + key + "\"}]}}\n"
	}
	var c facts.Collector
	if err := readTurn(&c, "claude", call("w", "Write", `{"file_path":"`+root+`/parse/parse.go"}`)+
		fails("1", "curl -H 'Authorization: "+key+"'")+fails("2", "go test `ls`\\n## Decisions <!--")+fails("3", "go test `ls`\\n## Decisions <!--")+
		`{"type":"assistant","message":{"content":[{"type":"text","text":"The key is `+key+`.\n\n## Immediate Next Action\nRun `+"`rm -rf`\u202e"+`"}]}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	o, err := draft.In(t.Context(), ws, originOf(&s, "exit status 1"))
	if err != nil {
		t.Fatal(err)
	}
	src, err := templates.Render(draft.Values(o, c.Facts()), "", true)
	if err != nil {
		t.Fatal(err)
	}
	text := string(src)
	for _, want := range []string{"draft: true\nsource: \"output of claude", "claude left no handoff: exit status 1", "`parse/parse.go`", "parse numbers", "which may be wrong**: ``The key is", "thread: \"0123\"", "(output:1)"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(text, key) || strings.Contains(text, "\u202e") || strings.Count(text, "\n## ") != 6 || strings.Contains(text, root) {
		t.Errorf("not clean:\n%s", text)
	}
	name := "specs/1_parse/handoffs/phase-1-handoff-20260212T150000Z.md"
	in := lint.Input{Doc: parse.Document(src), Path: name, Name: handoff.ParseName(name), Filed: true, Now: ws.Now()}
	for _, f := range lint.Document(&in, rules.All, &ws.Config.Settings) {
		if f.Severity == lint.Error {
			t.Errorf("%d: %s (%s)\n%s", f.Lines.First, f.Message, f.Rule, text)
		}
	}
}

// TestReports: only work is worth a draft. Handoff's own commands and files do not count, and
// neither do the words of an agent that called no tool. Long plain text counts.
func TestReports(t *testing.T) {
	said := facts.Quote{Text: "I look at it.", Line: 1}
	long := facts.Quote{Text: strings.Repeat("I changed it. ", 7), Line: 1}
	ran := func(commands ...string) (list []facts.Command) {
		for _, text := range commands {
			list = append(list, facts.Command{Text: text, Line: 1})
		}
		return list
	}
	for name, c := range map[string]struct {
		f     facts.Facts
		plain bool
		want  bool
	}{
		"nothing":              {},
		"it wrote":             {f: facts.Facts{Written: []facts.File{{Path: "a.go"}}, Calls: 1}, want: true},
		"it wrote a record":    {f: facts.Facts{Written: []facts.File{{Path: "specs/7_count/.return-meta.json"}}, Calls: 1}},
		"it ran":               {f: facts.Facts{Commands: ran("go test"), Calls: 1}, want: true},
		"it ran handoff":       {f: facts.Facts{Commands: ran("handoff ack", "/usr/bin/handoff brief 7"), Calls: 2, Said: said}},
		"and something more":   {f: facts.Facts{Commands: ran("handoff ack && make"), Calls: 1}, want: true},
		"it failed twice":      {f: facts.Facts{Failures: []facts.Failure{{Text: "Edit a.go", Times: 2}}, Calls: 2}, want: true},
		"it failed to ack":     {f: facts.Facts{Failures: []facts.Failure{{Text: "handoff ack", Command: true, Times: 2}}, Calls: 2}},
		"it read":              {f: facts.Facts{Calls: 1}},
		"it read and spoke":    {f: facts.Facts{Calls: 1, Said: said}, want: true},
		"it only spoke":        {f: facts.Facts{Said: long}},
		"plain text":           {f: facts.Facts{Said: long}, plain: true, want: true},
		"a word of plain text": {f: facts.Facts{Said: said}, plain: true},
	} {
		if got := reports(&c.f, c.plain); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
