package transcript_test

import (
	"testing"

	"handoff/agents/transcript"
)

func TestParseStatus(t *testing.T) {
	for _, c := range []struct {
		src  string
		want transcript.Status
	}{
		{`{"session_id":"s","transcript_path":"/t.jsonl","cwd":"/w","model":{"id":"claude-opus-4-6"},"version":"2.1.197","context_window":{"context_window_size":200000,
			"used_percentage":21,"current_usage":{"input_tokens":2000,"output_tokens":9,"cache_creation_input_tokens":10000,"cache_read_input_tokens":30000}}}`,
			transcript.Status{Host: "claude", Session: "s", Transcript: "/t.jsonl", Dir: "/w", Model: "claude-opus-4-6", Version: "2.1.197", Used: 42_000, Window: 200_000}},
		{`{"session_id":"s","context_window":{"context_window_size":200000,"used_percentage":null,"current_usage":null}}`,
			transcript.Status{Host: "claude", Session: "s", Window: 200_000}},
		{`{"conversation_id":"c","context_window":{"context_window_size":200000,"used_percentage":50}}`,
			transcript.Status{Host: "cursor", Session: "c", Used: 100_000, Window: 200_000}},
		{`{"session_id":"q","context_window":{"context_window_size":131072,"current_usage":60000}}`,
			transcript.Status{Host: "qwen", Session: "q", Used: 60_000, Window: 131_072}},
		{`{"context_window":{"context_window_size":100,"current_usage":1.5}}`, transcript.Status{Host: "claude", Window: 100}},
		{`{"session_id":7,"model":"x","context_window":[]}`, transcript.Status{Host: "claude"}},
	} {
		got, ok := transcript.ParseStatus([]byte(c.src))
		if !ok || got != c.want {
			t.Errorf("%s\ngot  %+v, %v\nwant %+v", c.src, got, ok, c.want)
		}
	}
	for _, src := range []string{"", "null", "status", `{"session_id":`} {
		if got, ok := transcript.ParseStatus([]byte(src)); ok {
			t.Errorf("%q: %+v", src, got)
		}
	}
}
