package httpapi

import (
	"errors"
	"io/fs"
	"net/http"

	"handoff/lint/report"
	"handoff/workspace/check"
)

type findingsInput struct {
	Task int `query:"task" min:"1" max:"999999999" doc:"only this task number"`
}

// findingReport describes what package lint/report writes as JSON.
type findingReport struct {
	Version  int             `json:"version" doc:"format version, 1"`
	Findings []finding       `json:"findings" doc:"findings, sorted by path"`
	Problems []unchecked     `json:"problems,omitempty" doc:"documents and folders that could not be read"`
	Summary  findingsSummary `json:"summary" doc:"totals"`
}

type finding struct {
	Rule     string      `json:"rule" doc:"rule name"`
	Severity string      `json:"severity" enum:"error,warning,note" doc:"severity"`
	Path     string      `json:"path" doc:"path of the document, relative to the workspace"`
	Line     int         `json:"line,omitempty" doc:"first line, 1-based; absent if the finding is about the whole file"`
	Col      int         `json:"col,omitempty" doc:"first column, 1-based, in bytes"`
	EndLine  int         `json:"end_line,omitempty" doc:"last line"`
	EndCol   int         `json:"end_col,omitempty" doc:"column after the last byte"`
	Message  string      `json:"message" doc:"message"`
	Reason   string      `json:"reason,omitempty" doc:"reason for the rule"`
	Fix      *findingFix `json:"fix,omitempty" doc:"suggested fix"`
	Rename   string      `json:"rename,omitempty" doc:"suggested file name"`
	More     int         `json:"more,omitempty" doc:"number of findings of this rule that this entry stands for"`
}

type unchecked struct {
	Path    string `json:"path,omitempty" doc:"path relative to the workspace"`
	Message string `json:"message" doc:"why it could not be read"`
}

type findingFix struct {
	Edits []findingEdit `json:"edits" doc:"edits to apply together"`
}

type findingEdit struct {
	First int    `json:"first" doc:"first line to replace"`
	Last  int    `json:"last" doc:"last line to replace; first-1 inserts before first"`
	Text  string `json:"text" doc:"replacement text"`
}

type findingsSummary struct {
	Files    int `json:"files" doc:"number of documents checked"`
	Findings int `json:"findings" doc:"number of findings"`
	Errors   int `json:"errors" doc:"number of errors"`
	Warnings int `json:"warnings" doc:"number of warnings"`
	Notes    int `json:"notes" doc:"number of notes"`
	Fixable  int `json:"fixable" doc:"number of findings that can be fixed automatically"`
}

// getFindings checks the documents and writes what was found while it is. One
// check runs at a time: it takes all processors by itself.
func (s *Server) getFindings(w http.ResponseWriter, r *http.Request, in findingsInput) error {
	ctx := r.Context()
	select {
	case s.lints <- struct{}{}:
		defer func() { <-s.lints }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ws, err := s.workspace()
	if err != nil {
		return err
	}
	req := check.Request{Dir: ws.Root, AllowEmpty: true}
	if in.Task != 0 {
		if req.Paths, err = ws.TasksOf(ctx, ws.Root, taskArgument(in.Task)); errors.Is(err, fs.ErrNotExist) {
			return noTask
		} else if err != nil {
			return err
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-cache")
	if r.Method == http.MethodHead {
		return nil
	}
	out, err := report.New("json", w, report.Options{Reason: s.Reason})
	if err != nil {
		return err
	}
	var sum report.Summary
	err = check.Run(ctx, ws.Options, req, func(f *check.Result) error {
		if f.Err != nil {
			s.Log.Warn("a document cannot be read", "error", f.Err)
			return out.Unchecked(f.Path, f.Err.Error())
		}
		sum.Count(f.Findings)
		return out.File(f.Path, f.Doc, f.Findings)
	})
	if err != nil {
		return err
	}
	return out.Close(sum)
}
