package transcript

import (
	"cmp"
	"encoding/json"
	"strings"
)

// claudeLine is a line of Claude Code: of the transcript (sessionId,
// compactMetadata), or of --output-format stream-json (session_id,
// compact_metadata). Qwen Code, Amp, Cursor and Droid print streams of this
// form.
type claudeLine struct {
	Type       string         `json:"type"`
	Subtype    string         `json:"subtype"`
	SessionID  string         `json:"sessionId"`
	Session    string         `json:"session_id"`
	Cwd        string         `json:"cwd"`
	Version    string         `json:"version"`
	Model      string         `json:"model"` // of a stream's system/init
	Sidechain  bool           `json:"isSidechain"`
	Parent     string         `json:"parent_tool_use_id"`
	Message    claudeMessage  `json:"message"`
	Compact    compactDetails `json:"compactMetadata"`
	Compacted  compactDetails `json:"compact_metadata"`
	Result     string         `json:"result"`
	IsError    bool           `json:"is_error"`
	USD        float64        `json:"total_cost_usd"` // of the whole run
	ModelUsage map[string]struct {
		ContextWindow int `json:"contextWindow"`
		Input         int `json:"inputTokens"`
		Output        int `json:"outputTokens"`
		CacheRead     int `json:"cacheReadInputTokens"`
		CacheCreate   int `json:"cacheCreationInputTokens"`
	} `json:"modelUsage"`
}

type compactDetails struct {
	PreTokens int `json:"preTokens"`
	Before    int `json:"pre_tokens"`
}

type claudeMessage struct {
	ID      string        `json:"id"`
	Model   string        `json:"model"`
	Content claudeContent `json:"content"`
	Usage   struct {
		Input       int `json:"input_tokens"`
		CacheCreate int `json:"cache_creation_input_tokens"`
		CacheRead   int `json:"cache_read_input_tokens"`
		Output      int `json:"output_tokens"`
		Total       int `json:"total_tokens"` // Qwen: the input holds what was read from the cache
	} `json:"usage"`
}

// claudeContent is the content of a message: a text, or blocks.
type claudeContent struct {
	Text   string
	Blocks []claudeBlock
	Size   int // bytes, as JSON
}

type claudeBlock struct {
	Type    string      `json:"type"`
	Text    string      `json:"text"`
	ID      string      `json:"id"`
	Name    string      `json:"name"`
	Input   claudeInput `json:"input"`
	Thought string      `json:"thinking"`
	Result  string      `json:"tool_use_id"`
	Error   bool        `json:"is_error"`
}

// claudeInput is the input of a tool. Its size is that of its JSON.
type claudeInput struct {
	toolInput
	size int
}

func (in *claudeInput) UnmarshalJSON(src []byte) error {
	in.size = len(src)
	_ = json.Unmarshal(src, &in.toolInput) // an input of another form names no file
	return nil
}

func (c *claudeContent) UnmarshalJSON(src []byte) error {
	c.Size = len(src)
	if len(src) > 0 && src[0] == '[' {
		return json.Unmarshal(src, &c.Blocks)
	}
	return json.Unmarshal(src, &c.Text)
}

func claude(line []byte) (r Record, ok bool) {
	var l claudeLine
	if !decode(line, &l) {
		return r, false
	}
	r = Record{Session: cmp.Or(l.SessionID, l.Session), Dir: l.Cwd, Version: l.Version, Side: l.Sidechain || l.Parent != ""}
	switch l.Type {
	case "assistant":
		l.Message.reply(&r)
	case "user":
		r.Prompt = l.Message.Content.Text
		r.Added = l.Message.Content.Size
		for _, b := range l.Message.Content.Blocks {
			if b.Error {
				r.Errors = append(r.Errors, b.Result)
			}
		}
	case "system":
		r.Model = l.Model
		r.Compacted = l.Subtype == "compact_boundary"
		r.Before = cmp.Or(l.Compact.PreTokens, l.Compacted.Before)
	case "result":
		r.End, r.USD = true, l.USD
		if l.IsError {
			r.Failed = cmp.Or(l.Result, l.Subtype)
		}
		for _, usage := range l.ModelUsage {
			r.Window = max(r.Window, usage.ContextWindow)
			r.Spent += usage.Input + usage.Output + usage.CacheRead + usage.CacheCreate
		}
	}
	return r, true
}

// synthetic is the model of messages that Claude Code writes itself, such as
// the text of an API error.
const synthetic = "<synthetic>"

func (m *claudeMessage) reply(r *Record) {
	if m.Model == synthetic {
		return
	}
	u := m.Usage
	r.Call, r.Model, r.Output = m.ID, m.Model, u.Output
	if r.Input = u.Input; u.Total != u.Input+u.Output {
		r.Input += u.CacheCreate + u.CacheRead
	}
	var said []string
	for _, b := range m.Content.Blocks {
		r.Sent += len(b.Text) + len(b.Thought) + b.Input.size
		switch b.Type {
		case "text":
			said = append(said, b.Text)
		case "tool_use":
			r.Tools = append(r.Tools, b.Input.tool(b.ID, b.Name))
		}
	}
	r.Text = strings.TrimSpace(strings.Join(said, "\n"))
}
