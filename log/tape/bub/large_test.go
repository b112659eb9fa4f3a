package bub

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// TestBubLarge has the oldest and the newest Bub work through the package and our server with results and
// tapes that are larger than one request or one answer: nothing is lost, and a tape that no
// model could get is handed off with what it is about.
func TestBubLarge(t *testing.T) {
	venvs := needs.Folder(t, "HANDOFF_BUB_VENVS")
	program := built(t)
	for _, version := range []string{versions[0], versions[len(versions)-1]} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			a := newAgent(t, venvs, version, "server", program)
			testLargeResult(t, a)
			testLongTape(t, a)
		})
	}
}

// testLargeResult has a tool return 3.4 MB.
func testLargeResult(t *testing.T, a *agent) {
	a.model.answers(func(n int, request object) string {
		if n > 0 {
			return `{"role": "assistant", "content": "All done."}`
		}
		return fmt.Sprintf(`{"role": "assistant", "content": null, "tool_calls": [{"index": 0, "id": "c", "type": "function", "function": {"name": "bash", "arguments": %q}}]}`,
			shellArgument(t, request, "seq 1 500000"))
	})
	if err := a.run("Build the API."); err != nil {
		t.Fatal(err)
	}
	shown := plainText(a.model.requests()[1]["messages"])
	if strings.Contains(shown, "spill storage failed") {
		t.Errorf("the result is lost: %.300s", shown)
	}
	name := must(SessionName(a.ws, "cli:ours"))(t)
	if a.version >= "bub-0.5" {
		name += "__sidecar__spill"
	}
	if stored := must(a.command("read", "--tape", name))(t); !strings.Contains(stored, `499999\n500000`) || !strings.Contains(stored, `249999\n250000\n`) {
		t.Errorf("%d bytes are stored of it", len(stored))
	}
}

// testLongTape has another program append 40 MB, one entry of them 10 MB, since the last anchor.
func testLongTape(t *testing.T, a *agent) {
	more := filepath.Join(t.TempDir(), "more.jsonl")
	var lines strings.Builder
	for _, size := range []int{10, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2} {
		fmt.Fprintf(&lines, `{"kind": "message", "payload": {"role": "assistant", "content": %q}}`+"\n", strings.Repeat("x", size<<20))
	}
	if err := os.WriteFile(more, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	must(a.tape("append", "--from", more, "--server", a.address))(t)
	before := len(a.model.requests())
	if err := a.run("And the tests."); err != nil {
		t.Fatal(err)
	}
	asked := a.model.requests()[before:]
	if len(asked) == 0 {
		t.Fatal("the model was not asked")
	}
	for _, request := range asked {
		text := plainText(request["messages"])
		if !strings.Contains(text, "auto_handoff/context_overflow") || !strings.Contains(text, "Build the API.") || !strings.Contains(text, "And the tests.") || len(text) > 1<<20 {
			t.Errorf("%d bytes: %.1000s", len(text), text)
		}
	}
	if n := strings.Count(must(a.tape("read"))(t), "xxxxx"); n == 0 {
		t.Error("the entries are lost")
	}
}
