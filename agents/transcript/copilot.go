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
		As      string `json:"errorType"`
		Status  int    `json:"statusCode"`
		Ending  string `json:"shutdownType"`
		Reason  string `json:"errorReason"`
		Context struct {
			Cwd    string `json:"cwd"`
			Branch string `json:"branch"`
			Commit string `json:"headCommit"`
		} `json:"context"`
		Usage struct {
			Model  string `json:"model"`
			Input  int    `json:"inputTokens"`
			Output int    `json:"outputTokens"`
			Window int    `json:"maxPromptTokens"`
		} `json:"usage"`
		Content string     `json:"content"`
		Calls   []struct{} `json:"toolRequests"`
		ToolID  string     `json:"toolCallId"`
		Tool    string     `json:"toolName"`
		Args    toolInput  `json:"arguments"`
		Result  struct {
			Content string `json:"content"`
			Detail  string `json:"detailedContent"`
		} `json:"result"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
		Shell struct {
			Exit *int `json:"exitCode"`
		} `json:"shellExecution"`
		Edits []struct {
			Path string `json:"path"`
			Kind string `json:"kind"`
		} `json:"fileEdits"`
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
		r.Session, r.Dir, r.Version, r.Branch, r.Commit = d.Session, d.Context.Cwd, d.Version, d.Context.Branch, d.Context.Commit
	case "session.usage_record":
		r.Call, r.Model, r.Input, r.Output, r.Window = l.ID, d.Usage.Model, d.Usage.Input, d.Usage.Output, d.Usage.Window
	case "user.message":
		r.Prompt, r.Added = d.Content, len(d.Content)
	case "assistant.message":
		r.Text, r.Model, r.Reply = d.Content, d.Model, "end_turn"
		if len(d.Calls) > 0 {
			r.Reply = "tool_use"
		}
	case "tool.execution_start":
		r.Tools = []Tool{d.Args.tool(d.ToolID, d.Tool)}
	case "tool.execution_complete":
		r.Added = len(d.Result.Content)
		r.Results = []Result{l.result()}
	case "session.compaction_complete":
		r.Compacted, r.Before = d.Success == nil || *d.Success, d.Before
	case "session.error":
		r.Failed, r.FailedAs = cmp.Or(d.Message, "session error"), cmp.Or(d.As, status(d.Status))
	case "assistant.turn_start":
		r.Begin = true
	case "abort":
		r.Stopped = true
	case "session.shutdown":
		if r.Closed = d.Ending != "error"; !r.Closed {
			r.Failed = cmp.Or(d.Reason, "the program failed")
		}
	case "result":
		r.Session, r.End = l.Session, true
		if l.Exit != 0 {
			r.Failed = "the agent failed"
		}
	}
	return r, true
}

// result is a tool's result. Since about 1.0.90 the status of a command has its own
// member; before, it was only in the last line of the output.
func (l *copilotLine) result() Result {
	d := &l.Data
	if d.Shell.Exit != nil {
		return exited(d.ToolID, *d.Shell.Exit, d.Result.Content)
	}
	for _, words := range []string{"<exited with exit code ", "completed with exit code "} {
		if exit, ok := lastStatus(d.Result.Content, words); ok {
			return exited(d.ToolID, exit, d.Result.Content)
		}
	}
	res := result(d.ToolID, d.Success != nil && !*d.Success, cmp.Or(d.Error.Message, d.Result.Content))
	for _, e := range d.Edits {
		spans := []Span{{File: e.Path}}
		if changed := hunks(e.Path, d.Result.Detail); len(d.Edits) == 1 && e.Kind != "create" && len(changed) > 0 {
			spans = changed
		}
		res.Changed = append(res.Changed, spans...)
	}
	return res
}
