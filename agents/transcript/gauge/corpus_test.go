package gauge_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
	"handoff/internal/testing/needs"
)

// Recorded sessions that were compacted: the first note comes calls before it,
// and no mark is noted twice in a context.
func TestRecordedSessions(t *testing.T) {
	root := filepath.Join(needs.Folder(t, "HANDOFF_CORPUS"), "transcripts")
	compactions := 0
	for _, host := range []struct {
		format, files string
		limit         int
	}{{"claude", "claude-code/*.jsonl", 167_000}, {"codex", "codex/*.jsonl", 232_560}} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(host.files)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var s transcript.Session
			var state gauge.State
			noted, at, last := 0, 0, 0 // mark, the call of the first note, the last call
			for line := range bytes.Lines(src) {
				record, _ := transcript.Formats[host.format](line)
				if record.Compacted && s.Used > host.limit*3/4 {
					compactions++
					if noted == 0 || at >= last {
						t.Errorf("%s: compacted at call %d, first note at call %d", filepath.Base(file), last, at)
					}
					t.Logf("%s: compacted with %d used, %d calls after the first note", filepath.Base(file), s.Used, last-at)
				}
				if record.Compacted {
					noted, at = 0, 0
				}
				s.Add(record)
				r := gauge.Read(s.Use(), gauge.Limit{Tokens: host.limit}, 0, 0)
				next, kind, note := state.Step(r)
				if last = s.Calls; note && kind == gauge.Mark {
					if next.Mark <= noted {
						t.Errorf("%s: mark %d noted after %d", filepath.Base(file), next.Mark, noted)
					}
					if noted == 0 {
						at = s.Calls
					}
					noted = next.Mark
				}
				state = next
			}
		}
	}
	if compactions != 4 {
		t.Errorf("%d compactions of full contexts, want 4", compactions)
	}
}
