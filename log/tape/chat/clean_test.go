package chat

import (
	"encoding/json"
	"slices"
	"testing"
)

func TestClean(t *testing.T) {
	in := []string{
		`{"role": "user", "content": "plain \"text\"\n \\u200b é"}`,
		"{\"role\": \"user\", \"content\": \"a\u200bb \\u2063 \U000e0041\"}",
		`{"content": [{"text": "\udb40\udc41x"}, 1, "\u001b[8m\u202e"], "tool_calls": [{"id": "c\ufeff"}]}`,
	}
	want := []string{in[0], `{"role": "user", "content": "ab  "}`, `{"content": [{"text": "x"}, 1, "\\x1b[8m\\u202e"], "tool_calls": [{"id": "c"}]}`}
	var messages []Message
	for i, s := range in {
		messages = append(messages, Message{json.RawMessage(s), int64(i + 1)})
	}
	clean, dropped := Clean(messages)
	for i := range clean {
		if got := string(clean[i].JSON); got != want[i] || !json.Valid(clean[i].JSON) || clean[i].Entry != int64(i+1) {
			t.Errorf("%s\nwant %s", got, want[i])
		}
	}
	if !slices.Equal(dropped, []Dropped{{2, "3 invisible characters"}, {3, "2 invisible characters"}}) {
		t.Errorf("%v", dropped)
	}
	if string(messages[1].JSON) != in[1] {
		t.Error("the messages passed to it were changed")
	}
}

func FuzzClean(f *testing.F) {
	f.Add("a\u200b\x1b\"\\")
	f.Add("\u180b\u180bM")
	f.Fuzz(func(t *testing.T, text string) {
		src, err := json.Marshal(map[string]any{"content": []string{text, "b"}})
		if err != nil {
			t.Fatal(err)
		}
		clean, _ := Clean([]Message{{src, 1}})
		again, dropped := Clean(clean)
		if !json.Valid(clean[0].JSON) || len(dropped) > 0 || string(again[0].JSON) != string(clean[0].JSON) {
			t.Fatalf("%s: %s, then %s", src, clean[0].JSON, again[0].JSON)
		}
	})
}
