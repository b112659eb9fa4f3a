package acp

import (
	"cmp"
	"encoding/json"
)

// tool is a call of a tool: what its updates add up to.
type tool struct {
	ID        string          `json:"toolCallId"`
	Name      string          `json:"name,omitempty"` // few agents send it
	Title     string          `json:"title,omitempty"`
	Kind      string          `json:"kind,omitempty"`
	Status    string          `json:"status,omitempty"`
	Locations []location      `json:"locations,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"`
	Input     json.RawMessage `json:"rawInput,omitempty"`

	shown bool
}

// location is a file that a tool works on. Diffs in the content have the same
// member.
type location struct {
	Path string `json:"path"`
}

// input has the names that agents use for the file and the command of a tool.
type input struct {
	FilePath   string          `json:"file_path"`
	FilePathJS string          `json:"filePath"`
	Path       string          `json:"path"`
	Notebook   string          `json:"notebook_path"`
	Command    json.RawMessage `json:"command"`
}

// decode reads a value whose form may vary, and leaves out what does not fit.
func decode[T any](src json.RawMessage) (value T) {
	_ = json.Unmarshal(src, &value)
	return value
}

// with returns the call after an update, which contains only the changes.
func (t tool) with(u tool) tool {
	u.Name, u.Title, u.Kind, u.Status = cmp.Or(u.Name, t.Name), cmp.Or(u.Title, t.Title), cmp.Or(u.Kind, t.Kind), cmp.Or(u.Status, t.Status)
	if len(u.Locations) == 0 {
		u.Locations = t.Locations
	}
	if len(decode[[]any](u.Content)) == 0 {
		u.Content = t.Content
	}
	if len(decode[object](u.Input)) == 0 {
		u.Input = t.Input
	}
	u.shown = t.shown
	return u
}

func (t tool) ended() bool { return t.Status == "completed" || t.Status == "failed" }

// known reports whether it is known what the call does: agents announce calls
// before their input is complete.
func (t tool) known() bool {
	in := decode[input](t.Input)
	return t.ended() || len(in.Command) > 0 || in.FilePath+in.FilePathJS+in.Path+in.Notebook != ""
}

// update prints an update as it came. Usage also gets what identifies the call of
// the model, because agents report one call several times.
func (t *turn) update(params json.RawMessage) {
	u := decode[struct {
		Session string          `json:"sessionId"`
		Update  json.RawMessage `json:"update"`
	}](params)
	if u.Session != t.session || t.session == "" {
		return // of another session, or sent before the prompt
	}
	kind := decode[struct {
		Kind string `json:"sessionUpdate"`
	}](u.Update).Kind
	t.modeReport(kind, u.Update)
	switch kind {
	case "tool_call", "tool_call_update":
		t.tool(decode[tool](u.Update), false)
	case "usage_update":
		t.line(object{"sessionId": u.Session, "call": t.lastCall, "update": u.Update})
		return
	}
	t.line(params)
}

// tool prints one line for each tool call, as soon as it is known what the call
// does or the line cannot wait any longer.
func (t *turn) tool(u tool, must bool) tool {
	call := t.tools[u.ID].with(u)
	if !call.shown && (must || call.known()) {
		call.shown = true
		show := call
		show.Content = nil
		t.line(object{"sessionId": t.session, "tool": show})
	}
	if t.tools[u.ID] = call; call.ended() {
		t.tools[u.ID] = tool{shown: true} // an agent may report the end twice
		t.lastCall = u.ID                 // the next call of the model has its result
	}
	return call
}
