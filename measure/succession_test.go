package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"handoff/internal/testing/needs"
)

// harness are the parts of the Handoff Debt harness (version 0.1.0) that succession/view.py uses: names, arguments,
// members and files, without what they do. As there, only the folder of the commands is a regular package.
var harness = map[string]string{
	"handoff_debt/__init__.py":          "",
	"handoff_debt/commands/__init__.py": "",
	"handoff_debt/commands/runs.py": `
import json
from pathlib import Path
from handoff_debt.schemas import Checkpoint, TaskSpec
HANDOFF_VIEWS = ("repo_only", "raw_trace", "structured_notes", "summary_notes")
def build_handoff(view, task_spec, checkpoint, events_path, *, summarizer_config=None, artifact_dir=None):
    raise ValueError(f"Unsupported handoff view: {view}")
def cmd_precompute_handoffs(args):
    run = Path(args.initial_run)
    task = TaskSpec(task_id="t", repo="t", base_commit="c", issue_text=(run / "prompt.md").read_text())
    for one in json.loads((run / "lifecycle_checkpoints.json").read_text()):
        for view in args.views.split(","):
            assert view in HANDOFF_VIEWS
            folder = run / "precomputed_handoffs" / one["checkpoint_id"] / view
            made = build_handoff(view, task, Checkpoint(**one), run / "events.jsonl", summarizer_config=None, artifact_dir=folder / "artifacts")
            folder.mkdir(parents=True)
            (folder / f"handoff_{view}.json").write_text(json.dumps(made.__dict__))
    return 0
def cmd_takeover(args):
    run, view = Path(args.initial_run), args.handoff_view
    print(json.loads((run / "precomputed_handoffs" / args.checkpoint_id / view / f"handoff_{view}.json").read_text())["prompt"])
    return 0
`,
	"handoff_debt/cli.py": `
import argparse
from handoff_debt.commands.runs import cmd_precompute_handoffs, cmd_takeover
def build_parser():
    parser = argparse.ArgumentParser(prog="handoff-debt")
    sub = parser.add_subparsers(required=True)
    takeover = sub.add_parser("takeover")
    takeover.add_argument("--initial-run", required=True)
    takeover.add_argument("--handoff-view", choices=["repo_only", "raw_trace", "structured_notes", "summary_notes"], default="repo_only")
    takeover.add_argument("--checkpoint-id")
    takeover.set_defaults(func=cmd_takeover)
    precompute = sub.add_parser("precompute-handoffs")
    precompute.add_argument("--initial-run", required=True)
    precompute.add_argument("--views", default="repo_only,raw_trace,structured_notes,summary_notes")
    precompute.set_defaults(func=cmd_precompute_handoffs)
    return parser
`,
	"handoff_debt/io.py": `
import json
def read_jsonl(path):
    with path.open() as lines:
        return [json.loads(line) for line in lines if line.strip()]
`,
	"handoff_debt/schemas.py": `
from dataclasses import dataclass, field
@dataclass(frozen=True)
class TaskSpec:
    task_id: str
    repo: str
    base_commit: str
    issue_text: str
    test_command: str = None
    environment_image: str = None
    metadata: dict = field(default_factory=dict)
@dataclass(frozen=True)
class Checkpoint:
    checkpoint_id: str
    kind: str
    step: int
    reason: str
    modified_source_files: list
    validation_command: str
    workspace_snapshot: str = None
    metadata: dict = field(default_factory=dict)
@dataclass(frozen=True)
class HandoffPackage:
    task_id: str
    checkpoint_id: str
    view: str
    prompt: str
    workspace_path: str = None
`,
	"handoff_debt/handoff/prompt_parts.py": `
def build_takeover_context_prompt():
    return "=== TAKEOVER CONTEXT ===\n"
def build_original_task_prompt(task):
    return f"\n=== ORIGINAL TASK PROMPT BEGINS ===\n\n{task.issue_text}\n\n=== ORIGINAL TASK PROMPT ENDS ===\n"
`,
}

// checkpoints are two in testdata/succession/events.jsonl: while the first tests run, and near the end. The events are what the
// harness recorded of a scripted model on OpenHands 1.19.0, without the state of git, copies of the arguments, and names of the
// machine; some were left out.
const checkpoints = `[
 {"checkpoint_id":"running","kind":"post_first_validation_result","step":26,"reason":"r","modified_source_files":["wordcount/lexer.py"],"validation_command":null,"workspace_snapshot":"SNAPSHOT","metadata":{}},
 {"checkpoint_id":"failed","kind":"post_failed_repair_edit","step":32,"reason":"r","modified_source_files":["wordcount/lexer.py"],"validation_command":null,"workspace_snapshot":"SNAPSHOT","metadata":{}},
 {"checkpoint_id":"late","kind":"post_failed_repair_edit","step":49,"reason":"r","modified_source_files":["wordcount/lexer.py"],"validation_command":null,"workspace_snapshot":"SNAPSHOT","metadata":{}}
]`

// TestHandoffDebtView has the harness's own commands make the view at each checkpoint, and begin with it.
func TestHandoffDebtView(t *testing.T) {
	needs.Tool(t, "python3")
	dir := t.TempDir()
	program := filepath.Join(dir, "handoff")
	build := exec.Command("go", "build", "-o", program, "./cmd/handoff")
	build.Dir = ".." // the module of the command
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	events, err := os.ReadFile("testdata/succession/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	snapshot := filepath.Join(dir, "snapshot")
	task := "words() and fields() do not split at tabs\n"
	files := map[string]string{"run/events.jsonl": string(events), "run/prompt.md": task, "run/lifecycle_checkpoints.json": strings.ReplaceAll(checkpoints, "SNAPSHOT", filepath.ToSlash(snapshot)),
		"snapshot/wordcount/lexer.py": "b\n"}
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
	view := func(args ...string) string {
		cmd := exec.Command("python3", append([]string{"succession/view.py"}, args...)...)
		cmd.Env = append(os.Environ(), "PYTHONPATH="+dir, "PYTHONDONTWRITEBYTECODE=1", "HANDOFF="+program)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	run := filepath.Join(dir, "run")
	view("precompute-handoffs", "--initial-run", run, "--views", "handoff")
	for checkpoint, want := range map[string][]string{
		"running": {"Find out what `cd /testbed && sleep 12; python -m unittest -q tests.test_lexer` did, because the session ended before its result was seen",
			"- **File**: `wordcount/lexer.py`\n- **Location**: line 6 as of its last change\n"},
		"failed": {"Continue with `Find where words are split`, which was in progress", "failed last, with exit 1, `", "FAILED (failures=1)"},
		"late":   {"`The tests pass. Shall I remove reproduce.py?`", "python -m unittest -q tests.test_lexer", "line 15 as of its last change", "the user's last request: `the original task prompt, which follows`"},
	} {
		prompt := view("takeover", "--initial-run", run, "--handoff-view", "handoff", "--checkpoint-id", checkpoint)
		want = append(want, "=== TAKEOVER CONTEXT ===\n\n=== PREVIOUS AGENT HANDOFF BEGINS ===\n\n# ", "\n=== PREVIOUS AGENT HANDOFF ENDS ===\n\n\n=== ORIGINAL TASK PROMPT BEGINS ===\n\n"+task)
		for _, want := range want {
			if !strings.Contains(prompt, want) {
				t.Errorf("%s: no %q in\n%s", checkpoint, want, prompt)
			}
		}
		// What comes later, what the harness says itself, and what the successor's container does not have.
		for _, not := range []string{"rm reproduce.py", "Please continue working", "No previous running command", "NOT executed", "session.jsonl", "[?2004"} {
			if strings.Contains(prompt, not) {
				t.Errorf("%s: %q is in\n%s", checkpoint, not, prompt)
			}
		}
	}
}
