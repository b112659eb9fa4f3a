package facts_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
)

// hosts are the recorded sessions: each reads and changes a.txt, writes b.txt, runs a
// command that fails twice, writes its list, and is killed.
var hosts = []string{"claude.jsonl", "codex.jsonl", "copilot.jsonl", "gemini.jsonl", "opencode.json", "qwen.jsonl"}

func load(t testing.TB, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func read(t testing.TB, src []byte) *facts.Facts {
	t.Helper()
	f, err := facts.Read(bytes.NewReader(src), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// brief is what a test compares.
func brief(f *facts.Facts) string {
	var b strings.Builder
	add := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	add("%s %s, %d lines, %d skipped, cut %v, %d calls", f.Format, f.Branch.Text, f.Lines, f.Skipped, f.Cut, f.Calls)
	add("first :%d %s", f.First.Line, f.First.Text)
	add("last :%d %s", f.Last.Line, f.Last.Text)
	add("said :%d %s", f.Said.Line, f.Said.Text)
	for _, one := range f.Written {
		add("wrote :%d %s %v %v", one.Line, one.Path, one.Parts, one.Unseen)
	}
	for _, one := range f.Read {
		add("read :%d %s %v", one.Line, one.Path, one.Parts)
	}
	for _, one := range f.Commands {
		add("ran :%d %s: %s %d :%d", one.Line, one.Text, one.State, one.Exit, one.Seen)
	}
	for _, one := range f.Repeated(2) {
		add("failed %v %s: %d, %s", one.Lines, one.Text, one.Exit, one.Error)
	}
	for _, one := range f.Open() {
		add("open :%d %s: %s", one.Line, one.Text, one.Status)
	}
	return b.String()
}

// TestHosts: what the six hosts recorded of the same work is the same.
func TestHosts(t *testing.T) {
	for _, name := range hosts {
		t.Run(name, func(t *testing.T) {
			got := brief(read(t, load(t, filepath.Join("testdata", name))))
			golden := filepath.Join("testdata", strings.TrimSuffix(strings.TrimSuffix(name, "l"), ".json")+".facts")
			if os.Getenv("HANDOFF_UPDATE_FACTS") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(load(t, golden)); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// line is a line of JSON that a test makes.
func line(t testing.TB, value any) string {
	t.Helper()
	src, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(src) + "\n"
}

type object = map[string]any

// claudeCall is a tool call, claudeResult its result.
func claudeCall(t testing.TB, id, name string, input object) string {
	return line(t, object{"type": "assistant", "uuid": "u", "sessionId": "s", "message": object{"id": "m" + id, "content": []object{{"type": "tool_use", "id": id, "name": name, "input": input}}}})
}

func claudeResult(t testing.TB, id, text string, failed bool) string {
	return line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "message": object{"content": []object{{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed}}}})
}

func claudePrompt(t testing.TB, text string) string {
	return line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "message": object{"content": text}})
}

// TestFailures: a command that fails again and again is a candidate until it works.
func TestFailures(t *testing.T) {
	var b strings.Builder
	b.WriteString(claudePrompt(t, "fix it"))
	try := func(n int, command string, failed bool) {
		id := fmt.Sprint("t", n)
		b.WriteString(claudeCall(t, id, "Bash", object{"command": command}) + claudeResult(t, id, "Exit code 1\n\n=====\nno such thing: "+command, failed))
	}
	for n := range 7 {
		try(n, "make all", true)
	}
	try(10, "make one", true)
	try(11, "make one", true)
	try(12, "make one", false)
	b.WriteString(claudeCall(t, "e1", "Edit", object{"file_path": "/w/a.go"}) + claudeResult(t, "e1", "String to replace not found in file.", true))
	b.WriteString(claudeCall(t, "e2", "Edit", object{"file_path": "/w/a.go"}) + claudeResult(t, "e2", "String to replace not found in file.", true))
	f := read(t, []byte(b.String()))
	got := f.Repeated(2)
	if len(got) != 2 || got[0].Text != "make all" || got[0].Times != 7 || len(got[0].Lines) != 5 || got[0].Lines[4] != 15 || got[0].Error != "no such thing: make all" ||
		got[1].Text != "Edit /w/a.go" || got[1].Command || got[1].Error != "String to replace not found in file." {
		t.Errorf("%+v", got)
	}
	if len(f.Written) != 0 {
		t.Errorf("written, though the edit failed: %+v", f.Written)
	}
}

// TestIntent: the user's request is not the text that the host writes in the user's name.
func TestIntent(t *testing.T) {
	src := claudePrompt(t, "Fix the parser.\n\n  It is slow.") +
		line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "isMeta": true, "message": object{"content": "Stop hook feedback: go on"}}) +
		line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "message": object{"content": []object{{"type": "text", "text": "And the lexer"}, {"type": "image"}}}}) +
		line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "isCompactSummary": true, "message": object{"content": "This session is being continued"}}) +
		claudePrompt(t, "<task-notification>done</task-notification>") + claudePrompt(t, "<command-name>/mcp</command-name><command-args></command-args>") + claudePrompt(t, "[Request interrupted by user]")
	f := read(t, []byte(src))
	if f.First.Text != "Fix the parser.\n\n  It is slow." || f.First.Line != 1 || f.Last.Text != "And the lexer" || f.Last.Line != 3 {
		t.Errorf("%+v %+v", f.First, f.Last)
	}
	src += claudePrompt(t, "<command-message>fix</command-message>\n<command-name>/fix</command-name>\n<command-args>the tests</command-args>")
	if f := read(t, []byte(src)); f.Last.Text != "the tests" {
		t.Errorf("%+v", f.Last)
	}
}

// TestSubagent: a subagent's files count, and its prompt only if the transcript is its own.
func TestSubagent(t *testing.T) {
	side := func(text string) string {
		return line(t, object{"type": "user", "uuid": "u", "sessionId": "s", "isSidechain": true, "message": object{"content": text}})
	}
	if f := read(t, []byte(side("explore")+side("and test"))); f.First.Text != "explore" || f.Last.Text != "and test" {
		t.Errorf("%+v %+v", f.First, f.Last)
	}
	if f := read(t, []byte(claudePrompt(t, "fix it")+side("explore"))); f.Last.Text != "fix it" {
		t.Errorf("%+v", f.Last)
	}
}

// TestSecrets: no text leaves the package with a secret in it, also if the text was cut.
func TestSecrets(t *testing.T) {
	key := "sk-ant-api03-" + strings.Repeat("aB3dE5gH7j", 9) + "-abcdefAA"
	long := strings.Repeat("word ", 4<<10/5-10) + key + strings.Repeat(" word", 1000)
	src := claudePrompt(t, "the password is hunter2, use "+key) + claudeCall(t, "m", "Bash", object{"command": "PGPASSWORD=swordfish mysql -pswordfish -H 'Cookie: sid=1'"}) + claudePrompt(t, long) +
		claudeCall(t, "t", "Bash", object{"command": "curl -H 'Authorization: Bearer " + key + "'"}) + claudeResult(t, "t", "Exit code 1\nbad key "+key, true) +
		claudeCall(t, "l", "Bash", object{"command": long})
	f := read(t, []byte(src))
	out, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	for _, password := range []string{"swordfish", "hunter", "sid=1"} {
		if strings.Contains(string(out), password) {
			t.Errorf("%q is not masked: %s", password, out)
		}
	}
	if strings.Contains(string(out), key[:24]) || !strings.Contains(string(out), "[secret]") {
		t.Errorf("%s", out)
	}
	if !f.Last.Cut || f.First.Cut {
		t.Errorf("cut: %v, %v", f.First.Cut, f.Last.Cut)
	}
}

// TestLongSession: the collected facts are bounded, and the rest is counted.
func TestLongSession(t *testing.T) {
	var b bytes.Buffer
	for n := range 2*facts.Kept + 500 {
		id := fmt.Sprint("t", n)
		b.WriteString(claudeCall(t, id, "Bash", object{"command": fmt.Sprint("make ", n)}) + claudeResult(t, id, "Exit code 2", true))
		b.WriteString(claudeCall(t, "w"+id, "Write", object{"file_path": fmt.Sprint("/w/", n)}) + claudeResult(t, "w"+id, "", false))
	}
	f := read(t, b.Bytes())
	if len(f.Commands) != facts.Kept || f.Earlier != facts.Kept+500 || len(f.Failures) > facts.Kept || len(f.Written) > facts.Kept {
		t.Errorf("%d commands, %d earlier, %d failures, %d files", len(f.Commands), f.Earlier, len(f.Failures), len(f.Written))
	}
	if last := f.Commands[len(f.Commands)-1]; last.Text != fmt.Sprint("make ", 2*facts.Kept+499) || last.State != facts.Exited || last.Exit != 2 {
		t.Errorf("%+v", last)
	}
	if last := f.Written[len(f.Written)-1]; last.Path != fmt.Sprint("/w/", 2*facts.Kept+499) {
		t.Errorf("%+v", last)
	}
}

// TestUnreadable: lines that cannot be read are counted, and the lines after them read.
func TestUnreadable(t *testing.T) {
	src := claudePrompt(t, "first") + "no JSON\n\n{\"type\":\"user\",\"mess\n" + line(t, object{"type": "of next month", "x": 1}) + claudePrompt(t, "last")
	f := read(t, []byte(src))
	if f.Lines != 6 || f.Skipped != 2 || f.Cut || f.Last.Line != 6 {
		t.Errorf("%d lines, %d skipped, cut %v, last on line %d", f.Lines, f.Skipped, f.Cut, f.Last.Line)
	}
	for _, src := range []string{"", "no JSON", `{"info":{"id":""}}`, `{"info":[]}`} {
		if _, err := facts.Read(strings.NewReader(src), ""); err == nil {
			t.Errorf("%q was read", src)
		}
	}
}

// TestLongLines: long texts lose their middle, and the text around them is read.
func TestLongLines(t *testing.T) {
	big := strings.Repeat(`quote " slash \ line`+"\n\u00e4\U0001F600", 20_000)
	src := claudePrompt(t, "ask") + claudeCall(t, "w", "Write", object{"file_path": "/w/a.go", "content": big}) + claudeResult(t, "w", big, false) +
		claudeCall(t, "b", "Bash", object{"command": "make"}) + claudeResult(t, "b", "Exit code 3\n"+big, true)
	f := read(t, []byte(src))
	if f.Skipped != 0 || len(f.Written) != 1 || len(f.Commands) != 1 || f.Commands[0].Exit != 3 {
		t.Errorf("%d skipped, %+v, %+v", f.Skipped, f.Written, f.Commands)
	}
	huge := claudePrompt(t, "ask") + `{"type":"user","message":{"content":"` + strings.Repeat("x", 17<<20) + "\"}}\n" + claudePrompt(t, "again")
	if f := read(t, []byte(huge)); f.Skipped != 1 || f.Last.Text != "again" || f.Last.Line != 3 {
		t.Errorf("%d skipped, %+v", f.Skipped, f.Last)
	}
}

// TestRefused: a call that the user did not allow has not run, so it has not failed.
func TestRefused(t *testing.T) {
	f, err := facts.Read(strings.NewReader(`{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"rm -r build"}}]}}
{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"The user doesn't want to proceed with this tool use. The tool use was rejected."}]}}
`), "")
	if err != nil || len(f.Failures) > 0 || len(f.Commands) != 1 || f.Commands[0].State != facts.Refused {
		t.Errorf("%v %+v", err, f)
	}
}

// TestMidway: a message that only announces what comes next does not end the turn of the agent; where a host records how a
// reply ended, that decides.
func TestMidway(t *testing.T) {
	say := func(text string, reply any) string {
		return line(t, object{"type": "assistant", "uuid": "u", "sessionId": "s", "message": object{"id": "m", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": reply, "content": []object{{"type": "text", "text": text}}}})
	}
	for text, want := range map[string]bool{
		"All done.": false, "Tests pass. Now let me commit.": true, "Now the docs:": true, "I'll look at the parser.": true, "It works.\n\nLet me know if you need more.": false, "Which one do you want?": false, "": false,
	} {
		if got := read(t, []byte(say(text, nil))).Midway; got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if read(t, []byte(say("Now the docs:", "end_turn"))).Midway || !read(t, []byte(say("All done.", "tool_use"))).Midway {
		t.Error("what the host records does not decide")
	}
}
