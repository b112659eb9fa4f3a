package facts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/document/seen"
	"handoff/internal/testing/needs"
)

// own are the files of handoff in tests.
func own(name string) bool { return strings.HasPrefix(name, "specs/") }

// at is a command of a session in the folder /w, which ended as a host records it.
func at(line int, text string, state facts.State, exit int) facts.Command {
	return facts.Command{Text: text, Line: line, State: state, Exit: exit, Dir: "/w", Told: true}
}

// shows is what a session shows, a check a line.
func shows(f *facts.Facts) string {
	var lines []string
	for _, r := range f.Seen("/w", own).Ran {
		lines = append(lines, fmt.Sprintf("%s %d %q %v %s", [...]string{"", "tests", "builds", "", "lints"}[r.Kinds], r.Status, r.Command, r.Plain, r.Edited))
	}
	return strings.Join(lines, "\n")
}

// TestSeenCommands: what the status of a shell's line says of a check in it.
func TestSeenCommands(t *testing.T) {
	const passed, failed = `tests 1 "go test ./..." true `, `tests 2 "go test ./..." true `
	const unknown = `tests 0 "go test ./..." true `
	for _, c := range []struct {
		command string
		exit    int
		want    string
	}{
		{"go test ./...", 0, passed}, {"go test ./...", 1, failed},
		{"cd /w && go test ./... 2>&1", 0, passed}, {"cd /w && go test ./...", 1, failed},
		{"cd web && go test ./...", 0, `tests 1 "go test ./..." false `}, {"CI=1 go test ./...", 0, `tests 1 "CI=1 go test ./..." false `},
		{"go test ./... | tail -5", 0, unknown}, {"go test ./... | tail -5", 1, unknown}, {"set -o pipefail; go test ./... | tail -5", 0, passed}, {"set -o pipefail; go test ./... | tail -5", 1, failed},
		{"go test ./...; echo done", 0, unknown}, {"go test ./... || true", 0, unknown}, {"go test ./... &", 0, unknown}, {"make x || go test ./...", 0, unknown},
		{"go test ./... && git commit -m 'x; y'", 0, passed}, {"go test ./... && git commit -m x", 1, unknown},
		{"for p in a b; do go test ./...; done", 0, unknown}, {"! go test ./...", 0, unknown}, {"if go test ./...; then echo yes; fi", 0, unknown},
		{"go vet ./... && go test ./...", 0, passed + "\n" + `lints 1 "go vet ./..." true `}, {"go vet ./... && go test ./...", 1, failed + "\n" + `lints 2 "go vet ./..." true `},
		{"echo 'go test ./...'", 0, ""}, {"cat <<'EOF' > /tmp/a\ngo test ./...\nEOF", 0, ""}, {"git commit -m \"$(cat <<'EOF'\ngo test ./...\nEOF\n)\"", 0, ""}, {"# go test ./...\nls", 0, ""},
		{"cat <<EOF > /tmp/a\nx\nEOF\ngo test ./...", 0, passed}, {"timeout 60 go test ./...", 0, `tests 1 "timeout 60 go test ./..." true `}, {"npm run build", 0, `builds 1 "npm run build" true `},
		{"make check", 1, "tests 2 \"make check\" true \nbuilds 2 \"make check\" true \nlints 2 \"make check\" true "}, {"go test ./... > out.log 2>&1", 1, failed},
	} {
		f := facts.Facts{Commands: []facts.Command{at(1, c.command, facts.Exited, c.exit)}}
		if got := shows(&f); got != c.want {
			t.Errorf("%q, exit %d:\n%s\nwant\n%s", c.command, c.exit, got, c.want)
		}
	}
	for state, want := range map[facts.State]string{facts.Succeeded: passed, facts.Failed: unknown, facts.Refused: unknown, facts.Unseen: unknown, facts.Background: unknown} {
		f := facts.Facts{Commands: []facts.Command{at(1, "go test ./...", state, 0)}}
		if got := shows(&f); got != want {
			t.Errorf("%s: %s, want %s", state, got, want)
		}
		if f.Commands[0].Told = false; state == facts.Succeeded && shows(&f) != unknown {
			t.Errorf("of a host that records no status: %s", shows(&f))
		}
	}
}

// TestSeenEdits: what was changed after a check is named; what is no part of the work does not count.
func TestSeenEdits(t *testing.T) {
	ok := func(line int, text string) facts.Command { return at(line, text, facts.Exited, 0) }
	wrote := func(names ...string) (list []facts.File) {
		for i, name := range names {
			list = append(list, facts.File{Path: name, Line: 10 + i})
		}
		return list
	}
	for _, c := range []struct {
		f    facts.Facts
		want string
	}{
		{facts.Facts{Commands: []facts.Command{ok(20, "go test ./...")}, Written: wrote("a.go")}, ""},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./...")}, Written: wrote("a.go", "b.go")}, "b.go"},
		{facts.Facts{Commands: []facts.Command{ok(10, "go test ./...")}, Written: wrote("a.go")}, "a.go"}, // beside it: which came first is not known
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./...")}, Written: wrote("specs/1_x/handoffs/a.md", "/tmp/h.yaml", "/home/u/.claude/plans/x.md")}, ""},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), ok(20, "handoff new --from out/h.yaml")}, Written: wrote("out/h.yaml")}, ""},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), ok(6, "git pull")}}, "git pull"},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), ok(6, "sed -i s/a/b/ a.go")}}, "sed -i s/a/b/ a.go"},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), ok(6, "cat > a.go <<EOF\nx\nEOF")}}, "a.go"},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./... && git checkout main")}}, "git checkout main"},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), ok(6, "git commit -m x; git status > /tmp/s; git push; sed -n 1p a.go; rm -r /tmp/x")}}, ""},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./..."), at(6, "git pull", facts.Refused, 0)}}, ""},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./...")}, Agents: []facts.Agent{{Seen: 8, Edits: true}}}, "a subagent"},
		{facts.Facts{Commands: []facts.Command{ok(5, "go test ./...")}, Agents: []facts.Agent{{Seen: 8}, {Seen: 3, Edits: true}}}, ""},
	} {
		if got := c.f.Seen("/w", own).Ran[0].Edited; got != c.want {
			t.Errorf("%+v: %q, want %q", c.f, got, c.want)
		}
	}
}

// TestSeenLast: the last run decides, unless it checked a part only and all had failed before.
func TestSeenLast(t *testing.T) {
	for _, c := range []struct {
		runs string
		want string
	}{
		{"go test ./...=1, go test ./...=0", `1 "go test ./..."`},
		{"go test ./...=0, go test ./...=1", `2 "go test ./..."`},
		{"go test ./...=1, go test ./parse=0", `2 "go test ./..."`},
		{"go test -run TestA ./...=1, go test ./...=0", `1 "go test ./..."`},
		{"go test ./...=0, go test -run TestA=1", `2 "go test -run TestA"`},
		{"go test ./...=0, go test -run TestA=0", `1 "go test ./..."`},
		{"pytest tests/a.py::x=0, npm test=0", `1 "npm test"`},
	} {
		var f facts.Facts
		for i, one := range strings.Split(c.runs, ", ") {
			at := at(i+1, one[:len(one)-2], facts.Exited, int(one[len(one)-1]-'0'))
			f.Commands = append(f.Commands, at)
		}
		if r := f.Seen("/w", own).Ran[0]; fmt.Sprintf("%d %q", r.Status, r.Command) != c.want {
			t.Errorf("%s: %d %q, want %s", c.runs, r.Status, r.Command, c.want)
		}
	}
}

// TestSeenRecorded: the records of real hosts have what is needed: Claude Code says of each call whether it failed, Codex
// prints the exit status.
func TestSeenRecorded(t *testing.T) {
	claude := claudeCall(t, "a", "Bash", object{"command": "go test ./..."}) + claudeResult(t, "a", "ok", false)
	f := read(t, []byte(claude))
	f.Commands[0].Dir = "/w"
	if got := shows(f); got != `tests 1 "go test ./..." true ` {
		t.Error(got)
	}
	f = read(t, []byte(claude+claudeCall(t, "b", "Bash", object{"command": "go test ./..."})+claudeResult(t, "b", "Exit code 1\nFAIL", true)+
		claudeCall(t, "c", "Task", object{"subagent_type": "general-purpose", "description": "write the parser"})+
		line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "toolUseResult": object{"status": "completed", "totalToolUseCount": 0}, "message": object{"content": []object{{"type": "tool_result", "tool_use_id": "c", "content": "Done."}}}})))
	if got := shows(f); got != `tests 2 "go test ./..." false a subagent` {
		t.Error(got)
	}
	if idle := f.Seen("/w", own).Idle; len(idle) != 1 || idle[0] != "write the parser" {
		t.Errorf("%q", idle)
	}
	codex := func(n int, command, output string) string {
		id := fmt.Sprint("c", n)
		args := fmt.Sprintf(`{"cmd":%q,"workdir":"/w"}`, command)
		return line(t, object{"timestamp": "2026-02-23T12:40:23Z", "type": "response_item", "payload": object{"type": "function_call", "name": "exec_command", "call_id": id, "arguments": args}}) +
			line(t, object{"timestamp": "2026-02-23T12:40:24Z", "type": "response_item", "payload": object{"type": "function_call_output", "call_id": id, "output": output}})
	}
	head := line(t, object{"timestamp": "2026-02-23T12:40:22Z", "type": "session_meta", "payload": object{"id": "s", "cwd": "/w"}})
	for output, want := range map[string]string{"Chunk ID: 1\nProcess exited with code 0\nOutput:\nok": "1", "Chunk ID: 1\nProcess exited with code 1\nOutput:\nFAIL": "2", "Chunk ID: 1\nOutput:\nok": "0"} {
		if got := shows(read(t, []byte(head+codex(1, "go test ./...", output)))); got != "tests "+want+` "go test ./..." true ` {
			t.Errorf("%q: %s", output, got)
		}
	}
}

// TestSeenCorpus: nothing is said to have passed in a recorded session but commands whose status is recorded.
func TestSeenCorpus(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts", "*", "*.jsonl"))
	n := 0
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := facts.Read(strings.NewReader(string(src)), "")
		if err != nil {
			continue
		}
		s := f.Seen(f.Dir, own)
		for _, r := range s.Ran {
			n++
			t.Logf("%s: %d %v %q; %s", filepath.Base(file), r.Status, r.Kinds, r.Command, r.Reason())
			if r.Status == seen.Passed && strings.Contains(r.Command, "|") {
				t.Errorf("%s: a pipe passed: %q", file, r.Command)
			}
		}
	}
	if n == 0 {
		t.Error("no check in any session")
	}
}
