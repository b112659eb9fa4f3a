package workspace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"handoff"
	"handoff/internal/regular"
	"handoff/lint"
)

// LintRequest says what to lint and how.
type LintRequest struct {
	Dir      string       // where relative paths start
	Paths    []string     // files and folders; none: the workspace's specs folder
	Rules    []*lint.Rule // those to run
	Known    []string     // all rules that a configuration may name
	Config   string       // a configuration file in place of the one found; "" to look
	Isolated bool         // no configuration file at all
	Override func(*lint.Settings)
	Now      time.Time

	Stdin     io.Reader // read for the path "-"
	StdinName string    // what it is to be taken for
	Staged    bool      // the content of git's index in place of the disk; Paths narrow it

	Fix    bool // write what the safe edits make of each file
	Diff   bool // show it, write nothing
	Rename bool // with Fix: give files the better name where there is one
}

// Checked is a document that was checked.
type Checked struct {
	Path     string // as findings print it
	Doc      *handoff.Document
	Findings []lint.Finding // those that are left after a fix
	Applied  int            // edits that were made, or would be
	Before   string         // the source before the fix, when Applied is not 0
	Renamed  string         // the new path, when the file was renamed
	Err      error          // it could not be read or written
}

// Lint checks documents and hands on each result in the order of the paths,
// as soon as it is there. It returns the first error that keeps it from going
// on; what ails a single file stands in its Checked.
func Lint(ctx context.Context, req LintRequest, emit func(*Checked) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l := linter{LintRequest: req, trees: trees{names: req.Known, override: req.Override}}
	if err := l.config(); err != nil {
		return err
	}
	order := make(chan *job, 4*runtime.GOMAXPROCS(0)) // bounds what waits for its turn
	work := make(chan *job, cap(order))
	var listing error
	go func() {
		defer close(order)
		defer close(work)
		listing = l.list(ctx, func(j *job) error {
			j.done = make(chan struct{})
			for _, c := range []chan *job{order, work} {
				select {
				case c <- j:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			return nil
		})
	}()
	for range runtime.GOMAXPROCS(0) {
		go func() {
			w := worker{linter: &l}
			for j := range work {
				j.out = w.run(j)
				close(j.done)
			}
		}()
	}
	for j := range order {
		select {
		case <-j.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		for i := range j.out {
			if err := emit(&j.out[i]); err != nil {
				return err
			}
		}
	}
	return listing
}

type linter struct {
	LintRequest
	trees trees
}

// config settles which configuration holds, where the request says so.
func (l *linter) config() error {
	if l.Isolated {
		c := DefaultConfig()
		l.trees.fixed = &c
	}
	if l.Config != "" {
		c, err := LoadConfig(l.abs(l.Config), l.trees.names)
		l.trees.fixed = &c
		return err
	}
	return nil
}

func (l *linter) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.Dir, path)
}

// job is a unit of work: documents of one folder, or one outcome that is
// known already.
type job struct {
	folder
	src  map[string][]byte // content by base name, in place of the files'
	out  []Checked
	done chan struct{}
}

// list finds what is to be checked, in order.
func (l *linter) list(ctx context.Context, add func(*job) error) error {
	if l.Staged {
		return l.listStaged(ctx, add)
	}
	paths := l.Paths
	if len(paths) == 0 {
		ws, err := Open(l.Dir, l.trees.names)
		if err != nil {
			return err
		}
		if !isDir(ws.Specs()) {
			return nil // nothing to check: the caller says so
		}
		shown, err := filepath.Rel(l.Dir, ws.Specs())
		if err != nil {
			shown = ws.Specs()
		}
		paths = []string{shown}
	}
	for _, p := range paths {
		if err := l.listPath(ctx, p, add); err != nil {
			return err
		}
	}
	return nil
}

func (l *linter) listPath(ctx context.Context, path string, add func(*job) error) error {
	if path == "-" {
		return l.listStdin(add)
	}
	full := l.abs(path)
	st, err := os.Stat(full)
	if err != nil {
		return add(failed(path, err))
	}
	if !st.IsDir() {
		t, err := l.trees.above(filepath.Dir(full))
		if err != nil {
			return err
		}
		return add(&job{folder: folder{filepath.Dir(path), filepath.Dir(full), []string{filepath.Base(full)}, t}})
	}
	t, err := l.trees.above(full)
	if err != nil {
		return err
	}
	w := walker{
		ctx:   ctx,
		trees: &l.trees,
		found: func(f folder) error {
			f.names = f.tree.keep(f.dir, f.names)
			return add(&job{folder: f})
		},
		fail: func(shown string, err error) { add(failed(shown, err)) },
	}
	if task := filepath.Base(full); isTask(full) && filepath.Base(filepath.Dir(full)) != task {
		return w.documents(join(path, handoff.Folder), filepath.Join(full, handoff.Folder), t)
	}
	return w.walk(path, full, t, rootAbove(full) != "")
}

func (l *linter) listStdin(add func(*job) error) error {
	src, err := io.ReadAll(io.LimitReader(l.Stdin, MaxSize+1))
	if err != nil {
		return fmt.Errorf("standard input: %w", err)
	}
	if len(src) > MaxSize {
		return fmt.Errorf("standard input: %w", &regular.TooLargeError{Size: int64(len(src)), Max: MaxSize})
	}
	shown, full := "<stdin>", filepath.Join(l.Dir, "-")
	if l.StdinName != "" {
		shown, full = l.StdinName, l.abs(l.StdinName)
	}
	t, err := l.trees.above(filepath.Dir(full))
	if err != nil {
		return err
	}
	base := filepath.Base(full)
	j := &job{folder: folder{filepath.Dir(shown), filepath.Dir(full), []string{base}, t}, src: map[string][]byte{base: src}}
	if l.StdinName == "" {
		j.folder.names[0], j.src[""] = "", src
	}
	return add(j)
}

func failed(path string, err error) *job {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return &job{out: []Checked{{Path: path, Err: err}}}
}
