package thread

import "encoding/json"

// SessionStarted is the first frame of a run.
type SessionStarted struct{ Input string }

func (*SessionStarted) Type() string { return "session_started" }

func (p *SessionStarted) fields(c *codec) {
	if c.writing {
		c.text("input", &p.Input)
	} else if value, ok := c.take("input", "prompt"); ok { // older logs say prompt, or nothing
		c.readText("input", value, &p.Input)
	}
}

// OutputDelta is a piece of what a run says.
type OutputDelta struct{ Delta string }

func (*OutputDelta) Type() string { return "output_text_delta" }

func (p *OutputDelta) fields(c *codec) {
	if c.writing {
		c.text("delta", &p.Delta)
	} else if value, ok := c.need("text", "delta", "content"); ok { // older logs say content
		c.readText("delta", value, &p.Delta)
	}
}

// SessionEnded is the last frame of a run.
type SessionEnded struct{ Reason string }

func (*SessionEnded) Type() string { return "session_ended" }

func (p *SessionEnded) fields(c *codec) { c.text("reason", &p.Reason) }

// ToolStarted says that a run called a tool.
type ToolStarted struct {
	ToolID, Name string
	Args         json.RawMessage
	TimeoutMS    *uint64
}

func (*ToolStarted) Type() string { return "tool_started" }

func (p *ToolStarted) fields(c *codec) {
	c.text("tool_id", &p.ToolID)
	c.text("name", &p.Name)
	c.value("args", &p.Args)
	c.nullableNumber("timeout_ms", &p.TimeoutMS)
}

// ToolStdout is a piece of a tool's output.
type ToolStdout struct{ ToolID, Chunk string }

func (*ToolStdout) Type() string { return "tool_stdout" }

func (p *ToolStdout) fields(c *codec) {
	c.text("tool_id", &p.ToolID)
	c.text("chunk", &p.Chunk)
}

// ToolStderr is a piece of a tool's complaints.
type ToolStderr struct{ ToolID, Chunk string }

func (*ToolStderr) Type() string { return "tool_stderr" }

func (p *ToolStderr) fields(c *codec) {
	c.text("tool_id", &p.ToolID)
	c.text("chunk", &p.Chunk)
}

// ToolEnded says how a tool came out.
type ToolEnded struct {
	ToolID     string
	ExitCode   int32
	DurationMS uint64
	Artifacts  json.RawMessage // nil for none
}

func (*ToolEnded) Type() string { return "tool_ended" }

func (p *ToolEnded) fields(c *codec) {
	c.text("tool_id", &p.ToolID)
	c.signed("exit_code", &p.ExitCode)
	c.number("duration_ms", &p.DurationMS)
	c.nullableValue("artifacts", &p.Artifacts)
}

// ToolFailed says that a tool could not be called.
type ToolFailed struct{ ToolID, Error string }

func (*ToolFailed) Type() string { return "tool_failed" }

func (p *ToolFailed) fields(c *codec) {
	c.text("tool_id", &p.ToolID)
	c.text("error", &p.Error)
}
