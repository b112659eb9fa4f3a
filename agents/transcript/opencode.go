package transcript

import "cmp"

// Exporter is the format of the sessions that a program prints on request, and the name of that
// program and of its agent: it keeps them in a database that only it can read.
const Exporter = "opencode"

// opencodeLine is a line of `opencode run --format json`, or a message of
// `opencode export`. The sessions themselves are in a SQLite database, which
// only OpenCode reads.
type opencodeLine struct {
	Type    string        `json:"type"`
	Session string        `json:"sessionID"`
	Part    opencodePart  `json:"part"`
	Error   opencodeError `json:"error"`
}

// opencodeError is why a message failed.
type opencodeError struct {
	Name string `json:"name"`
	Data struct {
		Message string `json:"message"`
		Status  int    `json:"statusCode"`
	} `json:"data"`
}

func (e *opencodeError) into(r *Record) {
	r.Stopped = e.Name == "MessageAbortedError"
	r.Failed, r.FailedAs = cmp.Or(e.Data.Message, e.Name, "error"), cmp.Or(status(e.Data.Status), e.Name)
}

type opencodePart struct {
	ID        string         `json:"id"`
	Type      string         `json:"type"`
	Message   string         `json:"messageID"`
	Text      string         `json:"text"`
	Tool      string         `json:"tool"`
	CallID    string         `json:"callID"`
	Reason    string         `json:"reason"`
	Synthetic bool           `json:"synthetic"`
	Tokens    opencodeTokens `json:"tokens"`
	Cost      float64        `json:"cost"`
	State     struct {
		Input    toolInput `json:"input"`
		Output   string    `json:"output"`
		Status   string    `json:"status"`
		Error    string    `json:"error"`
		Metadata struct {
			Exit *int   `json:"exit"`
			Diff string `json:"diff"`
			File string `json:"filepath"`
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
		l.Error.into(&r)
	}
	return r, true
}

func (p *opencodePart) into(r *Record) {
	switch p.Type {
	case "step-start":
		r.Begin = true
	case "text":
		r.Text = p.Text
	case "tool":
		tool := p.State.Input.tool(p.CallID, p.Tool)
		exit := p.State.Metadata.Exit
		tool.Failed = p.State.Status == "error" || exit != nil && *exit != 0
		r.Tools = []Tool{tool}
		r.Results = p.results(tool)
		r.Added = len(p.State.Output)
	case "step-finish":
		r.Call, r.Input = cmp.Or(p.ID, p.Message), p.Tokens.sum()
		r.End, r.USD = p.Reason == "stop", p.Cost
	case "compaction":
		r.Compacted = true
	}
}

// results returns the result of a tool: nothing while it runs.
func (p *opencodePart) results(t Tool) []Result {
	s := &p.State
	if s.Status != "completed" && s.Status != "error" {
		return nil
	}
	res := result(p.CallID, t.Failed, cmp.Or(s.Error, s.Output))
	if s.Metadata.Exit != nil {
		res.Exit, res.Exited = *s.Metadata.Exit, true
	}
	if t.Writes {
		if res.Changed = hunks(t.File, s.Metadata.Diff); len(res.Changed) == 0 {
			res.Changed = []Span{{File: t.File}}
		}
	}
	return []Result{res}
}
