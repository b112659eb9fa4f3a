package transcript

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"
)

// claudeLine is a line of Claude Code: of the transcript (sessionId,
// compactMetadata), or of --output-format stream-json (session_id,
// compact_metadata). Qwen Code, Amp, Cursor and Droid print streams of this
// form.
type claudeLine struct {
	Type      string         `json:"type"`
	Subtype   string         `json:"subtype"`
	SessionID string         `json:"sessionId"`
	Session   string         `json:"session_id"`
	Cwd       string         `json:"cwd"`
	Branch    string         `json:"gitBranch"`
	Meta      bool           `json:"isMeta"`
	Summary   bool           `json:"isCompactSummary"`
	Returned  claudeReturn   `json:"toolUseResult"`
	Version   string         `json:"version"`
	Model     string         `json:"model"` // of a stream's system/init
	Sidechain bool           `json:"isSidechain"`
	Parent    string         `json:"parent_tool_use_id"`
	Message   claudeMessage  `json:"message"`
	Compact   compactDetails `json:"compactMetadata"`
	Compacted compactDetails `json:"compact_metadata"`
	Result    string         `json:"result"`
	IsError   bool           `json:"is_error"`
	APIError  bool           `json:"isApiErrorMessage"`
	Status    int            `json:"apiErrorStatus"`
	Error     claudeError    `json:"error"`
	USD       float64        `json:"total_cost_usd"` // of the whole run
	RateLimit struct {
		Status string `json:"status"`
		Resets int64  `json:"resetsAt"`
	} `json:"rate_limit_info"`
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
	Reason  string        `json:"stop_reason"`
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
	Error   *bool       `json:"is_error"`
	Content claudeText  `json:"content"` // of a result
}

// claudeText is a text, or the texts of blocks. Only its beginning and its end are kept.
type claudeText struct {
	head string
	tail Result // with its end
}

func (t *claudeText) UnmarshalJSON(src []byte) error {
	const whole = 16 << 10 // a longer one is not decoded
	var text string
	switch {
	case len(src) == 0 || src[0] != '"':
		var blocks textBlocks
		_ = blocks.UnmarshalJSON(src) // which reads any form
		text = string(blocks)
	case len(src) <= whole:
		_ = json.Unmarshal(src, &text)
	default:
		var tail string
		_ = json.Unmarshal(literalHead(src, errorKept), &text)
		_ = json.Unmarshal(literalTail(src, outputKept), &tail)
		t.head = head(text, errorKept)
		t.tail.printed(tail)
		t.tail.Shortened = true
		return nil
	}
	t.head = head(text, errorKept)
	t.tail.printed(text)
	return nil
}

// claudeReturn is what Claude Code records about a result besides the text for the model.
// If the tool failed, it is a text.
type claudeReturn struct {
	FilePath   string       `json:"filePath"`
	Patch      []claudeHunk `json:"structuredPatch"`
	Background string       `json:"backgroundTaskId"`
	Calls      *int         `json:"totalToolUseCount"` // of a subagent
	File       struct {
		Path  string `json:"filePath"`
		Start int    `json:"startLine"`
		Lines int    `json:"numLines"`
		Total int    `json:"totalLines"`
	} `json:"file"`
	Task struct {
		ID string `json:"id"`
	} `json:"task"`
}

// claudeHunk is a part of a patch.
type claudeHunk struct {
	Start int      `json:"newStart"`
	Lines []string `json:"lines"`
}

func (r *claudeReturn) UnmarshalJSON(src []byte) error {
	type plain claudeReturn // without this method
	anyObject(src, (*plain)(r))
	return nil
}

// into adds what was noted to the result of the call.
func (r *claudeReturn) into(res *Result) {
	res.Background, res.Todo = r.Background != "", r.Task.ID
	if r.Calls != nil {
		res.Calls, res.Counted = *r.Calls, true
	}
	for _, h := range r.Patch {
		text := "@@ -0 +" + strconv.Itoa(h.Start) + " @@\n" + strings.Join(h.Lines, "\n")
		res.Changed = append(res.Changed, hunks(r.FilePath, text)...)
	}
	if r.Patch != nil && len(r.Patch) == 0 && r.FilePath != "" { // a new file
		res.Changed = []Span{{File: r.FilePath}}
	}
	if f := r.File; f.Path != "" && f.Lines > 0 {
		res.Read = []Span{{f.Path, f.Start, f.Start + f.Lines - 1}}
	}
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
	r = Record{Session: cmp.Or(l.SessionID, l.Session), Dir: l.Cwd, Version: l.Version, Branch: l.Branch, Side: l.Sidechain || l.Parent != ""}
	switch l.Type {
	case "assistant":
		if l.APIError {
			l.failed(&r)
			break
		}
		l.Message.reply(&r)
	case "user":
		l.user(&r)
	case "system":
		r.Model = l.Model
		r.Compacted = l.Subtype == "compact_boundary"
		r.Before = cmp.Or(l.Compact.PreTokens, l.Compacted.Before)
		if l.Subtype == "api_error" { // it tries again
			l.failed(&r)
		}
	case "rate_limit_event":
		if l.RateLimit.Status == "rejected" {
			r.Resets = l.RateLimit.Resets
		}
	case "result":
		r.End, r.USD = true, l.USD
		if l.IsError {
			r.Failed = cmp.Or(l.Result, l.Subtype)
		}
		for model, usage := range l.ModelUsage {
			if usage.ContextWindow != 0 {
				if r.Windows == nil {
					r.Windows = map[string]int{}
				}
				r.Windows[model] = usage.ContextWindow
			}
			r.Spent += usage.Input + usage.Output + usage.CacheRead + usage.CacheCreate
		}
	}
	return r, true
}

// user reads a prompt, or the results of tools.
func (l *claudeLine) user(r *Record) {
	r.Added = l.Message.Content.Size
	r.Prompt = l.Message.Content.Text
	for _, b := range l.Message.Content.Blocks {
		switch b.Type {
		case "text":
			r.Prompt = strings.TrimPrefix(r.Prompt+"\n"+b.Text, "\n")
		case "tool_result":
			res := result(b.Result, b.Error != nil && *b.Error, b.Content.head)
			res.Output, res.Shortened = b.Content.tail.Output, b.Content.tail.Shortened
			res.Told = b.Error != nil
			if exit, _, ok := statusAfter(res.Error, "Exit code "); ok && strings.HasPrefix(res.Error, "Exit code ") {
				res.Exit, res.Exited = exit, true
			}
			res.Refused = res.Failed && strings.HasPrefix(res.Error, refused)
			r.Results = append(r.Results, res)
		}
	}
	if len(r.Results) == 1 { // it is about one call
		l.Returned.into(&r.Results[0])
	}
	r.Aside = l.Meta || l.Summary || isNotice(r.Prompt)
	r.Stopped = strings.HasPrefix(strings.TrimSpace(r.Prompt), interrupted)
	if l.Summary {
		r.Summary = r.Prompt
	}
	if args := commandArgs(r.Prompt); r.Aside && args != "" { // of a command that the user typed: /fix the parser
		r.Prompt, r.Aside = args, l.Meta || l.Summary
	}
}

// commandArgs are what a user typed after the name of a command.
func commandArgs(prompt string) string {
	_, rest, _ := strings.Cut(prompt, "<command-args>")
	args, _, ok := strings.Cut(rest, "</command-args>")
	if !ok {
		return ""
	}
	return strings.TrimSpace(args)
}

// notices are the beginnings of prompts that Claude Code writes itself.
var notices = []string{"<task-notification>", "<command-name>", "<command-message>", "<local-command-", "<system-reminder>", "<bash-", "<ide_", "<user-prompt-submit-hook>", interrupted}

// refused begins what Claude Code answers to a call that the user does not allow.
const refused = "The user doesn't want to "

// interrupted begins what Claude Code writes when the user stops it.
const interrupted = "[Request interrupted by user"

func isNotice(prompt string) bool {
	prompt = strings.TrimSpace(prompt)
	for _, n := range notices {
		if strings.HasPrefix(prompt, n) {
			return true
		}
	}
	return false
}

// synthetic is the model of messages that Claude Code writes itself, such as
// the text of an API error.
const synthetic = "<synthetic>"

// claudeError is the error of a call of the model: a word of Claude Code's, or what the API answered.
type claudeError struct {
	Word    string
	Status  int    `json:"status"`
	Message string `json:"message"`
	Error   struct {
		Error struct {
			Type    string `json:"type"`
			Message string `json:"message"`
		} `json:"error"`
	} `json:"error"`
}

func (e *claudeError) UnmarshalJSON(src []byte) error {
	type plain claudeError // without this method
	anyObject(src, (*plain)(e))
	if len(src) > 0 && src[0] == '"' {
		_ = json.Unmarshal(src, &e.Word)
	}
	return nil
}

// failed reads the text that Claude Code writes instead of a reply, or its note about a call that it
// tries again.
func (l *claudeLine) failed(r *Record) {
	text := l.Message.Content.Text
	for _, b := range l.Message.Content.Blocks {
		text = strings.TrimPrefix(text+"\n"+b.Text, "\n")
	}
	e := &l.Error
	r.Failed = cmp.Or(strings.TrimSpace(text), e.Error.Error.Message, e.Message, e.Word, "API error")
	if r.FailedAs = cmp.Or(e.Word, e.Error.Error.Type); r.FailedAs == "" {
		r.FailedAs = status(cmp.Or(l.Status, e.Status))
	}
}

// status is an HTTP status as a word, "" for none.
func status(code int) string {
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}

func (m *claudeMessage) reply(r *Record) {
	if m.Model == synthetic {
		return
	}
	u := m.Usage
	r.Call, r.Model, r.Output, r.Reply = m.ID, m.Model, u.Output, m.Reason
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
