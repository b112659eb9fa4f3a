package transcript

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// codexLine is a line of Codex: of the rollout file (payload), or of exec
// --json (thread_id, item). The stream has the usage of a whole turn, which is
// not what the context holds, so only the rollout reports usage.
type codexLine struct {
	Type    string       `json:"type"`
	Payload codexPayload `json:"payload"`
	Thread  string       `json:"thread_id"`
	Item    codexItem    `json:"item"`
	Message string       `json:"message"`
	Usage   struct {
		Input  int `json:"input_tokens"` // cached ones included
		Output int `json:"output_tokens"`
	} `json:"usage"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

type codexPayload struct {
	Type       string          `json:"type"`
	ID         string          `json:"id"`
	Cwd        string          `json:"cwd"`
	Version    string          `json:"cli_version"`
	Model      string          `json:"model"`
	Window     int             `json:"model_context_window"`
	Info       codexInfo       `json:"info"`
	Usage      codexUsage      `json:"usage"`
	Thread     codexUsage      `json:"thread_token_usage"`
	Role       string          `json:"role"`
	Content    textBlocks      `json:"content"`
	Name       string          `json:"name"`
	CallID     string          `json:"call_id"`
	Arguments  string          `json:"arguments"`
	Input      string          `json:"input"`
	Output     json.RawMessage `json:"output"`
	LastSaid   string          `json:"last_agent_message"`
	UserPrompt string          `json:"message"`
}

type codexInfo struct {
	Last   codexUsage `json:"last_token_usage"`
	Total  codexUsage `json:"total_token_usage"`
	Window int        `json:"model_context_window"`
}

type codexUsage struct {
	Input int `json:"input_tokens"`
	Total int `json:"total_tokens"`
}

type codexItem struct {
	ID      string  `json:"id"`
	Type    string  `json:"type"`
	Text    string  `json:"text"`
	Command command `json:"command"`
	Exit    int     `json:"exit_code"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
}

// textBlocks are the texts of a list of blocks. Content of another form has
// none.
type textBlocks string

func (t *textBlocks) UnmarshalJSON(src []byte) error {
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(src, &blocks) == nil {
		for _, b := range blocks {
			*t += textBlocks(b.Text)
		}
	}
	return nil
}

func codex(line []byte) (r Record, ok bool) {
	var l codexLine
	if !decode(line, &l) {
		return r, false
	}
	p := &l.Payload
	switch l.Type {
	case "session_meta":
		r.Session, r.Dir, r.Version = p.ID, p.Cwd, p.Version
	case "turn_context":
		r.Model, r.Dir = p.Model, p.Cwd
	case "token_usage_record":
		p.Usage.into(&r, p.Thread)
	case "event_msg":
		p.event(&r)
	case "response_item":
		p.item(&r)
	case "compacted":
		r.Compacted = true
	case "thread.started":
		r.Session = l.Thread
	case "item.completed":
		l.Item.into(&r)
	case "turn.completed":
		r.End, r.Spent = true, l.Usage.Input+l.Usage.Output
	case "turn.failed", "error":
		r.End, r.Failed = l.Type == "turn.failed", cmp.Or(l.Error.Message, l.Message)
	}
	return r, true
}

// into adds a usage. The sum over the thread identifies the call: Codex repeats
// a usage when nothing was asked in between. After a compaction it estimates
// the total without an input, and that number is not what the context holds.
func (u codexUsage) into(r *Record, sum codexUsage) {
	if u.Input > 0 {
		r.Input, r.Call = u.Total, strconv.Itoa(sum.Total)
	}
}

func (p *codexPayload) event(r *Record) {
	switch p.Type {
	case "token_count":
		p.Info.Last.into(r, p.Info.Total)
		r.Window = p.Info.Window
	case "task_started":
		r.Window = p.Window
	case "user_message":
		r.Prompt, r.Added = p.UserPrompt, len(p.UserPrompt)
	case "task_complete":
		r.End = true
	}
}

func (p *codexPayload) item(r *Record) {
	switch p.Type {
	case "message":
		if p.Role == "assistant" {
			r.Text = string(p.Content)
		}
	case "function_call":
		var in toolInput
		_ = json.Unmarshal([]byte(p.Arguments), &in) // other arguments name no file
		r.Tools = []Tool{in.tool(p.CallID, p.Name)}
	case "custom_tool_call":
		r.Tools = []Tool{{ID: p.CallID, Name: p.Name, File: patched(p.Input), Writes: true}}
	case "function_call_output", "custom_tool_call_output":
		r.Added = len(p.Output)
		if exitedWithError(string(p.Output)) {
			r.Errors = []string{p.CallID}
		}
	}
}

// patched is the first file that a patch of apply_patch adds or updates.
func patched(patch string) string {
	for line := range strings.Lines(patch) {
		for _, verb := range []string{"*** Add File: ", "*** Update File: "} {
			if file, ok := strings.CutPrefix(line, verb); ok {
				return strings.TrimSpace(file)
			}
		}
	}
	return ""
}

func (i *codexItem) into(r *Record) {
	switch i.Type {
	case "agent_message":
		r.Text = i.Text
	case "command_execution":
		tool := toolInput{Command: i.Command}.tool(i.ID, "exec_command")
		tool.Failed = i.Exit != 0
		r.Tools = []Tool{tool}
	case "file_change":
		for _, c := range i.Changes {
			r.Tools = append(r.Tools, Tool{ID: i.ID, Name: "apply_patch", File: c.Path, Writes: true})
		}
	}
}
