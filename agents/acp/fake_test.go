package acp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// agentVar makes the test binary an agent that plays the scenario of that name.
const agentVar = "HANDOFF_TEST_ACP_AGENT"

func TestMain(m *testing.M) {
	if name := os.Getenv(agentVar); name != "" {
		scenarios[name](&fake{in: bufio.NewScanner(os.Stdin)})
		os.Exit(0)
	}
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10") // under the race detector each agent would sleep for a second before it exits
	}
	os.Exit(m.Run())
}

// fake is an agent. It ends at once if the client does something else than the
// scenario expects, with the reason on stderr.
type fake struct {
	in   *bufio.Scanner
	last message // from the client
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

type object = map[string]any

func (f *fake) next() bool {
	f.last = message{}
	return f.in.Scan() && json.Unmarshal(f.in.Bytes(), &f.last) == nil
}

func (f *fake) expect(method string) {
	if !f.next() {
		os.Exit(0) // the client has ended the connection
	}
	if f.last.Method != method {
		fmt.Fprintf(os.Stderr, "fake: want %s, got %s\n", method, f.in.Text())
		os.Exit(9)
	}
}

func (f *fake) print(value any) {
	b, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s\n", b)
}

func (f *fake) answer(result any) {
	f.print(object{"jsonrpc": "2.0", "id": f.last.ID, "result": result})
}

func (f *fake) refuse(code int, text string) {
	f.print(object{"jsonrpc": "2.0", "id": f.last.ID, "error": object{"code": code, "message": text, "data": object{"details": "the-details"}}})
}

func (f *fake) update(session string, update object) {
	f.print(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": session, "update": update}})
}

func (f *fake) say(text string) {
	f.update("s1", object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text}})
}

// hello answers initialize, with what the agent can do.
func (f *fake) hello(can object) {
	f.expect("initialize")
	f.answer(object{"protocolVersion": 1, "agentCapabilities": can, "agentInfo": object{"name": "fake", "version": "0.1"},
		"authMethods": []any{object{"id": "a", "name": "log in here"}, object{"id": "b", "name": "use a key"}}})
}

// open sends answers until the prompt arrives.
func (f *fake) open() {
	f.hello(object{"sessionCapabilities": object{"close": object{}}})
	f.expect("session/new")
	f.answer(object{"sessionId": "s1", "models": object{"currentModelId": "large"}})
	f.expect("session/prompt")
}

// finish ends the turn, and the session.
func (f *fake) finish(stop string) {
	f.answer(object{"stopReason": stop, "usage": object{"totalTokens": 7}})
	f.closed()
}

// closed expects the client to close the session, and then the connection.
func (f *fake) closed() {
	if !f.next() || f.last.Method != "session/close" {
		fmt.Fprintf(os.Stderr, "fake: want session/close, got %q\n", f.in.Text())
		os.Exit(9)
	}
	f.answer(object{})
	f.untilClosed()
}

// inMode opens a session in a mode.
func (f *fake) inMode(mode string, all ...string) {
	f.hello(nil)
	f.expect("session/new")
	list := []any{}
	for _, m := range all {
		list = append(list, object{"id": m})
	}
	f.answer(object{"sessionId": "s1", "modes": object{"currentModeId": mode, "availableModes": list}})
}

func (f *fake) mode(mode string) {
	f.update("s1", object{"sessionUpdate": "current_mode_update", "currentModeId": mode})
}

// end answers the prompt, if it comes.
func (f *fake) end() {
	f.expect("session/prompt")
	f.answer(object{"stopReason": "end_turn"})
	f.untilClosed()
}

func (f *fake) untilClosed() {
	for f.in.Scan() {
	}
}

// ask asks for permission, and returns the client's answer.
func (f *fake) ask(call object) {
	prompt := f.last
	f.print(object{"jsonrpc": "2.0", "id": "ask", "method": "session/request_permission", "params": object{"sessionId": "s1", "toolCall": call, "options": []any{
		object{"optionId": "always", "kind": "allow_always"}, object{"optionId": "yes", "kind": "allow_once"}, object{"optionId": "no", "kind": "reject_once"}}}})
	f.next()
	f.say(call["toolCallId"].(string) + " " + string(f.last.Result) + "\n")
	f.last = prompt
}

var scenarios = map[string]func(*fake){
	"plain": func(f *fake) {
		f.open()
		f.update("other", object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "of another session"}})
		f.say("Hello ")
		f.update("s1", object{"sessionUpdate": "tool_call", "toolCallId": "t1", "title": "Terminal", "kind": "execute", "status": "pending", "rawInput": object{}})
		f.update("s1", object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "in_progress", "rawInput": object{"command": "go test"}})
		f.update("s1", object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed", "rawOutput": "ok"})
		f.update("s1", object{"sessionUpdate": "tool_call_update", "toolCallId": "t1", "status": "completed"})
		f.update("s1", object{"sessionUpdate": "usage_update", "used": 1200, "size": 200000})
		fmt.Println()
		f.print(object{"jsonrpc": "2.0", "id": 99, "method": "fs/read_text_file", "params": object{}})
		prompt := f.last
		f.next()
		f.say(string(f.last.Error))
		f.last = prompt
		f.say(string(prompt.Params))
		f.finish("end_turn")
	},
	"permissions": func(f *fake) {
		f.open()
		dir := struct{ Cwd string }{}
		dir.Cwd, _ = os.Getwd()
		f.ask(object{"toolCallId": "read", "kind": "read", "locations": []any{object{"path": "/etc/passwd"}}})
		f.ask(object{"toolCallId": "inside", "kind": "edit", "locations": []any{object{"path": dir.Cwd + "/new/a.go"}}})
		f.ask(object{"toolCallId": "relative", "kind": "edit", "rawInput": object{"file_path": "a.go"}})
		f.ask(object{"toolCallId": "outside", "kind": "edit", "locations": []any{object{"path": "/etc/passwd"}}})
		f.ask(object{"toolCallId": "diff-outside", "kind": "edit", "locations": []any{object{"path": dir.Cwd + "/a.go"}}, "content": []any{object{"type": "diff", "path": "../b.go"}}})
		f.ask(object{"toolCallId": "by-link", "kind": "edit", "locations": []any{object{"path": "out/a.go"}}})
		f.ask(object{"toolCallId": "link-to-nowhere", "kind": "edit", "locations": []any{object{"path": "nowhere"}}})
		f.ask(object{"toolCallId": "git", "kind": "edit", "locations": []any{object{"path": ".git/hooks/pre-commit"}}})
		for _, name := range []string{".claude/settings.json", ".mcp.json", ".opencode/plugins/a.ts", ".handoff.yaml", ".vscode/tasks.json", ".gemini", ".envrc"} {
			f.ask(object{"toolCallId": "setting", "kind": "edit", "locations": []any{object{"path": "a.go"}, object{"path": name}}})
		}
		f.ask(object{"toolCallId": "no-file", "kind": "edit", "title": "some file"})
		f.ask(object{"toolCallId": "command", "kind": "execute", "rawInput": object{"command": "go test"}})
		f.ask(object{"toolCallId": "allowed", "kind": "execute", "rawInput": object{"command": "make check -j2"}})
		f.ask(object{"toolCallId": "redirected", "kind": "execute", "rawInput": object{"command": "make check > /etc/x"}})
		f.ask(object{"toolCallId": "handoff", "kind": "execute", "rawInput": object{"command": "handoff done"}})
		f.ask(object{"toolCallId": "list", "kind": "execute", "rawInput": object{"command": []string{"handoff", "done"}}})
		f.ask(object{"toolCallId": "unknown"})
		f.update("s1", object{"sessionUpdate": "tool_call", "toolCallId": "announced", "kind": "delete", "locations": []any{object{"path": "a.go"}}})
		f.ask(object{"toolCallId": "announced"})
		f.finish("end_turn")
	},
	"cancelled": func(f *fake) {
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		f.open()
		prompt := f.last
		f.say("working")
		f.expect("session/cancel")
		f.last = prompt
		f.ask(object{"toolCallId": "late", "kind": "read"})
		f.finish("cancelled")
	},
	"deaf": func(f *fake) { // it ignores everything but a kill
		signal.Ignore(syscall.SIGTERM, os.Interrupt)
		f.open()
		f.say("working")
		time.Sleep(time.Hour)
	},
	"limit": func(f *fake) {
		f.open()
		f.finish("max_tokens")
	},
	"model error": func(f *fake) {
		f.open()
		f.refuse(-32603, "no quota")
		f.closed()
	},
	"signed out": func(f *fake) {
		f.hello(nil)
		f.expect("session/new")
		f.refuse(-32000, "Authentication required")
		f.untilClosed()
	},
	"cannot open": func(f *fake) {
		f.hello(nil)
		f.expect("session/new")
		f.refuse(-32603, "Internal error")
		f.untilClosed()
	},
	"vague": func(f *fake) { // its answer lacks why the turn ended
		f.open()
		f.answer(object{})
		f.closed()
	},
	"dies": func(f *fake) {
		f.open()
		f.say("I begin")
		os.Exit(3)
	},
	"dies at once": func(f *fake) { os.Exit(4) },
	"chats":        func(f *fake) { fmt.Println("Welcome! Type a question."); f.untilClosed() },
	"silent":       func(f *fake) { time.Sleep(time.Hour) },
	"old": func(f *fake) {
		f.expect("initialize")
		f.answer(object{"protocolVersion": 7})
		f.untilClosed()
	},
	"resumes": func(f *fake) {
		f.hello(object{"loadSession": true, "sessionCapabilities": object{"resume": object{}}})
		f.expect("session/resume")
		f.answer(object{})
		f.expect("session/prompt")
		f.answer(object{"stopReason": "end_turn"})
		f.untilClosed()
	},
	"loads": func(f *fake) {
		f.hello(object{"loadSession": true})
		f.expect("session/load")
		f.say("said earlier")
		f.answer(nil)
		f.expect("session/prompt")
		f.say("said now")
		f.answer(object{"stopReason": "end_turn"})
		f.untilClosed()
	},
	"forgets": func(f *fake) { f.hello(nil); f.untilClosed() },
	"modes": func(f *fake) {
		f.hello(nil)
		f.expect("session/new")
		f.answer(object{"sessionId": "s1", "modes": object{"availableModes": []any{object{"id": "plan"}, object{"id": "ask"}}}})
		f.expect("session/set_mode")
		f.answer(object{})
		f.mode("plan")
		f.end()
	},
	"plan only": func(f *fake) { // it is in another mode
		f.inMode("auto", "auto", "plan")
		f.end()
	},
	"in plan": func(f *fake) {
		f.inMode("plan", "auto", "plan")
		f.end()
	},
	"silent mode": func(f *fake) {
		f.inMode("auto", "auto", "plan")
		f.expect("session/set_mode")
		f.answer(object{})
		f.end()
	},
	"other mode": func(f *fake) {
		f.inMode("auto", "auto", "plan")
		f.expect("session/set_mode")
		f.answer(object{})
		f.mode("auto")
		f.end()
	},
	"no modes": func(f *fake) {
		f.inMode("")
		f.end()
	},
	"leaves": func(f *fake) {
		f.inMode("plan", "auto", "plan")
		f.expect("session/prompt")
		prompt := f.last
		f.mode("auto")
		time.Sleep(200 * time.Millisecond)
		f.last = prompt
		f.answer(object{"stopReason": "end_turn"})
		f.untilClosed()
	},
	"options": func(f *fake) {
		f.hello(nil)
		f.expect("session/new")
		f.answer(object{"sessionId": "s1", "configOptions": []any{object{"id": "m", "category": "mode", "options": []any{object{"value": "plan"}}},
			object{"id": "x", "category": "model", "currentValue": "small"}}})
		f.expect("session/set_config_option")
		f.answer(object{"configOptions": []any{object{"id": "m", "category": "mode", "currentValue": "plan", "options": []any{object{"value": "plan"}}}}})
		f.end()
	},
}
