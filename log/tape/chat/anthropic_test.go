package chat

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
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
		{"system comes first", []Message{message(`{"role": "user", "content": "<hi>"}`), message(`{"role": "system", "content": "be brief"}`)},
			`{"system":[{"type":"text","text":"be brief"}],"messages":[{"role":"user","content":[{"type":"text","text":"<hi>"}]}]}`, 1},
		{"a call and its result", []Message{
			message(`{"role": "user", "content": "read"}`),
			message(`{"role": "assistant", "content": "", "tool_calls": [{"id": "c.1", "type": "function", "function": {"name": "fs.read", "arguments": "{\"path\": \"a\"}"}}]}`),
			message(`{"role": "tool", "content": "text", "tool_call_id": "c.1", "name": "fs.read"}`),
			message(`{"role": "user", "content": "and now?"}`)},
			`{"messages":[{"role":"user","content":[{"type":"text","text":"read"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"c_1","name":"fs_read","input":{"path":"a"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c_1","content":"text"},{"type":"text","text":"and now?"}]}]}`, 0},
		{"arguments that are not JSON", []Message{
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
	names := []Message{message(`{"role": "user", "name": "Ann B.", "content": "x"}`),
		message(`{"role": "assistant", "content": "", "tool_calls": [{"id": "c.1", "type": "function", "function": {"name": "fs.read", "arguments": "{\"a\": 1}"}}]}`),
		message(`{"role": "tool", "content": "t", "tool_call_id": "c.1", "name": "fs.read"}`)}
	want := `{"messages":[{"role":"user","name":"Ann B.","content":"x"},` +
		`{"role":"assistant","content":"","tool_calls":[{"id":"c.1","type":"function","function":{"name":"fs_read","arguments":"{\"a\": 1}"}}]},` +
		`{"role":"tool","content":"t","tool_call_id":"c.1","name":"fs_read"}]}` + "\n"
	if got := string(OpenAI(names)); got != want {
		t.Error(got)
	}
	if got := string(OpenAI(nil)); got != `{"messages":[]}`+"\n" {
		t.Error(got)
	}
}

// validAnthropic checks what the Messages API requires of a sequence.
func validAnthropic(request []byte) error {
	var r struct {
		Messages []struct {
			Role    string
			Content []struct {
				Type, Text, ID, Name string
				Input                map[string]any
				ToolUseID            string `json:"tool_use_id"`
			}
		}
	}
	if err := json.Unmarshal(request, &r); err != nil {
		return err
	}
	letters := regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	seen := map[string]bool{}
	var due []string
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want || len(m.Content) == 0 {
			return fmt.Errorf("message %d is of %s, with %d blocks", i, m.Role, len(m.Content))
		}
		for k, b := range m.Content {
			switch {
			case b.Type == "tool_result" && (len(due) == 0 || due[0] != b.ToolUseID):
				return fmt.Errorf("message %d answers %s, not one of %q", i, b.ToolUseID, due)
			case b.Type == "tool_result":
				due = due[1:]
				continue
			case m.Role == "user" && len(due) > 0:
				return fmt.Errorf("message %d leaves %q without an answer", i, due)
			case b.Type == "text" && strings.TrimSpace(b.Text) == "":
				return fmt.Errorf("message %d, block %d is blank", i, k)
			case b.Type == "tool_use":
				if m.Role != "assistant" || seen[b.ID] || b.Input == nil || !letters.MatchString(b.ID) || !letters.MatchString(b.Name) {
					return fmt.Errorf("message %d: call %q of %q is not in order", i, b.ID, b.Name)
				}
				seen[b.ID] = true
				due = append(due, b.ID)
			}
		}
	}
	if len(due) > 0 {
		return fmt.Errorf("%q have no result", due)
	}
	return nil
}
