package hooks_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/agents/host"
)

// TestLongTranscript: a long transcript is read again when it has grown so much that a note can
// be due, and the note comes.
func TestLongTranscript(t *testing.T) {
	root := treeOf(t, false)
	path := filepath.Join(t.TempDir(), "t.jsonl")
	call := func(n, tokens int) string {
		return fmt.Sprintf(`{"type":"assistant","sessionId":"a","uuid":"u%d","message":{"id":"m%d","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text","text":"x"}],"usage":{"input_tokens":%d,"output_tokens":1}}}`+"\n", n, n, tokens)
	}
	text := fmt.Sprintf(`{"type":"user","sessionId":"a","cwd":%q,"message":{"role":"user","content":"%s"}}`+"\n", root, strings.Repeat("x", 600<<10)) + call(1, 10_000) + call(2, 11_000)
	batch := func(text string) string {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return answer(t.Context(), root, "claude", host.Batch, fmt.Sprintf(`{"session_id":"a","hook_event_name":"PostToolBatch","transcript_path":%q}`, path))
	}
	if got := batch(text); got != "" {
		t.Fatalf("first: %q", got)
	}
	// A call of so many tokens cannot come with so few bytes, so its note shows what is read.
	if got := batch(text + call(3, 150_000)); got != "" {
		t.Errorf("it was read again after %d bytes: %q", len(call(3, 150_000)), got)
	}
	grown := text + call(3, 150_000) + fmt.Sprintf(`{"type":"user","sessionId":"a","message":{"role":"user","content":"%s"}}`+"\n", strings.Repeat("y", 40<<10)) + call(4, 160_000)
	if got := batch(grown); !strings.Contains(got, "until this session is compacted") {
		t.Errorf("grown: %q", got)
	}
	if got := batch(grown + call(5, 161_000)); got != "" {
		t.Errorf("noted twice: %q", got)
	}
}
