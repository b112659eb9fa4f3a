package trials

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"handoff/measure/benchmark"
	"handoff/measure/benchmark/texts"
	"handoff/workspace/receipts"
)

// Workspaces of each layout, and what is in them.
const (
	findableEach = 8
	findableDocs = 10
)

// layout is where handoffs are, with the configuration for it. In some, all documents are
// of one task.
type layout struct {
	name, configuration string
	tasks               int
}

var layouts = []layout{
	{"specs", "", 5},
	{"thoughts", "documents:\n  - preset: thoughts\n", 5},
	{"sessions", "documents:\n  - preset: sessions\n", 1},
}

// Findable measures how often a successor gets the right handoff: the newest one of a task
// that is not finished.
func (l *Lab) Findable(ctx context.Context) (benchmark.Suite, error) {
	s := benchmark.Suite{Name: "findable", About: "whether a successor finds the handoff that it is to continue from", Limits: []string{
		"The histories are random: several tasks at once, some of them finished. In a repository with one task and one agent, every way finds the document.",
	}}
	table := benchmark.Table{Title: fmt.Sprintf("%d handoffs of up to 5 tasks in each repository (sessions: of one): the right one is found", findableDocs)}
	rows := []benchmark.Row{{Name: "handoff next"}, {Name: "newest file where they were written"}, {Name: "last path, as after a clone"}}
	random := l.random(1)
	for _, layout := range layouts {
		table.Columns = append(table.Columns, layout.name)
		hits := make([]int, len(rows))
		for range findableEach {
			h, err := l.history(ctx, layout, random.IntN)
			if err != nil {
				return s, fmt.Errorf("%s: %w", layout.name, err)
			}
			for i, found := range []string{h.next, h.newest, h.last} {
				if found == h.right {
					hits[i]++
				}
			}
		}
		for i := range rows {
			rows[i].Cells = append(rows[i].Cells, benchmark.Share(hits[i], findableEach))
		}
	}
	table.Rows = rows
	s.Tables = []benchmark.Table{table}
	return s, nil
}

// history is a workspace with a past, and what the ways find in it.
type history struct{ right, next, newest, last string }

func (l *Lab) history(ctx context.Context, in layout, intn func(int) int) (h history, err error) {
	w, err := l.world(in.configuration)
	if err != nil {
		return h, err
	}
	newest := make([]string, in.tasks+1)
	order := []int{}
	for i := range findableDocs {
		n := 1 + intn(in.tasks)
		path, err := w.add(ctx, texts.Values(n, i+1), fmt.Sprintf("task %c", 'a'+n))
		if err != nil {
			return h, err
		}
		newest[n] = path
		order = append(order, n)
		h.newest = path
	}
	done := map[int]bool{}
	for n, path := range newest {
		if path == "" || intn(3) > 0 || n == order[0] {
			continue
		}
		done[n] = true
		if err := w.finish(ctx, path); err != nil {
			return h, err
		}
	}
	for _, n := range order {
		if !done[n] {
			h.right = newest[n]
		}
	}
	if h.next, err = w.nextPath(ctx, "src/deep"); err == nil {
		h.last, err = w.last()
	}
	return h, err
}

func (w *world) finish(ctx context.Context, path string) error {
	ws, err := w.open(".")
	if err != nil {
		return err
	}
	book, err := receipts.Open(ws)
	if err == nil {
		_, err = book.Finish(ctx, receipts.Target{Dir: w.root, Ref: path}, "a person")
	}
	return err
}

// nextPath is what waits first, seen from a folder.
func (w *world) nextPath(ctx context.Context, folder string) (string, error) {
	if err := os.MkdirAll(filepath.Join(w.root, filepath.FromSlash(folder)), 0o755); err != nil {
		return "", err
	}
	ws, err := w.open(folder)
	if err != nil {
		return "", err
	}
	book, err := receipts.Open(ws)
	if err != nil {
		return "", err
	}
	q, err := book.Next(ctx, nil)
	if err != nil || len(q.Waiting) == 0 {
		return "", err
	}
	return q.Waiting[0].Path, nil
}

// last is the last document in the order of the paths.
func (w *world) last() (last string, err error) {
	err = filepath.WalkDir(w.root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".md" {
			last, err = filepath.Rel(w.root, path)
			last = filepath.ToSlash(last)
		}
		return err
	})
	return last, err
}
