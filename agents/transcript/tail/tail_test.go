package tail_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/transcript/tail"
	"handoff/internal/file/regular"
)

// call is a line of Claude Code about a call with so many tokens of context.
func call(id string, tokens int) string {
	return fmt.Sprintf(`{"type":"assistant","uuid":"u","sessionId":"s1","cwd":"/home/app","message":{"id":%q,"usage":{"input_tokens":%d}}}`+"\n", id, tokens)
}

func noise(bytes int) string {
	return `{"type":"user","uuid":"u","sessionId":"s1","message":{"content":"` + strings.Repeat("x", bytes) + `"}}` + "\n"
}

// lookalike has the mark of a compaction in a record of another type.
const lookalike = `{"type":"user","uuid":"u","sessionId":"s1","message":{"content":"compact_boundary"}}` + "\n" +
	`{"type":"system","subtype":"compact_boundary","isSidechain":true,"uuid":"u","sessionId":"s1"}` + "\n"

const boundary = `{"type":"system","subtype":"compact_boundary","uuid":"u","sessionId":"s1"}` + "\n"

func transcriptOf(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpen(t *testing.T) {
	calls := ""
	for i := range 6 {
		calls += call(fmt.Sprint("c", i), 100_000+1_000*i)
	}
	for _, c := range []struct {
		name, text               string
		used, calls, compactions int
		partial                  bool
	}{
		{"one call", call("a", 1000), 1000, 1, 0, false},
		{"a torn last line", call("a", 1000) + `{"type":"assistant","mess`, 1000, 1, 0, false},
		{"a last line without an end", call("a", 1000) + strings.TrimSpace(call("b", 2000)), 2000, 2, 0, false},
		{"long before", boundary + noise(1<<20) + calls, 105_000, 6, 1, false},
		{"a record of another type", lookalike + noise(1<<20) + calls, 105_000, 6, 0, false},
		{"longer before", boundary + strings.Repeat(noise(1<<20), 5) + boundary + noise(1<<20) + calls, 105_000, 6, 1, true},
		{"what looks like one", strings.ReplaceAll(noise(1<<18), "xxxx", `\"compact_boundary\"`) + noise(1<<20) + calls, 105_000, 6, 0, false},
		{"few calls at the end", calls + noise(1<<20) + call("z", 110_000), 110_000, 7, 0, false},
		{"compacted just before", boundary + calls + noise(1<<20) + boundary + call("z", 20_000), 20_000, 1, 2, false},
	} {
		f, err := tail.Open(transcriptOf(t, c.text), "")
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		s := f.Session
		if s.Used != c.used || s.Calls != c.calls || s.Compactions != c.compactions || f.Partial != c.partial || s.ID != "s1" || f.Format != "claude" {
			t.Errorf("%s: used %d, calls %d, compactions %d, partial %v, id %q; want %+v", c.name, s.Used, s.Calls, s.Compactions, f.Partial, s.ID, c)
		}
	}
}

func TestOpenWhatIsNoTranscript(t *testing.T) {
	if _, err := tail.Open(t.TempDir(), "claude"); !errors.Is(err, regular.ErrNotRegular) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := tail.Open(filepath.Join(t.TempDir(), "none"), ""); !os.IsNotExist(err) {
		t.Errorf("no file: %v", err)
	}
	if _, err := tail.Open(transcriptOf(t, "# Notes\n"), ""); err == nil || !strings.Contains(err.Error(), "not a transcript") {
		t.Errorf("a text: %v", err)
	}
}

func TestUpdate(t *testing.T) {
	path := transcriptOf(t, call("a", 1000))
	f, err := tail.Open(path, "")
	if err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		out, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if _, err := out.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	check := func(name string, changed bool, used, calls int) {
		t.Helper()
		got, err := f.Update()
		if err != nil || got != changed || f.Session.Used != used || f.Session.Calls != calls {
			t.Errorf("%s: changed %v, used %d, calls %d, %v; want %v, %d, %d", name, got, f.Session.Used, f.Session.Calls, err, changed, used, calls)
		}
	}
	check("unchanged", false, 1000, 1)
	line := call("b", 2000)
	write(line[:40])
	check("half a line", false, 1000, 1)
	write(line[40:])
	check("its other half", true, 2000, 2)
	write(call("c", 3000) + boundary)
	check("a compaction", true, 0, 0)
	if err := os.WriteFile(path, []byte(call("d", 500)), 0o600); err != nil {
		t.Fatal(err)
	}
	check("cut and written anew", true, 500, 1)
	if f.Session.Compactions != 1 {
		t.Errorf("%d compactions, want the one from before the file was cut", f.Session.Compactions)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Update(); !os.IsNotExist(err) {
		t.Errorf("removed: %v", err)
	}
}

// A last line that is torn when the file is opened is read when it is whole.
func TestUpdateAfterATornLine(t *testing.T) {
	line := call("b", 2000)
	path := transcriptOf(t, call("a", 1000)+line[:40])
	f, err := tail.Open(path, "")
	if err != nil || f.Session.Calls != 1 {
		t.Fatalf("%+v, %v", f, err)
	}
	if err := os.WriteFile(path, []byte(call("a", 1000)+line), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, err := f.Update(); err != nil || !changed || f.Session.Used != 2000 || f.Session.Calls != 2 {
		t.Errorf("changed %v, used %d, calls %d, %v", changed, f.Session.Used, f.Session.Calls, err)
	}
}

func TestUpdateOfAnExport(t *testing.T) {
	src, err := os.ReadFile("../testdata/opencode-export.json")
	if err != nil {
		t.Fatal(err)
	}
	f, err := tail.Open(transcriptOf(t, string(src)), "")
	if err != nil || f.Session.Used != 47_040 || f.Format != "opencode" {
		t.Fatalf("%+v, %v", f, err)
	}
	if _, err := f.Update(); err != nil || f.Session.Used != 47_040 {
		t.Errorf("%+v, %v", f, err)
	}
}

// A handoff that was saved long before the end of the file counts, if no
// compaction came after it and the call did not fail.
func TestSavedEarlier(t *testing.T) {
	const save = `{"type":"assistant","uuid":"u","sessionId":"s1","message":{"id":"s","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"handoff new --task 1"}}]}}` + "\n"
	const failed = `{"type":"user","uuid":"u","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true}]}}` + "\n"
	const worked = `{"type":"user","uuid":"u","sessionId":"s1","message":{"content":[{"type":"tool_result","tool_use_id":"t1"}]}}` + "\n"
	end := noise(1<<20) + call("a", 150_000) + call("b", 151_000) + call("c", 152_000) + call("d", 153_000)
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"saved":                {save + worked + end, true},
		"failed":               {save + failed + end, false},
		"compacted since":      {save + worked + boundary + end, false},
		"saved since":          {boundary + save + worked + end, true},
		"compacted at the end": {save + worked + end + boundary, false},
		"saved in a long line": {strings.Replace(save, `--task 1`, `--task 1 # `+strings.Repeat("x", 300<<10), 1) + worked + end, true},
		"compacted in one":     {save + worked + strings.Replace(boundary, `{`, `{"text":"`+strings.Repeat("x", 300<<10)+`",`, 1) + end, false},
		"only spoken of":       {strings.ReplaceAll(noise(2000), "xxxx", "handoff new ") + end, false},
	} {
		f, err := tail.Open(transcriptOf(t, c.text), "")
		if err != nil || f.Session.Saved != c.want {
			t.Errorf("%s: saved %v, want %v, %v", name, f.Session.Saved, c.want, err)
		}
	}
}
