// Package work keeps the uncommitted work of a task: changed, new and deleted files, and what is
// staged, as commits under refs/handoff/work/TASK/N in the repository. So it outlives the session
// and the working tree that it was made in. Package gitwork makes the commits; this one decides
// when there is something to keep, what it belongs to, and when it may go.
//
// It reads no documents.
package work

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"handoff/internal/file/gitwork"
	"handoff/internal/text/visible"
	"handoff/workspace"
)

// Prefix of the refs. Below it are the number of the task, 0 for work of no task, and a number.
const Prefix = "refs/handoff/work/"

// Request says what is kept for what.
type Request struct {
	workspace.WorkOf
	Also []string // paths, from the top of the working tree, that are kept although git ignores them
}

// Kept is a state of the working tree that is kept.
type Kept struct {
	Ref     string            `json:"ref"`
	Commit  string            `json:"commit"`
	Task    int               `json:"task"`
	N       int               `json:"n"`
	At      time.Time         `json:"at"`
	By      string            `json:"by,omitempty"`
	Handoff string            `json:"handoff,omitempty"` // path from the top of the working tree
	Files   int               `json:"files,omitempty"`   // that differ from the commit
	Left    []gitwork.Skipped `json:"-"`                 // what is not in it
	Base    string            `json:"base,omitempty"`    // the commit that it changes; "" before the first one

	tree, index string
}

// Name is the short name of a state, which [Find] knows: "work/5/1".
func (k Kept) Name() string { return strings.TrimPrefix(k.Ref, "refs/handoff/") }

// limit is how long git may take: writing a handoff waits for it.
const limit = 20 * time.Second

// Keep keeps the uncommitted work. It returns nothing if there is none, and in a folder
// without git. The same work is kept once.
func Keep(ctx context.Context, ws *workspace.Workspace, req Request) (k Kept, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	repo, err := gitwork.Open(ctx, ws.Root)
	if errors.Is(err, gitwork.ErrNoTree) {
		return k, nil
	}
	if err != nil {
		return k, fmt.Errorf("uncommitted work is not kept: %w", err)
	}
	if k, err = (keeper{repo, ws.Now()}).keep(ctx, fromTop(repo, ws, req)); err != nil {
		err = fmt.Errorf("uncommitted work is not kept: %w", err)
	}
	return k, err
}

// fromTop is a request with the path of its handoff from the top of the working tree.
func fromTop(repo *gitwork.Repo, ws *workspace.Workspace, req Request) Request {
	if req.Handoff != "" {
		req.Handoff = pathFromTop(repo, ws, req.Handoff)
	}
	return req
}

func pathFromTop(repo *gitwork.Repo, ws *workspace.Workspace, path string) string {
	real, err := filepath.EvalSymlinks(ws.Root)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(repo.Top, filepath.Join(real, filepath.FromSlash(path)))
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}

type keeper struct {
	*gitwork.Repo
	now time.Time
}

func (w keeper) keep(ctx context.Context, req Request) (Kept, error) {
	scan, err := w.Scan(ctx, req.Also...)
	if err != nil {
		return Kept{}, err
	}
	taken, err := w.Take(ctx, scan)
	if err != nil || taken.Clean() || taken.Base == "" && len(scan.Changed) == 0 && len(scan.Skipped) == 0 {
		return Kept{}, err
	}
	index, err := w.Commit(ctx, taken.Index, "What was staged\n", time.Unix(0, 0), taken.Head) // without a time: equal for equal trees
	if err != nil {
		return Kept{}, err
	}
	k := Kept{Task: req.Task, By: req.By, Handoff: req.Handoff, Files: len(scan.Changed), Left: scan.Skipped, Base: taken.Head, At: w.now, tree: taken.Tree, index: index}
	return w.name(ctx, k)
}

// tries is how often a number is chosen again because another process has taken it.
const tries = 100

// name gives the state its ref, unless the task has one of the same state or, for work of a
// session that wrote no handoff, any task has.
func (w keeper) name(ctx context.Context, k Kept) (Kept, error) {
	for range tries {
		all, err := list(ctx, w.Repo, Prefix)
		if err != nil {
			return Kept{}, err
		}
		k.N = 1
		for _, other := range all {
			if other.tree == k.tree && other.index == k.index && other.Base == k.Base && (other.Task == k.Task || k.Handoff == "") {
				other.Files, other.Left = k.Files, k.Left
				return other, nil
			}
			if other.Task == k.Task {
				k.N = max(k.N, other.N+1)
			}
		}
		if k.Commit == "" {
			if k.Commit, err = w.Commit(ctx, k.tree, message(k), w.now, k.Base, k.index); err != nil {
				return Kept{}, err
			}
		}
		k.Ref = fmt.Sprintf("%s%d/%d", Prefix, k.Task, k.N)
		if ok, err := w.Create(ctx, k.Ref, k.Commit); ok || err != nil {
			return k, err
		}
	}
	return Kept{}, errors.New("other processes take every number")
}

// Names of the lines of a message.
const (
	byLine      = "By: "
	handoffLine = "Handoff: "
	leftLine    = "Left out: "
	ofLine      = "Of: " // the commit from which a pushed one was made
)

// maxLeft is the most paths that a message names.
const maxLeft = 50

func message(k Kept) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Uncommitted work of task %d\n\n%s%s\n", k.Task, byLine, k.By)
	if k.Handoff != "" {
		fmt.Fprintf(&b, "%s%s\n", handoffLine, visible.OneLine(k.Handoff))
	}
	for i, l := range k.Left {
		if i == maxLeft {
			fmt.Fprintf(&b, "%s%d more\n", leftLine, len(k.Left)-i)
			break
		}
		fmt.Fprintf(&b, "%s%s\n", leftLine, Told(l))
	}
	return b.String()
}

// Told is what is left out, on one line.
func Told(l gitwork.Skipped) string { return visible.OneLine(l.Path + ": " + l.Why) }

// List returns the kept states, by task and number. task is that of some; nil for all.
func List(ctx context.Context, ws *workspace.Workspace, task *int) ([]Kept, error) {
	if !gitwork.MayHave(ws.Root, Prefix) {
		return nil, nil
	}
	repo, err := gitwork.Open(ctx, ws.Root)
	if err != nil {
		return nil, err
	}
	prefix := Prefix
	if task != nil {
		prefix += strconv.Itoa(*task) + "/"
	}
	return list(ctx, repo, prefix)
}

// list skips refs that are not of this form: another program may have made them.
func list(ctx context.Context, repo *gitwork.Repo, prefix string) (all []Kept, err error) {
	refs, err := repo.Refs(ctx, prefix)
	for _, r := range refs {
		if k, ok := parse(r); ok {
			all = append(all, k)
		}
	}
	slices.SortFunc(all, func(a, b Kept) int { return cmp.Or(cmp.Compare(a.Task, b.Task), cmp.Compare(a.N, b.N)) })
	return all, err
}

// ofCommit is the commit that a pushed one was made from; "" if it is that itself.
func ofCommit(message string) string {
	for l := range strings.Lines(message) {
		if id, ok := strings.CutPrefix(strings.TrimSpace(l), ofLine); ok {
			return id
		}
	}
	return ""
}

func parse(r gitwork.Ref) (k Kept, ok bool) {
	task, n, _ := strings.Cut(strings.TrimPrefix(r.Name, Prefix), "/")
	k = Kept{Ref: r.Name, Commit: r.Commit, At: r.At, tree: r.Tree}
	var bad [2]error
	k.Task, bad[0] = strconv.Atoi(task)
	k.N, bad[1] = strconv.Atoi(n)
	if errors.Join(bad[:]...) != nil || r.Tree == "" || len(r.Parents) < 1 || len(r.Parents) > 2 || r.Name != fmt.Sprintf("%s%d/%d", Prefix, k.Task, k.N) {
		return k, false
	}
	k.index = r.Parents[len(r.Parents)-1]
	if len(r.Parents) == 2 {
		k.Base = r.Parents[0]
	}
	for l := range strings.Lines(r.Message) {
		l = strings.TrimSuffix(l, "\n")
		if text, is := strings.CutPrefix(l, byLine); is {
			k.By = visible.OneLine(text)
		}
		if text, is := strings.CutPrefix(l, handoffLine); is {
			k.Handoff = visible.OneLine(text)
		}
		if text, is := strings.CutPrefix(l, leftLine); is {
			path, why, _ := strings.Cut(text, ": ")
			k.Left = append(k.Left, gitwork.Skipped{Path: path, Why: visible.OneLine(why)})
		}
	}
	return k, true
}
