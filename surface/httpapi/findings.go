package httpapi

import (
	"errors"
	"io/fs"
	"net/http"

	"handoff/lint/report"
	"handoff/workspace"
)

type findingsInput struct {
	Task int `query:"task" min:"1" max:"999999999" doc:"of the task with this number"`
}

// findingReport describes what package lint/report writes as JSON.
type findingReport struct {
	Version  int             `json:"version" doc:"1"`
	Findings []finding       `json:"findings" doc:"by path"`
	Problems []unchecked     `json:"problems,omitempty" doc:"documents and folders that could not be read"`
	Summary  findingsSummary `json:"summary" doc:"counts"`
}

type finding struct {
	Rule     string      `json:"rule" doc:"its name"`
	Severity string      `json:"severity" enum:"error,warning,note" doc:"how bad it is"`
	Path     string      `json:"path" doc:"of the document, below the workspace"`
	Line     int         `json:"line,omitempty" doc:"1-based; left out when the file is meant"`
	Col      int         `json:"col,omitempty" doc:"1-based, in bytes"`
	EndLine  int         `json:"end_line,omitempty" doc:"the last line"`
	EndCol   int         `json:"end_col,omitempty" doc:"behind the last byte"`
	Message  string      `json:"message" doc:"what is wrong"`
	Reason   string      `json:"reason,omitempty" doc:"why there is such a rule"`
	Fix      *findingFix `json:"fix,omitempty" doc:"what mends it"`
	Rename   string      `json:"rename,omitempty" doc:"a better name for the file"`
	More     int         `json:"more,omitempty" doc:"this entry replaces so many findings of its rule, which are left out"`
}

type unchecked struct {
	Path    string `json:"path,omitempty" doc:"below the workspace"`
	Message string `json:"message" doc:"why it could not be read"`
}

type findingFix struct {
	Edits []findingEdit `json:"edits" doc:"to make together"`
}

type findingEdit struct {
	First int    `json:"first" doc:"the first line to replace"`
	Last  int    `json:"last" doc:"the last one; first-1 inserts before first"`
	Text  string `json:"text" doc:"what stands there then"`
}

type findingsSummary struct {
	Files    int `json:"files" doc:"documents that were checked"`
	Findings int `json:"findings" doc:"all of them"`
	Errors   int `json:"errors" doc:"of severity error"`
	Warnings int `json:"warnings" doc:"of severity warning"`
	Notes    int `json:"notes" doc:"of severity note"`
	Fixable  int `json:"fixable" doc:"that a fix would mend"`
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
	req := workspace.LintRequest{Dir: ws.Root, Rules: s.Rules, Known: s.Known, Now: s.Now(), AllowEmpty: true}
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
	err = workspace.Lint(ctx, req, func(f *workspace.Checked) error {
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
