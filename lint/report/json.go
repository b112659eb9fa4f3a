package report

import (
	"bufio"

	"handoff/document/handoff"
	"handoff/internal/json/jsontext"
	"handoff/lint"
)

// jsonFormat writes one object, with each finding on a line. Columns are in
// bytes.
type jsonFormat struct {
	out    *bufio.Writer
	reason func(string) string
	any    bool // a finding was written

	problems []Unchecked
}

// FindingReport is the whole JSON report.
type FindingReport struct {
	Version  int             `json:"version" doc:"format version, 1"`
	Findings []Finding       `json:"findings" doc:"findings, sorted by path"`
	Problems []Unchecked     `json:"problems,omitempty" doc:"documents and folders that could not be read"`
	Summary  FindingsSummary `json:"summary" doc:"totals"`
}

// Finding is a finding, or several of one rule.
type Finding struct {
	Rule     string      `json:"rule" doc:"rule name"`
	Severity string      `json:"severity" enum:"error,warning,note" doc:"severity"`
	Path     string      `json:"path" doc:"path of the document, relative to the workspace"`
	Line     int         `json:"line,omitempty" doc:"first line, 1-based; absent if the finding is about the whole file"`
	Col      int         `json:"col,omitempty" doc:"first column, 1-based, in bytes"`
	EndLine  int         `json:"end_line,omitempty" doc:"last line"`
	EndCol   int         `json:"end_col,omitempty" doc:"column after the last byte"`
	Message  string      `json:"message" doc:"message"`
	Reason   string      `json:"reason,omitempty" doc:"reason for the rule"`
	Fix      *FindingFix `json:"fix,omitempty" doc:"suggested fix"`
	Rename   string      `json:"rename,omitempty" doc:"suggested file name"`
	More     int         `json:"more,omitempty" doc:"number of findings of this rule that this entry represents"`
}

// Short is a finding about a document that is written, or is not because of it.
type Short struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Line     int    `json:"line,omitempty"`
	Pointer  string `json:"pointer,omitempty"` // of an invalid value
	Message  string `json:"message"`
}

// Shorts are the findings of a document, as many as are shown.
func Shorts(all []lint.Finding) []Short {
	list := []Short{}
	for _, f := range lint.Limit(all) {
		list = append(list, Short{Rule: f.Rule, Severity: f.Severity.String(), Line: f.Lines.First, Message: f.Message})
	}
	return list
}

// Unchecked is a document or folder that could not be read. Without a path, the check
// itself failed.
type Unchecked struct {
	Path    string `json:"path,omitempty" doc:"path relative to the workspace"`
	Message string `json:"message" doc:"why it could not be read"`
}

// FindingFix is the edits of a safe fix.
type FindingFix struct {
	Edits []FindingEdit `json:"edits" doc:"edits to apply together"`
}

// FindingEdit is a [lint.Edit] of whole lines.
type FindingEdit struct {
	First int    `json:"first" doc:"first line to replace"`
	Last  int    `json:"last" doc:"last line to replace; first-1 inserts before first"`
	Text  string `json:"text" doc:"replacement text"`
}

// FindingsSummary counts documents and findings.
type FindingsSummary struct {
	Files    int `json:"files" doc:"number of documents checked"`
	Findings int `json:"findings" doc:"number of findings"`
	Errors   int `json:"errors" doc:"number of errors"`
	Warnings int `json:"warnings" doc:"number of warnings"`
	Notes    int `json:"notes" doc:"number of notes"`
	Fixable  int `json:"fixable" doc:"number of findings that can be fixed automatically"`
}

// JSON returns the findings of a document as the JSON report shows them.
func JSON(doc *handoff.Document, findings []lint.Finding, reason func(rule string) string) []Finding {
	j := &jsonFormat{reason: reason}
	list := []Finding{}
	for _, f := range withoutSecrets(doc, secretsOf(doc, findings), lint.Limit(findings)) {
		list = append(list, j.finding(f.Path, &f))
	}
	return list
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

func (j *jsonFormat) finding(path string, f *lint.Finding) Finding {
	out := Finding{
		Rule: f.Rule, Severity: f.Severity.String(), Path: path,
		Line: f.Lines.First, Col: f.Col, EndLine: f.Lines.Last, EndCol: f.EndCol,
		Message: f.Message, Rename: f.Rename, More: f.More,
	}
	if j.reason != nil {
		out.Reason = j.reason(f.Rule)
	}
	if len(f.Edits) > 0 {
		out.Fix = new(FindingFix)
		for _, e := range f.Edits {
			out.Fix.Edits = append(out.Fix.Edits, FindingEdit{e.Lines.First, e.Lines.Last, e.Text})
		}
	}
	return out
}

func (j *jsonFormat) unchecked(path, reason string) {
	j.problems = append(j.problems, Unchecked{path, reason})
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
	j.out.Write(compact(FindingsSummary{s.Files, s.Findings(), s.Errors, s.Warnings, s.Notes, s.Fixable}))
	j.out.WriteString("}\n")
}

// compact is a value as JSON on one line.
func compact(v any) []byte {
	text, err := jsontext.Marshal(v)
	if err != nil {
		panic(err) // the values are this package's own strings and numbers
	}
	return text
}
