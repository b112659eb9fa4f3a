package report

import (
	"bufio"
	"bytes"
	"encoding/json"

	"handoff"
	"handoff/lint"
)

// jsonFormat writes one object, with each finding on a line. Columns are in
// bytes.
type jsonFormat struct {
	out    *bufio.Writer
	reason func(string) string
	any    bool // a finding was written

	problems []jsonProblem
}

// jsonProblem is a file that could not be checked, or fixed.
type jsonProblem struct {
	Path    string `json:"path,omitempty"` // none if the whole check stopped
	Message string `json:"message"`
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
	More     int      `json:"more,omitempty"` // how many findings this one replaces
}

type jsonFix struct {
	Edits []jsonEdit `json:"edits"`
}

// jsonEdit is a [lint.Edit]: whole lines, last = first-1 inserts before first.
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
	return &jsonFormat{out: out, reason: opt.Reason}
}

func (j *jsonFormat) file(path string, _ *handoff.Document, findings []lint.Finding) {
	for i := range findings {
		if j.any {
			j.out.WriteByte(',')
		}
		j.any = true
		j.out.WriteByte('\n')
		j.out.Write(compact(j.finding(path, &findings[i])))
	}
}

func (j *jsonFormat) finding(path string, f *lint.Finding) jsonFinding {
	out := jsonFinding{
		Rule: f.Rule, Severity: f.Severity.String(), Path: path,
		Line: f.Lines.First, Col: f.Col, EndLine: f.Lines.Last, EndCol: f.EndCol,
		Message: f.Message, Rename: f.Rename, More: f.More,
	}
	if j.reason != nil {
		out.Reason = j.reason(f.Rule)
	}
	if len(f.Edits) > 0 {
		out.Fix = new(jsonFix)
		for _, e := range f.Edits {
			out.Fix.Edits = append(out.Fix.Edits, jsonEdit{e.Lines.First, e.Lines.Last, e.Text})
		}
	}
	return out
}

func (j *jsonFormat) unchecked(path, reason string) {
	j.problems = append(j.problems, jsonProblem{path, reason})
}

func (j *jsonFormat) close(s Summary) {
	if j.any {
		j.out.WriteByte('\n')
	}
	if len(j.problems) > 0 {
		j.out.WriteString(`],"problems":[`)
		for i, p := range j.problems {
			if i > 0 {
				j.out.WriteByte(',')
			}
			j.out.WriteByte('\n')
			j.out.Write(compact(p))
		}
		j.out.WriteByte('\n')
	}
	j.out.WriteString(`],"summary":`)
	j.out.Write(compact(jsonSummary{s.Files, s.Findings(), s.Errors, s.Warnings, s.Notes, s.Fixable}))
	j.out.WriteString("}\n")
}

// compact is a value as JSON on one line. "<" stays "<": reports are not put
// into web pages, and messages full of \u003c are hard to read.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // the values are this package's own strings and numbers
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
