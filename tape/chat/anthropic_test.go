package chat

import (
	"encoding/json"
	"testing"
)

func message(src string) Message { return Message{JSON: json.RawMessage(src), Entry: 7} }

func TestAnthropic(t *testing.T) {
	for _, tc := range []struct {
		name  string
		in    []Message
		want  string
		drops int
	}{
		{"nothing", nil, `{"messages":[]}`, 0},
		{"system goes before", []Message{message(`{"role": "user", "content": "<hi>"}`), message(`{"role": "system", "content": "be brief"}`)},
			`{"system":[{"type":"text","text":"be brief"}],"messages":[{"role":"user","content":[{"type":"text","text":"<hi>"}]}]}`, 1},
		{"a call and its result", []Message{
			message(`{"role": "user", "content": "read"}`),
			message(`{"role": "assistant", "content": "", "tool_calls": [{"id": "c.1", "type": "function", "function": {"name": "fs.read", "arguments": "{\"path\": \"a\"}"}}]}`),
			message(`{"role": "tool", "content": "text", "tool_call_id": "c.1", "name": "fs.read"}`),
			message(`{"role": "user", "content": "and now?"}`)},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"read"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"c_1","name":"fs_read","input":{"path":"a"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c_1","content":"text"},{"type":"text","text":"and now?"}]}]}`, 0},
		{"arguments that are none", []Message{
			message(`{"role": "user", "content": "x"}`),
			message(`{"role": "assistant", "content": "", "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "not json"}}]}`),
			message(`{"role": "tool", "content": " ", "tool_call_id": "c", "name": "f"}`)},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{"arguments":"not json"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]}`, 1},
		{"pictures", []Message{message(`{"role": "user", "content": [{"type": "text", "text": "see"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}, {"type": "image_url", "image_url": {"url": "https://x/y"}}, {"type": "input_audio"}]}`)},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AA=="}},{"type":"image","source":{"type":"url","url":"https://x/y"}}]}]}`, 1},
		{"the assistant first and last", []Message{message(`{"role": "assistant", "content": "[Anchor created: a]: null"}`), message(`{"role": "assistant", "content": "done \n"}`), message(`{"role": "user", "content": " "}`)},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"` + missingStart + `"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"[Anchor created: a]: null"},{"type":"text","text":"done"}]}]}`, 2},
	} {
		got, dropped := Anthropic(tc.in)
		if string(got) != tc.want+"\n" || len(dropped) != tc.drops {
			t.Errorf("%s: %s%v\nwant %s", tc.name, got, dropped, tc.want)
		}
	}
}

func TestOpenAI(t *testing.T) {
	if got := string(OpenAI([]Message{System("a <b>"), message(`{"role": "user", "content": "x"}`)})); got != `{"messages":[{"role":"system","content":"a <b>"},{"role":"user","content":"x"}]}`+"\n" {
		t.Error(got)
	}
	if got := string(OpenAI(nil)); got != `{"messages":[]}`+"\n" {
		t.Error(got)
	}
}
