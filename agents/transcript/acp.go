package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// acpLine is a line of `handoff acp`: the first one (protocol), an update of the
// agent, a call of a tool, or the end. The usage in the end is the sum of the turn,
// which is not what the context holds, so only updates report usage.
type acpLine struct {
	Protocol string    `json:"protocol"`
	Session  string    `json:"sessionId"`
	Dir      string    `json:"cwd"`
	Model    string    `json:"model"`
	Call     string    `json:"call"`
	Tool     acpTool   `json:"tool"`
	Update   acpUpdate `json:"update"`
	Stop     string    `json:"stopReason"`
	Agent    struct {
		Version string `json:"version"`
	} `json:"agentInfo"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

type acpUpdate struct {
	Kind    string          `json:"sessionUpdate"`
	Content json.RawMessage `json:"content"` // one block, or those of a tool
	ToolID  string          `json:"toolCallId"`
	Status  string          `json:"status"`
	Used    int             `json:"used"`
	Size    int             `json:"size"`
	Output  struct {
		Metadata struct {
			Exit *int `json:"exit"`
		} `json:"metadata"`
	} `json:"rawOutput"`
}

type acpTool struct {
	ID        string    `json:"toolCallId"`
	Name      string    `json:"name"`
	Title     string    `json:"title"`
	Kind      string    `json:"kind"`
	Status    string    `json:"status"`
	Input     toolInput `json:"rawInput"`
	Locations []struct {
		Path string `json:"path"`
		Line int    `json:"line"`
	} `json:"locations"`
}

func acp(line []byte) (r Record, ok bool) {
	var l acpLine
	if !decode(line, &l) {
		return r, false
	}
	r.Session, r.Dir, r.Model, r.Version = l.Session, l.Dir, l.Model, l.Agent.Version
	switch {
	case l.Error.Message != "":
		r.End, r.Failed = true, l.Error.Message
	case l.Stop != "":
		r.End = true
		if l.Stop != "end_turn" {
			r.Failed = "stopped: " + l.Stop
		}
	case l.Tool.ID != "":
		r.Tools = []Tool{l.Tool.tool()}
	default:
		l.Update.into(&r, l.Call)
	}
	return r, true
}

func (u *acpUpdate) into(r *Record, call string) {
	switch u.Kind {
	case "agent_message_chunk":
		var block struct {
			Text string `json:"text"`
		}
		_ = json.Unmarshal(u.Content, &block) // other blocks are pictures and sounds
		r.Text, r.More = block.Text, true
	case "usage_update":
		r.Call, r.Input, r.Window = call, u.Used, u.Size
	case "tool_call", "tool_call_update":
		if u.Status == "completed" || u.Status == "failed" {
			r.Added = len(u.Content)
		}
		switch exit := u.Output.Metadata.Exit; {
		case exit != nil:
			r.Results = []Result{exited(u.ToolID, *exit, u.text())}
		case u.Status == "completed" || u.Status == "failed":
			r.Results = []Result{result(u.ToolID, u.Status == "failed", u.text())}
		}
	}
}

// tool is the call. The title of a command is the command, where the agent does
// not send the input.
func (t *acpTool) tool() Tool {
	in := t.Input
	if t.Kind == "execute" {
		in.Command = cmp.Or(in.Command, in.Cmd, command(t.Title))
	} else if len(t.Locations) > 0 {
		in.Path, in.Offset = cmp.Or(in.Path, t.Locations[0].Path), cmp.Or(in.Offset, t.Locations[0].Line)
	}
	call := in.tool(t.ID, cmp.Or(t.Name, t.Kind, t.Title))
	call.Writes = slices.Contains([]string{"edit", "delete", "move"}, t.Kind)
	call.Failed = t.Status == "failed"
	return call
}

// text is what a tool printed, as far as the agent sends it as text.
func (u *acpUpdate) text() string {
	var blocks []struct {
		Content struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	_ = json.Unmarshal(u.Content, &blocks) // other forms have no text
	var all strings.Builder
	for _, b := range blocks {
		all.WriteString(b.Content.Text)
	}
	return all.String()
}
