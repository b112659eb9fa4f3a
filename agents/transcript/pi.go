package transcript

import (
	"encoding/json"
	"strconv"
	"strings"
)

// piLine is a line of a transcript of pi, or of --mode json. The stream has each message
// three times, when it begins, ends and its turn ends; only the end counts.
type piLine struct {
	Type     string      `json:"type"`
	ID       string      `json:"id"`
	Cwd      string      `json:"cwd"`
	Message  piMessage   `json:"message"`
	Messages []piMessage `json:"messages"` // of agent_end: all of the run
	Summary  string      `json:"summary"`
	Before   int         `json:"tokensBefore"`
	Result   *struct {
		Summary string `json:"summary"`
		Before  int    `json:"tokensBefore"`
	} `json:"result"` // of compaction_end; none if it was aborted or failed
}

type piMessage struct {
	Role    string          `json:"role"`
	Content piParts         `json:"content"`
	Model   string          `json:"model"`
	At      json.RawMessage `json:"timestamp"` // in milliseconds; what tells two calls apart
	Usage   struct {
		Input      int `json:"input"` // without what came from the cache
		Output     int `json:"output"`
		CacheRead  int `json:"cacheRead"`
		CacheWrite int `json:"cacheWrite"`
		Cost       struct {
			Total float64 `json:"total"`
		} `json:"cost"`
	} `json:"usage"`
	Stop   string `json:"stopReason"`
	Error  string `json:"errorMessage"`
	CallID string `json:"toolCallId"`
	Tool   string `json:"toolName"`
	Failed bool   `json:"isError"`
	Detail struct {
		Diff string `json:"diff"`
	} `json:"details"`
}

// piParts are the parts of a message, or its text.
type piParts []struct {
	Type string    `json:"type"`
	Text string    `json:"text"`
	ID   string    `json:"id"`
	Name string    `json:"name"`
	Args toolInput `json:"arguments"`
}

func (p *piParts) UnmarshalJSON(src []byte) error {
	var text string
	if json.Unmarshal(src, &text) == nil {
		*p = piParts{{Type: "text", Text: text}}
		return nil
	}
	type parts piParts
	_ = json.Unmarshal(src, (*parts)(p)) // a part of another form is left out
	return nil
}

func (p piParts) text() string {
	var texts []string
	for _, part := range p {
		if part.Type == "text" {
			texts = append(texts, part.Text)
		}
	}
	return strings.Join(texts, "\n")
}

func pi(line []byte) (r Record, ok bool) {
	var l piLine
	if !decode(line, &l) {
		return r, false
	}
	switch l.Type {
	case "session":
		r.Session, r.Dir = l.ID, l.Cwd
	case "message", "message_end":
		return l.Message.record(), true
	case "compaction":
		r.Compacted, r.Before, r.Summary = true, l.Before, l.Summary
	case "compaction_end":
		if l.Result != nil {
			r.Compacted, r.Before, r.Summary = true, l.Result.Before, l.Result.Summary
		}
	case "agent_end":
		r.End = true
		if n := len(l.Messages); n > 0 && l.Messages[n-1].Stop == "error" {
			r.Failed = head("the agent failed: "+l.Messages[n-1].Error, errorKept)
		}
	}
	return r, true
}

func (m *piMessage) record() (r Record) {
	text := m.Content.text()
	switch m.Role {
	case "user":
		r.Prompt, r.Added = text, len(text)
	case "assistant":
		u := &m.Usage
		r.Call, r.Model, r.Text, r.USD = string(m.At), m.Model, text, u.Cost.Total
		r.Input, r.Output, r.Sent = u.Input+u.CacheRead+u.CacheWrite, u.Output, len(text)
		for _, part := range m.Content {
			if part.Type == "toolCall" {
				r.Tools = append(r.Tools, part.Args.tool(part.ID, part.Name))
			}
		}
	case "toolResult":
		r.Added, r.Results = len(text), []Result{m.result(text)}
	}
	return r
}

// result is a tool's result. The status of a failed command is in the last line of its
// output; a command that did not fail exited with 0.
func (m *piMessage) result(text string) Result {
	if m.Tool == "bash" {
		if !m.Failed {
			return exited(m.CallID, 0, text)
		}
		if exit, ok := lastStatus(text, "Command exited with code "); ok {
			return exited(m.CallID, exit, text)
		}
	}
	r := result(m.CallID, m.Failed, text)
	r.Changed = piChanged(m.Detail.Diff)
	return r
}

// piChanged are the lines that a change wrote. pi numbers the lines of its diffs: "+12 text".
func piChanged(diff string) (spans []Span) {
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "+") {
			continue
		}
		number, _, _ := strings.Cut(strings.TrimSpace(line[1:]), " ")
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 {
			continue
		}
		if last := len(spans) - 1; last >= 0 && spans[last].Last == n-1 {
			spans[last].Last = n
		} else {
			spans = append(spans, Span{First: n, Last: n})
		}
	}
	return spans
}
