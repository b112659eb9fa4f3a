// Package mcp serves a workspace over the Model Context Protocol: tools, resources and
// prompts for an agent that continues or writes handoffs.
//
// It speaks the protocol from 2024-11-05 to 2026-07-28. It has no sessions of its own:
// every call opens the workspace again, so a change of the configuration takes effect
// at once, and clients of both eras get the same answers. The work is done by the
// operations below package workspace; this package translates.
//
// What comes from documents is data from an earlier session, not instructions: reports
// are framed by package brief, and other quotes are on one line, without secrets and
// invisible characters.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"strconv"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/document/handoff"
	"handoff/internal/text/secret"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/receipts"
)

// Config is what a server needs from outside.
type Config struct {
	Open func() (*workspace.Workspace, error) // opens the workspace, for each call
	// OpenIn opens the workspace that a folder of the client is in. It is nil if the server serves
	// clients whose folders are not its own.
	OpenIn  func(dir string) (*workspace.Workspace, error)
	Who     receipts.Caller // whose calls these are, with the claim that it passes (HANDOFF_CLAIM); zero if the server has many clients
	Session receipt.Session // of the caller, whose end releases its claims; zero if it is unknown
	Level   string          // what the caller may do, as a claim records it: see [receipt.ClaimRequest]
	// Author returns what the record of the caller's session says of a handoff that it writes, and Seen what it shows of its
	// checks. They are nil if the server has many clients.
	Author  func(context.Context, *workspace.Workspace) (mark func(*handoff.Document) string, idle []string)
	Seen    func(*workspace.Workspace) string
	Version string // of handoff
	// Explain is the documentation of a rule; its error suggests a similar name.
	Explain func(rule string) (string, error)
	// Resources offers handoffs as resources, too. Hosts then give their model tools for them: that costs
	// some hundred tokens in each request, and the model has tools of ours for the same.
	Resources bool
	// Artifacts offers the tool artifact_fetch. It is for clients whose work has bundles and contexts: others would pay for its definition.
	Artifacts bool
	// Tapes offers the tools for tapes, which cost tokens, too.
	Tapes bool
	Log   *slog.Logger // of the library; its warnings are enough
}

// Server answers the clients of one workspace.
type Server struct {
	config Config
	sdk    *sdk.Server

	mu    sync.Mutex
	roots []string // of the client, as far as it was asked
}

// New creates a server.
func New(c Config) *Server {
	s := &Server{config: c}
	offers := &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Prompts: &sdk.PromptCapabilities{}, Completions: &sdk.CompletionCapabilities{}}
	if c.Resources {
		offers.Resources = &sdk.ResourceCapabilities{}
	}
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "handoff", Title: "Handoff", Version: c.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		Logger:       c.Log,
		// The lists never change, so clients need not subscribe to them.
		Capabilities:      offers,
		SetCacheable:      cacheable,
		CompletionHandler: s.complete,
	})
	all := tools()
	if c.Artifacts {
		all = append(all, fetchTool())
	}
	if c.Tapes {
		all = append(all, tapeTools()...)
	}
	for _, t := range all {
		s.sdk.AddTool(t.definition(), s.handler(t))
	}
	s.sdk.AddReceivingMiddleware(onlyPlainURIs)
	if c.Resources {
		s.addResources()
	}
	s.addPrompts()
	return s
}

// onlyPlainURIs refuses a URI that Go quotes otherwise than JSON does: the library puts
// an unknown one into its error with %q, and cannot send that error.
func onlyPlainURIs(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if r, ok := req.(*sdk.ReadResourceRequest); ok && r.Params != nil && !json.Valid([]byte(strconv.Quote(r.Params.URI))) {
			return nil, invalidParams("resource not found: %s", foreign(r.Params.URI))
		}
		return next(ctx, method, req)
	}
}

// listTTL is how long clients may keep the lists, which are part of the program.
const listTTL = 60 * 60 * 1000 // ms

// cacheable lets clients keep the lists. Resources change at any time, and are for their
// reader alone.
func cacheable(_ context.Context, req sdk.Request, c *sdk.Cacheable) {
	if _, reads := req.(*sdk.ReadResourceRequest); reads {
		c.CacheScope = "private"
	} else {
		c.TTLMs = listTTL
	}
}

// handler runs a tool. What the model can change is a result with isError, because a
// host does not show protocol errors to the model.
func (s *Server) handler(t tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		if q := s.asks(req.ClientCapabilities(), req.Params.InputResponses); q != nil {
			return &sdk.CallToolResult{InputRequests: q}, nil
		}
		a, err := s.call(ctx, t, req)
		if ctx.Err() != nil {
			return nil, ctx.Err() // the client no longer waits
		}
		if err != nil {
			a = failure(err)
		}
		value, err := json.Marshal(a.value)
		if err == nil && a.failed {
			value, err = t.completed(value)
		}
		if err != nil {
			return nil, err
		}
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: a.text}}, StructuredContent: json.RawMessage(value), IsError: a.failed}, nil
	}
}

// completed is the problem of a refused call with what each result of the tool has.
func (t tool) completed(problem []byte) ([]byte, error) {
	all := maps.Clone(t.always)
	if err := json.Unmarshal(problem, &all); err != nil {
		return nil, err
	}
	return json.Marshal(all)
}

func (s *Server) call(ctx context.Context, t tool, req *sdk.CallToolRequest) (answer, error) {
	c, err := s.open(ctx, nameOf(req.ClientInfo()))
	if err != nil && !(t.anywhere && onlyTapes(c.ws, err)) {
		return answer{}, err
	}
	defer c.ws.Close()
	c.args = req.Params.Arguments
	return t.call(c)
}

// open opens the workspace for a call. There must be one: a handoff is never written into
// a folder that only happens to be the working directory.
func (s *Server) open(ctx context.Context, client string) (*call, error) {
	ws, err := s.locate()
	return &call{Context: ctx, ws: ws, who: s.config.Who, session: s.config.Session, level: s.config.Level, client: client, config: s.config}, err
}

// maxName is the most bytes of a client's name in receipts.
const maxName = 100

// nameOf is the name of a client in receipts.
func nameOf(client *sdk.Implementation) string {
	if client != nil {
		if name := secret.Line(client.Name, maxName); name != "" {
			return name
		}
	}
	return "mcp client"
}

// invalidParams is a protocol error, for requests that people make: their host shows it.
func invalidParams(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: strings.TrimSpace(fmt.Sprintf(format, args...))}
}
