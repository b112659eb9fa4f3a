package frame

import "encoding/json"

// SessionStarted is the first frame of a run.
type SessionStarted struct{ Input string }

func (*SessionStarted) Type() string { return "session_started" }

func (p *SessionStarted) fields(c *codec) {
	c.LaterText("input", &p.Input, "prompt")
}

// OutputDelta is a chunk of a run's output.
type OutputDelta struct{ Delta string }

func (*OutputDelta) Type() string { return "output_text_delta" }

func (p *OutputDelta) fields(c *codec) {
	c.Text("delta", &p.Delta, "content")
}

// SessionEnded is the last frame of a run.
type SessionEnded struct{ Reason string }

func (*SessionEnded) Type() string { return "session_ended" }

func (p *SessionEnded) fields(c *codec) { c.Text("reason", &p.Reason) }

// ToolStarted records that a run called a tool.
type ToolStarted struct {
	ToolID, Name string
	Args         json.RawMessage
	TimeoutMS    *uint64
}

func (*ToolStarted) Type() string { return "tool_started" }

func (p *ToolStarted) fields(c *codec) {
	c.Text("tool_id", &p.ToolID)
	c.Text("name", &p.Name)
	c.Value("args", &p.Args)
	c.NullNumber("timeout_ms", &p.TimeoutMS)
}

// ToolStdout is a chunk of a tool's standard output.
type ToolStdout struct{ ToolID, Chunk string }

func (*ToolStdout) Type() string { return "tool_stdout" }

func (p *ToolStdout) fields(c *codec) {
	c.Text("tool_id", &p.ToolID)
	c.Text("chunk", &p.Chunk)
}

// ToolStderr is a chunk of a tool's standard error.
type ToolStderr struct{ ToolID, Chunk string }

func (*ToolStderr) Type() string { return "tool_stderr" }

func (p *ToolStderr) fields(c *codec) {
	c.Text("tool_id", &p.ToolID)
	c.Text("chunk", &p.Chunk)
}

// ToolEnded records that a tool call has ended.
type ToolEnded struct {
	ToolID     string
	ExitCode   int32
	DurationMS uint64
	Artifacts  json.RawMessage // nil for none
}

func (*ToolEnded) Type() string { return "tool_ended" }

func (p *ToolEnded) fields(c *codec) {
	c.Text("tool_id", &p.ToolID)
	c.Int32("exit_code", &p.ExitCode)
	c.Number("duration_ms", &p.DurationMS)
	c.NullValue("artifacts", &p.Artifacts)
}

// ToolFailed records that a tool could not be called.
type ToolFailed struct{ ToolID, Error string }

func (*ToolFailed) Type() string { return "tool_failed" }

func (p *ToolFailed) fields(c *codec) {
	c.Text("tool_id", &p.ToolID)
	c.Text("error", &p.Error)
}
