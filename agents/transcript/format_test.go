package transcript_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"handoff/agents/transcript"
)

// Hosts add types of records and change the types of members: a reader skips
// what it does not understand, and keeps the rest of a record.
func TestUnknownRecords(t *testing.T) {
	for format, read := range transcript.Formats {
		for _, line := range []string{`{"type":"tomorrow","message":7}`, `{"type":["a"],"data":"x","payload":3,"part":null}`, `{}`,
			`{"type":"assistant","message":{"usage":"none","content":5}}`, `{"type":"event_msg","payload":{"type":"token_count","info":null}}`} {
			if r, ok := read([]byte(line)); !ok || r.Input != 0 || r.Compacted {
				t.Errorf("%s: %s: %+v, %v", format, line, r, ok)
			}
		}
		for _, line := range []string{"", "\n", "null", "[1]", `{"type":"assistant","mess`, "\x00\x00\x00"} {
			if _, ok := read([]byte(line)); ok {
				t.Errorf("%s: %q is read as a record", format, line)
			}
		}
	}
	r, ok := transcript.Formats["claude"]([]byte(`{"type":"assistant","cwd":9,"message":{"id":"m","usage":{"input_tokens":5,"cache_read_input_tokens":"many"}}}`))
	if !ok || r.Input != 5 || r.Call != "m" {
		t.Errorf("a record with a member of another type: %+v, %v", r, ok)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		format, line, want string
		end                bool
	}{
		{"acp", `{"sessionId":"s","error":{"code":-32603,"message":"no quota"}}`, "no quota", true},
		{"acp", `{"sessionId":"s","stopReason":"refusal"}`, "stopped: refusal", true},
		{"claude", `{"type":"result","subtype":"error_max_turns","is_error":true}`, "error_max_turns", true},
		{"claude", `{"type":"result","is_error":true,"result":"Prompt is too long"}`, "Prompt is too long", true},
		{"codex", `{"type":"turn.failed","error":{"message":"no quota"}}`, "no quota", true},
		{"codex", `{"type":"error","message":"reconnecting"}`, "reconnecting", false},
		{"gemini", `{"type":"result","status":"error","error":{"message":"no key"}}`, "no key", true},
		{"gemini", `{"type":"error","severity":"warning","message":"Loop detected"}`, "", false},
		{"gemini", `{"type":"error","severity":"error","message":"no model"}`, "no model", false},
		{"opencode", `{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"no model"}}}`, "no model", false},
		{"copilot", `{"type":"result","sessionId":"s","exitCode":1}`, "the agent failed", true},
	} {
		r, ok := transcript.Formats[c.format]([]byte(c.line))
		if !ok || r.Failed != c.want || r.End != c.end {
			t.Errorf("%s: %s: failed %q, end %v", c.format, c.line, r.Failed, r.End)
		}
	}
}

func FuzzFormats(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for line := range bytes.Lines(src) {
			f.Add(line)
		}
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		transcript.Detect(line)
		transcript.Export(line)
		for name, read := range transcript.Formats {
			var s transcript.Session
			r, _ := read(line)
			s.Add(r)
			s.Add(r)
			if s.Used < 0 && r.Input >= 0 || len(s.Said) > transcript.SaidKept {
				t.Errorf("%s: %q: %+v", name, line, s)
			}
		}
	})
}
