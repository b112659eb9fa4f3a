package host

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Input is what a host writes to a hook, whatever it calls the fields. A field
// of an unexpected type counts as missing: hosts change, and a hook must not
// fail for a field that it does not need.
type Input struct {
	Native     string // the host's name of the event
	Session    string // the host's id of the session
	Dir        string // in which the agent works; absolute, "" if unknown
	Transcript string // path of the session's transcript, "" if there is none
	Source     string // of a session start: startup, resume, clear, compact, …
	Trigger    string // of a compaction: manual or auto
	Error      string // of a failure, and the reason of an end
	Model      string
	Message    string // the last one of the agent, where the host passes it
	Prompt     string // the message of a person
	Again      bool   // the agent already continues because a Stop hook asked it to
	Used       int    // tokens in the context; 0 if the host does not report them
	Window     int    // tokens that the context holds; 0 if the host does not report them

	Agent           string // id of the subagent, "" for the agent itself
	AgentType       string
	AgentTranscript string // path of the subagent's transcript

	Tool    string   // name of the tool that was called
	Command string   // of the shell, that the call runs
	Files   []string // that the call names as written or edited, as it wrote them

	fields object
}

// Read reads what a host wrote to a hook. OpenCode has no such format: its
// plugin writes that of Claude Code.
func Read(stdin []byte) (in Input, err error) {
	var o object
	if err := json.Unmarshal(stdin, &o); err != nil {
		return in, fmt.Errorf("standard input: want one JSON object: %w", err)
	}
	in = Input{
		fields:          o,
		Native:          o.text("hook_event_name", "hookEventName", "event"),
		Session:         o.text("conversation_id", "session_id", "sessionId"), // Cursor's session_id changes
		Dir:             o.text("cwd", "working_dir"),
		Transcript:      o.text("transcript_path", "transcriptPath"),
		Source:          o.text("source"),
		Trigger:         o.text("trigger"),
		Error:           o.text("error", "reason", "final_status"),
		Model:           o.text("model"),
		Message:         o.text("last_assistant_message", "lastAssistantMessage"),
		Prompt:          o.text("prompt"),
		Again:           o.truth("stop_hook_active", "stopHookActive") || o.number("loop_count") > 0,
		Used:            o.number("context_tokens", "input_tokens"),
		Window:          o.number("context_window_size", "context_limit"),
		Agent:           o.text("agent_id", "agentId"),
		AgentType:       o.text("agent_type", "agentType"),
		AgentTranscript: o.text("agent_transcript_path", "agentTranscriptPath"),
		Tool:            o.text("tool_name", "toolName"),
	}
	if roots := o.texts("workspace_roots"); in.Dir == "" && len(roots) > 0 {
		in.Dir = roots[0]
	}
	in.Files, in.Command = o.files(), o.command()
	return in, nil
}

// object are the fields of a JSON object, unread.
type object map[string]json.RawMessage

// text is the first of some fields that is a text, and not empty.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		var s string
		if json.Unmarshal(o[k], &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

func (o object) texts(key string) (list []string) {
	if json.Unmarshal(o[key], &list) != nil {
		return nil
	}
	return list
}

func (o object) truth(keys ...string) (yes bool) {
	for _, k := range keys {
		var b bool
		yes = yes || json.Unmarshal(o[k], &b) == nil && b
	}
	return yes
}

// maxTokens is more than any context holds.
const maxTokens = 1 << 30

func (o object) number(keys ...string) int {
	for _, k := range keys {
		var n float64
		if json.Unmarshal(o[k], &n) == nil && n > 0 && n < maxTokens {
			return int(n)
		}
	}
	return 0
}

// inner is the first of some fields that is an object, or a text that holds one,
// as GitHub Copilot writes arguments.
func (o object) inner(keys ...string) object {
	for _, k := range keys {
		src := o[k]
		if s := o.text(k); s != "" {
			src = json.RawMessage(s)
		}
		var in object
		if json.Unmarshal(src, &in) == nil && in != nil {
			return in
		}
	}
	return nil
}

// files are the files that a tool call names. A patch is a text with a line for
// each file.
func (o object) files() (files []string) {
	args := o.inner("tool_input", "toolArgs", "tool_args")
	if f := args.text("file_path", "filePath", "absolute_path", "path"); f != "" {
		files = append(files, f)
	}
	patch := args.text("command", "input", "patch")
	if patch == "" {
		patch = strings.Join(args.texts("command"), "\n")
	}
	for line := range strings.Lines(patch) {
		for _, begin := range []string{"*** Add File: ", "*** Update File: ", "*** Move to: "} {
			if f, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), begin); ok {
				files = append(files, f)
			}
		}
	}
	return files
}

// command is the command that a call runs; a patch is none.
func (o object) command() string {
	c := o.inner("tool_input", "toolArgs", "tool_args").text("command", "cmd")
	if strings.HasPrefix(c, "*** Begin Patch") {
		return ""
	}
	return c
}

func (o object) has(key string) bool {
	_, ok := o[key]
	return ok
}

func (o object) hasAll(keys []string) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return !o.has(key) })
}
