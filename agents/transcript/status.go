package transcript

import (
	"cmp"
	"encoding/json"
)

// Status is what a host passes to its status line: Claude Code, Cursor and Qwen
// Code use nearly the same form.
type Status struct {
	Host       string // "cursor", "qwen" or "claude", as far as the form shows
	Session    string
	Transcript string // path, "" if there is none
	Dir        string
	Model      string
	Version    string
	Used       int // tokens in the context, 0 before the first call
	Window     int // tokens that it holds
}

// ParseStatus reads a host's status. ok is false if it is not a JSON object.
func ParseStatus(src []byte) (s Status, ok bool) {
	var form struct {
		Session      string `json:"session_id"`
		Conversation string `json:"conversation_id"`
		Cursor       string `json:"cursor_version"`
		Transcript   string `json:"transcript_path"`
		Cwd          string `json:"cwd"`
		Version      string `json:"version"`
		Model        struct {
			ID string `json:"id"`
		} `json:"model"`
		Context struct {
			Size    int           `json:"context_window_size"`
			Percent float64       `json:"used_percentage"`
			Usage   *currentUsage `json:"current_usage"`
		} `json:"context_window"`
	}
	if !decode(src, &form) {
		return s, false
	}
	c := form.Context
	s = Status{Host: "claude", Session: cmp.Or(form.Session, form.Conversation), Transcript: form.Transcript, Dir: form.Cwd,
		Model: form.Model.ID, Version: form.Version, Window: c.Size}
	if c.Usage != nil {
		s.Used = c.Usage.tokens
	}
	if s.Used == 0 {
		s.Used = int(c.Percent / 100 * float64(c.Size))
	}
	switch {
	case form.Cursor != "" || form.Conversation != "":
		s.Host = "cursor"
	case c.Usage != nil && c.Usage.plain:
		s.Host = "qwen"
	}
	return s, true
}

// currentUsage is the usage of the last call: its parts, or a number.
type currentUsage struct {
	tokens int
	plain  bool
}

func (u *currentUsage) UnmarshalJSON(src []byte) error {
	var parts struct {
		Input       int `json:"input_tokens"`
		CacheCreate int `json:"cache_creation_input_tokens"`
		CacheRead   int `json:"cache_read_input_tokens"`
	}
	if decode(src, &parts) {
		u.tokens = parts.Input + parts.CacheCreate + parts.CacheRead
		return nil
	}
	u.plain = json.Unmarshal(src, &u.tokens) == nil
	return nil // anything else is not known yet
}
