package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"handoff/internal/testing/waittest"
	"handoff/surface/command"
	"handoff/surface/command/help"
)

// hostileTree is a workspace whose documents, file names, threads and tapes all
// contain the attack.
func hostileTree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	inJSON := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\x08", `\u0008`).Replace(attack)
	doc := "# Phase 1 Handoff - 20260212T143022Z\n\n## Immediate Next Action\nRun " + attack + " `go test`.\n\n" +
		"## Current State\n- **File**: a.go" + attack + "\n- **Location**: Line 1\n- **Goal state**: " + attack + "\n\n" +
		"## Key Decisions Made\n1. " + attack + "\n\n## What NOT to Try\n1. " + attack + "\n\n## Critical Context\n1. " + attack + "\n\n" +
		"## References\n- b.go" + attack + "\n"
	name := "specs/1_evil" + attack + "/handoffs/phase-1-handoff-20260212T143022Z"
	write(name+".md", doc)
	write(name+"\xff"+attack+".md", doc)
	write("specs/1_evil"+attack+"/.return-meta.json", `{"status":"in_progress","started_at":"2026-02-12T14:00:00Z","partial_progress":{"stage":"`+inJSON+`","details":"`+inJSON+`"}}`)
	write("specs/2_broken/.return-meta.json", `{"status":"`+inJSON+`",`)
	write("given.md", doc)
	call := func(n int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"u","sessionId":"%[2]s","message":{"id":"%[1]d","model":"%[2]s","usage":{"input_tokens":%[1]d},`+
			`"content":[{"type":"tool_use","id":"%[1]d","name":"Read","input":{"file_path":"%[2]s"}}]}}`+"\n", n, inJSON)
	}
	write("session.jsonl", call(160_000)+call(161_000)+call(162_000))
	write(".handoff/agents/evil.yaml", `{"title":"`+inJSON+`","program":"`+inJSON+`","start":["`+inJSON+`"],"notes":"`+inJSON+`"}`)
	write(".handoff/agents/loud.yaml", `{"title":"prints what agents print","program":"cat","start":["session.jsonl"],"stream":"claude"}`)
	write(".handoff/agents/broken.yaml", `{"`+inJSON+`":1}`)
	write("given.yaml", "next_action: \"Run `go test` "+inJSON+"\"\nstate: {file: a.go, location: Line 1, goal: \""+inJSON+"\"}\n")
	write("broken.json", `{"schema":"rip.handoff_context_bundle.v1","`+inJSON+`":1}`)
	const thread = "00000000-0000-4000-8000-000000000001"
	frame := func(n int, rest string) string {
		return fmt.Sprintf(`{"id":"e%d","session_id":"%s","stream_kind":"continuity","stream_id":"%s","timestamp_ms":1,"seq":%d,"type":"continuity_%s}`+"\n", n, thread, thread, n, rest)
	}
	write(".handoff/threads/"+thread+".jsonl", frame(0, `created","workspace":"/w","title":"`+inJSON+`"`)+
		frame(1, `message_appended","actor_id":"`+inJSON+`","origin":"cli","content":"`+inJSON+`"`))
	write(".handoff/tape/main.jsonl", `{"id":1,"kind":"anchor","payload":{"name":"`+inJSON+`","state":{"summary":"`+inJSON+`"}},"meta":{},"date":"2026-02-12T14:30:22Z"}`+"\n"+
		`{"id":2,"kind":"message","payload":{"role":"user","content":"`+inJSON+`"},"meta":{},"date":"2026-02-12T14:30:23Z"}`+"\n")
	return dir
}

// hostileServer answers everything with the attack, in JSON and in errors.
func hostileServer(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inJSON := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\x08", `\u0008`).Replace(attack)
		switch {
		case r.URL.Path == "/threads" && r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `[{"thread_id":"%s","created_at_ms":1,"title":"%s","archived":false}]`, inJSON, inJSON)
		default:
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprintf(w, `{"type":"about:blank","title":"%s","status":404,"detail":"%s"}`, inJSON, inJSON)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// onTerminal runs a command whose stdout and stderr are a terminal, and returns
// the bytes that the terminal receives.
func onTerminal(t *testing.T, dir, colours string, stdin string, args []string) string {
	t.Helper()
	behind, tty := terminal(t)
	var sent bytes.Buffer
	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(&sent, behind) })
	w := &command.Process{Stdin: strings.NewReader(stdin), Stdout: command.Guarded(tty), Stderr: command.Guarded(tty), Dir: dir,
		Now: func() time.Time { return time.Date(2026, 2, 12, 16, 5, 0, 0, time.UTC) },
		Getenv: func(name string) string {
			if name == "NO_COLOR" {
				return colours
			}
			return ""
		}}
	run(waittest.Context(t), w, args)
	tty.Close() // closing the last descriptor ends the reading
	reading.Wait()
	return sent.String()
}

// ourColours are all sequences that handoff itself prints.
var ourColours = strings.NewReplacer("\x1b[1m", "", "\x1b[2m", "", "\x1b[33m", "", "\x1b[1;31m", "", "\x1b[1;33m", "", "\x1b[1;36m", "",
	"\x1b[31m", "", "\x1b[32m", "", "\x1b[36m", "", "\x1b[0m", "", "\r\x1b[K", "", "\r\n", "\n")

// rawIn returns the parts of a text that must not reach a terminal.
func rawIn(text string) []string {
	var found []string
	for i, r := range ourColours.Replace(text) {
		if r == utf8.RuneError || unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) {
			found = append(found, fmt.Sprintf("%U at %d", r, i))
		}
	}
	return found
}

// TestNothingRawOnATerminal runs every command on a terminal in a hostile tree.
// The terminal may receive handoff's own colours and no other sequence.
func TestNothingRawOnATerminal(t *testing.T) {
	server := hostileServer(t)
	told := 0
	for _, name := range leafCommands() {
		if onTerminals[name] == nil {
			t.Errorf("%s: this command is not tried on a terminal: add it to onTerminals", name)
		}
		dir := hostileTree(t)
		for _, rest := range onTerminals[name] {
			args := append(strings.Fields(name), rest...)
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "{}", server)
			}
			for _, colours := range []string{"", "1"} {
				stdin := ""
				if slices.Contains(rest, "-") {
					src, err := os.ReadFile(filepath.Join(dir, "given.md"))
					if err != nil {
						t.Fatal(err)
					}
					stdin = string(src)
				}
				sent := onTerminal(t, dir, colours, stdin, args)
				if found := rawIn(sent); len(found) > 0 {
					t.Errorf("handoff %q sends the terminal %q:\n%q", args, found, sent)
				}
				if strings.Contains(sent, `\u202e`) || strings.Contains(sent, `\x1b`) {
					told++
				}
			}
		}
	}
	if told < 60 {
		t.Errorf("only %d runs showed any of the hostile text", told)
	}
}

// TestCommandOnATerminal runs the real command on a terminal.
func TestCommandOnATerminal(t *testing.T) {
	behind, tty := terminal(t)
	for _, args := range [][]string{{"brief", "1"}, {"no" + attack}, {help.CompleteWord, "show", ""}} {
		cmd := programIn(t, commandDir(t), hostileTree(t), args...)
		cmd.Stdout, cmd.Stderr = tty, tty
		cmd.Run()
		buf := make([]byte, 64<<10)
		n, err := behind.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		if found := rawIn(string(buf[:n])); len(found) > 0 {
			t.Errorf("handoff %q sends the terminal %q: %q", args, found, buf[:n])
		}
	}
}

// TestCompletionOfHostileNames completes file names in a shell: the shell reads
// them from a pipe and escapes them itself.
func TestCompletionOfHostileNames(t *testing.T) {
	var out bytes.Buffer
	w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: io.Discard, Dir: hostileTree(t), Now: time.Now, Getenv: func(string) string { return "" }}
	run(context.Background(), w, []string{help.CompleteWord, "show", ""})
	if found := rawIn(out.String()); len(found) > 0 || !strings.Contains(out.String(), "1/1") {
		t.Errorf("%q: %q", found, out.String())
	}
}

// TestListsInAPipe: what lists handoffs, tasks and logs is read by an agent through a pipe. It
// gets no character that a person would not see, and none that moves its terminal. JSON, which
// the lists of threads and tapes are in a pipe, is for programs.
func TestListsInAPipe(t *testing.T) {
	for _, line := range []string{"ls", "next", "top", "search it", "receipts 1", "verify", "lint", "graph", "sync", "doctor", "agents", "relay --list", "run --list",
		"thread show 0000", "artifact ls", "chain 1", "trust --show", "gauge --transcript session.jsonl"} {
		var out bytes.Buffer
		w := &command.Process{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: hostileTree(t), Now: time.Now, Getenv: func(string) string { return "" }}
		run(waittest.Context(t), w, strings.Fields(line))
		if found := rawIn(out.String()); len(found) > 0 {
			t.Errorf("%s prints %q: %q", line, found, out.String())
		}
	}
}

// TestEditorGetsTheTerminal: an editor's escape sequences reach the terminal.
func TestEditorGetsTheTerminal(t *testing.T) {
	_, tty := terminal(t)
	if got := command.EditorOutput(command.Guarded(tty)); got != io.Writer(tty) {
		t.Errorf("an editor gets %T", got)
	}
	var other bytes.Buffer
	if got := command.EditorOutput(&other); got != io.Writer(&other) {
		t.Errorf("without a terminal an editor gets %T", got)
	}
}
