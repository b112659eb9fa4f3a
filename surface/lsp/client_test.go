package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/lint/rules"
	"handoff/log/artifact"
	"handoff/workspace"
	"handoff/workspace/documents"
	"handoff/workspace/outdated"
)

const docPath = "specs/259_prove/handoffs/phase-3-handoff-20260212T143022Z.md"

// goodDoc is a document without findings in a workspace that has plan.md.
const goodDoc = `# Phase 3 Handoff - 20260212T143022Z

## Immediate Next Action
In src/parse.go, make scan return the position of the first error, then run its tests.

## Current State
- **File**: src/parse.go
- **Location**: line 2, after ` + "`scan`" + `
- **Goal**: all tests of the parser pass

## Key Decisions Made
1. A line scanner: the grammar is regular

## What NOT to Try
1. A generated parser: it cannot report positions

## Critical Context (max 5 items)
1. Positions count bytes

## References (read only if stuck)
- Plan: specs/259_prove/plan.md
`

// newTree is a workspace with the files that goodDoc names. The document itself is not
// saved.
func newTree(t testing.TB) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range map[string]string{"src/parse.go": "package parse\n\nfunc scan() {}\n", "specs/259_prove/plan.md": "# Plan\n"} {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func options() Options {
	return Options{
		Workspace: workspace.Options{Rules: rules.All, RuleNames: rules.Docs.Names(), Now: func() time.Time { return time.Date(2026, 2, 12, 15, 0, 0, 0, time.UTC) }},
		Docs:      rules.Docs, Version: "test", Log: func(string) {}, Poll: time.Hour,
		Handoffs: Handoffs{
			Became: func(_ context.Context, ws *workspace.Workspace, path string) Became {
				if _, err := os.Stat(ws.Full(path)); err != nil {
					return Became{State: "not saved yet"}
				}
				return Became{State: "waiting"}
			},
			Stale: func(ctx context.Context, ws *workspace.Workspace, path string, doc *handoff.Document) []string {
				lines, _ := outdated.Of(ctx, ws, documents.EntryAt(ws, path), doc)
				return lines
			},
			Bundle: func(ws *workspace.Workspace, path string) (artifact.ID, bool) {
				id, _, err := documents.LinkedBundle(ws, documents.EntryAt(ws, path))
				return id, err == nil
			},
		},
	}
}

// client is the other side of a server.
type client struct {
	testing.TB
	in     *io.PipeWriter
	frames chan message
	ended  chan error
	calls  int

	mu        sync.Mutex
	published []publishParams
	requests  []message // from the server
}

// connect starts a server without a handshake.
func connect(t testing.TB, o Options) *client {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	c := &client{TB: t, in: toServer, frames: make(chan message, 100), ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() { cancel(); toServer.Close(); fromServer.Close() })
	go func() {
		c.ended <- Serve(ctx, fromClient, toClient, o)
		toClient.Close()
	}()
	go c.read(fromServer)
	return c
}

// start starts a server and initializes it with the capabilities of a client, as JSON.
func start(t testing.TB, capabilities string) *client {
	t.Helper()
	c := connect(t, options())
	c.initialize(capabilities)
	return c
}

func (c *client) initialize(capabilities string) (result string) {
	c.Helper()
	result = c.call("initialize", `{"processId":null,"rootUri":null,"capabilities":`+capabilities+`}`)
	c.notify("initialized", "{}")
	return result
}

func (c *client) read(in io.Reader) {
	defer close(c.frames)
	for r := newFrameReader(in); ; {
		content, err := r.next()
		if err != nil {
			return
		}
		var m message
		if err := json.Unmarshal(content, &m); err != nil || m.Version != "2.0" {
			panic(fmt.Sprintf("%v: %s", err, content))
		}
		switch {
		case m.Method == "textDocument/publishDiagnostics":
			var p publishParams
			if err := json.Unmarshal(m.Params, &p); err != nil {
				panic(err)
			}
			c.mu.Lock()
			c.published = append(c.published, p)
			c.mu.Unlock()
		case m.Method != "":
			c.mu.Lock()
			c.requests = append(c.requests, m)
			c.mu.Unlock()
		default:
			c.frames <- m
		}
	}
}

// raw sends bytes without a frame.
func (c *client) raw(text string) {
	c.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.Fatal(err)
	}
}

func (c *client) send(content string) {
	c.Helper()
	if err := writeFrame(c.in, []byte(content)); err != nil {
		c.Fatal(err)
	}
}

func (c *client) notify(method, params string) {
	c.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

func (c *client) answer() message {
	c.Helper()
	return waittest.For(c, "an answer", c.frames)
}

// call sends a request and returns its result; an error of the server fails the test.
func (c *client) call(method, params string) (result string) {
	c.Helper()
	c.calls++
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, c.calls, method, params))
	m := c.answer()
	if m.Error != nil || string(m.ID) != fmt.Sprint(c.calls) {
		c.Fatalf("%s: id %s, %+v", method, m.ID, m.Error)
	}
	return string(m.Result)
}

// get is call with a parsed result.
func get[T any](c *client, method, params string) (result T) {
	c.Helper()
	raw := c.call(method, params)
	if err := json.Unmarshal([]byte(raw), &result); err != nil {
		c.Fatalf("%s: %v in %s", method, err, raw)
	}
	return result
}

// settle returns when the server has published everything for earlier messages.
func (c *client) settle() {
	c.Helper()
	c.call("textDocument/documentLink", `{"textDocument":{"uri":"untitled:none"}}`)
}

// all are the diagnostics that were published until now.
func (c *client) all() []publishParams {
	c.Helper()
	c.settle()
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]publishParams(nil), c.published...)
}

// latest is the last publication for a URI.
func (c *client) latest(uri string) *publishParams {
	c.Helper()
	list := c.all()
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].URI == uri {
			return &list[i]
		}
	}
	return nil
}

func (c *client) open(uri, text string) {
	c.Helper()
	c.notify("textDocument/didOpen", marshal(c, object{"textDocument": object{"uri": uri, "languageId": "markdown", "version": 1, "text": text}}))
}

func (c *client) change(uri string, version int, changes ...change) {
	c.Helper()
	list := []object{}
	for _, ch := range changes {
		o := object{"text": ch.Text}
		if ch.Range != nil {
			o["range"] = ch.Range
		}
		list = append(list, o)
	}
	c.notify("textDocument/didChange", marshal(c, object{"textDocument": object{"uri": uri, "version": version}, "contentChanges": list}))
}

func marshal(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// at are the parameters of a request about the first occurrence of a text, n bytes into it.
func at(t testing.TB, uri, src, find string, n int) string {
	t.Helper()
	i := strings.Index(src, find)
	if i < 0 {
		t.Fatalf("%q is not in the document", find)
	}
	return marshal(t, positionParams{documentParams{textDocument{URI: uri}}, newText(src, utf16Units).position(i + n)})
}

func about(uri string) string { return `{"textDocument":{"uri":"` + uri + `"}}` }

// opened starts a server for a new tree with a document in it.
func opened(t *testing.T, capabilities, text string) (c *client, root, uri string) {
	t.Helper()
	root = newTree(t)
	uri = uriOf(filepath.Join(root, filepath.FromSlash(docPath)))
	c = start(t, capabilities)
	c.open(uri, text)
	return c, root, uri
}

// saved writes a document to its place.
func saved(t *testing.T, root, text string) { treetest.Write(t, root, docPath, text) }
