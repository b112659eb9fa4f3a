package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// harness are the parts of the Handoff Debt harness that succession/view.py uses, as its sources of May 2026 have
// them: names, arguments and members, without what they do.
var harness = map[string]string{
	"handoff_debt/__init__.py":          "",
	"handoff_debt/commands/__init__.py": "",
	"handoff_debt/commands/runs.py": `
HANDOFF_VIEWS = ("repo_only", "raw_trace")
def build_handoff(view, task_spec, checkpoint, events_path, *, summarizer_config=None, artifact_dir=None):
    raise ValueError(f"Unsupported handoff view: {view}")
def takeover(args):
    from types import SimpleNamespace as S
    assert args.handoff_view in HANDOFF_VIEWS
    task = S(task_id="t", issue_text="Fix the parser.")
    print(build_handoff(args.handoff_view, task, S(checkpoint_id="c", step=args.step, workspace_snapshot=args.snapshot), args.events, summarizer_config=None).prompt)
    return 0
`,
	"handoff_debt/cli.py": `
import argparse
from handoff_debt.commands.runs import takeover
def build_parser():
    parser = argparse.ArgumentParser(prog="handoff-debt")
    command = parser.add_subparsers(required=True).add_parser("takeover")
    command.add_argument("--handoff-view", choices=["repo_only", "raw_trace"], default="repo_only")
    command.add_argument("--events")
    command.add_argument("--step", type=int)
    command.add_argument("--snapshot")
    command.set_defaults(func=takeover)
    return parser
`,
	"handoff_debt/io.py": `
import json
def read_jsonl(path):
    with open(path) as lines:
        return [json.loads(line) for line in lines]
`,
	"handoff_debt/schemas.py": `
from dataclasses import dataclass
@dataclass
class HandoffPackage:
    task_id: str
    checkpoint_id: str
    view: str
    prompt: str
    workspace_path: str = None
`,
	"handoff_debt/handoff/__init__.py": "",
	"handoff_debt/handoff/prompt_parts.py": `
def build_takeover_context_prompt():
    return "=== TAKEOVER CONTEXT ==="
def build_original_task_prompt(task):
    return f"=== ORIGINAL TASK PROMPT BEGINS ===\n{task.issue_text}"
`,
}

// events are what OpenHands records of a run, in the harness's frames. The last one is after the checkpoint.
const events = `{"step":0,"event_type":"MessageEvent","git":{"workspace":"/testbed"},"raw":{"kind":"MessageEvent","source":"user","llm_message":{"role":"user","content":[{"type":"text","text":"Fix the parser."}]}}}
{"step":1,"git":{"workspace":"/testbed"},"raw":{"kind":"ActionEvent","tool_name":"task_tracker","tool_call_id":"a","thought":[],"action":{"kind":"TaskTrackerAction","command":"plan","task_list":[{"title":"Quote the tabs","status":"in_progress"},{"title":"Find it","status":"done"}]}}}
{"step":2,"git":{"workspace":"/testbed"},"raw":{"kind":"ObservationEvent","tool_name":"task_tracker","tool_call_id":"a","observation":{"content":[{"type":"text","text":"ok"}],"is_error":false}}}
{"step":3,"git":{"workspace":"/testbed"},"raw":{"kind":"ActionEvent","tool_name":"file_editor","tool_call_id":"b","thought":[{"type":"text","text":"The lexer is it."}],"action":{"kind":"FileEditorAction","command":"str_replace","path":"/testbed/lexer.py","old_str":"a","new_str":"b"}}}
{"step":4,"git":{"workspace":"/testbed"},"raw":{"kind":"ObservationEvent","tool_name":"file_editor","tool_call_id":"b","observation":{"content":[{"type":"text","text":"edited"}],"is_error":false}}}
{"step":5,"git":{"workspace":"/testbed"},"raw":{"kind":"ActionEvent","tool_name":"terminal","tool_call_id":"c","thought":[],"action":{"kind":"TerminalAction","command":"pytest -q tests/test_lexer.py"}}}
{"step":6,"git":{"workspace":"/testbed"},"raw":{"kind":"ObservationEvent","tool_name":"terminal","tool_call_id":"c","observation":{"content":[{"type":"text","text":"FAILED tests/test_lexer.py::test_tabs"}],"exit_code":1,"is_error":false}}}
{"step":7,"git":{"workspace":"/testbed"},"raw":{"kind":"ActionEvent","tool_name":"terminal","tool_call_id":"d","thought":[],"action":{"kind":"TerminalAction","command":"git stash"}}}
`

// TestHandoffDebtView has the harness's own command build the view from the events before a checkpoint.
func TestHandoffDebtView(t *testing.T) {
	needs.Tool(t, "python3")
	dir := t.TempDir()
	program := filepath.Join(dir, "handoff")
	build := exec.Command("go", "build", "-o", program, "./cmd/handoff")
	build.Dir = ".." // the module of the command
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	files := map[string]string{"events.jsonl": events, "snapshot/lexer.py": "b\n"}
	for name, text := range harness {
		files[name] = text
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("python3", "succession/view.py", "takeover", "--handoff-view", "handoff", "--events", filepath.Join(dir, "events.jsonl"), "--step", "6", "--snapshot", filepath.Join(dir, "snapshot"))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1", "HANDOFF="+program)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"=== TAKEOVER CONTEXT ===\n", "Continue with `Quote the tabs`, which was in progress", "`pytest -q tests/test_lexer.py` failed last, with exit 1, `FAILED tests/test_lexer.py::test_tabs`",
		"- **File**: `lexer.py`\n", "=== ORIGINAL TASK PROMPT BEGINS ===\nFix the parser."} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	for _, not := range []string{"git stash", "Find it"} {
		if strings.Contains(string(out), not) {
			t.Errorf("%q is in\n%s", not, out)
		}
	}
}
