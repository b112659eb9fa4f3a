package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"handoff/internal/testing/needs"
)

// besidesNext is what an answer about what waits has besides the handoffs here.
type besidesNext struct {
	Plan      string
	Elsewhere []struct{ Worktree, Ref string }
}

func (b besidesNext) String() string {
	text := b.Plan
	for _, e := range b.Elsewhere {
		text += "; " + e.Ref + " in " + filepath.Base(e.Worktree)
	}
	return text
}

// TestSameNext: where no handoff waits, each surface says what the plan of another tool has next, and what
// waits in another working tree.
func TestSameNext(t *testing.T) {
	needs.Unix(t, "a server is started by a shell")
	needs.Tool(t, "git")
	l := layoutTest{t, filepath.Join(t.TempDir(), "repo"), "specs/7_parser/handoffs/phase-1-handoff-20260212T101112Z.md"}
	put(t, l.dir, "openspec/changes/add-login/tasks.md", "- [x] 1.1 Add the table\n- [ ] 1.2 Write the form\n")
	put(t, l.dir, "specs/README.md", "Tasks.\n")
	git(t, l.dir, "init", "-q")
	git(t, l.dir, "add", ".")
	git(t, l.dir, "commit", "-q", "-m", "first")
	git(t, l.dir, "worktree", "add", "-q", "-b", "side", "../side")
	put(t, filepath.Join(l.dir, "../side"), l.path, documentWith("Phase 1 Handoff - 20260212T101112Z", matrixAction))
	address := l.serve()
	s := startMCP(t, l.dir)
	s.send(t, `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"handoff_current","arguments":{}}}`+"\n")
	tool := s.answer(t)
	var called struct {
		Result struct {
			Content           []struct{ Text string }
			StructuredContent json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(tool), &called); err != nil || len(called.Result.Content) == 0 {
		t.Fatalf("%v: %s", err, tool)
	}
	const want = "the plan here is openspec/changes/add-login/tasks.md (OpenSpec): 1 of 2 tasks done, next: 1.2 Write the form; 7/1 in side"
	for surface, answer := range map[string]string{
		"command": l.stdout("next", "--json"), "command with --server": l.stdout("next", "--json", "--server", address),
		"next --claim": l.stdout("next", "--claim", "--as", "ann", "--json"), "HTTP": l.ask("GET", address+"/handoffs/next", ""), "MCP": string(called.Result.StructuredContent),
	} {
		var got besidesNext
		if err := json.Unmarshal([]byte(answer), &got); err != nil || fmt.Sprint(got) != want {
			t.Errorf("%s says %q, want %q (%v)", surface, got, want, err)
		}
	}
	plan, where := "next: 1.2 Write the form", "7/1 waits in the worktree "
	l.want("MCP", called.Result.Content[0].Text, plan, where)
	for _, more := range [][]string{nil, {"--server", address}, {"--claim", "--as", "ann"}} {
		l.want("next", l.run(slices.Concat([]string{"next"}, more)...), "no handoff waits", plan, where)
	}
}

// TestSameList: ls and show print the same of a workspace as of its server.
func TestSameList(t *testing.T) {
	needs.Unix(t, "a server is started by a shell")
	t.Setenv(clockVar, "2026-02-12T16:05:00Z")
	l := layoutTest{t, t.TempDir(), "specs/7_parser/handoffs/phase-1-handoff-20260212T101112Z.md"}
	for _, path := range []string{l.path, "specs/7_parser/handoffs/phase-2-handoff-20260212T111112Z.md", "specs/8_printer/handoffs/phase-1-handoff-20260212T121112Z.md"} {
		put(t, l.dir, path, documentWith("Phase "+path[strings.Index(path, "phase-")+6:][:1]+" Handoff - "+path[len(path)-19:len(path)-3], matrixAction))
	}
	l.run("claim", "8/1", "--as", "ann")
	address := l.serve()
	for _, line := range []string{"ls", "ls 7", "ls 7/1", "ls -n 1", "ls --state held", "ls --since 5h --task 7", "ls --format {{.Ref}}{{.State}}", "ls --json", "show 7", "show 7 --json", "show latest --path"} {
		args := strings.Fields(line)
		here, there := l.stdout(args...), l.stdout(append(args, "--server", address)...)
		if here == "" || here != there {
			t.Errorf("%s: prints\n%s\nand with --server\n%s", line, here, there)
		}
	}
	var here, there []map[string]any
	if err := errors.Join(json.Unmarshal([]byte(l.stdout("ls", "--json")), &here), json.Unmarshal([]byte(l.ask("GET", address+"/handoffs", "")), &there)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(here, there); diff != "" || len(here) != 3 || here[0]["state"] != "held" {
		t.Errorf("ls --json and GET /handoffs differ: %s", diff)
	}
}

// stdout is what a command prints, without its messages.
func (l layoutTest) stdout(args ...string) string {
	l.Helper()
	cmd := exec.Command(filepath.Join(commandDir(l.T), "handoff"), args...)
	cmd.Dir = l.dir
	out, _ := cmd.Output() // that nothing waits is an exit status
	return strings.TrimSpace(string(out))
}
