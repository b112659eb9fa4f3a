package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/internal/testing/treetest"
	"handoff/internal/testing/waittest"
	"handoff/workspace/config"
)

func TestLifecycle(t *testing.T) {
	c := connect(t, options())
	c.send(`{"jsonrpc":"2.0","id":"early","method":"textDocument/hover","params":{}}`)
	if m := c.answer(); m.Error == nil || m.Error.Code != notInitialized || string(m.ID) != `"early"` {
		t.Errorf("before initialize: %+v", m)
	}
	c.notify("textDocument/didOpen", `{"textDocument":{"uri":"file:///specs/1_x/handoffs/a.md","version":1,"text":"x"}}`)
	var result struct {
		Capabilities struct {
			PositionEncoding string
			TextDocumentSync struct{ Change int }
			Diagnostics      json.RawMessage `json:"diagnosticProvider"`
		}
		ServerInfo struct{ Name, Version string }
	}
	if err := json.Unmarshal([]byte(c.initialize(`{}`)), &result); err != nil {
		t.Fatal(err)
	}
	if result.Capabilities.PositionEncoding != "utf-16" || result.Capabilities.TextDocumentSync.Change != 2 || result.ServerInfo.Name != "handoff" || result.Capabilities.Diagnostics != nil {
		t.Errorf("%+v", result)
	}
	if list := c.all(); len(list) > 0 {
		t.Errorf("a document that was opened before initialize was checked: %+v", list)
	}
	for request, code := range map[string]int{
		`{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}`:                         invalidRequest,
		`{"jsonrpc":"2.0","id":7,"method":"textDocument/references"}`:                        methodNotFound,
		`{"jsonrpc":"2.0","id":7,"method":"$/unknown"}`:                                      methodNotFound,
		`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":{"textDocument":5}}`: invalidParams,
		`{"jsonrpc":"2.0","id":7,"method":"textDocument/hover","params":[1]}`:                invalidParams,
		`{"jsonrpc":"2.0","id":7,"method":"shutdown","params":7}`:                            invalidParams,
	} {
		c.send(request)
		if m := c.answer(); m.Error == nil || m.Error.Code != code || string(m.ID) != "7" {
			t.Errorf("%s: %+v, %+v", request, m, m.Error)
		}
	}
	c.notify("$/setTrace", `{"value":"off"}`)
	c.notify("textDocument/unknown", `{}`)
	c.call("shutdown", "null")
	c.send(`{"jsonrpc":"2.0","id":8,"method":"textDocument/hover","params":{}}`)
	if m := c.answer(); m.Error == nil || m.Error.Code != invalidRequest {
		t.Errorf("after shutdown: %+v", m)
	}
	c.notify("exit", "null")
	if err := waittest.For(t, "the server's end", c.ended); err != nil {
		t.Error(err)
	}
}

func TestEnds(t *testing.T) {
	c := start(t, `{}`)
	c.notify("exit", "null")
	if err := waittest.For(t, "the end after exit", c.ended); !errors.Is(err, ErrNoShutdown) {
		t.Errorf("exit without shutdown: %v", err)
	}
	c = start(t, `{}`)
	c.in.Close()
	if err := waittest.For(t, "the end of the stream", c.ended); err != nil {
		t.Errorf("end of the stream: %v", err)
	}
	c = start(t, `{}`)
	c.raw("Content-Length: 10\r\n\r\n{")
	c.in.Close()
	if err := waittest.For(t, "the end of a torn frame", c.ended); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a torn frame: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	in, _ := io.Pipe()
	if err := Serve(ctx, in, io.Discard, options()); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestClientDies ends the server when the client's process does, though the pipe is open.
func TestClientDies(t *testing.T) {
	needs.Unix(t, "only Unix answers cheaply whether a process exists")
	needs.Tool(t, "sleep")
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := options()
	o.Poll = time.Millisecond
	c := connect(t, o)
	c.call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, cmd.Process.Pid))
	c.settle()
	cmd.Process.Kill()
	cmd.Wait()
	if err := waittest.For(t, "the server's end", c.ended); err != nil {
		t.Error(err)
	}
}

func TestMalformedMessages(t *testing.T) {
	c := start(t, `{}`)
	for content, want := range map[string]int{
		`{"jsonrpc":`: parseError,
		`[{"jsonrpc":"2.0","id":1,"method":"x"}]`: invalidRequest,
		`"x"`:                                invalidRequest,
		`{"jsonrpc":"2.0"}`:                  invalidRequest,
		`{"id":{"a":1},"method":"shutdown"}`: invalidRequest,
		`{"id":null,"method":"shutdown"}`:    invalidRequest,
		`{"id":3,"method":4}`:                invalidRequest,
	} {
		c.send(content)
		if m := c.answer(); m.Error == nil || m.Error.Code != want || string(m.ID) != "null" {
			t.Errorf("%s: %s %+v", content, m.ID, m.Error)
		}
	}
	c.raw("Content-Length: nonsense\r\n\r\n")
	if m := c.answer(); m.Error == nil || m.Error.Code != parseError {
		t.Errorf("a bad header: %+v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"result":null}`) // answers get no answer
	c.send(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}`)
	c.settle()
}

// TestCancelled cancels requests that wait. A request that was answered, or never made,
// can be cancelled without an effect.
func TestCancelled(t *testing.T) {
	box := newInbox(context.Background())
	var stream strings.Builder
	for _, content := range []string{
		`{"id":1,"method":"a"}`, `{"id":"1","method":"b"}`, `{"method":"$/cancelRequest","params":{"id":1}}`,
		`{"method":"$/cancelRequest","params":{"id":99}}`, `{"method":"$/cancelRequest","params":[]}`, `{"id":2,"method":"c"}`,
	} {
		if err := writeFrame(&stream, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	box.fill(strings.NewReader(stream.String()))
	s := &server{Options: options(), inbox: box, stage: running, handlers: map[string]handler{}}
	var got []string
	for range 3 {
		var out strings.Builder
		s.out = &out
		if err := s.take(context.Background(), <-box.messages); err != nil {
			t.Fatal(err)
		}
		content, err := newFrameReader(strings.NewReader(out.String())).next()
		if err != nil {
			t.Fatal(err)
		}
		m, err := parseMessage(content)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprint(string(m.ID), " ", m.Error.Code))
	}
	if fmt.Sprint(got) != `[1 -32800 "1" -32601 2 -32601]` {
		t.Errorf("%v", got)
	}
	if len(box.waiting) > 0 {
		t.Errorf("answered requests are kept: %v", box.waiting)
	}
}

// TestSilentOnOtherFiles opens files that are not handoffs: nothing is published,
// and requests about them have empty answers.
func TestSilentOnOtherFiles(t *testing.T) {
	root := newTree(t)
	treetest.Write(t, root, "ignoring/.handoff.yaml", "ignore: [\"*\"]\n")
	c := start(t, `{}`)
	for _, name := range []string{"README.md", "specs/259_prove/plan.md", "specs/259_prove/handoffs/notes.txt", "docs/handoffs/a.md",
		"ignoring/specs/1_x/handoffs/a.md"} {
		uri := uriOf(filepath.Join(root, filepath.FromSlash(name)))
		silent(c, uri)
	}
	for _, uri := range []string{"untitled:Untitled-1", "git:/specs/1_x/handoffs/a.md", "file://server/specs/1_x/handoffs/a.md", "%zz", "",
		"file:///nowhere/handoffs/a.md"} {
		silent(c, uri)
	}
	if list := c.all(); len(list) > 0 {
		t.Errorf("published: %+v", list)
	}
}

func silent(c *client, uri string) {
	c.Helper()
	c.open(uri, "## Current state\n- File: gone.go\n")
	c.change(uri, 2, change{Text: "## What not to try\n# References\n"})
	params := marshal(c, object{"textDocument": object{"uri": uri}, "position": position{0, 1}, "range": textRange{}, "context": object{}})
	for method, want := range map[string]string{"textDocument/hover": "null", "textDocument/definition": "null", "textDocument/codeAction": "[]",
		"textDocument/documentSymbol": "[]", "textDocument/documentLink": "[]", "textDocument/completion": `{"isIncomplete":false,"items":[]}`,
		"textDocument/diagnostic": `{"kind":"full","items":[]}`} {
		if got := c.call(method, params); got != want {
			c.Errorf("%s of %s: %s", method, uri, got)
		}
	}
	c.notify("textDocument/didSave", marshal(c, object{"textDocument": object{"uri": uri}}))
	c.notify("textDocument/didClose", marshal(c, object{"textDocument": object{"uri": uri}}))
}

// TestDelayedDiagnostics sends many changes at once: diagnostics are published for the last
// one, and for some before it if there are very many.
func TestDelayedDiagnostics(t *testing.T) {
	root := newTree(t)
	uri := uriOf(filepath.Join(root, filepath.FromSlash(docPath)))
	const changes = 5 * mostDelayed
	var in, out strings.Builder
	add := func(content string) {
		if err := writeFrame(&in, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	add(`{"id":1,"method":"initialize","params":{"capabilities":{}}}`)
	add(fmt.Sprintf(`{"method":"textDocument/didOpen","params":{"textDocument":{"uri":%q,"version":0,"text":"x"}}}`, uri))
	for v := 1; v <= changes; v++ {
		add(fmt.Sprintf(`{"method":"textDocument/didChange","params":{"textDocument":{"uri":%q,"version":%d},"contentChanges":[{"text":"text %d"}]}}`, uri, v, v))
	}
	add(`{"id":2,"method":"shutdown"}`)
	add(`{"method":"exit"}`)
	o := options()
	ctx := context.Background()
	s := &server{Options: o, out: &out, inbox: newInbox(ctx), open: map[string]*buffer{}, dirty: map[string]bool{}, enc: utf16Units}
	s.handlers = s.allHandlers()
	go s.inbox.fill(strings.NewReader(in.String()))
	waittest.Until(t, "a full inbox", func() bool { return len(s.inbox.messages) == cap(s.inbox.messages) })
	if err := s.loop(ctx); !errors.Is(err, errExit) {
		t.Fatal(err)
	}
	var versions []int
	for r := newFrameReader(strings.NewReader(out.String())); ; {
		content, err := r.next()
		if err != nil {
			break
		}
		var m struct {
			Method string
			Params publishParams
		}
		if err := json.Unmarshal(content, &m); err != nil {
			t.Fatal(err)
		}
		if m.Method == "textDocument/publishDiagnostics" {
			versions = append(versions, *m.Params.Version)
		}
	}
	if n := len(versions); n < 4 || n > changes/4 {
		t.Errorf("%d publications for %d changes", n, changes)
	}
}

// TestConfigurationChanges checks open documents again when the configuration changes, on
// disk and as the client reports it.
func TestConfigurationChanges(t *testing.T) {
	c, root, uri := opened(t, `{"workspace":{"didChangeWatchedFiles":{"dynamicRegistration":true}}}`, goodDoc+"\n## Extra\nmore\n")
	rulesOf := func() (names []string) {
		for _, d := range c.latest(uri).Diagnostics {
			names = append(names, d.Code+" "+fmt.Sprint(d.Severity))
		}
		return names
	}
	if got := fmt.Sprint(rulesOf()); got != "[unknown-section 3]" {
		t.Fatalf("%s", got)
	}
	c.mu.Lock()
	if len(c.requests) != 1 || !strings.Contains(string(c.requests[0].Params), "**/"+config.File) {
		t.Errorf("registered: %+v", c.requests)
	}
	c.mu.Unlock()
	for _, step := range []struct{ config, want string }{
		{"rules: {unknown-section: error}\n", "[unknown-section 1]"},
		{"rules: {unknown-section: off}\n", "[]"},
		{"max_lines: many\n", "[ 1]"},
		{"ignore: [specs/259_prove]\n", "[]"},
		{"", "[unknown-section 3]"},
	} {
		treetest.Write(t, root, ".handoff.yaml", step.config)
		c.notify("workspace/didChangeWatchedFiles", marshal(t, object{"changes": []object{{"uri": uriOf(filepath.Join(root, ".handoff.yaml")), "type": 2}}}))
		if got := fmt.Sprint(rulesOf()); got != step.want {
			t.Errorf("%q: %s, want %s", step.config, got, step.want)
		}
	}
	c.notify("textDocument/didClose", about(uri))
	if d := c.latest(uri); d == nil || len(d.Diagnostics) > 0 {
		t.Errorf("after it was closed: %+v", d)
	}
}
