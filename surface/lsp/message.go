package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// message is a request (id and method), a notification (method) or a response (id).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

func (m *message) isRequest() bool { return m.Method != "" && len(m.ID) > 0 }

// rpcError is the error of a response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

// The codes of errors, of JSON-RPC and of the protocol.
const (
	parseError       = -32700
	invalidRequest   = -32600
	methodNotFound   = -32601
	invalidParams    = -32602
	notInitialized   = -32002
	requestCancelled = -32800
	requestFailed    = -32803
)

// noID is the id of an answer to a message whose id is unknown.
const noID = "null"

// parseMessage reads a message. The error is an *rpcError, and then the message has the
// id to answer.
func parseMessage(content []byte) (m message, err error) {
	if err := json.Unmarshal(content, &m); err != nil {
		code := invalidRequest
		if !json.Valid(content) {
			code = parseError
		}
		return message{ID: json.RawMessage(noID)}, &rpcError{code, "not a JSON-RPC message: " + err.Error()}
	}
	switch {
	case m.Method == "" && len(m.ID) == 0:
		m.ID = json.RawMessage(noID)
		return m, &rpcError{invalidRequest, "a message needs a method or an id"}
	case m.isRequest() && !isID(m.ID):
		m.ID = json.RawMessage(noID)
		return m, &rpcError{invalidRequest, "the id of a request is a number or a string"}
	}
	return m, nil
}

func isID(id json.RawMessage) bool {
	c := id[0]
	return c == '"' || c == '-' || '0' <= c && c <= '9'
}

// errorOf is the error of a response for an error of a handler.
func errorOf(err error) *rpcError {
	var e *rpcError
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.Canceled):
		return &rpcError{requestCancelled, "the request was cancelled"}
	}
	return &rpcError{requestFailed, err.Error()}
}

// handler handles a request or a notification. The result of a notification is dropped.
type handler func(ctx context.Context, params json.RawMessage) (any, error)

// request makes a handler of a function with parsed parameters.
func request[P any](f func(context.Context, P) (any, error)) handler {
	return func(ctx context.Context, raw json.RawMessage) (any, error) {
		var params P
		if len(raw) > 0 {
			if err := json.Unmarshal(raw, &params); err != nil {
				return nil, &rpcError{invalidParams, fmt.Sprintf("parameters: %v", err)}
			}
		}
		return f(ctx, params)
	}
}

// notification is request for a function without a result.
func notification[P any](f func(P)) handler {
	return request(func(_ context.Context, p P) (any, error) { f(p); return nil, nil })
}
