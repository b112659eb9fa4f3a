package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/internal/file/nofollow"
)

// linkScenario is a series of commands that start in an empty tree.
//
// A line is a command. After <, a file is its standard input; after >, its output
// goes to a file. A line that begins with $ is a script for the shell that
// prepares what the next commands need, and is not traced. A command after ? may
// have findings, or ask something: exit code 1 or 3. One after & runs until its visit is over.
type linkScenario struct {
	name, lines string
	visits      []func(*testing.T, *visited) // of the lines with &, in order
}

// linkStep is one line.
type linkStep struct {
	setup         string
	args          []string
	stdin, stdout string
	fails         bool
	visit         func(*testing.T, *visited)
}

func (s linkScenario) steps() (steps []linkStep) {
	visits := s.visits
	for line := range strings.Lines(s.lines) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if script, ok := strings.CutPrefix(line, "$ "); ok {
			steps = append(steps, linkStep{setup: script})
			continue
		}
		var st linkStep
		if rest, ok := strings.CutPrefix(line, "& "); ok {
			line, st.visit, visits = rest, visits[0], visits[1:]
		}
		line, st.fails = strings.CutPrefix(line, "? ")
		words := splitLine(line)
		for i := 0; i < len(words); i++ {
			switch words[i] {
			case "<":
				i++
				st.stdin = words[i]
			case ">":
				i++
				st.stdout = words[i]
			default:
				st.args = append(st.args, words[i])
			}
		}
		steps = append(steps, st)
	}
	return steps
}

// splitLine splits a line into words; single quotes keep blanks.
func splitLine(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
		} else {
			words = append(words, strings.Fields(part)...)
		}
	}
	return words
}

// runs reports whether a step is this command.
func (s linkScenario) runs(name string) bool {
	words := strings.Fields(name)
	return slices.ContainsFunc(s.steps(), func(st linkStep) bool {
		return len(st.args) >= len(words) && slices.Equal(st.args[:len(words)], words)
	})
}

const linkDocument = `# Phase 1 Handoff - 20260212T143022Z

## Immediate Next Action
Run ` + "`go test ./parse`" + ` and fix the first failure.

## Current State
- **File**: parse.go
- **Location**: Line 1
- **Goal state**: tests pass

## Key Decisions Made
1. One parser: two would differ

## What NOT to Try
1. Regular expressions: they see headings in fences

## Critical Context
1. The first failure hides the others

## References
- parse.go
`

// framed is what an editor sends to `handoff lsp`.
func framed(messages ...string) (stream string) {
	for _, m := range messages {
		stream += fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return stream
}

// linkFiles are the files in world/named, which commands get as arguments.
var linkFiles = map[string]string{
	"doc.md":       linkDocument,
	"fixable.md":   strings.ReplaceAll(linkDocument, "## Current State", "##   current state  "),
	"values.yaml":  raceValues,
	"asks.jsonl":   `{"type":"assistant","session_id":"s","message":{"id":"m","usage":{"input_tokens":9},"content":[{"type":"text","text":"Which one do you mean?"}]}}` + "\n" + `{"type":"result","session_id":"s"}` + "\n",
	"request.json": `{"key":"a","at":"2026-02-12T14:30:22Z","step":"done","handoff":"specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md","by":"ann"}`,
	"edit.sh":      "head -n 1 \"$1\" > \"$1.new\" && tail -n +2 ../named/doc.md >> \"$1.new\" && mv \"$1.new\" \"$1\"\n",
	// An agent that answers three requests over ACP.
	"acp.sh": `for result in '{"protocolVersion":1}' '{"sessionId":"s1"}' '{"stopReason":"end_turn"}'; do
	read -r request
	id=$(printf '%s' "$request" | sed 's/.*"jsonrpc":"2.0","id":\([0-9]*\).*/\1/')
	echo '{"jsonrpc":"2.0","id":'$id',"result":'$result'}'
done
`,
	"entries.jsonl": `{"id": 1, "kind": "anchor", "payload": {"name": "session/start", "state": {"owner": "human"}}, "meta": {}}
{"id": 2, "kind": "message", "payload": {"role": "user", "content": "Hello"}, "meta": {}}
`,
	"metadata.json":  `{"status": "in_progress", "started_at": "2026-02-12T13:00:00Z", "artifacts": []}` + "\n",
	"progress.json":  `{"phase": 1, "objectives": [{"id": 1, "description": "parse", "status": "in_progress"}], "handoff_count": 0}` + "\n",
	"start.json":     `{"session_id": "a", "hook_event_name": "SessionStart", "source": "startup"}`,
	"compacted.json": `{"session_id": "a", "hook_event_name": "SessionStart", "source": "compact"}`,
	"written.json":   `{"session_id": "a", "tool_input": {"file_path": "specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md"}}`,
	"batch.json":     `{"session_id": "a", "transcript_path": "../named/session.jsonl"}`,
	"fetch.json":     `{"id":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}`,
	"hello":          "hello",
	"session.jsonl": `{"type": "user", "sessionId": "s", "message": {"role": "user", "content": "Hello"}}
{"type": "assistant", "sessionId": "s", "message": {"id": "m", "role": "assistant", "model": "claude-sonnet-4-5", "content": [], "usage": {"input_tokens": 1000, "output_tokens": 10}}}
`,
	"mcp.jsonl": `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"handoff_new","arguments":{"task":4,"slug":"fourth","phase":1,"next_action":"Run go test ./parse.","state":{"file":"parse.go"},"decisions":[],"dead_ends":[],"context":[],"references":[]},` +
		`"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}` + "\n",
	"lsp.txt": framed(`{"id":1,"method":"initialize","params":{"capabilities":{}}}`, `{"id":2,"method":"shutdown"}`, `{"method":"exit"}`),
	"plan.md": "# Plan\n\n### Phase 1: Parse [IN PROGRESS]\n\n### Phase 2: Print [NOT STARTED]\n",
}

var linkScenarios = []linkScenario{
	{name: "init", lines: `
		$ git init -q . && mkdir -p .git/hooks; cp ../named/values.yaml .
		init --git-hook --template
		setup claude codex opencode
		$ echo '# Project' > AGENTS.md; echo '{}' > .mcp.json
		setup claude codex
		? doctor claude codex
		setup claude codex opencode --remove
		completion bash
		demo
		man
		schema new
		conformance --vectors --operation name.read
		rules
		lsp < ../named/lsp.txt
		new --task 1 --slug first --phase 1 --from ../named/values.yaml
		chain 1
		diff 1/1 1/1
		$ echo package parse > parse.go; git add .
		? restore 1 --yes
		? lint --staged
		? verify --staged
		watch --install-service
		watch --remove-service
		serve --install-service
		serve --remove-service
		init --remove
	`},
	{name: "lefthook", lines: `
		$ git init -q . && mkdir -p .git/hooks; echo 'colors: false' > lefthook.yml
		init --git-hook
		init --remove
	`},
	{name: "husky", lines: `
		$ git init -q . && git config core.hooksPath .husky/_; mkdir -p .husky/_; touch .husky/_/h; echo true > .husky/pre-commit
		init --git-hook
		init --remove
	`},
	{name: "hooks", lines: `
		$ git init -q .; echo package parse > parse.go; mkdir -p specs/1_first/handoffs
		$ cp ../named/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		hook session-start --host claude < ../named/start.json
		hook tool-use --host claude < ../named/written.json
		hook batch --host claude < ../named/batch.json
		hook pre-compact --host claude < ../named/start.json
		hook session-start --host claude < ../named/compacted.json
		hook stop --host claude < ../named/edit.sh
		hook session-end --host claude < ../named/batch.json
	`},
	{name: "documents", lines: `
		$ echo package parse > parse.go; cp ../named/values.yaml .
		$ mkdir -p specs/1_first/progress specs/1_first/plans specs/1_first/handoffs
		$ cp ../named/progress.json specs/1_first/progress/phase-1-progress.json; cp ../named/plan.md specs/1_first/plans/01_plan.md
		$ cp ../named/metadata.json specs/1_first/.return-meta.json
		$ cp ../named/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		sync
		sync
		new --task 1 --phase 2 --from ../named/values.yaml
		new --task 2 --slug second --phase 1 --edit
		new --task 3 --slug third --phase 1 --draft
		new --task 3 --phase 2 --draft --idempotency-key k
		ls
		? search a
		? graph
		top --json
		mcp < ../named/mcp.jsonl
		& mcp --http unix:m.sock
		agents
		gauge --agent claude --transcript ../named/session.jsonl
		? gauge --agent claude --transcript ../named/session.jsonl --at 1010 --note
		? audit --agent claude --transcript ../named/session.jsonl --handoff 1
		draft --agent claude --transcript ../named/session.jsonl
		draft --agent claude --transcript ../named/session.jsonl --output ../named/draft.md
		draft --agent claude --transcript ../named/session.jsonl --task 1 --phase 9
		draft --agent claude --transcript ../named/session.jsonl --save
		? sessions
		statusline < ../named/progress.json
		show 1
		brief 1
		? lint
		? lint --baseline ../named/known.json --update-baseline
		? lint --baseline ../named/known.json --prune
		? lint --output json=../named/report.json
		$ cp ../named/fixable.md specs/2_second/handoffs/phase-2-handoff-20260212T144022Z.md
		? lint --fix
		$ cp ../named/fixable.md specs/2_second/handoffs/phase-3-handoff-20260212T145022.md
		? fix --rename --zone UTC
		? verify
		$ rm -r .rip/artifacts/blobs/*
		? verify --fix
		$ rm -r .rip
		? verify --fix
		bundle create 1
		bundle show 1
		bundle create 1 --stdout > ../named/bundle.json
		? bundle check ../named/bundle.json
		? bundle diff 1
		trust
		trust --revoke
		convert 1 --to bundle --write
		thread create
		convert 1 --to thread --thread 00000001 --write
		convert 1 --to anchor --tape prover --write
		convert 1 --to envelope --tape prover --from-agent agent:a --to-agent agent:b --write
		convert ../named/bundle.json --to document --task 4 --slug fourth --phase 1 --draft --write
		artifact put ../named/doc.md
		artifact put < ../named/values.yaml
		artifact ls
		artifact verify
		artifact schema
		artifact gc
		artifact gc --older-than 0s --delete
		& watch --interval 1h
		? watch --status
	`, visits: []func(*testing.T, *visited){func(_ *testing.T, v *visited) { v.says("listening on") }, visitWatch}},
	{name: "store", lines: `
		$ git init -q --bare ../named/remote.git; git init -q .; git remote add origin "$PWD/../named/remote.git"
		$ mkdir -p specs/1_first/handoffs; cp ../named/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		$ mkdir -p .git/handoff/receipts; echo '{"seq":0}' > .git/handoff/receipts/a.jsonl
		store check
		store copy files git:origin
		$ rm -r .git/handoff/receipts
		store copy git:origin files
		$ mkdir -p .git/handoff/outbox; cp ../named/request.json .git/handoff/outbox/0000000001-d10184fe77c89c29-ca978112ca1bbdcafac231b3.json
		store drain --dry-run
		store drain
	`},
	{name: "receipts", lines: `
		$ mkdir -p specs/1_first/handoffs; cp ../named/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		$ cp ../named/metadata.json specs/1_first/.return-meta.json
		next
		ack 1 --as ann
		next --claim --as ann
		receipts 1
		claim 1 --as bob --force --why test
		$ grep -ho '[0-9a-f]*[.]2[.][0-9a-f-]*' .handoff/receipts/*.jsonl | head -n 1 > ../named/claim
		renew
		release --why tired
		? spawn 1 --agent custom -- cat
		spawn 1 --agent codex --print
		acp -- sh ../named/acp.sh < ../named/doc.md
		$ mkdir -p .handoff/agents; printf 'title: Quiet\nprogram: "true"\n' > .handoff/agents/quiet.yaml
		? relay --agent .handoff/agents/quiet.yaml --task 1 -- work
		? relay --agent .handoff/agents/quiet.yaml --task 7 -- work
		relay --list
		claim 1 --as ann
		$ grep -ho '[0-9a-f]*[.]5[.][0-9a-f-]*' .handoff/receipts/*.jsonl | head -n 1 > ../named/claim
		done
		done 1 --as ann
		task show 1
		task close 1 --why test
		task archive 1
		task reopen 1
		task rename 1 renamed
		? task list --all
	`},
	{name: "relay", lines: `
		$ mkdir -p specs/1_first/handoffs .handoff/agents; cp ../named/doc.md specs/1_first/handoffs/phase-1-handoff-20260212T143022Z.md
		$ printf 'title: Asks\nprogram: sh\nstream: claude\nstart: [-c, "cat ../named/asks.jsonl"]\n' > .handoff/agents/asks.yaml
		? relay --agent .handoff/agents/asks.yaml --task 1 -- work
		? relay --answer latest --agent .handoff/agents/asks.yaml -- 'The first one.'
		claim 1 --as ann
		$ grep -ho '[0-9a-f]*[.]3[.][0-9a-f-]*' .handoff/receipts/*.jsonl | head -n 1 > ../named/claim
		$ basename .handoff/relays/*.jsonl .jsonl | tr -d '\n' > ../named/relay
		done
		? new --task 2 --slug second --phase 1 --from ../named/values.yaml
	`},
	{name: "threads", lines: `
		$ mkdir specs
		thread create --title root
		thread create --title other --idempotency-key k
		thread post-message 00000001 --content one
		thread post-message 00000001 --content two
		thread branch 00000001 --title side
		thread handoff 00000001 --summary-markdown 'Left: the lemma.' --title next
		thread handoff 00000001 --summary-markdown 'Run it.' --document --task 1 --slug first --phase 1 --draft
		thread rename 00000001 other
		thread archive 00000001
		thread unarchive 00000001
		thread list
		thread ensure
		thread get 00000001
		thread show 00000001
		thread events 00000001
		thread lineage 00000001
		thread provider-cursor-status 00000001
		thread provider-cursor-rotate 00000001 --reason tired
		thread context-selection-status 00000001
		thread compaction-checkpoint 00000001 --summary-markdown hello --to-seq 1
		thread compaction-cut-points 00000001 --stride-messages 1
		thread compaction-status 00000001 --stride-messages 1
		thread compaction-auto 00000001 --stride-messages 1
		thread post-message 00000001 --content three
		thread compaction-auto-schedule 00000001 --stride-messages 1
		compile 00000001 > ../named/compiled
		render @../named/compiled
		artifact get @../named/compiled -o ../named/got
		artifact put ../named/hello
		artifact fetch @../named/fetch.json
		run 00000001 --content again -- cat
		run 'What is left?' -- sh -c 'cat; echo done'
		run --list
		thread export --rip ../store
		thread post-message 00000001 --content four
		thread export --rip ../store
		$ sed -i '4s/./x/' .handoff/threads/00000001-*.jsonl
		thread repair 00000001
		$ rm -r .handoff; mkdir ../named/old; mv .rip ../named/old
		thread import --rip ../store --rip-workspace ../named/old
		thread import --rip ../store --rip-workspace ../named/old
		thread create --title late
		thread reference late 00000001-0000-4000-8000-000000000001
		& serve --listen 127.0.0.1:0 --rip ../store
		& serve --listen unix:s.sock --runner cat
	`, visits: []func(*testing.T, *visited){func(_ *testing.T, v *visited) { v.says("listening on") }, visitServer}},
	{name: "tapes", lines: `
		$ mkdir specs ../named/bub
		tape append one --idempotency-key k
		tape append two
		tape append --from ../named/entries.jsonl
		tape handoff phase-1 --summary 'Set up' --idempotency-key h
		tape handoff phase-2 --summary 'Going on' --next-steps 'Run it' --document --task 1 --slug first --phase 1 --draft
		tape exec ',tape.info'
		tape exec ',handoff name=phase-3 summary=x'
		tape anchors
		tape read
		tape search one
		tape context
		tape recover
		tape info
		tape list
		tape schema
		tape book
		tape fork side --from-anchor phase-1
		tape append three --tape side
		tape merge side
		tape fork linked --link
		tape append four --tape linked
		tape discard linked --reason 'led nowhere'
		tape lineage
		tape send --from agent:a --to agent:b --summary S --next-steps N > ../named/envelope.json
		tape receive ../named/envelope.json --tape b
		tape import ../named/entries.jsonl --to old
		tape export ../named/out.jsonl
		tape append --bub ../named/bub --tape cli:local hello
		tape handoff --bub ../named/bub --tape cli:local phase-1 --summary s
		tape export --bub ../named/bub cli:other
		tape import --bub ../named/bub cli:local --to fromBub
		tape check --bub ../named/bub --fix
		tape reset --tape b
		tape archives --tape b
		tape create bare --bare
		tape create begun
		tape check
		tape delete begun
		tape delete bare --no-archive --yes
		tape reset --no-archive --yes
		tape append again
		tape reset
	`},
}

// visitWatch writes a new handoff while a watch runs, and waits until the watch
// reports it.
func visitWatch(t *testing.T, v *visited) {
	status := v.base.world("tree/.handoff/watch.json")
	v.says("watching specs (")
	if _, err := os.Lstat(status); err != nil {
		v.waitFor(v.most/3, func() bool { _, err := os.Lstat(status); return err == nil })
	}
	tree := nofollow.Root(v.base.world("tree"))
	const task = "specs/9_new"
	if tree.MkdirAll(string(tree)+"/"+task+"/handoffs", 0o755) != nil {
		return // a planted link
	}
	const name = "phase-1-handoff-20260212T150000Z.md"
	f, err := tree.OpenFile(string(tree)+"/"+task+"/handoffs/"+name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return
	}
	if _, err := f.WriteString(linkDocument); err != nil {
		t.Fatal(err)
	}
	f.Close()
	v.says(name)
}

// serverRequests are requests of every kind that changes what a server serves.
// {session} is replaced by the run in the last answer that has one, {claim} by the claim.
var serverRequests = []struct{ method, path, body string }{
	{"POST", "/artifacts", "hello"},
	{"PUT", "/artifacts/2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", "hello"},
	{"POST", "/threads", `{"title":"served"}`},
	{"POST", "/threads/ensure", ""},
	{"POST", servedThread + "/messages", `{"content":"served"}`},
	{"POST", servedThread + "/branch", `{"title":"b"}`},
	{"POST", servedThread + "/references", `{"to_thread_id":"00000001-0000-4000-8000-000000000001"}`},
	{"POST", servedThread + "/handoff", `{"summary_markdown":"s"}`},
	{"POST", servedThread + "/rename", `{"title":"r"}`},
	{"POST", servedThread + "/archive", `{}`},
	{"POST", servedThread + "/unarchive", `{}`},
	{"POST", servedThread + "/compile", `{"store":true}`},
	{"POST", servedThread + "/compaction-checkpoint", `{"summary_markdown":"s","to_seq":2}`},
	{"POST", servedThread + "/compaction-auto", `{"actor_id":"a","origin":"o","stride_messages":1}`},
	{"POST", servedThread + "/compaction-auto-schedule", `{"actor_id":"a","origin":"o","stride_messages":1}`},
	{"POST", servedThread + "/compaction-cut-points", `{"stride_messages":1}`},
	{"POST", servedThread + "/compaction-status", `{"stride_messages":1}`},
	{"POST", servedThread + "/context-selection-status", `{}`},
	{"POST", servedThread + "/provider-cursor-status", `{}`},
	{"POST", servedThread + "/provider-cursor-rotate", `{"actor_id":"a","origin":"o"}`},
	{"POST", "/sessions", ""},
	{"POST", "/sessions/{session}/input", `{"input":"hi"}`},
	{"POST", "/sessions/{session}/cancel", ""},
	{"POST", "/tapes/served/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"x"}}]}`},
	{"POST", "/tapes/served/handoff", `{"name":"n","summary":"s"}`},
	{"POST", "/tapes/served/exec", `{"command":",tape.info"}`},
	{"POST", "/tapes/served/fork", `{"to":"f"}`},
	{"POST", "/tapes/f/entries", `{"entries":[{"kind":"message","payload":{"role":"user","content":"y"}}]}`},
	{"POST", "/tapes/f/merge", `{}`},
	{"POST", "/tapes/served/fork", `{"to":"g","link":true}`},
	{"POST", "/tapes/g/discard", `{"reason":"r"}`},
	{"POST", "/tapes/served/send", `{"from":"agent:a","to":"agent:b"}`},
	{"POST", "/tapes/received/receive", `{"type":"context_handoff","from":"agent:a","to":"agent:b","timestamp":"2026-02-21T12:00:00Z",` +
		`"content":{"reason":"r","summary":"s","tape_ref":"tape://workspace/served/entry/1","intention":{"next_steps":"n"},"ownership":"transfer"}}`},
	{"POST", "/tapes/served/reset", `{"archive":true}`},
	{"POST", "/specs/901/handoffs", `{"slug":"served","phase":1,"draft":true,"next_action":"Run it."}`},
	{"POST", "/handoffs/901%2F1/claim", `{"as":"a"}`},
	{"POST", "/handoffs/901%2F1/ack", `{"claim":"{claim}"}`},
	{"POST", "/handoffs/901%2F1/renew", `{"claim":"{claim}"}`},
	{"POST", "/handoffs/901%2F1/release", `{"claim":"{claim}"}`},
	{"POST", "/handoffs/next/claim", `{"as":"a","task":901}`},
	{"POST", "/handoffs/901%2F1/done", `{"claim":"{claim}"}`},
	{"PUT", "/tapes/put", `{}`},
	{"DELETE", "/tapes/put", `{}`},
}

const servedThread = "/threads/00000001-0000-4000-8000-000000000001"

// TestServerRequests requires a request for every operation of
// docs/openapi.json that is not a GET.
func TestServerRequests(t *testing.T) {
	src, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]any `json:"paths"`
	}
	if err := json.Unmarshal(src, &api); err != nil {
		t.Fatal(err)
	}
	for path, operations := range api.Paths {
		is := regexp.MustCompile("^" + regexp.MustCompile(`\\\{\w+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), "[^/]+") + "$")
		for method := range operations {
			known := false
			for _, r := range serverRequests {
				known = known || strings.EqualFold(r.method, method) && is.MatchString(r.path)
			}
			if !known && slices.Contains([]string{"post", "put", "patch", "delete"}, method) {
				t.Errorf("%s %s: no request of serverRequests does that: add one", method, path)
			}
		}
	}
}

// visitServer sends a server all requests, one after the other.
func visitServer(t *testing.T, v *visited) {
	v.says("listening on")
	network, address := v.address()
	client := http.Client{Timeout: v.most, Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}}}
	session, claim := "none", "none"
	for _, want := range serverRequests {
		r, err := http.NewRequest(want.method, "http://localhost"+strings.ReplaceAll(want.path, "{session}", session), strings.NewReader(strings.ReplaceAll(want.body, "{claim}", claim)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		if strings.HasPrefix(want.path, "/artifacts") {
			r.Header.Set("Content-Type", "application/octet-stream")
		}
		resp, err := client.Do(r)
		if err != nil {
			v.refused = append(v.refused, err.Error())
			return // the server ended because it could not listen
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if m := sessionOf.FindSubmatch(body); m != nil {
			session = string(m[1])
		}
		if m := claimOf.FindSubmatch(body); m != nil {
			claim = string(m[1])
		}
		if resp.StatusCode >= 400 {
			v.refused = append(v.refused, want.path+": "+string(body))
		}
	}
}

var claimOf = regexp.MustCompile(`"claim":"([^"]+)"`)

var sessionOf = regexp.MustCompile(`"session_id":"([^"]+)"`)

// address is the address that the server prints.
func (v *visited) address() (network, address string) {
	_, rest, _ := strings.Cut(v.out.String(), "listening on ")
	rest, _, _ = strings.Cut(rest, "\n")
	if path, ok := strings.CutPrefix(rest, "unix:"); ok {
		return "unix", filepath.Join(v.base.world("tree"), path)
	}
	return "tcp", strings.TrimPrefix(rest, "http://")
}
