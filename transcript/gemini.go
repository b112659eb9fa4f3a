package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
)

// geminiLine is a line of Gemini CLI: of the chat file (tokens, $set), or of
// -o stream-json (session_id, stats). The stream has sums only, so only the
// chat file reports usage.
type geminiLine struct {
	Type      string        `json:"type"`
	ID        string        `json:"id"`
	SessionID string        `json:"sessionId"`
	Session   string        `json:"session_id"`
	Hash      string        `json:"projectHash"`
	Model     string        `json:"model"`
	Role      string        `json:"role"`
	Delta     bool          `json:"delta"`
	Content   geminiContent `json:"content"`
	Tokens    struct {
		Input int `json:"input"`
		Total int `json:"total"`
	} `json:"tokens"`
	Calls []struct {
		ID     string    `json:"id"`
		Name   string    `json:"name"`
		Args   toolInput `json:"args"`
		Status string    `json:"status"`
	} `json:"toolCalls"`
	ToolName string    `json:"tool_name"`
	ToolID   string    `json:"tool_id"`
	Input    toolInput `json:"parameters"`
	Output   string    `json:"output"`
	Severity string    `json:"severity"`
	Message  string    `json:"message"`
	Status   string    `json:"status"`
	Stats    struct {
		Total int `json:"total_tokens"`
	} `json:"stats"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

// geminiContent is a text, or parts.
type geminiContent struct {
	Text string
	Size int
}

func (c *geminiContent) UnmarshalJSON(src []byte) error {
	c.Size = len(src)
	if json.Unmarshal(src, &c.Text) == nil {
		return nil
	}
	var parts textBlocks
	_ = parts.UnmarshalJSON(src) // which reads any form
	c.Text = string(parts)
	return nil
}

func gemini(line []byte) (r Record, ok bool) {
	var l geminiLine
	if !decode(line, &l) {
		return r, false
	}
	r = Record{Session: cmp.Or(l.SessionID, l.Session), DirHash: l.Hash, Model: l.Model}
	switch l.Type {
	case "gemini": // in the chat file
		r.Text = strings.TrimSpace(l.Content.Text)
		for _, c := range l.Calls {
			tool := c.Args.tool(c.ID, c.Name)
			tool.Failed = c.Status == "error" || c.Status == "cancelled"
			r.Tools = append(r.Tools, tool)
		}
		if l.Tokens.Input > 0 {
			r.Call, r.Input = l.ID, l.Tokens.Total
		}
	case "user":
		r.Prompt, r.Added = strings.TrimSpace(l.Content.Text), l.Content.Size
	case "message": // in the stream
		if l.Role == "user" {
			r.Prompt = strings.TrimSpace(l.Content.Text)
		} else {
			r.Text, r.More = l.Content.Text, l.Delta
		}
	case "tool_use":
		r.Tools = []Tool{l.Input.tool(l.ToolID, l.ToolName)}
	case "error":
		if l.Severity != "warning" {
			r.Failed = l.Message
		}
	case "result":
		r.End, r.Spent = true, l.Stats.Total
		if l.Status != "success" {
			r.Failed = cmp.Or(l.Error.Message, l.Status)
		}
	}
	return r, true
}
