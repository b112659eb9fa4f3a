package report

import (
	"bufio"
	"encoding/json"

	"handoff/lint"
)

// jsonFormat writes one object. It only ever grows: readers must ignore keys
// that they do not know. Lines and columns count from 1; columns count bytes,
// so that a program can cut the line; end_col lies behind the last byte.
type jsonFormat struct {
	out    *bufio.Writer
	encode *json.Encoder
	reason func(string) string
	some   bool // there was a finding
}

type jsonFinding struct {
	Rule     string   `json:"rule"`
	Severity string   `json:"severity"`
	Path     string   `json:"path"`
	Line     int      `json:"line,omitempty"`
	Col      int      `json:"col,omitempty"`
	EndLine  int      `json:"end_line,omitempty"`
	EndCol   int      `json:"end_col,omitempty"`
	Message  string   `json:"message"`
	Reason   string   `json:"reason,omitempty"`
	Fix      *jsonFix `json:"fix,omitempty"`
	Rename   string   `json:"rename,omitempty"`
}

type jsonFix struct {
	Edits []jsonEdit `json:"edits"`
}

// jsonEdit replaces the lines first to last; last is first-1 for an insertion
// before line first.
type jsonEdit struct {
	First int    `json:"first"`
	Last  int    `json:"last"`
	Text  string `json:"text"`
}

type jsonSummary struct {
	Files    int `json:"files"`
	Findings int `json:"findings"`
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	Notes    int `json:"notes"`
	Fixable  int `json:"fixable"`
}

func newJSON(out *bufio.Writer, opt Options) format {
	out.WriteString(`{"version":1,"findings":[`)
	return &jsonFormat{out: out, encode: encoder(out), reason: opt.Reason}
}

// encoder writes <, > and & as they are: nothing here ends up in a web page.
func encoder(out *bufio.Writer) *json.Encoder {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	return e
}

func (j *jsonFormat) file(path string, _ func(int) string, findings []lint.Finding) {
	for i := range findings {
		separate(j.out, &j.some)
		_ = j.encode.Encode(j.finding(path, &findings[i])) // an error stays in the writer
	}
}

// separate puts every entry of a list on a line of its own. The encoder ends
// each with a line end.
func separate(out *bufio.Writer, some *bool) {
	if *some {
		out.WriteByte(',')
	} else {
		out.WriteByte('\n')
	}
	*some = true
}

func (j *jsonFormat) finding(path string, f *lint.Finding) jsonFinding {
	out := jsonFinding{Rule: f.Rule, Severity: f.Severity.String(), Path: path, Message: f.Message,
		Line: f.Lines.First, Col: f.Col, EndCol: f.EndCol, Rename: f.Rename}
	if f.Lines.First > 0 {
		out.EndLine = last(f)
	}
	if j.reason != nil {
		out.Reason = j.reason(f.Rule)
	}
	if len(f.Edits) > 0 {
		out.Fix = &jsonFix{}
		for _, e := range f.Edits {
			out.Fix.Edits = append(out.Fix.Edits, jsonEdit{e.Lines.First, e.Lines.Last, e.Text})
		}
	}
	return out
}

func (j *jsonFormat) close(s Summary) {
	j.out.WriteString(`],"summary":`)
	b, _ := json.Marshal(jsonSummary{s.Files, s.Findings(), s.Errors, s.Warnings, s.Notes, s.Fixable}) // numbers only
	j.out.Write(append(b, "}\n"...))
}
