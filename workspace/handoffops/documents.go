package handoffops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"

	"handoff/document/brief"
	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/workspace/documents"
	"handoff/workspace/ops"
	"handoff/workspace/outdated"
	"handoff/workspace/overview"
	"handoff/workspace/search"
)

// These read handoffs. What can be read is the result, also with an error about the rest.
var (
	Get = &Op[ops.None, HandoffDetail]{About: ops.About{Name: "get",
		Method: "GET", Path: "/handoffs/{ref}", Summary: "Get a handoff's summary row and bundle", Refuses: missing},
		Do: func(a *At, ctx context.Context, ref string, _ ops.None) (d HandoffDetail, err error) {
			e, doc, err := a.find(ctx, ref)
			if err != nil {
				return d, err
			}
			d.Row = a.shown(ctx, e, doc)
			if id, _, err := documents.LinkedBundle(a.Workspace, e); err == nil { // otherwise, `verify` reports the problem
				d.Bundle = &id
			}
			return d, nil
		}}
	// Show is the document as written. A server sends only that.
	Show = &Op[ops.None, Shown]{About: ops.About{Name: "show", Help: "print a handoff, formatted on a terminal", Args: "REF",
		Method: "GET", Path: "/handoffs/{ref}/document", ID: "handoff_document", Summary: "Get the document as written", Refuses: missing},
		Do: func(a *At, ctx context.Context, ref string, _ ops.None) (s Shown, err error) {
			e, doc, err := a.find(ctx, ref)
			if err != nil {
				return s, err
			}
			return Shown{a.shown(ctx, e, doc), doc.Source, e.Doubt, doc}, nil
		}}
	// Brief is shown, which a command records.
	Brief = &Op[BriefRequest, BriefResult]{About: ops.About{Name: "brief", Help: "print what a successor needs, in levels", Args: "[REF]", Records: true,
		Long: "Level 1 is the next action and the state of the work, 2 adds decisions, dead ends and\n" +
			"context, 3 the references; full is the document.",
		Method: "GET", Path: "/handoffs/{ref}/brief", Summary: "Get the brief for a successor, at a level of detail", Refuses: []int{404, 409},
		Invalid: "max_bytes is too small for the first lines of the brief"},
		Do: func(a *At, ctx context.Context, ref string, r BriefRequest) (b BriefResult, err error) {
			e, doc, err := a.find(ctx, ref)
			if err != nil {
				return b, err
			}
			src := brief.Source{Doc: doc, Name: e.Name, Path: e.Path, When: documents.When(ctx, a.Workspace, e, doc)}
			src.Notes = outdated.Notes(ctx, a.Workspace, e, outdated.Since(ctx, a.Workspace, e, doc), r.MaxBytes/3)
			level, _ := brief.ParseLevel(r.Level)
			text, err := brief.Make(src, level, r.MaxBytes)
			b = BriefResult{a.shown(ctx, e, doc), text, brief.Sections(doc, level), e.Doubt}
			return b, err
		}}
	Search = &Op[SearchRequest, search.Result]{About: ops.About{Name: "search", Help: "find handoffs, threads and tapes by their words", Args: "WORD …", Extra: math.MaxInt, Partial: true,
		Long: "A handoff must contain all words, in any order and case. Those with the words in their next action, title or\n" +
			"file name come first, and then the newest. Archived handoffs are searched, too; hidden text is not.\n" +
			"Then come threads and tapes with all words, the files that were touched in them included.\n" +
			"Exit status: 1 if there is none.",
		Method: "GET", Path: "/search", Summary: "Find handoffs, threads and tapes by their words, the best first", Invalid: sinceWords},
		Do: func(a *At, ctx context.Context, _ string, r SearchRequest) (found search.Result, err error) {
			since, err := Since(r.Since, a.Now())
			if err != nil {
				return found, err
			}
			if errors.Is(search.Missing(a.Workspace), fs.ErrNotExist) {
				return search.Result{Hits: []search.Hit{}, Logs: []search.LogHit{}}, nil
			}
			found, err = search.Run(ctx, a.Workspace, search.Request{Query: r.Query, Task: r.Task, Named: r.Named, Since: since, Limit: r.Limit})
			if err != nil && len(found.Hits) == 0 {
				return search.Result{}, err
			}
			return found, err
		}}
	Overview = &Op[OverviewRequest, overview.Overview]{About: ops.About{Name: "overview", Whole: true, Partial: true,
		Method: "GET", Path: "/overview", ID: "overview", Summary: "List what each task is doing, what needs a person first"},
		Do: func(a *At, ctx context.Context, _ string, r OverviewRequest) (overview.Overview, error) {
			v, err := overview.Now(ctx, a.Workspace, overview.Options{States: r.State, Archived: r.Archived, Part: r.part, Left: a.Left})
			if err != nil && len(v.Tasks) == 0 {
				return overview.Overview{}, err
			}
			return v, err
		}}
)

// HandoffDetail is a handoff with its bundle.
type HandoffDetail struct {
	documents.Row
	Bundle *artifact.ID `json:"bundle_artifact_id" doc:"the bundle linked in the metadata; null if there is none or it is missing" pattern:"^[0-9a-f]{64}$"`
}

// Shown is a handoff with its text.
type Shown struct {
	documents.Row
	Document string            `json:"document"`
	Doubt    string            `json:"-"` // why another handoff of the task may be newer
	Doc      *handoff.Document `json:"-"` // nil from a server
}

// SetText sets the document to what a server sends.
func (s *Shown) SetText(text []byte) { s.Document = string(text) }

// shown is the row of a handoff that is shown alone: its time is the best that is known.
func (a *At) shown(ctx context.Context, e documents.Entry, doc *handoff.Document) documents.Row {
	e.When = documents.When(ctx, a.Workspace, e, doc)
	return documents.MakeRow(e, doc, nil)
}

// BriefRequest asks for a brief.
type BriefRequest struct {
	BriefForm
	As string `flag:"as=NAME" usage:"who reads it, which is recorded; needless for a handoff that you have claimed"`
}

// BriefForm is how a brief is made.
type BriefForm struct {
	Level    string `query:"level" default:"1" enum:"1,2,3,full" doc:"1: next action and state; 2: also decisions, dead ends and context; 3: also references; full: the document" flag:"level=LEVEL" preset:"1" usage:"level of detail: 1, 2, 3 or full"`
	MaxBytes int    `query:"max_bytes" default:"10000" min:"1" max:"1048576" doc:"maximum size in bytes; cut at a line end" flag:"max-bytes=N" preset:"10000" usage:"most bytes, in whole lines"`
}

// BriefResult is a brief. A server sends only the text.
type BriefResult struct {
	documents.Row
	Brief    string            `json:"brief"`
	Sections map[string]string `json:"sections"` // as in the file that new --from reads
	Doubt    string            `json:"-"`        // why another handoff of the task may be newer
}

// SetText sets the brief to what a server sends.
func (b *BriefResult) SetText(text []byte) { b.Brief = string(text) }

// SearchRequest is what to look for.
type SearchRequest struct {
	Query string `yaml:"query" query:"q" doc:"words that a handoff must contain, all of them, in any order and case; none: all handoffs"`
	Task  *int   `yaml:"task" query:"task" min:"0" max:"999999999" doc:"only this task number" flag:"task=N" unset:"all" usage:"only this task"`
	Since string `yaml:"since" about:"Age (12h, 7d) or date" query:"since" doc:"only handoffs of at most this age (90m, 12h, 7d), or since this RFC 3339 time or date" flag:"since=AGE" usage:"only those of at most this age, such as 90m, 12h or 7d; or since a date, such as 2026-02-12"`
	Limit int    `yaml:"limit" least:"1" most:"20" query:"limit" default:"20" min:"1" max:"1000" doc:"maximum number of hits" flag:"n=COUNT" preset:"20" usage:"most handoffs to list"`
	Named string `json:"-"` // what the plan of another tool calls the task, instead of a number; for callers in the workspace
}

// OverviewRequest selects tasks.
type OverviewRequest struct {
	State    []overview.State `query:"state" enum:"asks,broken,stale,review,waiting,held,open,done" doc:"only tasks in this state; may be repeated"`
	Archived bool             `query:"archived" doc:"include archived tasks"`
	Limit    int              `query:"limit" default:"100" min:"1" max:"1000" doc:"maximum number of tasks"`
	Cursor   string           `query:"after" doc:"where the list continues: from the header Link, or next, of the answer before"`
}

// part is the part of a list of tasks that is asked for.
func (r OverviewRequest) part(list []overview.Task) (part []overview.Task, next string, err error) {
	key := func(t overview.Task) string { return t.Dir + " " + t.Path }
	part, err = ops.After(list, key, r.Cursor)
	if err != nil || r.Limit <= 0 || r.Limit >= len(part) {
		return part, "", err
	}
	var keys []string
	for _, t := range part[:r.Limit] {
		keys = append(keys, key(t))
	}
	return part[:r.Limit], ops.CursorAfter(keys), nil
}

func (a *At) rows(list []documents.Entry) []documents.Row {
	out := make([]documents.Row, len(list))
	for i, e := range list {
		out[i] = a.row(e)
	}
	return out
}

// These read tasks.
var (
	TaskList = &Op[ops.None, []TaskRow]{About: ops.About{Name: "list", Whole: true, Partial: true, Method: "GET", Path: "/specs", Summary: "List tasks"},
		Do: func(a *At, ctx context.Context, _ string, _ ops.None) ([]TaskRow, error) {
			rows, _, err := a.tasks(ctx, nil)
			return rows, err
		}}
	// TaskGet is about one that is not archived, if several have the number.
	TaskGet = &Op[ops.None, TaskDetail]{About: ops.About{Name: "get", Partial: true, Method: "GET", Path: "/specs/{n}", Summary: "Get a task with its metadata and handoffs", Refuses: missing},
		Do: func(a *At, ctx context.Context, number string, _ ops.None) (d TaskDetail, err error) {
			n, err := strconv.Atoi(number)
			if err != nil {
				return d, fmt.Errorf("%w: want a task number", handoff.ErrInvalid)
			}
			list, of, err := a.tasks(ctx, &n)
			if len(list) == 0 {
				return d, cmp.Or(err, handoff.ErrNoTask)
			}
			t := list[0]
			for _, other := range list[1:] {
				if t.Archived && !other.Archived {
					t = other
				}
			}
			d = TaskDetail{t.TaskFolder, nil, a.rows(of[t.Path])}
			if src, err := documents.Metadata(a.Workspace, t.Path); err == nil && json.Valid(src) {
				d.Metadata = json.RawMessage(src)
			}
			return d, err
		}}
)

// TaskFolder is the folder of a task.
type TaskFolder struct {
	Task     int    `json:"task" doc:"task number"`
	Slug     string `json:"slug" doc:"task slug: the folder name after the number"`
	Path     string `json:"path" doc:"task folder, relative to the workspace"`
	Archived bool   `json:"archived" doc:"true if it is in an archive or a vault"`
}

// TaskRow is a task in a list.
type TaskRow struct {
	TaskFolder
	Handoffs int `json:"handoffs" doc:"number of handoffs"`
}

// TaskDetail is a task with what it has.
type TaskDetail struct {
	TaskFolder
	Metadata any             `json:"metadata" doc:"the metadata file; null if it is missing or not JSON"`
	Handoffs []documents.Row `json:"handoffs" doc:"handoffs, newest first"`
}

// tasks lists the tasks with a number, all for nil, and their handoffs.
func (a *At) tasks(ctx context.Context, number *int) ([]TaskRow, map[string][]documents.Entry, error) {
	dirs, err := a.Tasks(ctx)
	if err != nil && len(dirs) == 0 {
		return nil, nil, err // otherwise List has the error, as it reads the same folders
	}
	list, err := documents.List(ctx, a.Workspace, documents.Filter{Task: number})
	if err != nil && len(list) == 0 {
		return nil, nil, err
	}
	of := map[string][]documents.Entry{}
	for _, e := range list {
		of[e.Name.Dir] = append(of[e.Name.Dir], e)
	}
	out := []TaskRow{}
	for _, dir := range dirs {
		n, _, slug := handoff.ParseTask(path.Base(dir))
		if number == nil || n == *number {
			out = append(out, TaskRow{TaskFolder{n, slug, dir, handoff.Name{Dir: dir}.Archived()}, len(of[dir])})
		}
	}
	return out, of, err
}
