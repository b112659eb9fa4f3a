#!/usr/bin/env python3
"""A view of the Handoff Debt harness (https://github.com/anjilab/agent-handoff-debt): what `handoff draft` tells of a run.

The harness has agents take over each other's runs on SWE-bench, each with one view of what was done. This adds the
view "handoff" to its own, which are unchanged, and runs the harness with the arguments that it is given:

    uv run python measure/succession/view.py --help

It needs the harness installed with what it needs (Docker, images of SWE-bench, a key for a model), and `handoff`, named
by HANDOFF or in PATH. The view needs no model: it writes the events up to the checkpoint as a transcript, and the draft
of that is the prompt, between the harness's own words. Results are the harness's files. The plan of `setup-experiment`
calls `handoff-debt`, which does not know the view: call this instead.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

VIEW = "handoff"
EDITS = {"create": "Write", "str_replace": "Edit", "insert": "Edit", "undo_edit": "Edit"}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")  # of a terminal


def text_of(content):
    """The text of a list of contents, or of a text."""
    if isinstance(content, str):
        return content
    return "\n".join(c["text"] for c in content or [] if isinstance(c, dict) and isinstance(c.get("text"), str))


def call(raw, at):
    """The call of a tool that an action is, as Claude Code records it; None for a thought. at maps the path of a file."""
    action, tool = raw.get("action"), raw.get("tool_name") or ""
    if action is None:  # the agent called what does not exist, or with arguments that are none
        return tool, {"arguments": (raw.get("tool_call") or {}).get("arguments", "")}
    if tool in ("think", "finish"):
        return None
    if tool == "terminal":
        return "Bash", {"command": action.get("command") or ""}
    if tool == "file_editor":
        path, first_last = at(action.get("path") or ""), action.get("view_range")
        if action.get("command") == "view":
            where = {"offset": first_last[0], "limit": first_last[1] - first_last[0] + 1} if first_last and first_last[1] > 0 else {}
            return "Read", {"file_path": path, **where}
        return EDITS.get(action.get("command"), "Edit"), {"file_path": path, "old_string": action.get("old_str") or "", "new_string": action.get("new_str") or ""}
    if tool == "task_tracker" and action.get("command") == "plan":
        states = {"todo": "pending", "in_progress": "in_progress", "done": "completed"}
        return "TodoWrite", {"todos": [{"content": t.get("title") or "", "status": states.get(t.get("status"), "pending")} for t in action.get("task_list") or []]}
    return tool, {k: v for k, v in action.items() if k != "kind"}


def said(raw):
    """What the agent says with an action: its words before it, or those that are the action."""
    action = raw.get("action") or {}
    own = {"think": "thought", "finish": "message"}.get(raw.get("tool_name"))
    return (action.get(own) if own else "") or text_of(raw.get("thought"))


def result(raw):
    """What a call printed, and whether it failed."""
    if "error" in raw:
        return str(raw["error"]), True
    if "rejection_reason" in raw:
        return str(raw["rejection_reason"]), True
    o = raw.get("observation") or {}
    text, code = ESCAPES.sub("", text_of(o.get("content"))), o.get("exit_code")
    if code is not None and code > 0:
        return f"Exit code {code}\n{text}", True
    return text, bool(o.get("is_error"))


def changed(raw, at):
    """Where a file was changed, as Claude Code notes it: from the first line that differs to the last one."""
    o = raw.get("observation") or {}
    if o.get("is_error") or o.get("new_content") is None:
        return {}
    old, new = (o.get("old_content") or "").splitlines(), o["new_content"].splitlines()
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    differ = ["-" + line for line in old[first : len(old) - last]] + ["+" + line for line in new[first : len(new) - last]]
    patch = [{"newStart": first + 1, "lines": differ}] if o.get("old_content") is not None and differ else []
    return {"toolUseResult": {"filePath": at(o.get("path") or ""), "structuredPatch": patch}}


class Terminal:
    """Which call of the terminal a result belongs to. The result of a command that takes too long is -1; the actions after it
    ask for more of its output, or type into it, and their last result is that of the command. Another command is not run then."""

    def __init__(self, events):
        observed = [(e.get("raw") or {}, (e.get("raw") or {}).get("observation") or {}) for e in events]
        self.not_run = {raw.get("tool_call_id") for raw, o in observed if o.get("exit_code") == -1 and o.get("is_error")}
        self.running, self.asked = None, {}

    def calls(self, raw):
        """Whether an action runs something of its own."""
        action, own = raw.get("action") or {}, raw.get("tool_call_id")
        if raw.get("tool_name") != "terminal" or not action or (action.get("command") or "").strip() and not action.get("is_input"):
            return own not in self.not_run
        self.asked[own] = self.running
        return False

    def of(self, raw):
        """The id of the call that a result is of; None if it is of none, or not yet."""
        o, own = raw.get("observation") or {}, raw.get("tool_call_id")
        if own in self.not_run or own in self.asked and (not o or o.get("is_error")):
            return None  # the terminal knows nothing more of the command
        one = self.asked.get(own, own)
        if o.get("exit_code") == -1:
            self.running = one
            return None
        return one


def lines(events, folder, task=""):
    """The events as lines of a transcript of Claude Code. What is unknown is left out. Files of the container are in folder."""
    terminal, asked = Terminal(events), False
    for event in events:
        raw, there = event.get("raw") or {}, ((event.get("git") or {}).get("workspace") or "/").rstrip("/")
        at = lambda path: folder + path[len(there):] if path.startswith(there + "/") else path
        line = {"uuid": str(event.get("step")), "sessionId": "handoff-debt", "cwd": folder, "timestamp": raw.get("timestamp")}
        role, content = "assistant", []
        kind = raw.get("kind") or event.get("event_type")
        if kind == "ActionEvent":
            content = [{"type": "text", "text": said(raw)}]
            one = call(raw, at) if terminal.calls(raw) else None
            if one:
                content.append({"type": "tool_use", "id": raw.get("tool_call_id"), "name": one[0], "input": one[1]})
        elif kind in ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation"):
            one = terminal.of(raw)
            if raw.get("tool_name") in ("think", "finish") or one is None:
                continue
            text, failed = result(raw)
            line.update(changed(raw, at))
            role, content = "user", [{"type": "tool_result", "tool_use_id": one, "content": text, "is_error": failed}]
        elif kind == "MessageEvent":
            message = raw.get("llm_message") or {}
            text = text_of(message.get("content"))
            if message.get("role") != "assistant":
                if asked:  # the harness itself, which tells the agent to go on
                    continue
                role, asked = "user", True
                text = "the original task prompt, which follows" if text.strip() == task.strip() else text
            content = [{"type": "text", "text": text}]
        elif kind == "Condensation" and raw.get("summary"):
            yield json.dumps({**line, "type": "system", "subtype": "compact_boundary"})
            line, role, content = {**line, "isCompactSummary": True}, "user", raw["summary"]
        content = [c for c in content if c.get("text") != ""] if isinstance(content, list) else content
        if content:
            yield json.dumps({**line, "type": role, "message": {"role": role, "content": content}})


def draft(events, folder=None, task=""):
    """The draft of a handoff from some events. folder is the state of the repository at the checkpoint. What the draft says
    of the transcript is left out: the successor's container does not have it."""
    with tempfile.TemporaryDirectory() as empty:
        transcript = os.path.join(empty, "session.jsonl")
        with open(transcript, "w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in lines(events, os.path.abspath(folder or empty), task))
        program = os.environ.get("HANDOFF", "handoff")
        done = subprocess.run([program, "draft", "--transcript", transcript], cwd=folder or empty, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        sys.exit(f"{program} draft: {done.stderr}")
    text = done.stdout[done.stdout.index("\n# ") + 1 : done.stdout.rindex("\n## References")]
    return re.sub(r" \(session\.jsonl:[^()\n]*\)", "", text)


def view(task, checkpoint, events_path):
    """The view as the harness wants it."""
    from handoff_debt.handoff.prompt_parts import build_original_task_prompt, build_takeover_context_prompt
    from handoff_debt.io import read_jsonl
    from handoff_debt.schemas import HandoffPackage

    events = [e for e in read_jsonl(events_path) if int(e.get("step") or 0) <= checkpoint.step]
    text = draft(events, checkpoint.workspace_snapshot, task.issue_text)
    prompt = f"{build_takeover_context_prompt()}\n=== PREVIOUS AGENT HANDOFF BEGINS ===\n\n{text}\n=== PREVIOUS AGENT HANDOFF ENDS ===\n\n{build_original_task_prompt(task)}"
    return HandoffPackage(task_id=task.task_id, checkpoint_id=checkpoint.checkpoint_id, view=VIEW, prompt=prompt, workspace_path=checkpoint.workspace_snapshot)


def main():
    from handoff_debt import cli
    from handoff_debt.commands import runs

    others = runs.build_handoff
    runs.HANDOFF_VIEWS = (*runs.HANDOFF_VIEWS, VIEW)
    runs.build_handoff = lambda name, task, checkpoint, events, **more: view(task, checkpoint, events) if name == VIEW else others(name, task, checkpoint, events, **more)
    parser = cli.build_parser()
    for commands in [a for a in parser._actions if isinstance(a.choices, dict)]:
        for flag in [a for command in commands.choices.values() for a in command._actions if a.choices and "repo_only" in a.choices]:
            flag.choices = [*flag.choices, VIEW]
    args = parser.parse_args()
    return args.func(args)


if __name__ == "__main__":
    sys.exit(main())
