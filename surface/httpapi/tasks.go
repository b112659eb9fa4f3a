package httpapi

import (
	"context"
	"encoding/json"
	"path"

	"handoff/document/handoff"
	"handoff/internal/web/openapi"
	"handoff/surface/problem"
	"handoff/workspace"
	"handoff/workspace/documents"
)

var noTask = refuse(problem.NoTask, "no such task")

type taskInput struct {
	Number int `path:"n" min:"0" max:"999999999" doc:"task number"`
}

type taskFolder struct {
	Task     int    `json:"task" doc:"task number"`
	Slug     string `json:"slug" doc:"task slug: the folder name after the number"`
	Path     string `json:"path" doc:"task folder, relative to the workspace"`
	Archived bool   `json:"archived" doc:"true if it is in an archive or a vault"`
}

type taskRow struct {
	taskFolder
	Handoffs int `json:"handoffs" doc:"number of handoffs"`
}

type taskDetail struct {
	taskFolder
	Metadata any             `json:"metadata" doc:"the metadata file; null if it is missing or not JSON"`
	Handoffs []documents.Row `json:"handoffs" doc:"handoffs, newest first"`
}

// tasks lists the tasks with a number, all for nil, and their handoffs.
func (s *Server) tasks(ctx context.Context, ws *workspace.Workspace, number *int) ([]taskRow, map[string][]documents.Entry, error) {
	dirs, err := ws.Tasks(ctx)
	if err != nil && (ctx.Err() != nil || len(dirs) == 0) {
		return nil, nil, err // otherwise list logs it, as it reads the same folders
	}
	list, err := s.list(ctx, ws, documents.Filter{Task: number})
	if err != nil {
		return nil, nil, err
	}
	of := map[string][]documents.Entry{}
	for _, e := range list {
		of[e.Name.Dir] = append(of[e.Name.Dir], e)
	}
	out := []taskRow{}
	for _, dir := range dirs {
		n, _, slug := handoff.ParseTask(path.Base(dir))
		if number == nil || n == *number {
			out = append(out, taskRow{taskFolder{n, slug, dir, handoff.Name{Dir: dir}.Archived()}, len(of[dir])})
		}
	}
	return out, of, nil
}

func (s *Server) listTasks(ctx context.Context, _ openapi.Nothing) ([]taskRow, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return nil, err
	}
	out, _, err := s.tasks(ctx, ws, nil)
	return out, err
}

// getTask returns the task with a number; if there are several, one that is not
// archived.
func (s *Server) getTask(ctx context.Context, in taskInput) (taskDetail, error) {
	ws, err := s.workspace(ctx)
	if err != nil {
		return taskDetail{}, err
	}
	list, of, err := s.tasks(ctx, ws, &in.Number)
	if err != nil {
		return taskDetail{}, err
	}
	if len(list) == 0 {
		return taskDetail{}, noTask
	}
	t := list[0]
	for _, other := range list[1:] {
		if t.Archived && !other.Archived {
			t = other
		}
	}
	d := taskDetail{t.taskFolder, nil, rows(ws, of[t.Path])}
	if src, err := documents.Metadata(ws, t.Path); err == nil && json.Valid(src) {
		d.Metadata = json.RawMessage(src)
	}
	return d, nil
}
