// Package acp runs one turn of an agent that speaks the Agent Client Protocol
// (agentclientprotocol.com, version 1): JSON-RPC in lines over the agent's
// standard input and output. It starts the agent, opens a session or continues
// one, sends the prompt, answers requests for permission by a level, and prints
// what the agent reports as lines that the format acp of package transcript reads.
//
// Updates are printed as they came, so a reader sees members that are newer than
// this package. The agent uses its own tools: files and terminals of the client
// are not offered to it.
package acp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"handoff/agents"
)

// Request is one turn.
type Request struct {
	Command []string // the agent
	Dir     string   // the folder in which it works, absolute
	Session string   // id of the session to continue; "" for a new one
	Prompt  string
	Level   agents.Level  // what it may do; "" for [agents.Edit]
	Allow   []string      // commands that it may run at the level edit, with any further arguments
	Exact   []string      // commands that it may run only without further arguments
	Modes   []string      // of the agent: the first that it has is set
	Output  io.Writer     // gets the lines
	Stderr  io.Writer     // gets the agent's standard error; nil to discard it
	Start   time.Duration // limit of each request before the prompt; 0 for 2 minutes
	Cancel  time.Duration // that a cancelled turn has to end; 0 for 3 seconds
}

// Limits of what an agent takes. The limits of a cancelled turn add up to less
// than the time that package runner waits before it kills the agent.
const (
	startTime  = 2 * time.Minute
	cancelTime = 3 * time.Second
	hurry      = 400 * time.Millisecond // for each step of the end of a cancelled turn
	leisure    = 3 * time.Second        // of another: agents save their sessions
)

// EndTurn is why a turn ends that the agent considers finished.
const EndTurn = "end_turn"

// version is the version of the protocol.
const version = 1

// Error is the answer of an agent that refuses a request.
type Error struct {
	Method  string          `json:"-"`
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

const authRequired = -32000

func (e *Error) Error() string {
	text := e.Method + ": " + cmp.Or(e.Message, fmt.Sprintf("error %d", e.Code))
	if details := e.details(); details != "" {
		text += ": " + details
	}
	return text
}

// maxDetails is the most bytes of an error's data that are shown.
const maxDetails = 500

// details is the text in the data of an error, in any of the forms that agents use.
func (e *Error) details() string {
	data := decode[struct {
		Details string `json:"details"`
		Message string `json:"message"`
	}](e.Data)
	text := cmp.Or(decode[string](e.Data), data.Details, data.Message)
	if text == "" && len(decode[object](e.Data)) > 0 {
		text = string(e.Data)
	}
	return strings.ToValidUTF8(text[:min(len(text), maxDetails)], "")
}

// turn is a turn that runs.
type turn struct {
	Request
	*conn
	session   string // "" before it is open: updates are then those of earlier turns
	offers    offers
	cancelled bool
	tools     map[string]tool // those that run, by id
	lastCall  string          // what identifies the call of the model
	outErr    error

	set      string // mode that was set
	reported string // mode that the agent has, by its last report
	stop     func(error)
}

// offers are what an agent can do, and how a user signs in.
type offers struct {
	Version int             `json:"protocolVersion"`
	Info    json.RawMessage `json:"agentInfo"`
	Agent   struct {
		Load    bool `json:"loadSession"`
		Session struct {
			Resume json.RawMessage `json:"resume"`
			Close  json.RawMessage `json:"close"`
		} `json:"sessionCapabilities"`
	} `json:"agentCapabilities"`
	Auth []struct {
		Name string `json:"name"`
	} `json:"authMethods"`
}

type object = map[string]any

// Run runs a turn, and returns why the agent ended it: [EndTurn], "max_tokens",
// "refusal", "cancelled", … If ctx ends, the turn is cancelled, and the error is
// the cause. The agent has ended when Run returns.
func Run(ctx context.Context, r Request) (stop string, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &turn{Request: r, tools: map[string]tool{}, stop: cancel}
	t.Start, t.Cancel = cmp.Or(t.Start, startTime), cmp.Or(t.Cancel, cancelTime)
	if t.Dir, err = filepath.EvalSymlinks(r.Dir); err != nil {
		return "", err
	}
	environ := func(env []string) []string { return agents.Agent{}.Environ(env, agents.Call{Level: t.Level}, t.Dir) }
	if t.conn, err = connect(r.Command, t.Dir, environ, r.Stderr, t.handle); err != nil {
		return "", err
	}
	defer t.end(ctx)
	t.lastCall = fmt.Sprintf("pid %d", t.cmd.Process.Pid) // another one in each turn
	if err = t.open(ctx); err == nil {
		stop, err = t.prompt(ctx)
	}
	if err != nil {
		t.line(object{"sessionId": t.session, "error": object{"message": err.Error()}})
	}
	return stop, cmp.Or(err, t.outErr)
}

// open makes the agent ready for the prompt.
func (t *turn) open(ctx context.Context) error {
	hello := object{"protocolVersion": version, "clientCapabilities": object{"fs": object{"readTextFile": false, "writeTextFile": false}, "terminal": false},
		"clientInfo": object{"name": "handoff", "version": "1"}}
	if err := t.within(ctx, t.Start, "initialize", hello, &t.offers); err != nil {
		return err
	}
	if t.offers.Version != version {
		return fmt.Errorf("the agent speaks version %d of the Agent Client Protocol, and handoff version %d: install another version of the agent", t.offers.Version, version)
	}
	method, err := t.method()
	if err != nil {
		return err
	}
	params := object{"cwd": t.Dir, "mcpServers": []any{}}
	if t.Session != "" {
		params["sessionId"] = t.Session
	}
	var o opened
	if err := t.within(ctx, t.Start, method, params, &o); err != nil {
		return t.signIn(err)
	}
	t.session = cmp.Or(t.Session, o.Session)
	t.line(object{"protocol": "acp", "sessionId": t.session, "cwd": t.Dir, "model": o.model(), "agentInfo": t.offers.Info})
	return t.setMode(ctx, o)
}

// method opens the session. Resuming comes before loading, which repeats the
// whole conversation.
func (t *turn) method() (string, error) {
	can := t.offers.Agent
	switch {
	case t.Session == "":
		return "session/new", nil
	case len(can.Session.Resume) > 0 && string(can.Session.Resume) != "null":
		return "session/resume", nil
	case can.Load:
		return "session/load", nil
	}
	return "", fmt.Errorf("%w resume a session over the Agent Client Protocol: start a new one, without --session", agents.ErrCannot)
}

// signIn adds to an error what the user has to do.
func (t *turn) signIn(err error) error {
	if refused, ok := errors.AsType[*Error](err); !ok || refused.Code != authRequired {
		return err
	}
	ways := ""
	for _, m := range t.offers.Auth {
		ways += ", " + m.Name
	}
	return fmt.Errorf("%w: the agent wants you to sign in: start it by itself once (it offers: %s)", err, strings.TrimPrefix(ways, ", "))
}

// prompt sends the prompt and waits for the end of the turn.
func (t *turn) prompt(ctx context.Context) (stop string, err error) {
	params := object{"sessionId": t.session, "prompt": []any{object{"type": "text", "text": t.Prompt}}}
	id := t.request("session/prompt", params)
	result := object{}
	err = t.await(ctx, id, "session/prompt", &result)
	if cause := context.Cause(ctx); cause != nil {
		t.cancelled = true
		t.notify("session/cancel", object{"sessionId": t.session})
		late, done := context.WithTimeout(context.WithoutCancel(ctx), t.Cancel)
		defer done()
		if t.await(late, id, "session/prompt", &result) != nil {
			return "cancelled", cause
		}
		err = cause
	}
	if stop, _ = result["stopReason"].(string); stop != "" {
		result["sessionId"] = t.session
		t.line(result)
	} else if err == nil {
		err = errors.New("session/prompt: the answer has no stopReason")
	}
	return stop, err
}

// end closes the session and ends the agent.
func (t *turn) end(ctx context.Context) {
	patience := leisure
	if ctx.Err() != nil || t.session == "" { // then there is nothing to save
		patience = hurry
	}
	if can := t.offers.Agent.Session.Close; t.session != "" && len(can) > 0 && string(can) != "null" {
		_ = t.within(context.WithoutCancel(ctx), patience, "session/close", object{"sessionId": t.session}, nil) // it ends in any case
	}
	t.conn.end(patience)
}

// within makes a request that has to be answered within a time.
func (t *turn) within(ctx context.Context, limit time.Duration, method string, params, result any) error {
	ctx, done := context.WithTimeoutCause(ctx, limit, fmt.Errorf("%s: no answer within %v: does the agent speak the Agent Client Protocol?", method, limit))
	defer done()
	return t.await(ctx, t.request(method, params), method, result)
}

// handle answers the agent's requests, and prints its reports.
func (t *turn) handle(m message) {
	switch m.Method {
	case "session/update":
		t.update(m.Params)
	case "session/request_permission":
		t.send(message{ID: m.ID, Result: raw(object{"outcome": t.permission(m.Params)})})
	default:
		if len(m.ID) > 0 {
			t.send(message{ID: m.ID, Error: &Error{Code: -32601, Message: "handoff does not offer " + m.Method}})
		}
	}
}

// line prints a line. If that fails, nothing reads the output any longer; Run
// reports it at the end.
func (t *turn) line(value any) {
	b, err := json.Marshal(value)
	if err == nil {
		_, err = t.Output.Write(append(b, '\n'))
	}
	t.outErr = cmp.Or(t.outErr, err)
}
