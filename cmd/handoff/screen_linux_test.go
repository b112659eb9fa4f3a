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

// attack is what a hostile text sends to a terminal: it writes the clipboard,
// sets the title, conceals text, reverses its direction, and starts a sequence
// by the one character U+009B.
const attack = "\x1b]52;c;ZXZpbA==\a\x1b]0;evil\a\x1b[8mconcealed\u202ereversed\u009b2J\x7f\x08"

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

// onTerminals has, for each command, arguments with which it shows hostile
// text. {} is replaced by the server's address.
var onTerminals = map[string][][]string{
	"brief":      {{"1"}, {"1", "--level", "2"}, {"1", "--level", "3"}, {"1", "--level", "full"}, {"1", "--json"}, {"no" + attack}},
	"ls":         {nil, {"--json"}, {"--format", "{{.Ref}} {{.Slug}} {{.Path}} {{.NextAction}} {{.Problem}}"}, {"--format", "{{." + attack + "}}"}},
	"top":        {nil, {"--json"}, {"--as", attack}, {attack}},
	"show":       {{"1"}, {"1", "--path"}, {"1", "--json"}, {"1", "--color", "never"}},
	"search":     {{"it"}, {"it", "--json"}, {attack}, {"--since", attack, "x"}},
	"graph":      {nil, {"--task", "1"}, {"--task", "1", "--format", "svg"}, {"--thread", "all"}, {"--thread", "all", "--format", "mermaid"}, {"--tape", "all", "--format", "dot"}, {"--tape", "all"}, {"--task", attack}},
	"gauge":      {{"--transcript", "session.jsonl"}, {"--transcript", "session.jsonl", "--json"}, {"--transcript", "session.jsonl", "--note"}, {"--transcript", "no" + attack}, {"--session", attack}, {"--agent", attack}},
	"sessions":   {{}, {"--all", "--json"}, {"--agent", attack}},
	"draft":      {{"--transcript", "session.jsonl"}, {"--transcript", "session.jsonl", "--all"}, {"--transcript", "session.jsonl", "--json"}, {"--transcript", "session.jsonl", "--task", "1"}, {"--transcript", "no" + attack}, {"--session", attack}, {"--session", "ses_" + attack}, {"--agent", attack}},
	"statusline": {{"--", "cat", "session.jsonl"}, {"--agent", attack, "--", "no" + attack}},
	"hook":       {{"session-start", "--host", "kiro", "-"}, {"stop", "--host", attack}, {attack}},
	"agents":     {nil, {"evil"}, {"--json"}, {attack}},
	"acp":        {{"--", "cat"}, {"--", "cat", "session.jsonl"}, {"--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"--", "no" + attack}, {"--level", attack, "--", "cat"}, {"--", "sh", "-c", "printf '\\033[31m' >&2; exit 3"}},
	"mcp":        {nil, {attack}, {"--http", attack}, {"--http", "unix:/no" + attack + "/s"}},
	"lint": {nil, {"--json"}, {"--format", "sarif"}, {"--format", "github"}, {"--format", "junit"}, {"--statistics"}, {"--diff"},
		{"--color", "never"}, {"--only", attack}, {attack}, {"-"}, {"-", "--fix"}},
	"fix":       {{"--diff"}, {"-"}},
	"rules":     {nil, {"secret"}, {attack}},
	"init":      {{"--dir" + attack}, nil},
	"doctor":    {nil, {"claude"}, {"codex", "--json"}, {attack}},
	"setup":     {{"codex", "--dry-run"}, {"codex", "--dry-run", "--json"}, {"codex"}, {"codex", "--remove"}, {attack}, {"--remove" + attack}},
	"new":       {{"--task", "1", "--phase", "1", "--from", "given.md"}, {"--task", "3", "--slug", "x", "--phase", "1", "--from", "given.yaml"}, {"--task", "4", "--slug", attack, "--phase", "1", "--draft"}},
	"next":      {nil, {"--json"}, {"--claim", "--as", attack}, {"--claim", "--as", "ann\u202ebob"}, nil},
	"claim":     {{"1", "--as", attack}, {"1", "--as", "ann\u202ebob"}, {"1", "--as", "c"}, {attack, "--as", "c"}},
	"ack":       {{"1", "--first-action", attack, "--as", "a"}, {"1", "--as", attack}},
	"renew":     {{"1"}, {attack}},
	"release":   {{"1"}, {"--why", attack}},
	"done":      {{"1", "--as", attack}, {"1", "--as", "ann\u202ebob", "--json"}},
	"task list": {{}, {"--all"}, {"--json"}}, "task show": {{"1"}, {"1", "--json"}, {attack}}, "task close": {{attack}, {"1", "--why", attack}, {"1", "--json"}},
	"task reopen": {{"1"}, {attack}}, "task rename": {{"1", attack}, {attack, "x"}, {"1", "renamed_task"}}, "task archive": {{"2"}, {attack}, {"2", "--force"}},
	"receipts": {{"1"}, {"1", "--json"}, {attack}},
	"spawn": {{"1", "--agent", "codex", "--print"}, {"1", "--agent", attack}, {"1", "--agent", "evil"}, {"1", "--agent", ".handoff/agents/evil.yaml"}, {"1", "--agent", ".handoff/agents/loud.yaml"}, {"1", "--agent", ".handoff/agents/loud.yaml", "--json"}, {attack, "--agent", "codex"},
		{"1", "--agent", "custom", "--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"1", "--agent", "custom", "--", "sh", "-c", "printf '\\033[31m' >&2; exit 3"}, {"1", "--agent", "custom", "--json", "--", "cat"}},
	"relay": {{"--task", "1", "--agent", ".handoff/agents/loud.yaml", "--", attack}, {"--task", "2", "--agent", ".handoff/agents/loud.yaml", "--json", "--", attack}, {"--task", "1", "--agent", attack, "--", "x"},
		{"--list"}, {"--list", "--json"}, {"--resume", attack}, {"--resume", "latest"}},
	"sync":                            {nil, {"--json"}, {attack}},
	"watch":                           {{"--status"}},
	"verify":                          {nil, {"--json"}},
	"trust":                           {{"--show"}, nil, {"--revoke"}, {attack}},
	"bundle create":                   {{"1"}, {"1", "--stdout"}},
	"bundle show":                     {{"1"}, {"1", "--json"}},
	"bundle check":                    {{"broken.json"}, {"no" + attack}},
	"bundle diff":                     {{"1"}},
	"convert":                         {{"1", "--to", "tape"}, {"given.md", "--to", "md"}, {"broken.json"}},
	"artifact put":                    {{"given.md"}},
	"artifact get":                    {{"$given.md"}, {attack}},
	"artifact fetch":                  {{`{"id": "` + attack + `"}`}, {attack}},
	"artifact schema":                 {nil},
	"artifact ls":                     {nil, {"--json"}},
	"artifact verify":                 {nil},
	"artifact gc":                     {nil, {"--json"}},
	"store check":                     {nil, {"--json"}},
	"store copy":                      {{attack, "files"}, {"files", "git:" + attack}, {"files", "git:nowhere"}},
	"store drain":                     {nil},
	"thread export":                   {{attack}},
	"thread import":                   {{"no" + attack}},
	"thread repair":                   {nil, {attack}},
	"thread create":                   {{"--title", attack}},
	"thread ensure":                   {nil},
	"thread post-message":             {{"0000", "--content", attack}, {attack, "--content", "x"}},
	"thread branch":                   {{"0000", "--title", attack}},
	"thread handoff":                  {{"0000", "--summary", attack}},
	"thread archive":                  {{"0000"}, {attack}},
	"thread unarchive":                {{"0000"}},
	"thread rename":                   {{"0000", attack}},
	"thread list":                     {nil, {"--json"}, {"--server", "{}"}, {"--server", "{}", "--json"}},
	"thread get":                      {{"0000"}, {"0000", "--server", "{}"}},
	"thread events":                   {{"0000"}},
	"thread show":                     {{"0000"}},
	"thread lineage":                  {{"0000"}, {"0000", "--format", "mermaid"}, {"0000", "--format", "dot"}, {"0000", "--json"}},
	"thread provider-cursor-status":   {{"0000"}},
	"thread provider-cursor-rotate":   {{"0000"}},
	"thread context-selection-status": {{"0000"}},
	"thread compaction-checkpoint":    {{"0000", "--summary-markdown", attack}},
	"thread compaction-cut-points":    {{"0000"}},
	"thread compaction-status":        {{"0000"}},
	"thread compaction-auto":          {{"0000"}},
	"thread compaction-auto-schedule": {{"0000"}},
	"tape append":                     {{attack}},
	"tape handoff":                    {{"n" + attack, "--summary", attack}, {"fine", "--summary", attack}},
	"tape exec":                       {{",tape.info"}, {"," + attack}, {",tape.search query=evil"}},
	"tape anchors":                    {nil, {"--json"}},
	"tape read":                       {nil, {"--json"}},
	"tape search":                     {{"evil"}, {"concealed", "--json"}},
	"tape context":                    {nil, {"--all"}, {"--all", "--for", "anthropic"}},
	"tape recover":                    {nil, {"--json"}},
	"tape info":                       {nil},
	"tape list":                       {nil, {"--server", "{}"}},
	"tape lineage":                    {nil},
	"tape fork":                       {{"f" + attack}, {"f"}},
	"tape merge":                      {{"f"}},
	"tape discard":                    {{"f"}},
	"tape reset":                      {nil},
	"tape create":                     {{"f" + attack}, {"made", "--bare"}},
	"tape delete":                     {{"f" + attack}, {"made"}},
	"tape check":                      {nil, {"--tape", "f" + attack}, {"--fix"}},
	"tape send":                       {{"--to", attack}, {"--from", "agent:a", "--to", "agent:" + attack}},
	"tape receive":                    {{"broken.json"}},
	"tape import":                     {{"broken.json"}},
	"tape export":                     {{"-"}, nil},
	"tape schema":                     {nil},
	"run":                             {{"0000", "--content", attack, "--", "printf", strings.ReplaceAll(attack, "\x1b", `\033`)}, {"0000", "--content", "x", "--", "sh", "-c", "printf '\\033[31m' >&2; printf '\\033[8m'"}, {"--list"}},
	"compile":                         {{"0000", "--stdout"}, {"0000", "--explain"}, {"0000", "--json"}},
	"render":                          {{attack}},
	"serve":                           {{"--listen", "unix:/no" + attack + "/s"}, {"--listen", attack}},
	"lsp":                             {nil, {attack}, {"--rules-page", attack}},
	"schema":                          {nil, {attack}},
	"conformance":                     {{"-o", attack}, {"--", "printf", "\\033[31m\n"}, {attack}},
	"chain":                           {{"1"}, {attack}},
	"restore":                         {nil, {"1"}, {attack}, {"--list"}, {"1", "--yes"}, {"1", "--to", "out" + attack}},
	"diff":                            {{"1"}, {attack}, {"1", "2"}},
	"completion":                      {{"bash"}, {attack}},
	"demo":                            {nil, {attack}},
	"man":                             {nil, {"lint"}, {attack}},
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
