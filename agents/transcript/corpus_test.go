package transcript_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"handoff/agents/transcript"
	"handoff/internal/testing/needs"
)

// Claude Code records how many tokens the context held when it was compacted.
// The estimate just before is within 2 % of that.
func TestRecordedCompactions(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts", "claude-code", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	compactions := 0
	for _, file := range files {
		var s transcript.Session
		for line := range bytes.Lines(read(t, file)) {
			r, ok := transcript.Formats["claude"](line)
			if !ok {
				t.Fatalf("%s: cannot read %.80q", file, line)
			}
			if r.Compacted {
				compactions++
				off := float64(s.Used+s.Pending())/float64(r.Before) - 1
				t.Logf("%s: %d used + %d pending, recorded %d: %+.2f %%", filepath.Base(file), s.Used, s.Pending(), r.Before, 100*off)
				if math.Abs(off) > 0.02 {
					t.Errorf("%s: %d, recorded %d: %+.1f %%", filepath.Base(file), s.Used+s.Pending(), r.Before, 100*off)
				}
			}
			s.Add(r)
		}
	}
	if compactions != 3 {
		t.Errorf("%d compactions read, want 3", compactions)
	}
}

// Codex records the size of the context after each call. The session reports
// that size, except for the estimates that Codex writes around a compaction.
func TestRecordedCounts(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts", "codex", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	counts, compactions := 0, 0
	for _, file := range files {
		var s transcript.Session
		for line := range bytes.Lines(read(t, file)) {
			r, _ := transcript.Formats["codex"](line)
			s.Add(r)
			var l struct {
				Payload struct {
					Type string `json:"type"`
					Info struct {
						Last struct {
							Input int `json:"input_tokens"`
							Total int `json:"total_tokens"`
						} `json:"last_token_usage"`
						Window int `json:"model_context_window"`
					} `json:"info"`
				} `json:"payload"`
			}
			_ = json.Unmarshal(line, &l)
			last := l.Payload.Info.Last
			if l.Payload.Type != "token_count" || last.Input == 0 {
				continue
			}
			counts++
			if s.Used != last.Total || s.Window != l.Payload.Info.Window {
				t.Fatalf("%s: used %d of %d, recorded %d of %d", filepath.Base(file), s.Used, s.Window, last.Total, l.Payload.Info.Window)
			}
		}
		compactions += s.Compactions
	}
	if counts < 900 || compactions != 1 {
		t.Errorf("%d counts and %d compactions read", counts, compactions)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return src
}
