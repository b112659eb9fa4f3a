package transcript

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
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
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Cwd       string          `json:"cwd"`
	Version   string          `json:"cli_version"`
	Model     string          `json:"model"`
	Window    int             `json:"model_context_window"`
	Info      codexInfo       `json:"info"`
	Usage     codexUsage      `json:"usage"`
	Thread    codexUsage      `json:"thread_token_usage"`
	Role      string          `json:"role"`
	Content   textBlocks      `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	Output    json.RawMessage `json:"output"`
	LastSaid  string          `json:"last_agent_message"`
	Message   string          `json:"message"`
	Reason    string          `json:"reason"`
	Phase     string          `json:"phase"`
	As        codexWord       `json:"codex_error_info"`
	Source    codexSource     `json:"source"`
	Limits    codexLimits     `json:"rate_limits"`
	Git       struct {
		Commit string `json:"commit_hash"`
		Branch string `json:"branch"`
	} `json:"git"`
	Item    codexDone    `json:"item"`
	Success bool         `json:"success"`
	Changes codexChanges `json:"changes"`
	History []codexKept  `json:"replacement_history"`
}

// codexKept is an item that is left of a context after a compaction.
type codexKept struct {
	Type    string     `json:"type"`
	Content textBlocks `json:"content"`
	Sealed  string     `json:"encrypted_content"`
}

// compacted reads a compaction.
func (p *codexPayload) compacted(r *Record) {
	r.Compacted, r.Summary = true, p.Message
	for _, k := range p.History {
		r.Kept += string(k.Content) + "\n"
		r.Sealed = r.Sealed || k.Type == "compaction" && k.Sealed != ""
	}
}

// codexWord is Codex's own word for an error: a text, or the only member of an object.
type codexWord string

func (w *codexWord) UnmarshalJSON(src []byte) error {
	var members map[string]json.RawMessage
	if anyObject(src, &members); len(members) == 1 {
		for name := range members {
			*w = codexWord(name)
		}
		return nil
	}
	_ = json.Unmarshal(src, (*string)(w)) // any other form is not known
	return nil
}

// codexSource is who started a session: a word, or what is known about the parent of a subagent.
type codexSource struct {
	sub    bool
	parent string
}

func (s *codexSource) UnmarshalJSON(src []byte) error {
	var form struct {
		Subagent json.RawMessage `json:"subagent"`
	}
	anyObject(src, &form)
	var spawned struct {
		Spawn struct {
			Parent string `json:"parent_thread_id"`
		} `json:"thread_spawn"`
	}
	s.sub = len(form.Subagent) > 0 && string(form.Subagent) != "null"
	anyObject(form.Subagent, &spawned)
	s.parent = spawned.Spawn.Parent
	return nil
}

// codexLimits are the limits of the account, as after the last call.
type codexLimits struct {
	Primary, Secondary struct {
		Used float64 `json:"used_percent"`
	}
	Reached string `json:"rate_limit_reached_type"`
}

func (l *codexLimits) usedUp() bool {
	return l.Primary.Used >= 100 || l.Secondary.Used >= 100 || l.Reached != ""
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
	Exit    *int    `json:"exit_code"`
	Output  string  `json:"aggregated_output"`
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
		r.Session, r.Dir, r.Version, r.Branch, r.Commit = p.ID, p.Cwd, p.Version, p.Git.Branch, p.Git.Commit
		r.Sub, r.Parent = p.Source.sub, p.Source.parent
	case "turn_context":
		r.Model, r.Dir = p.Model, p.Cwd
	case "token_usage_record":
		p.Usage.into(&r, p.Thread)
	case "event_msg":
		p.event(&r)
	case "response_item":
		p.item(&r)
	case "compacted":
		p.compacted(&r)
	case "thread.started":
		r.Session = l.Thread
	case "item.started", "item.completed":
		l.Item.into(&r, l.Type == "item.completed")
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
		r.Limited = p.Limits.usedUp()
	case "task_started":
		r.Window, r.Begin = p.Window, true
	case "turn_aborted":
		r.Stopped = true
	case "error", "stream_error": // after the second it tries again
		r.Failed, r.FailedAs = cmp.Or(p.Message, "error"), string(p.As)
	case "user_message":
		r.Prompt, r.Added = p.Message, len(p.Message)
	case "item_completed":
		p.Item.into(r)
	case "patch_apply_end":
		if p.Success {
			r.Results = []Result{{ID: p.CallID, Changed: p.Changes.spans()}}
		}
	case "task_complete":
		r.End = true
	}
}

func (p *codexPayload) item(r *Record) {
	switch p.Type {
	case "message":
		if p.Role == "assistant" {
			r.Text, r.Reply = string(p.Content), p.Phase
		}
	case "function_call":
		var in toolInput
		_ = json.Unmarshal([]byte(p.Arguments), &in) // other arguments name no file
		r.Tools = []Tool{in.tool(p.CallID, p.Name)}
	case "custom_tool_call":
		r.Tools = []Tool{{ID: p.CallID, Name: p.Name, File: patched(p.Input), Writes: true}}
		if p.Name == "exec" {
			r.Tools = []Tool{scripted(p.CallID, p.Input)}
		}
	case "function_call_output", "custom_tool_call_output":
		r.Added = len(p.Output)
		r.Results = []Result{codexOutput(p.CallID, p.Output)}
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

// codexOutput is the output of a tool. Its first lines are Codex's own, with the exit
// status, and the output itself follows after a line.
func codexOutput(id string, raw json.RawMessage) Result {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		var blocks textBlocks
		_ = blocks.UnmarshalJSON(raw) // which reads any form
		text = string(blocks)
	}
	var old struct {
		Output   string `json:"output"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if anyObject([]byte(text), &old); old.Metadata.Exit != nil { // until 0.40 or so
		return exited(id, *old.Metadata.Exit, old.Output)
	}
	const output = "\nOutput:\n"
	above, printed, _ := strings.Cut(text, output)
	res := result(id, false, "")
	for _, words := range []string{"Process exited with code ", "Exit code: "} {
		if exit, _, ok := statusAfter(above, words); ok {
			res = exited(id, exit, printed)
			break
		}
		if exit, _, ok := statusAfter(printed, words); ok && strings.HasPrefix(printed, words) { // of apply_patch
			_, printed, _ = strings.Cut(printed, output)
			res = exited(id, exit, printed)
			break
		}
	}
	if script, _, _ := strings.Cut(above, "\n"); script == "Script completed" || script == "Script failed" || strings.HasPrefix(script, "Script running") {
		return scriptedOutput(id, script, printed)
	}
	res.Changed = patchedFiles(printed)
	res.Background = !res.Exited && strings.Contains(above, "Process running with session ID")
	return res
}

// codexDone is an item of the rollout; its names differ from those of the stream.
type codexDone struct {
	Type    string       `json:"type"`
	ID      string       `json:"id"`
	Content textBlocks   `json:"content"`
	Exit    *int         `json:"exit_code"`
	Output  string       `json:"aggregated_output"`
	Status  string       `json:"status"`
	Stderr  string       `json:"stderr"`
	Changes codexChanges `json:"changes"`
}

// codexChanges are the changes of files, by path.
type codexChanges map[string]struct {
	Type string `json:"type"`
	Diff string `json:"unified_diff"`
}

func (i *codexDone) into(r *Record) {
	switch i.Type {
	case "UserMessage":
		r.Prompt = string(i.Content)
	case "CommandExecution":
		if i.Exit != nil {
			r.Results = []Result{exited(i.ID, *i.Exit, i.Output)}
		}
	case "FileChange":
		res := result(i.ID, i.Status == "failed" || i.Status == "declined", i.Stderr)
		res.Changed = i.Changes.spans()
		r.Results = []Result{res}
	}
}

// spans are the lines of the changes, or the files without them.
func (c codexChanges) spans() (list []Span) {
	for _, path := range slices.Sorted(maps.Keys(c)) {
		spans := hunks(path, c[path].Diff)
		if len(spans) == 0 {
			spans = []Span{{File: path}}
		}
		list = append(list, spans...)
	}
	return list
}

func (i *codexItem) into(r *Record, done bool) {
	switch i.Type {
	case "agent_message":
		r.Text = i.Text
	case "command_execution":
		tool := toolInput{Command: i.Command}.tool(i.ID, "exec_command")
		if done && i.Exit != nil {
			tool.Failed = *i.Exit != 0
			r.Results = []Result{exited(i.ID, *i.Exit, i.Output)}
		}
		r.Tools = []Tool{tool}
	case "file_change":
		if !done {
			return
		}
		for _, c := range i.Changes {
			r.Tools = append(r.Tools, Tool{ID: i.ID, Name: "apply_patch", File: c.Path, Writes: true})
		}
		res := Result{ID: i.ID}
		for _, c := range i.Changes {
			res.Changed = append(res.Changed, Span{File: c.Path})
		}
		r.Results = []Result{res}
	}
}

// patchedFiles are the files in what apply_patch prints.
func patchedFiles(output string) (spans []Span) {
	_, list, ok := strings.Cut(output, "Success. Updated the following files:\n")
	for line := range strings.Lines(list) {
		verb, file, found := strings.Cut(strings.TrimSpace(line), " ")
		if !ok || !found || verb != "A" && verb != "M" && verb != "D" {
			break
		}
		spans = append(spans, Span{File: file})
	}
	return spans
}
