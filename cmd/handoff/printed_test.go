package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"handoff/docs/schema"
	"handoff/internal/testing/schematest"
	"handoff/internal/testing/waittest"
	"handoff/internal/web/openapi"
	"handoff/surface/command"
	"handoff/surface/command/cli"
	"handoff/surface/httpapi"
)

// commandAt finds a command by its words, below others.
func commandAt(list []*cli.Command, words ...string) *cli.Command {
	cmd := command.CommandNamed(list, words[0])
	if len(words) > 1 {
		return commandAt(cmd.Subcommands, words[1:]...)
	}
	return cmd
}

// printing is one schema, and which commands print it.
type printing struct {
	cli.Printed
	commands []string
}

// printings are the schemas of all commands with --json, by their names.
func printings(t *testing.T) map[string]*printing {
	t.Helper()
	w := &command.Process{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Getenv: func(string) string { return "" }}
	all := map[string]*printing{}
	commands := newApp(w, "").Commands
	for _, words := range jsonCommands(commands) {
		name := strings.Join(words, " ")
		list := cli.PrintedBy(commandAt(commands, words...).Flags)
		if len(list) == 0 {
			t.Errorf("%s: --json has no schema: use command.JSONFlag", name)
		}
		for _, p := range list {
			known := all[p.Schema]
			if known == nil {
				known = &printing{Printed: p}
				all[p.Schema] = known
			}
			if !slices.Equal(known.Types, p.Types) || known.Lines != p.Lines {
				t.Errorf("%s and %s: two kinds of output have the schema %s", known.commands, name, p.Schema)
			}
			known.commands = append(known.commands, name)
		}
	}
	return all
}

// text is the schema that its types make.
func (p *printing) text() []byte {
	what := ""
	if p.Lines {
		what = " Each line is such a value."
	}
	return openapi.Schema(httpapi.Described(), openapi.Standalone{ID: "urn:handoff:schema:" + p.Schema,
		Title:       "handoff " + strings.Join(p.commands, " --json, handoff ") + " --json",
		Description: "What --json prints: see docs/json.md." + what + " Newer versions may add members.", Nulls: p.Nulls}, p.Types...)
}

// TestPrintedSchemas compares the published schemas with the types that the commands print, and holds that each command
// with --json has one.
func TestPrintedSchemas(t *testing.T) {
	all := printings(t)
	for name, p := range all {
		file := filepath.Join("../../docs/schema", name+".schema.json")
		if len(p.Types) > 0 && *update {
			if err := os.WriteFile(file, p.text(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(p.Types) > 0 && !bytes.Equal(text, p.text()) {
			t.Errorf("%s is out of date: run `go generate ./cmd/handoff`", file)
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		for _, vague := range vagueIn(value, name) {
			t.Error(vague)
		}
	}
	for _, name := range schema.Names() {
		if all[name] == nil && !slices.Contains(givenSchemas, name) {
			t.Errorf("no command prints what the schema %s describes", name)
		}
	}
}

// givenSchemas are those of files, not of what commands print.
var givenSchemas = []string{"config", "new", "receipt", "context-handoff"}

// vagueIn are the parts of a schema that promise nothing, or refuse what a newer version adds.
func vagueIn(v any, where string) (list []string) {
	switch v := v.(type) {
	case []any:
		for i, item := range v {
			list = append(list, vagueIn(item, fmt.Sprint(where, "/", i))...)
		}
	case map[string]any:
		if v["additionalProperties"] == false {
			list = append(list, where+" refuses members that newer versions add")
		}
		if v["type"] == "object" && v["properties"] == nil && v["additionalProperties"] == nil && v["required"] == nil {
			list = append(list, where+" says no more than that it is an object")
		}
		for name, item := range v {
			list = append(list, vagueIn(item, where+"/"+name)...)
		}
	}
	return list
}

// jsonCalls are calls with other output than those of readers, and of the commands that readers does not have. Each runs
// in a workspace of its own, after those of before.
var jsonCalls = map[string][][]string{
	"init": {{}, {"--remove"}}, "new": {{"--task", "2", "--slug", "b", "--phase", "1", "--next-action", "Run it.", "--draft"}}, "lint": {{}}, "rules": {{}}, "show": {{"1"}}, "sync": {{}, {"--check"}},
	"search": {{"no", "such", "words"}}, "verify": {{"--claims"}}, "next": {{"--claim", "--as", "bob"}, {"release", "1", ";", "--claim", "--as", "bob"}}, "graph": {{}}, "brief": {{"1", "--level", "full"}},
	"claim": {{"release", "1", ";", "1", "--as", "bob"}, {"issue:7", "--as", "bob"}}, "ack": {{"1", "--as", "ann"}}, "renew": {{"1"}}, "release": {{"1"}}, "done": {{"1", "--as", "ann"}},
	"task list": {{}, {"--all"}}, "task show": {{"1"}}, "task close": {{"release", "1", ";", "1"}}, "task reopen": {{"1"}}, "task rename": {{"release", "1", ";", "1", "renamed"}},
	"task archive": {{"done", "1", "--as", "ann", ";", "task", "close", "1", ";", "1"}},
	"spawn":        {{"release", "1", ";", "1", "--agent", ".handoff/agents/loud.yaml"}, {"release", "1", ";", "1", "--agent", "codex", "--print"}},
	"relay":        {{"--task", "3", "--slug", "c", "--agent", ".handoff/agents/loud.yaml", "--", "do it"}, {"relay", "--task", "3", "--slug", "c", "--agent", ".handoff/agents/loud.yaml", "--", "do it", ";", "--list"}},
	"agents":       {{}, {"codex"}}, "gauge": {{"--transcript", "session.jsonl"}}, "sessions": {{"--all"}}, "draft": {{"--transcript", "session.jsonl"}},
	"setup": {{"codex", "--dry-run"}, {"codex"}}, "doctor": {{"codex"}}, "bundle check": {{"note"}}, "convert": {{"1", "--to", "anchor"}, {"1", "--to", "bundle"}}, "artifact put": {{"note"}},
	"artifact ls": {{}}, "artifact gc": {{}, {"--older-than", "0s", "--delete"}}, "artifact fetch": {{`{"id":"` + strings.Repeat("0", 64) + `"}`}},
	"thread import": {{"thread", "export", "--rip", "rip", ";", "--rip", "rip"}}, "thread repair": {{}}, "thread create": {{"--title", "x"}}, "thread ensure": {{}}, "thread archive": {{"$branch"}},
	"thread unarchive": {{"$branch"}}, "thread rename": {{"$branch", "y"}}, "thread reference": {{"$thread", "$first"}}, "thread provider-cursor-rotate": {{"$thread"}},
	"thread compaction-checkpoint": {{"$thread", "--summary-markdown", "all of it", "--to-message-id", "$message"}}, "thread compaction-auto-schedule": {{"$thread", "--stride-messages", "1"}},
	"tape append": {{"more"}}, "tape handoff": {{"p2", "--summary", "more"}}, "tape anchors": {{"--tape", "side"}}, "tape context": {{"--for", "anthropic"}}, "tape exec": {{",tape.search query=hello"}, {",tape.handoff name=x"}},
	"tape fork": {{"other"}}, "tape discard": {{"$side"}}, "tape reset": {{"--yes"}}, "tape archives": {{"tape", "reset", "--yes", ";"}}, "tape create": {{"made"}}, "tape delete": {{"tape", "create", "made", ";", "made", "--yes"}}, "tape receive": {{"envelope.json"}},
	"tape import": {{"tape", "export", "all.jsonl", ";", "all.jsonl", "--to", "again"}}, "tape export": {{}}, "tape list": {{"tape", "append", "--bub", "bub", "--tape", "cli:local", "hello", ";", "--bub", "bub"}}, "tape recover": {{"--tape", "side"}},
	"store check": {{}}, "store copy": {{"files", "git:origin"}}, "store drain": {{}}, "conformance": {{"--vectors"}, {"--", "cat"}}, "compile": {{"$thread"}},
	"diff": {{"new", "--task", "1", "--phase", "2", "--next-action", "Go on.", "--draft", ";", "1/1", "1/2"}}, "restore": {{"--list"}, {"new", "--task", "4", "--slug", "d", "--phase", "1", "--next-action", "Go on.", "--draft", ";", "4", "--to", "out"}}, "bundle show": {{"$context"}, {"$checkpoint"}},
	"watch": {{"&", "watch", ";", "--status"}}, "audit": {compacted}, "tape book": {{"."}},
}

// TestEachJSON runs each command with --json: what it prints follows a schema that it has, and each of its schemas
// describes something.
func TestEachJSON(t *testing.T) {
	whole := furnished(t)
	compiled, seen := map[string]*jsonschema.Schema{}, map[string]int{}
	w := &command.Process{Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Getenv: func(string) string { return "" }}
	commands, all, found := newApp(w, "").Commands, printings(t), withFindings(t)
	for name := range all {
		compiled[name] = schematest.Compile(t, name)
	}
	for _, words := range jsonCommands(commands) {
		name := strings.Join(words, " ")
		calls := jsonCalls[name]
		if of, ok := readers[name]; ok {
			calls = append(append(calls, of), more[name]...)
		}
		if len(calls) == 0 {
			t.Errorf("%s: add a call with JSON to jsonCalls", name)
		}
		fits := cli.PrintedBy(commandAt(commands, words...).Flags)
		for _, args := range calls {
			out, errs, code := whole.copy(t).asked(words, args)
			values, err := valuesIn(out)
			if code == command.Findings && !found[name] {
				t.Errorf("%s %q: 1, which the table of docs/build-on.md does not have: %s", name, args, errs)
			}
			if code == command.Failed || err != nil || len(values) == 0 {
				t.Errorf("%s %q: %d, %v, %d values: %s%s", name, args, code, err, len(values), out, errs)
				continue
			}
			which, why := fitting(fits, compiled, values)
			if which == "" {
				t.Errorf("%s %q: %v\n%s", name, args, why, out)
			}
			seen[which]++
		}
	}
	for name, p := range all {
		if seen[name] == 0 {
			t.Errorf("no call printed what the schema %s of %s describes", name, p.commands)
		}
	}
}

// furnished is a workspace in git in which each command has something to print.
func furnished(t *testing.T) *stored {
	s := newStored(t)
	s.env = map[string]string{"HOME": t.TempDir()}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"}, {"init", "-q", "--bare", "away.git"}, {"remote", "add", "origin", "away.git"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = s.dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	writeFile(t, s.dir, "note", "changed since")
	s.does("claim", "", "claim", "1", "--as", "ann")
	writeFile(t, s.dir, ".handoff/agents/loud.yaml", `{"title":"prints what agents print","program":"cat","start":["session.jsonl"],"stream":"claude"}`)
	writeFile(t, s.dir, "session.jsonl", `{"type":"assistant","uuid":"u","sessionId":"s","cwd":"/w","timestamp":"2026-02-12T16:04:00.000Z","message":{"id":"1","model":"m","usage":{"input_tokens":9},`+
		`"content":[{"type":"text","text":"hello"},{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"a.go"}}]}}`+"\n")
	envelope, errs, code := s.run("tape", "send", "--from", "agent:a", "--to", "agent:b", "--reason", "r")
	if code != command.Clean {
		t.Fatal(errs)
	}
	writeFile(t, s.dir, "envelope.json", envelope)
	s.settle()
	return s
}

// asked is steps whose last command has --json.
func (s *stored) asked(words, args []string) (out, errs string, code int) {
	last := 0 // where its arguments begin
	for i, arg := range args {
		if arg == ";" {
			last = i + 1
		}
	}
	at := len(args)
	if i := slices.Index(args[last:], "--"); i >= 0 {
		at = last + i
	}
	return s.steps(words, slices.Insert(slices.Clone(args), at, "--json"))
}

// steps runs the commands before each ; and then the command of the words with the other arguments; one after & runs
// beside the next, write writes a file, and env sets a variable.
func (s *stored) steps(words, args []string) (out, errs string, code int) {
	end := time.Now()
	for {
		i := slices.Index(args, ";")
		if i < 0 {
			break
		}
		if args[0] == "&" {
			end = waittest.Deadline()
			defer s.beside(args[1:i])()
		} else if args[0] == "write" {
			writeFile(s.t, s.dir, s.named(args[1]), args[2])
		} else if args[0] == "env" {
			s.env = maps.Clone(s.env)
			s.env[args[1]] = s.named(args[2])
		} else if _, errs, code := s.run(args[:i]...); code == command.Failed {
			return "", errs, code
		}
		args = args[i+1:]
	}
	call := slices.Concat(words, args)
	for out, errs, code = s.run(call...); out == "" && time.Now().Before(end); out, errs, code = s.run(call...) {
		time.Sleep(10 * time.Millisecond) // a command beside it has not started yet
	}
	return out, errs, code
}

// beside starts a command that runs until stop is called.
func (s *stored) beside(args []string) (stop func()) {
	ctx, cancel := context.WithCancel(waittest.Context(s.t))
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: io.Discard, Dir: s.dir, Now: time.Now, Getenv: func(string) string { return "" }}
	var running sync.WaitGroup
	running.Go(func() { run(ctx, w, args) })
	return func() {
		cancel()
		running.Wait()
	}
}

// valuesIn are the JSON values of a text.
func valuesIn(text string) (list []any, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	for {
		var raw json.RawMessage
		if err := d.Decode(&raw); err == io.EOF {
			return list, nil
		} else if err != nil {
			return list, err
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
		if err != nil {
			return list, err
		}
		list = append(list, v)
	}
}

// fitting is the name of the first schema that describes all values; "" with the reasons if there is none.
func fitting(of []cli.Printed, compiled map[string]*jsonschema.Schema, values []any) (name string, why []error) {
	for _, p := range of {
		var err error
		for _, v := range values {
			if err == nil {
				err = compiled[p.Schema].Validate(v)
			}
		}
		if len(values) > 1 && !p.Lines && len(p.Types) > 0 {
			err = fmt.Errorf("%s: %d values", p.Schema, len(values))
		}
		if err == nil {
			return p.Schema, nil
		}
		why = append(why, err)
	}
	return "", why
}
