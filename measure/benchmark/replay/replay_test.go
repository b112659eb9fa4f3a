package replay_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"handoff/agents/transcript/facts"
	"handoff/measure/benchmark"
	"handoff/measure/benchmark/replay"
)

// recorded is a transcript of Claude Code that is made by a test.
type recorded struct {
	strings.Builder
	calls int
}

func (r *recorded) line(t *testing.T, v map[string]any) {
	t.Helper()
	v["sessionId"], v["uuid"], v["cwd"] = "s", "u", "/home/u/project"
	src, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	r.Write(append(src, '\n'))
}

func (r *recorded) says(t *testing.T, who, text string) {
	t.Helper()
	r.line(t, map[string]any{"type": who, "message": map[string]any{"role": who, "content": []any{map[string]any{"type": "text", "text": text}}}})
}

// call calls a tool, and records its result.
func (r *recorded) call(t *testing.T, tool string, input map[string]any, result string) {
	t.Helper()
	r.calls++
	id := fmt.Sprint("call_", r.calls)
	r.line(t, map[string]any{"type": "assistant", "message": map[string]any{"id": id, "role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": tool, "input": input}}}})
	r.line(t, map[string]any{"type": "user", "message": map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": result}}}})
}

// session reads a file, does other things, and then uses the content of the file.
func session(t *testing.T, compacted bool) string {
	r := &recorded{}
	r.says(t, "user", "Repair the parser, please.")
	r.call(t, "Read", map[string]any{"file_path": "/home/u/project/src/parser.go"}, "func readNextToken() { limit = 4096 }")
	r.call(t, "Bash", map[string]any{"command": "go test ./src/..."}, "FAIL")
	for i := range 22 {
		r.call(t, "Bash", map[string]any{"command": fmt.Sprintf("echo %d", i)}, "")
	}
	r.says(t, "assistant", "The mistake is in readNextToken.")
	if compacted {
		r.line(t, map[string]any{"type": "system", "subtype": "compact_boundary", "compactMetadata": map[string]any{"preTokens": 100000}})
		r.line(t, map[string]any{"type": "user", "isCompactSummary": true, "message": map[string]any{"role": "user", "content": "It works on src/parser.go; `go test ./src/...` fails."}})
	}
	r.call(t, "Read", map[string]any{"file_path": "/home/u/project/src/parser.go"}, "…")
	r.call(t, "Edit", map[string]any{"file_path": "/home/u/project/src/parser.go", "old_string": "limit = 4096", "new_string": "readNextToken(newHelper_1)"}, "ok")
	r.call(t, "Bash", map[string]any{"command": "go test ./src/..."}, "ok")
	for i := range 30 {
		r.call(t, "Bash", map[string]any{"command": fmt.Sprintf("true %d", i)}, "")
	}
	return r.String()
}

// figures are the shares of a row, by its name, after the number of bytes.
func figures(t *testing.T, table benchmark.Table) map[string][]string {
	t.Helper()
	list := map[string][]string{}
	for _, row := range table.Rows {
		for _, c := range row.Cells[1:] {
			list[row.Name] = append(list[row.Name], c.String())
		}
	}
	return list
}

func check(t *testing.T, table benchmark.Table, want map[string]string) {
	t.Helper()
	got := figures(t, table)
	for name, shares := range want {
		if text := strings.Join(got[name], ", "); text != shares {
			t.Errorf("%s: %s: %s, want %s", table.Title, name, text, shares)
		}
	}
}

// The window after the cut uses one file, one command and two names (the function and the
// number) that were seen before, and reads one file again. newHelper_1 was not seen.
func TestReplay(t *testing.T) {
	r := replay.Replay{Draft: func(_ *facts.Facts, all bool) string {
		if all {
			return "src/parser.go readNextToken 4096 `go test ./src/...`"
		}
		return "see parser.go"
	}}
	if err := r.Add([]byte(session(t, false))); err != nil {
		t.Fatal(err)
	}
	table := r.Suite().Tables[0]
	if want := "cuts at every 25th call (1): what the next 20 calls used"; table.Title != want {
		t.Errorf("%q, want %q", table.Title, want)
	}
	check(t, table, map[string]string{
		"draft":        "0 of 1, 0 of 1, 0 of 2, 0 of 1", // parser.go is not src/parser.go
		"draft --all":  "1 of 1, 1 of 1, 2 of 2, 1 of 1",
		"last message": "0 of 1, 0 of 1, 1 of 2, 0 of 1",
	})
}

// The host's summary does not count as seen by the session.
func TestCompaction(t *testing.T) {
	r := replay.Replay{Draft: func(*facts.Facts, bool) string { return "" }}
	if err := r.Add([]byte(session(t, true))); err != nil {
		t.Fatal(err)
	}
	s := r.Suite()
	if len(s.Tables) != 2 {
		t.Fatalf("%d tables: %s", len(s.Tables), s.Text())
	}
	check(t, s.Tables[1], map[string]string{"draft": "0 of 1, 0 of 1, 0 of 2, 0 of 1", "host's own summary": "1 of 1, 1 of 1, 0 of 2, 1 of 1"})
}

// The draft is made only from records before the cut.
func TestDraftOfThePast(t *testing.T) {
	r := replay.Replay{Draft: func(f *facts.Facts, _ bool) string {
		if f.Calls != 24 || len(f.Written) > 0 {
			t.Errorf("%d calls, %v written", f.Calls, f.Written)
		}
		return ""
	}}
	if err := r.Add([]byte(session(t, false))); err != nil {
		t.Fatal(err)
	}
}

func TestUnknownFormat(t *testing.T) {
	var r replay.Replay
	if err := r.Add([]byte("# Notes\n")); !errors.Is(err, replay.ErrFormat) {
		t.Error(err)
	}
	if s := r.Suite(); s.Skipped == "" {
		t.Error("no session, and it says nothing")
	}
}
