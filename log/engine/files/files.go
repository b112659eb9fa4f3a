// Package files shows the files of a workspace as an engine: a log is a file of lines,
// a blob an artifact.
//
// It reads and appends to the same files as packages thread, tape and receipt, and
// takes the same locks, so it can be used while they are. It appends to one log at a
// time: no append to two files is atomic if the power fails.
//
// A last line without a newline is not a record: it is being written, or its writer was
// killed. The next append moves it to a file NAME.torn-OFFSET-N, as package journal
// does. An empty line is damage.
//
// The package does not interpret lines.
package files

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
	"handoff/log/engine"
)

// Options name the places of the files.
type Options struct {
	Root  nofollow.Root // of the workspace, an existing folder: the artifacts are below it
	State string        // folder of the logs, absolute and below Root

	// Receipts is the folder of the logs below "receipts/", and ReceiptsRoot the
	// trusted folder above it. If it is "", they are in State like all others.
	ReceiptsRoot nofollow.Root
	Receipts     string

	// Except are folders of State whose files are not logs of the workspace, such
	// as those that only running processes need.
	Except []string

	// Derived are files of State that are made from logs. They are not listed.
	Derived []string

	// Say is called with a line about each automatic repair. It may be nil.
	Say func(string)
	// Poll is how often a watch looks for new records; 0 means 50 ms.
	Poll time.Duration
}

// Engine is the files of one workspace.
type Engine struct {
	options Options
	blobs   *artifact.Store

	mu    sync.Mutex
	known map[string]*lines // by log
}

// Open opens the files. It creates nothing: a workspace without them is empty.
func Open(o Options) (*Engine, error) {
	blobs, err := artifact.Open(string(o.Root))
	if err != nil {
		return nil, err
	}
	blobs.Max = 1<<63 - 2 // a blob goes through one buffer, whatever its size
	if o.Poll == 0 {
		o.Poll = 50 * time.Millisecond
	}
	return &Engine{options: o, blobs: blobs, known: map[string]*lines{}}, nil
}

// Name is "files:" and the root.
func (e *Engine) Name() string { return "files:" + string(e.options.Root) }

// Close closes the folder of the artifacts.
func (e *Engine) Close() error { return e.blobs.Close() }

const receipts = "receipts/"

// file is the file of a log, and the trusted folder above it.
func (e *Engine) file(log string) (root nofollow.Root, path string, err error) {
	if err := engine.CheckLog(log); err != nil {
		return "", "", err
	}
	if name, ok := strings.CutPrefix(log, receipts); ok && e.options.Receipts != "" {
		return e.options.ReceiptsRoot, filepath.Join(e.options.Receipts, filepath.FromSlash(name)), nil
	}
	if top, _, _ := strings.Cut(log, "/"); slices.Contains(e.options.Except, top) {
		return "", "", fmt.Errorf("%w name of a log %q: %s has no logs of the workspace", engine.ErrInvalid, log, top)
	}
	return e.options.Root, filepath.Join(e.options.State, filepath.FromSlash(log)), nil
}

// open opens the file of a log for reading. The error for a missing log is
// fs.ErrNotExist.
func (e *Engine) open(log string) (*os.File, error) {
	root, path, err := e.file(log)
	if err != nil {
		return nil, err
	}
	return root.OpenFile(path, os.O_RDONLY, 0)
}

// lines returns the cached facts about a log's lines.
func (e *Engine) lines(log string) *lines {
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.known[log]
	if k == nil {
		k = &lines{}
		e.known[log] = k
	}
	return k
}

// Len implements [engine.Logs].
func (e *Engine) Len(ctx context.Context, log string) (uint64, error) {
	f, err := e.open(log)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	end, err := e.lines(log).read(ctx, f)
	return end.number, err
}

// Read implements [engine.Logs].
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		f, err := e.open(log)
		if errors.Is(err, fs.ErrNotExist) {
			err = ctx.Err()
			if err == nil {
				return
			}
		}
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		defer f.Close()
		end, err := e.lines(log).read(ctx, f)
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		if from < end.number {
			e.lines(log).records(ctx, f, from, end, yield)
		}
	}
}

// Watch implements [engine.Logs]. It polls, because that is all that every file system
// can do.
func (e *Engine) Watch(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		tick := time.NewTicker(e.options.Poll)
		defer tick.Stop()
		for {
			for record, err := range e.Read(ctx, log, from) {
				if !yield(record, err) || err != nil {
					return
				}
				from++
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				yield(engine.Record{}, ctx.Err())
				return
			}
		}
	}
}

// List implements [engine.Logs].
func (e *Engine) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return func(yield func(engine.Info, error) bool) {
		names, err := e.names()
		if err != nil {
			yield(engine.Info{}, err)
			return
		}
		for _, name := range names {
			if !strings.HasPrefix(name, prefix) {
				continue
			}
			n, err := e.Len(ctx, name)
			if err == nil {
				err = ctx.Err()
			}
			if n > 0 || err != nil {
				if !yield(engine.Info{Log: name, Len: n}, err) || err != nil {
					return
				}
			}
		}
	}
}

// names returns the names of all files of logs, sorted.
func (e *Engine) names() ([]string, error) {
	names, err := walk(e.options.State, "", func(name string) bool {
		return slices.Contains(e.options.Except, name) || name == strings.TrimSuffix(receipts, "/") && e.options.Receipts != ""
	})
	names = slices.DeleteFunc(names, func(name string) bool { return slices.Contains(e.options.Derived, name) })
	if err == nil && e.options.Receipts != "" {
		var more []string
		more, err = walk(e.options.Receipts, receipts, func(string) bool { return false })
		names = append(names, more...)
	}
	slices.Sort(names)
	return names, err
}

// walk returns the logs in a folder. Symlinks are not followed.
func walk(dir, prefix string, skip func(name string) bool) (names []string, err error) {
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the folder is missing, or a file was removed meanwhile
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && (skip(rel) || strings.HasSuffix(rel, ".idx")):
			return filepath.SkipDir
		case d.Type().IsRegular() && engine.CheckLog(prefix+rel) == nil:
			names = append(names, prefix+rel)
		}
		return nil
	})
	return names, err
}
