package transcript_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"handoff/agents/transcript"
)

// sessionOf reads a transcript of testdata, whose format is found from its
// beginning.
func sessionOf(t *testing.T, name string) (s transcript.Session, format string) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(name) == ".json" {
		records, ok := transcript.Export(src)
		if !ok {
			t.Fatalf("%s: not an export", name)
		}
		for _, r := range records {
			s.Add(r)
		}
		return s, "opencode"
	}
	format = transcript.Detect(src)
	read := transcript.Formats[format]
	if read == nil {
		t.Fatalf("%s: no format found", name)
	}
	for line := range bytes.Lines(src) {
		r, ok := read(line)
		if !ok {
			t.Errorf("%s: cannot read %.80q", name, line)
		}
		s.Add(r)
	}
	return s, format
}

// The files were written by the real programs, which talked to a model that a
// test scripted: it counted 20,000 tokens, then 9,000 more with each call.
func TestRealAgents(t *testing.T) {
	for _, c := range []struct {
		file, format, id                 string
		used, calls, window, compactions int
		said                             string
		ended                            bool
	}{
		{"claude.jsonl", "claude", "11111111-2222-4333-8444-555555555555", 56_000, 5, 0, 0, "All done.", false},
		{"claude-stream.jsonl", "claude", "11111111-2222-4333-8444-555555555555", 47_000, 4, 200_000, 0, "All done.", true},
		{"claude-compacted-stream.jsonl", "claude", "5ab79f40-4de8-46c2-a14d-7dd6d7ba3f33", 108_000, 1, 200_000, 1, "All done.", true},
		{"claude-compacted.jsonl", "claude", "5ab79f40-4de8-46c2-a14d-7dd6d7ba3f33", 108_000, 1, 0, 1, "All done.", false},
		{"codex.jsonl", "codex", "01a203c2-b77f-7323-be05-797f9c03c2c2", 47_040, 4, 258_400, 0, "All done.", true},
		{"codex-stream.jsonl", "codex", "01a203c2-b77f-7323-be05-797f9c03c2c2", 0, 0, 0, 0, "All done.", true},
		{"codex-compacted.jsonl", "codex", "01a203c4-d87f-7151-96be-e420d5d030ed", 29_040, 2, 258_400, 1, "All done.", true},
		{"gemini.jsonl", "gemini", "22222222-2222-4333-8444-555555555556", 56_040, 5, 0, 0, "All done.", false},
		{"gemini-stream.jsonl", "gemini", "22222222-2222-4333-8444-555555555556", 0, 0, 0, 0, "All done.", true},
		{"qwen.jsonl", "qwen", "f99ed3e4-0689-4ad5-bdf9-3b9f6f812259", 47_000, 4, 0, 0, "All done.", false},
		{"qwen-stream.jsonl", "qwen", "f99ed3e4-0689-4ad5-bdf9-3b9f6f812259", 47_000, 4, 0, 0, "All done.", true},
		{"copilot.jsonl", "copilot", "33333333-2222-4333-8444-555555555555", 47_000, 4, 128_000, 0, "All done.", false},
		{"copilot-stream.jsonl", "copilot", "33333333-2222-4333-8444-555555555555", 0, 0, 0, 0, "All done.", true},
		{"pi.jsonl", "pi", "44444444-2222-7333-8444-555555555555", 0, 0, 0, 1, "All done.", false},
		{"pi-stream.jsonl", "pi", "44444444-2222-7333-8444-555555555555", 35_000, 6, 0, 0, "All done.", true},
		{"opencode-stream.jsonl", "opencode", "ses_dfc3d060fffeJxO6BeIgbvKu5T", 47_040, 4, 0, 0, "All done.", true},
		{"opencode-export.json", "opencode", "ses_dfc3d060fffeJxO6BeIgbvKu5T", 47_040, 4, 0, 0, "All done.", true},
	} {
		s, format := sessionOf(t, c.file)
		if format != c.format || s.ID != c.id || s.Used != c.used || s.Calls != c.calls || s.Window != c.window || s.Compactions != c.compactions || s.Ended != c.ended {
			t.Errorf("%s: %s, id %s, used %d, calls %d, window %d, compactions %d, ended %v; want %+v", c.file, format, s.ID, s.Used, s.Calls, s.Window, s.Compactions, s.Ended, c)
		}
		if len(s.Said) == 0 || s.Said[len(s.Said)-1] != c.said || s.Failed != "" {
			t.Errorf("%s: said %q, failed %q", c.file, s.Said, s.Failed)
		}
	}
}

// Each of them read one file three times.
func TestRepeatedReading(t *testing.T) {
	for _, file := range []string{"claude.jsonl", "claude-stream.jsonl", "codex.jsonl", "codex-stream.jsonl", "gemini.jsonl", "gemini-stream.jsonl",
		"qwen.jsonl", "qwen-stream.jsonl", "copilot.jsonl", "copilot-stream.jsonl", "opencode-stream.jsonl", "opencode-export.json"} {
		s, _ := sessionOf(t, file)
		if got := s.Repeated(3); len(got) != 1 || !strings.HasSuffix(got[0].File, "a.txt") || got[0].Times != 3 {
			t.Errorf("%s: repeated %v", file, got)
		}
	}
}

func TestReadingIsNotRepeated(t *testing.T) {
	read := func(id, file string, part int) transcript.Tool {
		return transcript.Tool{ID: id, Name: "Read", File: file, Part: part}
	}
	for name, tools := range map[string][]transcript.Tool{
		"a change in between": {read("1", "a", 0), read("2", "a", 0), {ID: "3", Name: "Edit", File: "a", Writes: true}, read("4", "a", 0)},
		"other parts":         {read("1", "a", 0), read("2", "a", 200), read("3", "a", 400)},
		"one call, repeated":  {read("1", "a", 0), read("1", "a", 0), read("1", "a", 0)},
		"failed calls":        {read("1", "a", 0), {ID: "2", File: "a", Failed: true}, {ID: "3", File: "a", Failed: true}},
	} {
		var s transcript.Session
		s.Add(transcript.Record{Tools: tools})
		if got := s.Repeated(3); len(got) != 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestSaved(t *testing.T) {
	bash := func(command string) transcript.Tool { return transcript.Tool{ID: "1", Name: "Bash", Command: command} }
	for _, c := range []struct {
		name string
		tool transcript.Tool
		fail bool
		want bool
	}{
		{"the command", bash("handoff new --task 1 --phase 2 --from -"), false, true},
		{"after another command", bash("cd /home/app && TZ=UTC ./bin/handoff new --task 1"), false, true},
		{"the command failed", bash("handoff new --task 1"), true, false},
		{"another command", bash("handoff lint; echo handoff new"), false, false},
		{"a document", transcript.Tool{ID: "1", Name: "Write", File: "/home/me/project/specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md", Writes: true}, false, true},
		{"a document that was read", transcript.Tool{ID: "1", Name: "Read", File: "/home/me/project/specs/1_x/handoffs/phase-1-handoff-20260212T143022Z.md"}, false, false},
		{"a tool of an MCP server", transcript.Tool{ID: "1", Name: "mcp__handoff__handoff_new"}, false, true},
	} {
		var s transcript.Session
		s.Add(transcript.Record{Call: "c", Input: 1000, Tools: []transcript.Tool{c.tool}})
		if c.fail {
			s.Add(transcript.Record{Results: []transcript.Result{{ID: "1", Failed: true}}})
		}
		if s.Saved != c.want {
			t.Errorf("%s: saved %v, want %v", c.name, s.Saved, c.want)
		}
		s.Add(transcript.Record{Compacted: true})
		if s.Saved {
			t.Errorf("%s: still saved after a compaction", c.name)
		}
	}
}

func TestLevel(t *testing.T) {
	var s transcript.Session
	for _, r := range []transcript.Record{
		{Call: "a", Input: 50_000, Output: 1, Sent: 400},
		{Call: "a", Input: 50_000, Sent: 400}, // more of the same call
		{Side: true, Call: "z", Input: 900_000},
		{Added: 40_000},
	} {
		s.Add(r)
	}
	if s.Used != 50_000 || s.Pending() != 10_200 || s.Calls != 1 {
		t.Errorf("used %d, pending %d, calls %d; want 50000, 10200, 1", s.Used, s.Pending(), s.Calls)
	}
	s.Add(transcript.Record{Call: "b", Input: 61_000})
	s.Add(transcript.Record{Call: "a", Input: 50_000}) // written late
	if s.Used != 61_000 || s.Pending() != 0 || !slices.Equal(s.Growth, []int{11_000}) {
		t.Errorf("used %d, pending %d, growth %v; want 61000, 0, [11000]", s.Used, s.Pending(), s.Growth)
	}
	s.Add(transcript.Record{Call: "c", Input: 12_000}) // cleared, with no mark of it
	if s.Compactions != 1 || s.Used != 12_000 || len(s.Growth) != 0 {
		t.Errorf("after a fall by more than half: compactions %d, used %d, growth %v", s.Compactions, s.Used, s.Growth)
	}
	s.Add(transcript.Record{Compacted: true})
	s.Add(transcript.Record{Compacted: true})
	if s.Compactions != 2 || s.Used != 0 || s.Pending() != 0 {
		t.Errorf("after a compaction that is marked twice: compactions %d, used %d", s.Compactions, s.Used)
	}
}

func TestCalls(t *testing.T) {
	var s transcript.Session
	s.Add(transcript.Record{Input: 1000})
	s.Add(transcript.Record{Input: 3000})
	if s.Calls != 2 || s.Used != 3000 {
		t.Errorf("calls without an id: %d, used %d", s.Calls, s.Used)
	}
	s.Add(transcript.Record{Call: "a", Input: 4000, Output: 1})
	s.Add(transcript.Record{Call: "a", Input: 4000, Output: 900})
	if s.Calls != 3 || s.Pending() != 900 {
		t.Errorf("one call whose reply grows: %d calls, pending %d", s.Calls, s.Pending())
	}
}

func TestSaid(t *testing.T) {
	var s transcript.Session
	for _, text := range []string{"one", "two", "", "three", strings.Repeat("é", 300)} {
		s.Add(transcript.Record{Text: text, Prompt: text})
	}
	long := strings.Repeat("é", 200) + "…"
	if want := []string{"two", "three", long}; !slices.Equal(s.Said, want) || s.Prompt != long {
		t.Errorf("said %q, asked %q; want %q", s.Said, s.Prompt, want)
	}
}

func TestSubagentFile(t *testing.T) {
	var s transcript.Session
	s.Add(transcript.Record{Side: true, Call: "a", Input: 20_000})
	s.Add(transcript.Record{Side: true, Call: "b", Input: 30_000})
	if s.Used != 30_000 || s.Calls != 2 {
		t.Errorf("a subagent's own file: used %d, calls %d", s.Used, s.Calls)
	}
	s.Add(transcript.Record{Call: "m", Input: 90_000})
	if s.Used != 90_000 || s.Calls != 1 || s.Compactions != 0 {
		t.Errorf("the session's call after a subagent's: used %d, calls %d, compactions %d", s.Used, s.Calls, s.Compactions)
	}
}
