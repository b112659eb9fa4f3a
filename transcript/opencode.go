package transcript

import (
	"cmp"
	"encoding/json"
)

// opencodeLine is a line of `opencode run --format json`, or a message of
// `opencode export`. The sessions themselves are in a SQLite database, which
// only OpenCode reads.
type opencodeLine struct {
	Type    string       `json:"type"`
	Session string       `json:"sessionID"`
	Part    opencodePart `json:"part"`
	Error   struct {
		Name string `json:"name"`
		Data struct {
			Message string `json:"message"`
		} `json:"data"`
	} `json:"error"`
}

type opencodePart struct {
	ID      string         `json:"id"`
	Type    string         `json:"type"`
	Message string         `json:"messageID"`
	Text    string         `json:"text"`
	Tool    string         `json:"tool"`
	CallID  string         `json:"callID"`
	Reason  string         `json:"reason"`
	Tokens  opencodeTokens `json:"tokens"`
	Cost    float64        `json:"cost"`
	State   struct {
		Input    toolInput `json:"input"`
		Output   string    `json:"output"`
		Status   string    `json:"status"`
		Metadata struct {
			Exit int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
}

type opencodeTokens struct {
	Input  int `json:"input"`
	Output int `json:"output"`
	Cache  struct {
		Read  int `json:"read"`
		Write int `json:"write"`
	} `json:"cache"`
}

// sum is what OpenCode compares with the limit: input, cache and reply.
func (t opencodeTokens) sum() int { return t.Input + t.Cache.Read + t.Cache.Write + t.Output }

func opencode(line []byte) (r Record, ok bool) {
	var l opencodeLine
	if !decode(line, &l) {
		return r, false
	}
	r.Session = l.Session
	l.Part.into(&r)
	if l.Type == "error" {
		r.Failed = cmp.Or(l.Error.Data.Message, l.Error.Name, "error")
	}
	return r, true
}

func (p *opencodePart) into(r *Record) {
	switch p.Type {
	case "text":
		r.Text = p.Text
	case "tool":
		tool := p.State.Input.tool(p.CallID, p.Tool)
		tool.Failed = p.State.Status == "error" || p.State.Metadata.Exit != 0
		r.Tools = []Tool{tool}
		r.Added = len(p.State.Output)
	case "step-finish":
		r.Call, r.Input = cmp.Or(p.ID, p.Message), p.Tokens.sum()
		r.End, r.USD = p.Reason == "stop", p.Cost
	case "compaction":
		r.Compacted = true
	}
}

// Export reads the document that `opencode export` prints, which is one JSON
// value and not lines. ok is false for anything else.
func Export(src []byte) (records []Record, ok bool) {
	var doc struct {
		Info struct {
			ID        string `json:"id"`
			Directory string `json:"directory"`
			Version   string `json:"version"`
		} `json:"info"`
		Messages []struct {
			Info struct {
				Role  string `json:"role"`
				Model string `json:"modelID"`
			} `json:"info"`
			Parts []opencodePart `json:"parts"`
		} `json:"messages"`
	}
	if json.Unmarshal(src, &doc) != nil || doc.Info.ID == "" {
		return nil, false
	}
	records = append(records, Record{Session: doc.Info.ID, Dir: doc.Info.Directory, Version: doc.Info.Version})
	for _, m := range doc.Messages {
		for _, p := range m.Parts {
			r := Record{Model: m.Info.Model}
			if p.into(&r); m.Info.Role == "user" {
				r.Prompt, r.Text = r.Text, ""
			}
			records = append(records, r)
		}
	}
	return records, true
}
