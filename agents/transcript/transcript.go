// Package transcript reads what agents write about their own sessions: the
// transcripts that they keep on disk and the JSON lines that they print when a
// program starts them. A [Format] reads one line into a [Record]; a [Session]
// adds records up to what is known about the context now.
//
// It gets bytes and opens no file: agents/transcript/tail does that. It does not know
// when a host compacts: package agents has the limits, and agents/transcript/gauge
// compares. Nothing here fails. A line that is torn, not JSON or of an unknown
// type is skipped, because every host adds record types every month.
package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// Record is what one line reports. Members that it does not report are zero.
type Record struct {
	Session string // the host's id of the session
	Dir     string // the folder that the session works in, absolute
	DirHash string // SHA-256 of that folder in hex, where a host records only that
	Version string // of the host
	Model   string
	Side    bool // belongs to a subagent, whose context is its own

	// Call identifies the call of the model. A host may write several records
	// of one call: they have the same Call.
	Call   string
	Input  int // tokens in the context at this call, cached ones included; 0: no usage here
	Output int // tokens of the reply, where Input leaves them out
	Window int // size of the model's context in tokens, 0 unless the host reports it

	Windows map[string]int // that size for each model of the run, where the host reports it so

	Spent int     // tokens of all calls of the run so far, where a record has the sum
	USD   float64 // cost of the step or the run that ends here, where the host reports it

	Compacted bool   // the context was compacted here
	Before    int    // tokens before the compaction, 0 unless recorded
	Summary   string // what the host wrote instead of the context
	Kept      string // what it kept of the context, word for word
	Sealed    bool   // it wrote more, encrypted

	Text   string // the agent's texts
	More   bool   // Text continues the text of the record before
	Prompt string // what it was asked
	Aside  bool   // the host wrote Prompt: a summary, a notice, the feedback of a hook
	Tools  []Tool // calls of tools
	Sent   int    // bytes of the reply that the agent sent
	Added  int    // bytes that were added to the context: results of tools, prompts

	Results []Result // results of tool calls

	Branch, Commit string // of git, in the folder of the session

	End    bool   // the run of the agent has ended
	Failed string // why the run failed

	// The rest is about how a session ended: see agents/transcript/outcome.

	FailedAs string // the host's own word for Failed, or an HTTP status: rate_limit, 429
	Limited  bool   // the host reports that the account's limit is used up
	Begin    bool   // the agent begins a turn, or asks its model again
	Stopped  bool   // a person stopped the agent
	Closed   bool   // the host's program ended in order
	Reply    string // why the model ended its reply, in the host's words; "" if the host does not record it
	Sub      bool   // the whole session is that of a subagent
	Parent   string // the session that started it
	Resets   int64  // when the limit that refuses the run resets, in seconds since 1970, where the host reports it
}

// EndsTurn reports whether the host's word for why the model ended its reply means that the turn is over.
func (r *Record) EndsTurn() bool {
	switch r.Reply {
	case "end_turn", "stop_sequence", "refusal", "final_answer", "max_tokens":
		return true
	}
	return false
}

// Tool is a call of a tool.
type Tool struct {
	ID, Name string
	File     string // that is read or written, as the agent named it
	Part     int    // the line of File at which reading starts, 0 for the first
	Writes   bool   // it changes File
	Command  string // that a shell runs
	Dir      string // in which it runs it, if the call names that
	Subagent string // the kind of subagent that it starts, and in Task what for
	Task     string
	What     string // what a tool without a file and a command is asked: a pattern, a page, a task
	Failed   bool   // it is known to have failed; see [Result]
	Todos    []Todo // the to-do list, or one of its entries
	Change   bool   // Todos are new or changed entries, and not the whole list
}

// Todo is an entry of the to-do list, as a host records it.
type Todo struct {
	ID     string // "" where a host identifies entries by their text
	Text   string
	Status string // in the host's words: pending, in_progress, completed, …
}

// Done reports whether nothing is left to do.
func (t Todo) Done() bool {
	return t.Status == "completed" || t.Status == "cancelled" || t.Status == "deleted" || t.Status == "done"
}

// Result is the result of a tool call.
type Result struct {
	ID         string
	Exit       int  // status with which a command exited, if Exited
	Exited     bool // Exit is recorded
	Failed     bool
	Refused    bool   // with Failed: the user, or a rule of the host, did not allow the call
	Background bool   // a command still runs
	Error      string // the beginning of the report, if it failed
	Output     string // the last lines of what the call printed, at most 2 KB: a part of a longer text, which it keeps in memory
	Shortened  bool   // there is more before Output
	Changed    []Span // the changed lines, as they are after the change
	Read       []Span // the lines that it read
	Todo       string // the id that an entry of the list got
	Told       bool   // the host records of each such call whether it failed, so one that did not succeeded
	Calls      int    // of tools, by the subagent that the call started, if Counted
	Counted    bool
}

// Span is a part of a file.
type Span struct {
	File        string // "" for the file of the call
	First, Last int    // lines; 0 for all of it
}

// FailedCall reports whether the call with this id is known to have failed.
func (r *Record) FailedCall(id string) bool {
	for i := range r.Results {
		if r.Results[i].ID == id && r.Results[i].Failed {
			return true
		}
	}
	return false
}

// Format reads one line of a transcript or a stream. ok is false for a line
// that is torn or not JSON. An unknown type of record is ok and empty.
type Format func(line []byte) (r Record, ok bool)

// Formats are the formats of lines by name. A format reads the transcripts of
// an agent as well as its stream: they differ in the types of their records.
var Formats = map[string]Format{
	"acp":     acp,
	"claude":  claude,
	"codex":   codex,
	"copilot": copilot,
	"gemini":  gemini,
	Exporter:  opencode,
	"pi":      pi,
	"qwen":    qwen,
}

// Marks are the JSON strings that only records of a compaction have, by format.
// They find such records without reading every line. Formats that are missing
// here leave no mark.
var Marks = map[string]string{
	"claude":  `"compact_boundary"`,
	"codex":   `"compacted"`,
	"copilot": `"session.compaction_complete"`,
	"pi":      `"compaction"`,
	"qwen":    `"chat_compression"`,
}

// Detect returns the name of the format that the first lines of a transcript
// have, "" for none. head may end within a line.
func Detect(head []byte) string {
	for line := range bytes.Lines(head) {
		var probe struct {
			Type      string          `json:"type"`
			Timestamp json.RawMessage `json:"timestamp"`
			Session   string          `json:"sessionId"`
			SessionID string          `json:"sessionID"`
			Stream    string          `json:"session_id"`
			Thread    string          `json:"thread_id"`
			Hash      string          `json:"projectHash"`
			Model     string          `json:"model"`
			UUID      string          `json:"uuid"`
			Version   string          `json:"qwen_code_version"`
			Cwd       string          `json:"cwd"`
			Protocol  string          `json:"protocol"`
			Payload   json.RawMessage `json:"payload"`
			Data      json.RawMessage `json:"data"`
			Part      json.RawMessage `json:"part"`
			Message   struct {
				Parts json.RawMessage `json:"parts"`
			} `json:"message"`
			System json.RawMessage `json:"systemPayload"`
		}
		if !decode(line, &probe) {
			continue
		}
		switch {
		case probe.Protocol == "acp":
			return "acp"
		case probe.Hash != "", probe.Type == "init":
			return "gemini"
		case probe.Type == "thread.started", len(probe.Payload) > 0 && len(probe.Timestamp) > 0:
			return "codex"
		case probe.Type == "session" && probe.Cwd != "" && len(probe.Timestamp) > 0:
			return "pi"
		case probe.SessionID != "" && len(probe.Part) > 0:
			return Exporter
		case probe.Version != "", len(probe.Message.Parts) > 0, len(probe.System) > 0:
			return "qwen"
		case strings.Contains(probe.Type, ".") && len(probe.Data) > 0:
			return "copilot"
		case probe.Session != "" && probe.UUID != "", probe.Stream != "" && probe.UUID != "":
			return "claude"
		}
	}
	return ""
}

// decode reads a line into a value and reports whether it is a JSON object. A
// member of another type than the value's is left out: in another record it may
// mean something else.
func decode(line []byte, into any) bool {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' {
		return false
	}
	err := json.Unmarshal(line, into)
	_, other := errors.AsType[*json.UnmarshalTypeError](err)
	return err == nil || other
}
