package draft_test

import (
	"strings"
	"testing"

	"handoff/templates"
	"handoff/workspace/draft"
)

// TestLastCalls: a draft tells the last calls word for word, the last one first, before the goal, with the end of the last
// output; what it lists there it does not list again, and what is said in the first step neither.
func TestLastCalls(t *testing.T) {
	src := `{"type":"user","uuid":"u","sessionId":"s","cwd":"/w","message":{"content":"` + strings.Repeat("Make it fast. ", 30) + `"}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"1","name":"Grep","input":{"pattern":"slow\\(","path":"/w/lib"}}]}}
{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"1","content":"a.go"}]}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"2","name":"Read","input":{"file_path":"/w/none.go"}}]}}
{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"2","content":"no such file","is_error":true}]}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"3","name":"Edit","input":{"file_path":"/w/a.go"}}]}}
{"type":"user","uuid":"u","sessionId":"s","toolUseResult":{"filePath":"/w/a.go","structuredPatch":[{"newStart":7,"newLines":1,"lines":["+x"]}]},"message":{"content":[{"type":"tool_result","tool_use_id":"3","content":"ok"}]}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"4","name":"Edit","input":{"file_path":"/w/a.go"}}]}}
{"type":"user","uuid":"u","sessionId":"s","toolUseResult":{"filePath":"/w/a.go","structuredPatch":[{"newStart":9,"newLines":2,"lines":["+x","+y"]}]},"message":{"content":[{"type":"tool_result","tool_use_id":"4","content":"ok"}]}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"text","text":"Now let me measure:"}]}}
{"type":"assistant","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_use","id":"5","name":"Bash","input":{"command":"go test -bench ."}}]}}
{"type":"user","uuid":"u","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"5","content":"start\nBenchmarkA 10\nBenchmarkB 20\n---\nok w 3s"}]}}
`
	text, err := templates.Render(draft.Values(draft.Origin{}, read(t, []byte(src))), "", true)
	if err != nil {
		t.Fatal(err)
	}
	want := "- **Its last call**: Bash `go test -bench .`, whose output ends with `BenchmarkA 10`, `BenchmarkB 20`, `ok w 3s` (session.jsonl:11, 12)\n" +
		"- **The calls before it, the last one first**: Edit `a.go` lines 7, 9-10; Read `none.go`: failed; Grep `slow\\(` in `lib` (session.jsonl:2, 4, 8)\n- **Goal state**: the user's last request: `Make it fast. "
	for _, one := range []string{want, "its last words were `Now let me measure:` (session.jsonl:10)", "- **The request in full**: `Make it fast."} {
		if !strings.Contains(string(text), one) {
			t.Errorf("no %q in\n%s", one, text)
		}
	}
	for _, one := range []string{"The agent said last", "Ran last"} {
		if strings.Contains(string(text), one) {
			t.Errorf("%q is in\n%s", one, text)
		}
	}
}
