package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"handoff/internal/testing/waittest"
)

const inMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}` + "\n" +
	`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"

// exchange sends messages and returns the answers.
func exchange(t *testing.T, messages string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := New(newPlace(t).config()).Run(t.Context(), io.NopCloser(strings.NewReader(messages)), &out); err != nil {
		t.Errorf("%q: %v", messages, err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// TestEras: requests of both eras over one connection, in any order, and invalid
// ones. Each call gets one answer.
func TestEras(t *testing.T) {
	const discover = `{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{` + inMeta + `}}` + "\n"
	const stateless = `{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{` + inMeta + `}}` + "\n"
	const legacy = `{"jsonrpc":"2.0","id":4,"method":"tools/list"}` + "\n"
	for _, c := range []struct {
		messages string
		want     []string // one for each answer, in any order
	}{
		{initialize + legacy + discover + stateless, []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`, `"id":4,"result"`}},
		{discover + stateless + initialize + legacy, []string{`"id":1,"result"`, `"id":2,"result"`, `"id":3,"result"`, `"id":4,"result"`}},
		{stateless, []string{`"id":3,"result"`}},
		{legacy, []string{`"id":4,"error"`}},
		{initialize + strings.Replace(initialize, `"id":1`, `"id":2`, 1), []string{`"id":1,"result"`, `"id":2,"error"`}},
		{strings.Replace(stateless, "2026-07-28", "2030-01-01", 1), []string{`-32022`}},
		{"no JSON\n\n" + stateless, []string{`-32700`, `"id":3,"result"`}},
		{"5\n{}\n[]\n" + stateless, []string{`-32600`, `-32600`, `-32600`, `"id":3,"result"`}},
		{`[{"jsonrpc":"2.0","id":"a","method":"ping"},{"jsonrpc":"2.0","id":"b","method":"ping"},[]]` + "\n", []string{`"id":"a","result"`, `"id":"b","result"`, `-32600`}},
		{`{"jsonrpc":"2.0","id":9,"result":{}}` + "\n" + stateless, []string{`"id":3,"result"`}},
		{stateless + `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}` + "\n", []string{`"id":3,"result"`}},
		{strings.Replace(stateless, "tools/list", "tools/drop", 1), []string{`-32601`}},
		{`{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"handoff://%zz?\u0000",` + inMeta + `}}` + "\n", []string{`"id":5,"error"`}},
	} {
		got := exchange(t, c.messages)
		if len(got) != len(c.want) {
			t.Errorf("%s\n%d answers, want %d: %q", c.messages, len(got), len(c.want), got)
		}
		for _, want := range c.want {
			if !strings.Contains(strings.Join(got, "\n"), want) {
				t.Errorf("%s\nno %s in %q", c.messages, want, got)
			}
		}
	}
}

// TestEnds: the server ends with its context, and reports a closed output and a
// message that is too long.
func TestEnds(t *testing.T) {
	s := New(newPlace(t).config())
	ctx, cancel := context.WithCancel(t.Context())
	in, write := io.Pipe()
	defer write.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx, in, io.Discard) }()
	if _, err := io.WriteString(write, initialize); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := waittest.For(t, "the end", ended); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := s.Run(t.Context(), io.NopCloser(strings.NewReader(strings.Repeat("x", maxLine+1))), io.Discard); err == nil {
		t.Error("a message without end")
	}
	closed, out := io.Pipe()
	closed.Close()
	if err := s.Run(t.Context(), io.NopCloser(strings.NewReader("no JSON\n")), out); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("no output: %v", err)
	}
}

// FuzzMessages: whatever a client sends, the server answers with JSON and ends when the
// input does.
func FuzzMessages(f *testing.F) {
	f.Add(initialize + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"handoff_search","arguments":{"limit":"x"}}}`)
	f.Add(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"handoff://%zz?since=\u0000",` + inMeta + `}}`)
	f.Add(`{"jsonrpc":"2.0","id":{},"method":"prompts/get","params":[` + inMeta + `]}`)
	f.Add("[[[1]]]\n{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n\x00")
	p := newPlace(f)
	f.Fuzz(func(t *testing.T, messages string) {
		var out bytes.Buffer
		if err := New(p.config()).Run(t.Context(), io.NopCloser(strings.NewReader(messages)), &out); err != nil {
			t.Errorf("%v", err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Errorf("answered %q", line)
			}
		}
	})
}
