// Package lsp is a language server for handoff documents: findings while they are typed,
// quick fixes, help, completion, links and an outline. It speaks the Language Server
// Protocol 3.17 over two streams.
//
// It reports what `handoff lint` reports, by the same code, for the text in the editor
// instead of the file. It answers with nothing for any other Markdown, because editors
// start a server for all files of a language. It writes no files but for what a person asks it to do: to claim a handoff,
// to finish it, to rename a task.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/internal/process"
	"handoff/lint"
	"handoff/log/artifact"
	"handoff/workspace"
)

// Options are what the server needs from outside.
type Options struct {
	Workspace workspace.Options
	Docs      lint.Docs         // documentation of the rules
	Version   string            // of the program
	RulesPage string            // address of a page with the rules, each as #NAME; "" for none
	Log       func(text string) // gets lines for debugging; never nil
	Poll      time.Duration     // how often to look whether the client's process still exists
	Handoffs
}

// Handoffs are what a workspace knows of a handoff, by its path below the root. None is nil.
type Handoffs struct {
	// Became returns what became of it.
	Became func(ctx context.Context, ws *workspace.Workspace, path string) Became
	// Stale returns a line for each thing that is out of date in it, as far as that is known.
	Stale func(ctx context.Context, ws *workspace.Workspace, path string, doc *handoff.Document) []string
	// Act does one of [ActNames], as the command with its name, and says what came of it.
	Act func(ctx context.Context, ws *workspace.Workspace, path, act string) (said string, err error)
	// Rename gives the task of it another slug, and returns its path then.
	Rename func(ctx context.Context, ws *workspace.Workspace, path, slug string) (now string, err error)
	// Bundle returns its bundle; ok is false if the metadata names none.
	Bundle func(ws *workspace.Workspace, path string) (id artifact.ID, ok bool)
}

// ErrNoShutdown reports that the client sent exit without shutdown before it.
var ErrNoShutdown = errors.New("the client sent exit before shutdown")

// server is one connection. Only Serve's goroutine uses it, except for the inbox.
type server struct {
	Options
	out      io.Writer
	inbox    *inbox
	handlers map[string]handler
	stage    stage
	client   clientCapabilities
	enc      encoding
	open     map[string]*buffer // by URI
	dirty    map[string]bool    // URIs of buffers whose diagnostics were not published since a change
	calls    int                // requests sent to the client
	gone     <-chan time.Time   // when to look for the client's process
	process  int
}

// stage is how far the connection is.
type stage uint8

const (
	starting stage = iota
	running
	shutDown
	exited
)

// errExit ends the loop after the notification exit.
var errExit = errors.New("exit")

// Serve answers one client until it sends exit, its stream ends, its process ends or ctx
// does. Only frames are written to out. A read that is still waiting when Serve returns is
// not interrupted: the caller ends the process.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &server{Options: o, out: out, inbox: newInbox(ctx), open: map[string]*buffer{}, dirty: map[string]bool{}, enc: utf16Units}
	s.handlers = s.allHandlers()
	go s.inbox.fill(in)
	err := s.loop(ctx)
	if errors.Is(err, errExit) {
		err = nil
		if s.stage != shutDown {
			err = ErrNoShutdown
		}
	}
	return err
}

// mostDelayed is how many notifications may follow a change before its diagnostics are
// published. An editor that sends a change for each of many keystrokes needs only those
// after the last one.
const mostDelayed = 64

func (s *server) loop(ctx context.Context) error {
	for delayed := 0; ; delayed++ {
		if len(s.inbox.messages) == 0 || delayed >= mostDelayed {
			if err := s.publishDirty(ctx); err != nil {
				return err
			}
			delayed = 0
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.gone:
			if process.Gone(s.process) {
				return nil
			}
			s.gone = time.After(s.Poll)
		case in := <-s.inbox.messages:
			if err := s.take(ctx, in); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		}
	}
}

// take handles one incoming message.
func (s *server) take(ctx context.Context, in incoming) error {
	var bad *rpcError
	var frame frameError
	switch {
	case errors.As(in.err, &bad):
		s.Log(bad.Message)
		return s.send(message{ID: in.ID, Error: bad})
	case errors.As(in.err, &frame):
		s.Log(frame.Error())
		return s.send(message{ID: json.RawMessage(noID), Error: &rpcError{parseError, frame.Error()}})
	case in.err != nil:
		return in.err
	case in.Method == "": // a response
		if in.Error != nil {
			s.Log("the client answered: " + in.Error.Message)
		}
		return nil
	case in.isRequest():
		if err := s.publishDirty(ctx); err != nil { // an answer must come after the diagnostics of earlier messages
			return err
		}
		result, err := s.call(in.ctx, &in.message)
		if err == nil {
			err = in.ctx.Err()
		}
		s.inbox.done(in.ID)
		return s.reply(in.ID, result, err)
	}
	_, err := s.call(ctx, &in.message)
	if errors.Is(err, errExit) {
		return err
	}
	if err != nil && !isOptional(in.Method) && s.stage == running {
		s.Log(fmt.Sprintf("%s: %v", clipped(in.Method), err))
	}
	return nil
}

// call finds the handler of a message and runs it, if the stage allows it.
func (s *server) call(ctx context.Context, m *message) (any, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case m.Method == "exit":
		return nil, errExit
	case s.stage == starting && m.Method != "initialize":
		return nil, &rpcError{notInitialized, "send initialize first"}
	case s.stage != starting && m.Method == "initialize":
		return nil, &rpcError{invalidRequest, "initialize was already sent"}
	case s.stage == shutDown:
		return nil, &rpcError{invalidRequest, "the server was shut down"}
	}
	handle, ok := s.handlers[m.Method]
	if !ok {
		return nil, &rpcError{methodNotFound, "unknown method " + clipped(m.Method)}
	}
	return handle(ctx, m.Params)
}

// isOptional reports whether a method may be ignored: its name begins with "$/".
func isOptional(method string) bool { return len(method) > 1 && method[:2] == "$/" }

// clipped quotes the name of a method for an error.
func clipped(method string) string { return fmt.Sprintf("%.100q", method) }

// reply answers a request.
func (s *server) reply(id json.RawMessage, result any, err error) error {
	if err != nil {
		return s.send(message{ID: id, Error: errorOf(err)})
	}
	raw, err := jsontext.Marshal(result)
	if err != nil {
		return err
	}
	return s.send(message{ID: id, Result: raw})
}

// notify sends a notification.
func (s *server) notify(method string, params any) error {
	raw, err := jsontext.Marshal(params)
	if err != nil {
		return err
	}
	return s.send(message{Method: method, Params: raw})
}

// request sends a request whose answer makes no difference.
func (s *server) request(method string, params any) error {
	raw, err := jsontext.Marshal(params)
	if err != nil {
		return err
	}
	s.calls++
	return s.send(message{ID: fmt.Appendf(nil, "%d", s.calls), Method: method, Params: raw})
}

func (s *server) send(m message) error {
	m.Version = "2.0"
	raw, err := jsontext.Marshal(m)
	if err != nil {
		return err
	}
	return writeFrame(s.out, raw)
}
