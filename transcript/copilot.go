package transcript

import "cmp"

// copilotLine is an event of Copilot CLI: of events.jsonl, or of
// --output-format json, which leaves out session.usage_record and has a result
// in the end.
type copilotLine struct {
	Type    string `json:"type"`
	ID      string `json:"id"`
	Session string `json:"sessionId"`
	Exit    int    `json:"exitCode"`
	Data    struct {
		Session string `json:"sessionId"`
		Version string `json:"copilotVersion"`
		Model   string `json:"model"`
		Message string `json:"message"`
		Context struct {
			Cwd string `json:"cwd"`
		} `json:"context"`
		Usage struct {
			Model  string `json:"model"`
			Input  int    `json:"inputTokens"`
			Output int    `json:"outputTokens"`
			Window int    `json:"maxPromptTokens"`
		} `json:"usage"`
		Content string    `json:"content"`
		ToolID  string    `json:"toolCallId"`
		Tool    string    `json:"toolName"`
		Args    toolInput `json:"arguments"`
		Result  struct {
			Content string `json:"content"`
		} `json:"result"`
		Before  int   `json:"preCompactionTokens"`
		Success *bool `json:"success"`
	} `json:"data"`
}

func copilot(line []byte) (r Record, ok bool) {
	var l copilotLine
	if !decode(line, &l) {
		return r, false
	}
	d := &l.Data
	switch l.Type {
	case "session.start":
		r.Session, r.Dir, r.Version = d.Session, d.Context.Cwd, d.Version
	case "session.usage_record":
		r.Call, r.Model, r.Input, r.Output, r.Window = l.ID, d.Usage.Model, d.Usage.Input, d.Usage.Output, d.Usage.Window
	case "user.message":
		r.Prompt, r.Added = d.Content, len(d.Content)
	case "assistant.message":
		r.Text, r.Model = d.Content, d.Model
	case "tool.execution_start":
		r.Tools = []Tool{d.Args.tool(d.ToolID, d.Tool)}
	case "tool.execution_complete":
		r.Added = len(d.Result.Content)
		if d.Success != nil && !*d.Success || exitedWithError(d.Result.Content) {
			r.Errors = []string{d.ToolID}
		}
	case "session.compaction_complete":
		r.Compacted, r.Before = d.Success == nil || *d.Success, d.Before
	case "session.error":
		r.Failed = cmp.Or(d.Message, "session error")
	case "result":
		r.Session, r.End = l.Session, true
		if l.Exit != 0 {
			r.Failed = "the agent failed"
		}
	}
	return r, true
}
