package chat

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"handoff/log/tape"
)

// entries is lines of a tape without id, meta and date.
func entries(t testing.TB, lines ...string) (list []tape.Entry) {
	t.Helper()
	for i, l := range lines {
		kind, rest, _ := strings.Cut(l, " ")
		meta := "{}"
		if payload, m, ok := strings.Cut(rest, " META "); ok {
			rest, meta = payload, m
		}
		parsed, err := tape.Parse(fmt.Appendf(nil, `{"id": %d, "kind": %q, "payload": %s, "meta": %s}`, i+1, kind, rest, meta))
		if err != nil {
			t.Fatalf("%s: %v", l, err)
		}
		list = append(list, parsed...)
	}
	return list
}

const (
	callA  = `{"id": "a", "type": "function", "function": {"name": "fs.read", "arguments": "{\"path\":\"x\"}"}}`
	callB  = `{"id": "b", "type": "function", "function": {"name": "fs.write", "arguments": "{}"}}`
	askA   = `{"role": "assistant", "content": "", "tool_calls": [` + callA + `]}`
	askAB  = `{"role": "assistant", "content": "", "tool_calls": [` + callA + `, ` + callB + `]}`
	none   = `"content": "` + noResult + `"`
	answer = `{"role": "tool", "content": "ok", "tool_call_id": "a", "name": "fs.read"}`
)

var cases = []struct {
	what    string
	tape    []string
	want    []string
	dropped int
}{
	// from Bub's test_tape_context.py
	{"calls and results", []string{
		`message {"role": "user", "content": "create a file"}`,
		`tool_call {"calls": [` + callA + `, ` + callB + `]}`,
		`tool_result {"results": ["ok", {"content": "hi"}]}`,
		`message {"role": "assistant", "content": "done"}`,
	}, []string{`{"role": "user", "content": "create a file"}`, askAB, answer,
		`{"role": "tool", "content": "{\"content\": \"hi\"}", "tool_call_id": "b", "name": "fs.write"}`,
		`{"role": "assistant", "content": "done"}`}, 0},
	{"a result without a call", []string{`tool_result {"results": [{"status": "ok"}]}`}, nil, 1},
	{"errors, events and system prompts are left out", []string{
		`error {"kind": "tool", "message": "x"}`, `event {"name": "run"}`, `system {"content": "SYS"}`, `other {}`}, nil, 0},

	{"an anchor within", []string{`anchor {"name": "p", "state": {"summary":"é"}}`, `anchor {"name": "q"}`, `anchor {}`}, []string{
		`{"role": "assistant", "content": "[Anchor created: p]: {\"summary\": \"é\"}"}`,
		`{"role": "assistant", "content": "[Anchor created: q]: null"}`,
		`{"role": "assistant", "content": "[Anchor created: None]: null"}`}, 0},
	{"a call without a result", []string{`tool_call {"calls": [` + callA + `]}`}, []string{askA,
		`{"role": "tool", ` + none + `, "tool_call_id": "a", "name": "fs.read"}`}, 0},
	{"too few results", []string{`tool_call {"calls": [` + callA + `, ` + callB + `]}`, `tool_result {"results": ["ok"]}`}, []string{askAB, answer,
		`{"role": "tool", ` + none + `, "tool_call_id": "b", "name": "fs.write"}`}, 0},
	{"too many results", []string{`tool_call {"calls": [` + callA + `]}`, `tool_result {"results": ["ok", "more"]}`}, []string{askA, answer}, 1},
	{"results twice", []string{`tool_call {"calls": [` + callA + `]}`, `tool_result {"results": ["ok"]}`, `tool_result {"results": ["again"]}`}, []string{askA, answer}, 1},
	{"entries between a call and its result follow the result", []string{
		`tool_call {"calls": [` + callA + `]}`, `anchor {"name": "p"}`, `message {"role": "user", "content": "wait"}`, `tool_result {"results": ["ok"]}`},
		[]string{askA, answer, `{"role": "assistant", "content": "[Anchor created: p]: null"}`, `{"role": "user", "content": "wait"}`}, 0},
	{"interleaved runs", []string{
		`tool_call {"calls": [` + callA + `]} META {"run_id": "1"}`, `tool_call {"calls": [` + callB + `]} META {"run_id": "2"}`,
		`tool_result {"results": ["ok"]} META {"run_id": "1"}`, `tool_result {"results": [5]} META {"run_id": "2"}`,
		`tool_result {"results": [6]} META {"run_id": "3"}`},
		[]string{askA, answer, `{"role": "assistant", "content": "", "tool_calls": [` + callB + `]}`,
			`{"role": "tool", "content": "5", "tool_call_id": "b", "name": "fs.write"}`}, 1},
	{"calls that are out of order", []string{`tool_call {"calls": [7, {"function": {"name": "f", "arguments": {"x":1}}}, {"id": "n"}, {"id": "e", "function": {"name": "g"}}]}`,
		`tool_result {"results": [null, 2, NaN]}`},
		[]string{`{"role": "assistant", "content": "", "tool_calls": [{"id": "call_1_0", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}}, {"id": "e", "type": "function", "function": {"name": "g", "arguments": "{}"}}]}`,
			`{"role": "tool", "content": "null", "tool_call_id": "call_1_0", "name": "f"}`,
			`{"role": "tool", "content": "null", "tool_call_id": "e", "name": "g"}`}, 1},
	{"no calls at all", []string{`tool_call {"calls": []}`, `tool_call {"calls": 5}`, `tool_call {"calls": [{"id": "x"}]}`, `tool_result {"results": "x"}`}, nil, 3},
	{"ids twice", []string{`tool_call {"calls": [` + callA + `, ` + callA + `]}`, `tool_result {"results": ["ok", "ok"]}`},
		[]string{strings.Replace(askA, callA, callA+", "+strings.Replace(callA, `"a"`, `"a_2"`, 1), 1), answer, strings.Replace(answer, `"a"`, `"a_2"`, 1)}, 0},
	{"messages of OpenAI with calls in them", []string{
		`message {"role": "assistant", "content": null, "tool_calls": [` + callA + `]}`,
		`message {"role": "user", "content": "meanwhile"}`,
		`message {"role": "tool", "tool_call_id": "a", "content": "ok"}`, `message {"role": "tool", "tool_call_id": "z", "content": "lost"}`},
		[]string{strings.Replace(askA, `"content": ""`, `"content": null`, 1), answer, `{"role": "user", "content": "meanwhile"}`}, 1},
	{"messages that no provider accepts", []string{
		`message {"role": "user"}`, `message {"content": "x"}`, `message {"role": "king", "content": "x"}`, `message {"role": "assistant", "content": null}`,
		`message {"role": "assistant", "content": "x", "tool_calls": []}`, `message {"role": "user", "content": [{"type": "text", "text": "y"}], "name": "n"}`},
		[]string{`{"role": "assistant", "content": "x"}`, `{"role": "user", "content": [{"type": "text", "text": "y"}], "name": "n"}`}, 4},
	{"excluded entries", []string{`message {"role": "user", "content": "x"} META {"context": false}`,
		`tool_call {"calls": [` + callA + `]} META {"context": false}`, `tool_result {"results": ["ok"]}`}, nil, 1},
}

// newer has the forms that Bub 0.5 and 0.6 write.
var newer = []struct {
	what    string
	tape    []string
	want    []string
	dropped int
}{
	{"what was said beside the calls, since 0.5", []string{`tool_call {"content": "Let me see.", "calls": [` + callA + `]}`, `tool_result {"results": ["ok"]}`},
		[]string{strings.Replace(askA, `"content": ""`, `"content": "Let me see."`, 1), answer}, 0},
	{"calls of 0.6", []string{
		`tool_call {"calls": [{"id": "a", "name": "fs.read", "arguments": "{\"path\":\"x\"}", "metadata": {}}, {"id": "b", "name": "fs.write", "arguments": "{}", "metadata": {"s": 1}}], "content": "", "reasoning": "hm", "provider_data": [{"api_format": "messages", "payload": {"type": "thinking"}}]}`,
		`tool_result {"results": ["ok", {"kind": "tool", "message": "no"}]}`},
		[]string{strings.Replace(askAB, `"tool_calls"`, `"provider_data": [{"api_format": "messages", "payload": {"type": "thinking"}}], "reasoning_content": "hm", "tool_calls"`, 1), answer,
			`{"role": "tool", "content": "{\"kind\": \"tool\", \"message\": \"no\"}", "tool_call_id": "b", "name": "fs.write"}`}, 0},
	{"messages of 0.6 with calls in them", []string{
		`message {"role": "assistant", "content": [{"type": "reasoning", "text": "h"}, {"type": "reasoning", "text": "m"}, {"type": "text", "text": "see"}], "tool_calls": [{"id": "a", "name": "fs.read", "arguments": "{\"path\":\"x\"}"}]}`,
		`message {"role": "tool", "content": "ok", "tool_call": {"id": "a", "name": "fs.read", "arguments": "{}"}}`},
		[]string{`{"role": "assistant", "content": [{"type": "text", "text": "see"}], "reasoning_content": "hm", "tool_calls": [` + callA + `]}`, answer}, 0},
	{"a result of parts", []string{`tool_call {"calls": [` + callA + `]}`,
		`tool_result {"results": [{"type": "tool_content", "content": [{"type": "text", "text": "look"}, {"type": "image", "media_type": "image/png", "data": "AA=="}]}]}`},
		[]string{askA, strings.Replace(answer, `"ok"`, `[{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]`, 1)}, 0},
	{"a result of texts", []string{`tool_call {"calls": [` + callA + `]}`,
		`tool_result {"results": [{"type": "tool_content", "content": [{"type": "text", "text": "o"}, {"type": "text", "text": "k"}]}]}`}, []string{askA, answer}, 0},
	{"a tool's message of parts", []string{`tool_call {"calls": [` + callA + `]}`,
		`message {"role": "tool", "tool_call": {"id": "a"}, "content": [{"type": "text", "text": "ok"}]}`}, []string{askA, answer}, 0},
	{"media", []string{`message {"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image", "media_type": "image/png", "url": "https://x/y"},` +
		` {"type": "image", "media_type": "image/png", "url": "data:image/png;base64,AA=="}, {"type": "audio", "media_type": "audio/wav", "data": "AA=="},` +
		` {"type": "video", "media_type": "video/mp4", "url": "https://x/z"}, {"type": "audio", "media_type": "audio/ogg", "data": "AA=="}, {"type": "image"}, {"type": "new", "x": 1}]}`},
		[]string{`{"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "https://x/y"}},` +
			` {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}, {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},` +
			` {"type": "video_url", "video_url": {"url": "https://x/z"}}, {"type": "audio", "media_type": "audio/ogg", "data": "AA=="}, {"type": "image"}, {"type": "new", "x": 1}]}`}, 0},
	{"reasoning of a model", []string{`message {"role": "assistant", "content": "done", "reasoning": "hm", "x": 1}`, `message {"role": "assistant", "content": "done", "reasoning": {"x": 1}}`},
		[]string{`{"role": "assistant", "content": "done", "x": 1, "reasoning_content": "hm"}`, `{"role": "assistant", "content": "done", "reasoning": {"x": 1}}`}, 0},
	{"only reasoning", []string{`message {"role": "assistant", "content": [{"type": "reasoning", "text": "hm"}]}`}, nil, 1},
}

func TestMessages(t *testing.T) {
	for _, c := range append(cases, newer...) {
		messages, dropped := Messages(tape.Slice{Entries: entries(t, c.tape...)}, Options{})
		var got []string
		for _, m := range messages {
			got = append(got, string(m.JSON))
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", c.what, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if len(dropped) != c.dropped {
			t.Errorf("%s: dropped %+v", c.what, dropped)
		}
		if err := valid(messages); err != nil {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestCustomCall: a call of a tool that takes text instead of arguments.
func TestCustomCall(t *testing.T) {
	const call = `{"id":"c","type":"custom","custom":{"name":"sh","input":"ls"}}`
	messages, dropped := Messages(tape.Slice{Entries: entries(t, `tool_call {"calls": [`+call+`]}`, `tool_result {"results": ["ok"]}`)}, Options{})
	if got := string(OpenAI(messages)); len(dropped) > 0 || !strings.Contains(got, call) || !strings.Contains(got, `"name":"sh"}]`) {
		t.Errorf("%s, %v", got, dropped)
	}
}

func TestReasoning(t *testing.T) {
	list := entries(t, `message {"role": "user", "content": "x"}`,
		`message {"role": "assistant", "content": "a", "reasoning": "hm", "provider_data": [{"api_format": "messages", "payload": {"type": "thinking", "thinking": "hm", "signature": "s"}}, {"api_format": "responses", "payload": {"type": "reasoning"}}]}`,
		`message {"role": "assistant", "content": "b", "reasoning": "so"}`)
	messages, _ := Messages(tape.Slice{Entries: list}, Options{})
	if got, want := string(OpenAI(messages)), `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"a","reasoning_content":"hm"},{"role":"assistant","content":"b","reasoning_content":"so"}]}`+"\n"; got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	request, dropped := Anthropic(messages)
	if want := `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"a"},{"type":"text","text":"b"}]}`; !strings.Contains(string(request), want) || len(dropped) != 2 {
		t.Errorf("%s, %v\nwant %s", request, dropped, want)
	}
	without, _ := Messages(tape.Slice{Entries: list}, Options{WithoutReasoning: true})
	if got, _ := Anthropic(without); strings.Contains(string(got), "thinking") {
		t.Errorf("%s", got)
	}
	if got := string(OpenAI(without)); strings.Contains(got, "reasoning") || Tokens(without) >= Tokens(messages) {
		t.Errorf("%s, %d and %d tokens", got, Tokens(without), Tokens(messages))
	}
	request, dropped = Anthropic([]Message{message(`{"role": "user", "content": "x"}`),
		message(`{"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}`),
		message(`{"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": "t"}, {"type": "image_url", "image_url": {"url": "https://x/y"}}]}`)})
	if want := `{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":"t"},{"type":"image","source":{"type":"url","url":"https://x/y"}}]}`; !strings.Contains(string(request), want) || len(dropped) > 0 {
		t.Errorf("%s, %v", request, dropped)
	}
}

func TestBoundary(t *testing.T) {
	list := entries(t, `anchor {"name": "p1", "state": {"summary": "s"}}`, `message {"role": "user", "content": "go on"}`)
	s := tape.Slice{Boundary: &list[0], Entries: list[1:]}
	messages, _ := Messages(s, Options{})
	if want := `{"role": "assistant", "content": "[Anchor created: p1]: {\"summary\": \"s\"}"}`; len(messages) != 2 || string(messages[0].JSON) != want {
		t.Errorf("%v", messages)
	}
	if messages, _ = Messages(s, Options{WithoutState: true}); len(messages) != 1 {
		t.Errorf("%v", messages)
	}
}

// TestStateIsShownOnce: the message that repeats the state of an anchor is only
// included if the anchor is not.
func TestStateIsShownOnce(t *testing.T) {
	list := entries(t, `anchor {"name": "p1", "state": {"summary": "s"}}`, `message {"role": "user", "content": "[Anchor created: p1]: {}"}`, `message {"role": "user", "content": "go on"}`)
	list[1].Meta = []byte(`{"anchor_state": true}`)
	for without, want := range map[bool]string{false: "assistant", true: "user"} {
		messages, dropped := Messages(tape.Slice{Boundary: &list[0], Entries: list[1:]}, Options{WithoutState: without})
		if len(messages) != 2 || len(dropped) > 0 || !strings.Contains(string(messages[0].JSON), want) {
			t.Errorf("%v: %v, %v", without, messages, dropped)
		}
	}
	for without, want := range map[bool]int{false: 2, true: 3} { // Bub shows both within a slice
		if messages, _ := Messages(tape.Slice{Entries: list}, Options{WithoutState: without}); len(messages) != want {
			t.Errorf("%v: %v", without, messages)
		}
	}
}

// valid checks what a provider requires of a sequence.
func valid(messages []Message) error {
	seen := map[string]bool{}
	var due []string
	for _, m := range messages {
		var x struct {
			Role       string
			Content    any
			ToolCallID string `json:"tool_call_id"`
			ToolCalls  []struct {
				ID, Type string
				Function struct{ Name, Arguments *string }
			} `json:"tool_calls"`
		}
		if err := json.Unmarshal(m.JSON, &x); err != nil {
			return fmt.Errorf("%s: %w", m.JSON, err)
		}
		switch {
		case x.Role == "tool" && (len(due) == 0 || due[0] != x.ToolCallID):
			return fmt.Errorf("%s: answers none of %q", m.JSON, due)
		case x.Role == "tool":
			due = due[1:]
		case len(due) > 0:
			return fmt.Errorf("%s: %q have no result", m.JSON, due)
		case x.Content == nil && len(x.ToolCalls) == 0:
			return fmt.Errorf("%s: no problem reported", m.JSON)
		}
		for _, c := range x.ToolCalls {
			if c.ID == "" || seen[c.ID] || c.Type != "function" || c.Function.Name == nil || c.Function.Arguments == nil || x.Role != "assistant" {
				return fmt.Errorf("%s: call %q is not in order", m.JSON, c.ID)
			}
			seen[c.ID] = true
			due = append(due, c.ID)
		}
	}
	if len(due) > 0 {
		return fmt.Errorf("%q have no result", due)
	}
	return nil
}

// TestAnySequence makes messages of random sequences of entries.
func TestAnySequence(t *testing.T) {
	parts := []string{
		`message {"role": "user", "content": "u"}`, `message {"role": "assistant", "content": "a"}`, `anchor {"name": "p"}`, `event {"name": "handoff"}`,
		`tool_result {"results": ["ok"]}`, `tool_result {"results": ["ok", 2]} META {"run_id": "1"}`, `tool_result {"results": []}`,
		`tool_call {"calls": [{"id": "c.1", "type": "function", "function": {"name": "fs.read", "arguments": "{}"}}, {"id": "c_1", "type": "function", "function": {"name": "f", "arguments": "["}}]}`,
		`message {"role": "system", "content": " "}`, `message {"role": "assistant", "content": [{"type": "text", "text": " "}]}`,
	}
	for _, c := range append(cases, newer...) {
		parts = append(parts, c.tape...)
	}
	random := rand.New(rand.NewSource(1))
	for range 3000 {
		var lines []string
		for range random.Intn(9) {
			lines = append(lines, parts[random.Intn(len(parts))])
		}
		messages, _ := Messages(tape.Slice{Entries: entries(t, lines...)}, Options{})
		if err := valid(messages); err != nil {
			t.Fatalf("%v\nof %s", err, strings.Join(lines, "\n"))
		}
		request, _ := Anthropic(messages)
		if err := validAnthropic(request); err != nil {
			t.Fatalf("%v\nof %s\nin %s", err, strings.Join(lines, "\n"), request)
		}
	}
}

func TestTokens(t *testing.T) {
	messages, _ := Messages(tape.Slice{Entries: entries(t, cases[0].tape...)}, Options{})
	if n := Tokens(messages); n < 30 || n > 60 {
		t.Errorf("%d tokens", n)
	}
	pictures, _ := Messages(tape.Slice{Entries: entries(t, `message {"role": "user", "content": [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": "data:`+strings.Repeat("A", 90000)+`"}}]}`)}, Options{})
	if n := Tokens(pictures); n < 1000 || n > 1100 {
		t.Errorf("%d tokens", n)
	}
	for tokens, want := range map[int]bool{183_616: false, 183_617: true} {
		if Full(tokens, DefaultLimit) != want {
			t.Error(tokens)
		}
	}
	if c := Contract(DefaultLimit); !strings.Contains(c, "The current limit is 200k tokens.\n</context_contract>") {
		t.Error(c)
	}
	if c := Contract(183_616); !strings.Contains(c, "is 183616 tokens") {
		t.Error(c)
	}
}
