package mcp

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/inert"
	"handoff/internal/text/secret"
	"handoff/workspace/documents"
	"handoff/workspace/handoffops"
	"handoff/workspace/search"
)

// find finds the handoff that a client means: a path below the workspace or an absolute
// one, a short name, or latest. Other files of the machine are not handoffs.
func (c *call) find(ref string) (documents.Entry, error) {
	name := filepath.ToSlash(ref)
	if filepath.IsAbs(ref) {
		name = nofollow.Root(c.ws.Root).Rel(filepath.Clean(ref))
	}
	isPath := strings.HasSuffix(name, ".md") || c.ws.Config.Documents.IsDocument(path.Clean(name))
	if isPath {
		name = path.Clean(name)
	}
	e, err := documents.FindInside(c, c.ws, name)
	if err == nil && isPath {
		_, err = documents.ReadInside(c.ws, e)
	}
	if err != nil {
		err = fmt.Errorf("%q: %w (handoff_search lists the handoffs)", secret.Line(ref, maxMessage), err)
	}
	return e, err
}

// foreign is a text from outside as one line of an answer.
func foreign(text string) string { return secret.Line(text, maxMessage) }

// searchValue is the result of handoff_search.
type searchValue struct {
	Hits    []hit  `json:"hits"`
	Total   int    `json:"total"`
	Logs    []log  `json:"logs,omitempty"`
	Stopped string `json:"stopped,omitempty"` // why not all threads and tapes were searched
	Warning string `json:"warning,omitempty"` // what could not be read
}

// hit is a part of a [search.Hit]: a row has more than a model needs.
type hit struct {
	Ref  string `json:"ref,omitempty"`
	Path string `json:"path"`
	Time string `json:"time,omitempty"`
	Line int    `json:"line,omitempty"`
	Text string `json:"text"`
}

// log is a thread or a tape with the words, and the command that shows it.
type log struct {
	ThreadID string   `json:"thread_id,omitempty"`
	Tape     string   `json:"tape,omitempty"`
	Seq      uint64   `json:"seq"`
	Paths    []string `json:"paths,omitempty"`
	Text     string   `json:"text"`
	Open     string   `json:"open"`
}

// lookUp is the tool handoff_search.
func lookUp(c *call) (answer, error) {
	var in handoffops.SearchRequest
	if err := c.arguments(&in); err != nil {
		return answer{}, err
	}
	if in.Limit = cmp.Or(in.Limit, search.DefaultLimit); in.Limit < 1 || in.Limit > search.DefaultLimit {
		return answer{}, fmt.Errorf("limit %d: %w: want 1 to %d", in.Limit, handoff.ErrInvalid, search.DefaultLimit)
	}
	found, err := handoffops.Search.On(c, handoffops.Here{At: c.handoffs("")}, "", in)
	if err != nil && found.Hits == nil {
		return answer{}, err
	}
	v := searchValue{Hits: []hit{}, Total: found.Total}
	var rows []string
	for _, h := range found.Hits {
		one := hit{Ref: h.Ref, Path: h.Path, Line: h.Line, Text: h.Text}
		if h.Time != nil {
			one.Time = h.Time.String()
		}
		v.Hits = append(v.Hits, one)
		rows = append(rows, foreign(h.String()))
	}
	for _, h := range found.Logs {
		v.Logs = append(v.Logs, log{h.ThreadID, h.Tape, h.Seq, h.Paths, h.Text, h.Open})
		rows = append(rows, foreign(h.String()))
	}
	var b strings.Builder
	if len(rows) > 0 {
		b.WriteString(inert.Quote("list", rows...))
	}
	if rest := v.Total - len(v.Hits) + found.LogsTotal - len(found.Logs); rest > 0 {
		fmt.Fprintf(&b, "and %d more\n", rest)
	}
	if v.Total+found.LogsTotal == 0 {
		b.WriteString("No handoff contains all of these words.\n")
	}
	if v.Stopped = found.Stopped; v.Stopped != "" {
		b.WriteString(v.Stopped + "\n")
	}
	if err != nil {
		v.Warning = foreign(err.Error())
		b.WriteString(inert.Quote("warning", v.Warning))
	}
	return answer{text: b.String(), value: v}, nil
}
