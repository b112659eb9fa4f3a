//go:build linux

package nights

import (
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

// vendors are the entries of the table whose programs are played.
var vendors = [...]string{"claude", "codex"}

// mouth prints what a program of a vendor prints.
type mouth interface {
	begin(session string)
	says(text string, tokens int)
	calls(id, command string, tokens int)
	returns(id, command string, exit int)
	ends()
	limited(until time.Time) // and ends, as after the next two
	fails(text string)       // an error of the provider
	cut()                    // its stream breaks off
	interrupted() <-chan struct{}
	givesWay() // ends after an interruption
	deaf()     // ignores interruptions
}

// signals are how a program on a command line is interrupted.
type signals struct{}

func (signals) interrupted() <-chan struct{} {
	got, told := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(got, os.Interrupt)
	go func() { <-got; close(told) }()
	return told
}

func (signals) givesWay() { os.Exit(130) }
func (signals) deaf()     { signal.Ignore(os.Interrupt) }

// cut ends in the middle of a line.
func (signals) cut() {
	os.Stdout.WriteString(`{"type":"assis`)
	os.Stderr.WriteString("stream disconnected before completion: stream closed before response.completed\n")
	os.Exit(1)
}

type object = map[string]any

func line(v any) {
	src, _ := json.Marshal(v) // maps of texts and numbers
	os.Stdout.Write(append(src, '\n'))
}

// claudeMouth prints stream-json.
type claudeMouth struct {
	signals
	session string
	n       int
}

func (m *claudeMouth) begin(session string) {
	m.session = session
	line(object{"type": "system", "subtype": "init", "session_id": session, "model": "claude-sonnet-4-5", "uuid": session})
}

func (m *claudeMouth) message(tokens int, block object) {
	m.n++
	line(object{"type": "assistant", "session_id": m.session, "message": object{"id": fmt.Sprintf("msg_%d_%d", os.Getpid(), m.n), "model": "claude-sonnet-4-5",
		"usage": object{"input_tokens": tokens, "output_tokens": 50}, "content": []object{block}}})
}

func (m *claudeMouth) says(text string, tokens int) {
	m.message(tokens, object{"type": "text", "text": text})
}

func (m *claudeMouth) calls(id, command string, tokens int) {
	m.message(tokens, object{"type": "tool_use", "id": id, "name": "Bash", "input": object{"command": command}})
}

func (m *claudeMouth) returns(id, _ string, exit int) {
	text := "ok"
	if exit != 0 {
		text = fmt.Sprintf("Exit code %d", exit)
	}
	line(object{"type": "user", "session_id": m.session, "message": object{"content": []object{{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": exit != 0}}}})
}

func (m *claudeMouth) ends() {
	line(object{"type": "result", "subtype": "success", "session_id": m.session, "result": "ok", "total_cost_usd": 0.1})
}

func (m *claudeMouth) limited(until time.Time) {
	line(object{"type": "rate_limit_event", "session_id": m.session, "rate_limit_info": object{"status": "rejected", "resetsAt": until.Unix()}})
	line(object{"type": "result", "subtype": "success", "is_error": true, "session_id": m.session, "result": "You've hit your session limit"})
}

func (m *claudeMouth) fails(text string) {
	line(object{"type": "result", "subtype": "success", "is_error": true, "session_id": m.session, "result": "API Error: " + text})
}

// codexMouth prints what `codex exec --json` prints, and writes the rollout, which alone has the
// tokens of a call.
type codexMouth struct {
	signals
	rollout *os.File
	sum     int
}

func (m *codexMouth) begin(session string) {
	line(object{"type": "thread.started", "thread_id": session})
	home := os.Getenv("CODEX_HOME")
	path := filepath.Join(home, "sessions/2026/11/27", "rollout-2026-11-27T01-00-00-"+session+".jsonl")
	if list, _ := filepath.Glob(filepath.Join(home, "sessions/*/*/*/rollout-*"+session+".jsonl")); len(list) > 0 {
		path = list[0]
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		panic(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		panic(err)
	}
	m.rollout = f
	st, err := f.Stat()
	if err != nil {
		panic(err)
	}
	if m.sum = int(st.Size()) * 1000; st.Size() == 0 { // larger than any sum before
		dir, _ := os.Getwd()
		m.note("session_meta", object{"id": session, "cwd": dir, "cli_version": "0.169.0"})
	}
	m.note("event_msg", object{"type": "task_started", "model_context_window": 258400})
	line(object{"type": "turn.started"})
}

func (m *codexMouth) note(kind string, payload object) {
	src, _ := json.Marshal(object{"timestamp": time.Now().UTC(), "type": kind, "payload": payload})
	m.rollout.Write(append(src, '\n'))
}

func (m *codexMouth) used(tokens int) {
	m.sum += tokens
	m.note("event_msg", object{"type": "token_count", "info": object{"last_token_usage": object{"input_tokens": tokens, "total_tokens": tokens},
		"total_token_usage": object{"input_tokens": m.sum, "total_tokens": m.sum}, "model_context_window": 258400}})
}

func (m *codexMouth) says(text string, tokens int) {
	m.used(tokens)
	line(object{"type": "item.completed", "item": object{"id": fmt.Sprint("item_", m.sum), "type": "agent_message", "text": text}})
}

func (m *codexMouth) calls(id, command string, tokens int) {
	m.used(tokens)
	line(object{"type": "item.started", "item": object{"id": id, "type": "command_execution", "command": command, "aggregated_output": "", "exit_code": nil, "status": "in_progress"}})
}

func (m *codexMouth) returns(id, command string, exit int) {
	line(object{"type": "item.completed", "item": object{"id": id, "type": "command_execution", "command": command, "aggregated_output": "ok", "exit_code": exit, "status": "completed"}})
}

func (m *codexMouth) ends() {
	line(object{"type": "turn.completed", "usage": object{"input_tokens": 2000, "output_tokens": 50}})
}

func (m *codexMouth) limited(until time.Time) {
	m.fails(usageLimit(until))
}

// usageLimit is what Codex says of a limit.
func usageLimit(until time.Time) string {
	return fmt.Sprintf("You've hit your usage limit. Visit https://chatgpt.com/codex/settings/usage to purchase more credits or try again in %d seconds.", int(time.Until(until).Seconds())+1)
}

func (m *codexMouth) fails(text string) {
	line(object{"type": "error", "message": text})
	line(object{"type": "turn.failed", "error": object{"message": text}})
}

// sessionOf is the id of the session that a command line resumes, or chooses, and whether it resumes.
func sessionOf(vendor string, args []string) (id string, resumes bool) {
	after := func(word string) string {
		if i := slices.Index(args, word); i >= 0 && i+1 < len(args) {
			return args[i+1]
		}
		return ""
	}
	if vendor == "codex" {
		id = after("resume")
	} else {
		id = after("--resume")
	}
	if id != "" {
		return id, true
	}
	return after("--session-id"), false
}
