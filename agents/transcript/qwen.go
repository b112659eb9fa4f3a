package transcript

import (
	"cmp"
	"fmt"
	"strings"
)

// qwenLine is a line of a Qwen Code transcript, which has Gemini's parts in
// Claude Code's envelope. Its stream is Claude Code's.
type qwenLine struct {
	Type    string `json:"type"`
	Subtype string `json:"subtype"`
	UUID    string `json:"uuid"`
	Session string `json:"sessionId"`
	Cwd     string `json:"cwd"`
	Branch  string `json:"gitBranch"`
	Version string `json:"version"`
	Model   string `json:"model"`
	Message struct {
		Parts qwenParts `json:"parts"`
	} `json:"message"`
	Usage struct {
		Prompt     int `json:"promptTokenCount"`
		Candidates int `json:"candidatesTokenCount"`
	} `json:"usageMetadata"`
	Window int `json:"contextWindowSize"`
	System struct {
		Event qwenEvent `json:"uiEvent"`
	} `json:"systemPayload"`
	Result struct {
		ID      string        `json:"callId"`
		Status  string        `json:"status"`
		Display geminiDisplay `json:"resultDisplay"`
	} `json:"toolCallResult"`
}

type qwenParts []struct {
	Text string `json:"text"`
	Call *struct {
		ID   string    `json:"id"`
		Name string    `json:"name"`
		Args toolInput `json:"args"`
	} `json:"functionCall"`
	Response qwenResponse `json:"functionResponse"`
}

func qwen(line []byte) (r Record, ok bool) {
	var l qwenLine
	if !decode(line, &l) {
		return r, false
	}
	if l.Session == "" { // of the stream
		return claude(line)
	}
	r = Record{Session: l.Session, Dir: l.Cwd, Version: l.Version, Model: l.Model, Branch: l.Branch}
	switch l.Type {
	case "assistant":
		r.Call, r.Input, r.Output, r.Window = l.UUID, l.Usage.Prompt, l.Usage.Candidates, l.Window
		r.Text = l.Message.Parts.text()
		for _, p := range l.Message.Parts {
			r.Sent += len(p.Text)
			if p.Call != nil {
				r.Tools = append(r.Tools, p.Call.Args.tool(p.Call.ID, p.Call.Name))
			}
		}
	case "user", "tool_result":
		r.Prompt = l.Message.Parts.text()
		for _, p := range l.Message.Parts {
			r.Added += len(p.Text) + p.Response.size
		}
		r.Results = l.results()
	case "system":
		r.Compacted = l.Subtype == "chat_compression"
		l.System.Event.into(&r)
	}
	return r, true
}

// qwenEvent is what Qwen Code records about a call of its model.
type qwenEvent struct {
	Name    string `json:"event.name"`
	Message string `json:"error_message"`
	Error   string `json:"error"`
	Type    string `json:"error_type"`
	Status  any    `json:"status_code"` // a number or a text
}

func (e *qwenEvent) into(r *Record) {
	switch e.Name {
	case "qwen-code.api_error":
		if r.Stopped = e.Type == "APIUserAbortError"; r.Stopped {
			return
		}
		r.Failed, r.FailedAs = cmp.Or(e.Message, e.Error, e.Type, "API error"), e.Type
		if e.Status != nil {
			r.FailedAs = fmt.Sprint(e.Status)
		}
	case "qwen-code.api_cancel":
		r.Stopped = true
	}
}

// qwenResponse is Gemini's, with the number of bytes of its JSON.
type qwenResponse struct {
	geminiResponse
	size int
}

func (r *qwenResponse) UnmarshalJSON(src []byte) error {
	r.size = len(src)
	anyObject(src, &r.geminiResponse)
	return nil
}

// results are those of the calls that a line answers.
func (l *qwenLine) results() (list []Result) {
	for _, p := range l.Message.Parts {
		res := p.Response.Response
		if p.Response.ID == "" {
			continue
		}
		one := geminiResult(p.Response.ID, res.Error != "", cmp.Or(res.Output, res.Error))
		if p.Response.ID == l.Result.ID {
			one.Failed = one.Failed || l.Result.Status == "error" || l.Result.Status == "cancelled"
			one.Changed = l.Result.Display.changed()
		}
		list = append(list, one)
	}
	return list
}

func (parts qwenParts) text() string {
	var all strings.Builder
	for _, p := range parts {
		all.WriteString(p.Text)
	}
	return strings.TrimSpace(all.String())
}
