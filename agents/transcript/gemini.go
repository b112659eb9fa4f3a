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
	Kind      string        `json:"kind"`
	Model     string        `json:"model"`
	Role      string        `json:"role"`
	Delta     bool          `json:"delta"`
	Content   geminiContent `json:"content"`
	Tokens    struct {
		Input int `json:"input"`
		Total int `json:"total"`
	} `json:"tokens"`
	Calls    []geminiCall `json:"toolCalls"`
	ToolName string       `json:"tool_name"`
	ToolID   string       `json:"tool_id"`
	Input    toolInput    `json:"parameters"`
	Output   string       `json:"output"`
	Severity string       `json:"severity"`
	Message  string       `json:"message"`
	Status   string       `json:"status"`
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
	r = Record{Session: cmp.Or(l.SessionID, l.Session), DirHash: l.Hash, Model: l.Model, Sub: l.Kind == "subagent"}
	switch l.Type {
	case "gemini": // in the chat file
		r.Text = strings.TrimSpace(l.Content.Text)
		for i := range l.Calls {
			l.Calls[i].into(&r)
		}
		if l.Tokens.Input > 0 {
			r.Call, r.Input = l.ID, l.Tokens.Total
		}
	case "user":
		r.Prompt, r.Added = strings.TrimSpace(l.Content.Text), l.Content.Size
		r.Aside = strings.HasPrefix(r.Prompt, "<session_context>") || strings.HasPrefix(r.Prompt, "<state_snapshot>")
	case "message": // in the stream
		if l.Role == "user" {
			r.Prompt = strings.TrimSpace(l.Content.Text)
		} else {
			r.Text, r.More = l.Content.Text, l.Delta
		}
	case "tool_use":
		r.Tools = []Tool{l.Input.tool(l.ToolID, l.ToolName)}
	case "tool_result":
		r.Results = []Result{geminiResult(l.ToolID, l.Status == "error", cmp.Or(l.Output, l.Error.Message))}
	case "error":
		if l.Severity != "warning" {
			r.Failed = cmp.Or(l.Message, strings.TrimSpace(l.Content.Text)) // in the stream, in the chat file
		}
	case "info":
		r.Stopped = strings.HasPrefix(l.Content.Text, "Request cancelled")
	case "result":
		r.End, r.Spent = true, l.Stats.Total
		if l.Status != "success" {
			r.Failed = cmp.Or(l.Error.Message, l.Status)
		}
	}
	return r, true
}

// geminiCall is a call of a tool with its result: Gemini CLI writes both at once, when
// the tool has ended.
type geminiCall struct {
	ID      string        `json:"id"`
	Name    string        `json:"name"`
	Args    toolInput     `json:"args"`
	Status  string        `json:"status"`
	Display geminiDisplay `json:"resultDisplay"`
	Result  []struct {
		Response geminiResponse `json:"functionResponse"`
	} `json:"result"`
}

// geminiResponse is what the model reads of a result.
type geminiResponse struct {
	ID       string `json:"id"`
	Response struct {
		Output string `json:"output"`
		Error  string `json:"error"`
	} `json:"response"`
}

// geminiDisplay is what a person is shown of a result: a text, or a change of a file.
type geminiDisplay struct {
	Diff string `json:"fileDiff"`
	Path string `json:"filePath"`
	New  bool   `json:"isNewFile"`
	Old  string `json:"originalContent"`
}

func (d *geminiDisplay) UnmarshalJSON(src []byte) error {
	type plain geminiDisplay // without this method
	anyObject(src, (*plain)(d))
	return nil
}

// changed are the lines that a call changed.
func (d *geminiDisplay) changed() []Span {
	if d.Diff == "" {
		return nil
	}
	if spans := hunks(d.Path, d.Diff); len(spans) > 0 && !d.New && d.Old != "" {
		return spans
	}
	return []Span{{File: d.Path}}
}

func (c *geminiCall) into(r *Record) {
	tool := c.Args.tool(c.ID, c.Name)
	tool.Failed = c.Status == "error" || c.Status == "cancelled"
	r.Tools = append(r.Tools, tool)
	if c.Status == "" { // it has not ended
		return
	}
	var output string
	for _, one := range c.Result {
		output += cmp.Or(one.Response.Response.Output, one.Response.Response.Error)
	}
	res := geminiResult(c.ID, tool.Failed, output)
	res.Changed, res.Refused = c.Display.changed(), c.Status == "cancelled" // by the user
	r.Results = append(r.Results, res)
}

// geminiResult is the result of a call. The exit status of a command is in the last
// lines of what the model reads, and is left out if it is 0 in newer versions.
func geminiResult(id string, failed bool, output string) Result {
	exit, ok := lastStatus(output, "\nExit Code: ")
	if _, printed, found := strings.Cut(output, "Output: "); found && ok {
		output, _, _ = strings.Cut(printed, "\nExit Code: ")
		if empty, failure, found := strings.Cut(output, "\nError: "); found && empty == "(empty)" {
			output = failure
		}
	}
	if ok {
		return exited(id, exit, output)
	}
	return result(id, failed, output)
}
