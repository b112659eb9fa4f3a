package httpapi

import (
	"errors"
	"io/fs"
	"net/http"
	"strconv"

	"handoff/lint/report"
	"handoff/workspace/check"
	"handoff/workspace/documents"
)

type findingsInput struct {
	Task *int `query:"task" min:"0" max:"999999999" doc:"only this task number"`
}

// getFindings lints the documents and sends findings as it finds them. Only one
// check runs at a time, because it uses all processors.
func (s *Server) getFindings(w http.ResponseWriter, r *http.Request, in findingsInput) error {
	ctx := r.Context()
	select {
	case s.lints <- struct{}{}:
		defer func() { <-s.lints }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ws, err := s.workspace(ctx)
	if err != nil {
		return err
	}
	req := check.Request{Dir: ws.Root, AllowEmpty: true, Named: documents.PathsOf}
	if in.Task != nil {
		_, err = documents.ChainsOf(ctx, ws, ws.Root, strconv.Itoa(*in.Task))
		if errors.Is(err, fs.ErrNotExist) {
			return noTask
		} else if err != nil {
			return err
		}
		req.Paths = []string{strconv.Itoa(*in.Task)}
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
