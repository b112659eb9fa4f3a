package main

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"handoff/agents/host"
	"handoff/internal/testing/needs"
	"handoff/internal/testing/waittest"
	"handoff/surface/command"
)

// clone is a repository whose author is an attacker.
type clone struct {
	dir    string
	links  *atomic.Int32 // connections that the store of the attacker got
	marker string        // a file that his commands create
}

// hostileClone is a clone whose configuration names a store, commands, and patterns that
// take minutes, and that has a template without an end and an agent.
func hostileClone(t *testing.T) clone {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	c := clone{hostileTree(t), new(atomic.Int32), filepath.Join(t.TempDir(), "ran")}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.links.Add(1)
			conn.Close()
		}
	}()
	writeFile(t, c.dir, ".handoff.yaml", "store: nats://"+l.Addr().String()+"/p\nchecks:\n  allow: [\"sh -c 'id > "+c.marker+"'\", \"touch "+c.marker+"\"]\n  tests: [\"touch "+c.marker+"\"]\n")
	writeFile(t, c.dir, ".handoff/templates/handoff.md.tmpl", `{{range 2000000000}}xxxxxxxx{{end}}`)
	writeFile(t, c.dir, ".handoff/agents/theirs.yaml", `{"title":"x","program":"touch","start":["`+c.marker+`"]}`)
	writeFile(t, c.dir, "specs/3_claims/handoffs/phase-1-handoff-20260212T143022Z.md",
		"# Phase 1 Handoff\n\n## Immediate Next Action\nRun `go test`.\n\n## Critical Context\n1. It works [verified: touch "+c.marker+"]\n")
	return c
}

// check fails the test if the attacker got anything.
func (c clone) check(t *testing.T, what string) {
	t.Helper()
	if n := c.links.Swap(0); n > 0 {
		t.Errorf("%s: %d connections to the store of the clone", what, n)
	}
	if _, err := os.Stat(c.marker); err == nil {
		os.Remove(c.marker)
		t.Errorf("%s: a command of the clone was run", what)
	}
}

// process is one of a user who has credentials for stores, and has not trusted the clone.
func (c clone) process(t *testing.T, state, stdin string) (w *command.Process, said *bytes.Buffer) {
	said = new(bytes.Buffer)
	return &command.Process{Stdin: strings.NewReader(stdin), Stdout: new(bytes.Buffer), Stderr: said, Dir: c.dir, Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) },
		Getenv: func(name string) string {
			return map[string]string{"HANDOFF_STORE_TOKEN": "s3cret", "XDG_STATE_HOME": state, "HOME": state, "COLUMNS": "80"}[name]
		}}, said
}

// TestRepositoryInAClone runs every command in folders of a clone that git takes for repositories,
// because they have HEAD, objects and refs: the author of the clone can commit such folders, with a
// config that names programs. None is run.
func TestRepositoryInAClone(t *testing.T) {
	needs.Tool(t, "git")
	c := hostileClone(t)
	git(t, c.dir, "init", "-q")
	within := []string{"specs/3_claims", "sub"}
	for _, folder := range within {
		writeFile(t, c.dir, folder+"/HEAD", "ref: refs/heads/main\n")
		writeFile(t, c.dir, folder+"/objects/.keep", "")
		writeFile(t, c.dir, folder+"/refs/.keep", "")
		writeFile(t, c.dir, folder+"/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = \"touch "+c.marker+";false\"\n\teditor = touch "+c.marker+"\n")
	}
	writeFile(t, c.dir, "sub/.handoff.yaml", "max_lines: 41\n")
	before := exec.Command("git", "status")
	before.Dir = filepath.Join(c.dir, "sub")
	if before.Run(); os.Remove(c.marker) != nil {
		t.Fatal("git itself does not obey such a folder: the test tests nothing")
	}
	state := t.TempDir()
	for _, name := range leafCommands() {
		for _, rest := range slices.Concat(onTerminals[name], hostileMore[name], inRepository[name]) {
			args := append(strings.Fields(name), rest...)
			if byName[name] || slices.Contains(args, "{}") {
				continue
			}
			for _, folder := range within {
				w, _ := c.process(t, state, "")
				w.Dir = filepath.Join(c.dir, folder)
				run(waittest.Context(t), w, args)
				c.check(t, folder+": "+strings.Join(args, " "))
			}
		}
	}
}

// inRepository are command lines that read git's index or its settings.
var inRepository = map[string][][]string{
	"lint": {{"--staged"}},
	"init": {{"--git-hook"}, {"--local"}},
	"new":  {{"--task", "1", "--phase", "4", "--edit"}},
}

// byName are commands that connect because the user has typed the address or the program,
// not because a file says so.
var byName = map[string]bool{"trust": true}

// TestHostileClone runs every command in such a clone. None connects, and none runs a
// program of the clone.
func TestHostileClone(t *testing.T) {
	server := hostileServer(t)
	state := t.TempDir()
	for _, name := range leafCommands() {
		if byName[name] {
			continue
		}
		c := hostileClone(t)
		for _, rest := range append(onTerminals[name], hostileMore[name]...) {
			args := append(strings.Fields(name), rest...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "{}", server)
			}
			w, _ := c.process(t, state, "")
			run(waittest.Context(t), w, args)
			c.check(t, strings.Join(args, " "))
		}
	}
}

// hostileMore are the command lines that would use what the configuration names.
var hostileMore = map[string][][]string{
	"verify":      {{"--claims"}, {"--claims", "--json"}, {"--fix"}, {"--staged"}},
	"new":         {{"--task", "3", "--phase", "2", "--from", "given.yaml", "--facts", "--draft"}, {"--task", "3", "--phase", "3", "--draft"}},
	"store check": {{"--timeout", "2s"}},
	"store drain": {{"--any-store"}},
	"spawn":       {{"3", "--agent", "theirs"}, {"3"}},
	"next":        {{"--claim"}},
	"claim":       {{"3", "--as", "ada"}},
}

// TestHostileCloneSays: the commands that would use the store or the checks say once what
// was left out, and what to type.
func TestHostileCloneSays(t *testing.T) {
	for _, line := range []string{"next", "ls", "verify", "verify --claims", "claim 3 --as ada", "tape list", "thread list", "store check", "new --task 3 --phase 2 --draft --facts"} {
		c := hostileClone(t)
		w, said := c.process(t, t.TempDir(), "")
		run(waittest.Context(t), w, strings.Fields(line))
		if !strings.Contains(said.String(), "`handoff trust "+c.dir+"`") {
			t.Errorf("%s: says\n%s", line, said)
		}
	}
	c := hostileClone(t)
	w, said := c.process(t, t.TempDir(), "")
	if run(waittest.Context(t), w, []string{"show", "3"}); strings.Contains(said.String(), "trust") {
		t.Errorf("show leaves out nothing, and says\n%s", said)
	}
}

// TestHostileCloneInHooks answers each hook of each host there. They stay silent.
func TestHostileCloneInHooks(t *testing.T) {
	needs.Tool(t, "git")
	c := hostileClone(t)
	for _, name := range host.Names() {
		for _, event := range host.Events {
			message, err := json.Marshal(map[string]any{"session_id": "s1", "cwd": c.dir, "hook_event_name": string(event), "source": "startup", "prompt": "go on",
				"tool_name": "Write", "tool_input": map[string]string{"file_path": filepath.Join(c.dir, "specs/3_claims/handoffs/phase-1-handoff-20260212T143022Z.md")}})
			if err != nil {
				t.Fatal(err)
			}
			w, said := c.process(t, t.TempDir(), string(message))
			run(waittest.Context(t), w, []string{"hook", string(event), "--host", name})
			c.check(t, name+" "+string(event))
			if said.Len() > 0 {
				t.Errorf("%s %s: says %s", name, event, said)
			}
		}
	}
}

// TestHostileCloneOverMCP: a model learns why a claim is refused, and what its user types.
func TestHostileCloneOverMCP(t *testing.T) {
	c := hostileClone(t)
	messages := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"handoff_current","arguments":{}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"handoff_claim","arguments":{"ref":"3","action":"claim"}}}
`
	w, _ := c.process(t, t.TempDir(), messages)
	run(waittest.Context(t), w, []string{"mcp"})
	c.check(t, "mcp")
	if answers := w.Stdout.(*bytes.Buffer).String(); !strings.Contains(answers, "you have not trusted this repository") {
		t.Errorf("answers\n%s", answers)
	}
}
