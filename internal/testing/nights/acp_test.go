//go:build linux

package nights

import (
	"bufio"
	"encoding/json"
	"os"
	"os/signal"
	"slices"
	"time"
)

// adapters are the programs through which the vendors are spoken to over the Agent Client Protocol.
var adapters = map[string]string{"claude-agent-acp": "claude", "codex-acp": "codex"}

// acpMouth speaks the Agent Client Protocol, as the adapters do.
type acpMouth struct {
	session   string
	size      int             // of the context
	prompt    json.RawMessage // id of the request that is answered when the turn ends
	in        *bufio.Scanner
	patient   bool          // a cancelled turn is ended by the agent, not at once
	cancelled chan struct{} // closed then
	closed    chan struct{} // closed when the client has gone
}

// request is one of the client, or a notification.
type request struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Session string `json:"sessionId"`
		Mode    string `json:"modeId"`
		Prompt  []struct{ Text string }
	}
}

func newACPMouth(vendor string) *acpMouth {
	m := &acpMouth{size: map[string]int{"claude": 200_000, "codex": 258_400}[vendor], in: bufio.NewScanner(os.Stdin), cancelled: make(chan struct{}), closed: make(chan struct{})}
	m.in.Buffer(nil, 16<<20)
	return m
}

// open answers what comes before the prompt.
func (m *acpMouth) open(newID func() string) (session string, resumes bool, prompt string) {
	for m.in.Scan() {
		var r request
		if err := json.Unmarshal(m.in.Bytes(), &r); err != nil {
			panic(err)
		}
		switch r.Method {
		case "initialize":
			m.answer(r.ID, object{"protocolVersion": 1, "agentCapabilities": object{"sessionCapabilities": object{"resume": object{}, "close": object{}}}, "agentInfo": object{"name": "night", "version": "1"}})
		case "session/new":
			m.session = newID()
			m.answer(r.ID, object{"sessionId": m.session, "modes": object{"currentModeId": "bypassPermissions", "availableModes": []object{{"id": "bypassPermissions"}, {"id": "full-access"}}}})
		case "session/resume":
			m.session, resumes = r.Params.Session, true
			m.answer(r.ID, object{"modes": object{"currentModeId": "bypassPermissions", "availableModes": []object{{"id": "bypassPermissions"}, {"id": "full-access"}}}})
		case "session/set_mode":
			m.answer(r.ID, object{})
			m.update(object{"sessionUpdate": "current_mode_update", "currentModeId": r.Params.Mode})
		case "session/prompt":
			m.prompt = slices.Clone(r.ID)
			for _, block := range r.Params.Prompt {
				prompt += block.Text
			}
			go m.listen()
			return m.session, resumes, prompt
		}
	}
	os.Exit(0) // the client has gone
	return
}

// listen takes what the client sends during the turn.
func (m *acpMouth) listen() {
	for m.in.Scan() {
		var r request
		if err := json.Unmarshal(m.in.Bytes(), &r); err != nil {
			panic(err)
		}
		switch r.Method {
		case "session/cancel":
			if !m.patient {
				m.stop("cancelled")
				os.Exit(0)
			}
			close(m.cancelled)
		case "session/close":
			m.answer(r.ID, object{})
		}
	}
	close(m.closed)
}

func (m *acpMouth) answer(id json.RawMessage, result object) {
	line(object{"jsonrpc": "2.0", "id": id, "result": result})
}

func (m *acpMouth) update(update object) {
	line(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": m.session, "update": update}})
}

func (m *acpMouth) used(tokens int) {
	m.update(object{"sessionUpdate": "usage_update", "used": tokens, "size": m.size})
}

func (m *acpMouth) begin(string) {}

func (m *acpMouth) says(text string, tokens int) {
	m.update(object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": text + "\n"}})
	m.used(tokens)
}

func (m *acpMouth) calls(id, command string, tokens int) {
	m.used(tokens)
	m.update(object{"sessionUpdate": "tool_call", "toolCallId": id, "title": command, "kind": "execute", "status": "in_progress", "rawInput": object{"command": command}})
}

func (m *acpMouth) returns(id, command string, exit int) {
	m.update(object{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": map[bool]string{true: "completed", false: "failed"}[exit == 0], "rawInput": object{"command": command},
		"rawOutput": object{"metadata": object{"exit": exit}}})
}

func (m *acpMouth) stop(reason string) { m.answer(m.prompt, object{"stopReason": reason}) }

func (m *acpMouth) ends() {
	m.stop("end_turn")
	<-m.closed
}

func (m *acpMouth) limited(until time.Time) { m.fails(usageLimit(until)) }

func (m *acpMouth) fails(text string) {
	line(object{"jsonrpc": "2.0", "id": m.prompt, "error": object{"code": -32603, "message": "Internal error", "data": object{"details": text}}})
	<-m.closed
}

// cut: an adapter whose model's stream breaks says so.
func (m *acpMouth) cut() { m.fails("stream disconnected before completion") }

func (m *acpMouth) interrupted() <-chan struct{} {
	m.patient = true
	return m.cancelled
}

func (m *acpMouth) givesWay() {
	m.stop("cancelled")
	<-m.closed
}

func (m *acpMouth) deaf() {
	signal.Ignore(os.Interrupt)
	m.patient = true
}
