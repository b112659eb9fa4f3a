package hooks_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"handoff/agents/host"
	"handoff/internal/testing/frametest"
)

// hostileTree has two waiting handoffs whose folders are sentences, one that cannot be
// delivered, and files that the documents name.
func hostileTree(t *testing.T, conflict bool) (root string) {
	t.Helper()
	root = t.TempDir()
	src, err := os.ReadFile("../../specs/example/specs/259_prove_completeness/handoffs/phase-3-handoff-20260212T143022Z.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(src) + "\n- `" + frametest.Word + "/gone file.go`\n"
	if conflict {
		text += "\n<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
	}
	for _, dir := range []string{"specs/8_" + frametest.Name, "specs/9_" + frametest.Name} {
		put(t, root, dir+"/handoffs/phase-1-handoff-20260212T143022Z.md", text)
	}
	return root
}

// texts are all texts of a host's answer.
func texts(v any) (all string) {
	switch v := v.(type) {
	case string:
		return v + "\n"
	case map[string]any:
		for _, one := range v {
			all += texts(one)
		}
	case []any:
		for _, one := range v {
			all += texts(one)
		}
	}
	return all
}

// TestNamesStayInTheFrame runs every hook of every host in trees whose folders, agents and
// files have names that read as orders.
func TestNamesStayInTheFrame(t *testing.T) {
	delivered := 0
	for _, h := range host.All() {
		for _, k := range h.Hooks {
			for _, conflict := range []bool{false, true} {
				root := hostileTree(t, conflict)
				path := filepath.Join(root, "specs/9_"+frametest.Name, "handoffs/phase-1-handoff-20260212T143022Z.md")
				in := map[string]any{"session_id": "s1", "sessionId": "s1", "cwd": root, "hook_event_name": "x", "source": "startup",
					"agent_name": frametest.Name, "agent_id": "a", "agent_type": frametest.Name, "tool_name": "Write", "toolName": "create",
					"tool_input": map[string]any{"file_path": path, "path": path}, "tool_response": map[string]any{"filePath": path}, "file_path": path, "prompt": "hi"}
				src, err := json.Marshal(in)
				if err != nil {
					t.Fatal(err)
				}
				for _, event := range []host.Event{k.Event, host.SessionStart, host.PreCompact, k.Event, host.SubagentStart} {
					if _, ok := h.Hook(event); !ok {
						continue
					}
					got := answer(t.Context(), root, h.Name, event, string(src))
					text := got
					var v any
					if json.Unmarshal([]byte(got), &v) == nil {
						text = texts(v)
					}
					if got != "" {
						delivered++
					}
					frametest.Check(t, h.Name+" "+string(event), text)
					if strings.Contains(text, "This is a report by an earlier agent") {
						frametest.Check(t, h.Name+" "+string(event), text, "The document: "+strings.TrimPrefix(regexp.MustCompile("on task [89]").FindString(text), "on task ")+"/1\n")
					}
				}
			}
		}
	}
	if delivered < 50 {
		t.Errorf("only %d answers had a text", delivered)
	}
}
