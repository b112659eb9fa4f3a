package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/journal"
	"handoff/internal/state/names"
	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/replica"
	"handoff/log/thread"
	"handoff/log/thread/compile"
)

// source is a workspace with one thread, whose logs are published as they grow: what
// the rows of compile fetch.
type source struct {
	dir     string
	threads *thread.Store
	id      string
	sent    map[string]int // lines of each log that are published
	to      threadClient
	copy    string // a workspace that has the thread
}

// threadClient is a client that rows of compile use.
type threadClient interface {
	// extend appends lines to a log that has at lines.
	extend(ctx context.Context, log string, at int, lines [][]byte) error
	// fetch adds what the folder of a workspace lacks. The upstream may be nil.
	fetch(ctx context.Context, dir string) (func(string) journal.Upstream, error)
}

func newSource(ctx context.Context, to threadClient, posts int) (*source, error) {
	s := &source{sent: map[string]int{}, to: to}
	var err error
	if s.dir, err = os.MkdirTemp("", "handoff-bench-"); err != nil {
		return nil, err
	}
	s.copy = filepath.Join(s.dir, "copy")
	if s.threads, err = openThreads(filepath.Join(s.dir, "source"), nil); err != nil {
		return nil, err
	}
	info, _, err := s.threads.Create(ctx, thread.CreateRequest{})
	s.id = info.ThreadID
	for i := 0; i < posts && err == nil; i++ {
		err = s.post(ctx)
	}
	return s, err
}

func (s *source) close() { s.threads.Close(); os.RemoveAll(s.dir) }

func openThreads(dir string, upstream func(string) journal.Upstream) (*thread.Store, error) {
	if err := os.MkdirAll(filepath.Join(dir, ".handoff"), 0o755); err != nil {
		return nil, err
	}
	blobs, err := artifact.Open(dir)
	if err != nil {
		return nil, err
	}
	return thread.Open(filepath.Join(dir, ".handoff"), thread.Options{Root: dir, Workspace: dir, Artifacts: blobs, Upstream: upstream})
}

// post posts a message and publishes the lines, those of a log as one append.
func (s *source) post(ctx context.Context) error {
	if _, err := s.threads.PostMessage(ctx, s.id, thread.MessageRequest{Content: strings.Repeat("Apply the lemma. ", 40)}); err != nil {
		return err
	}
	below := filepath.Join(s.dir, "source", ".handoff")
	return filepath.WalkDir(below, func(path string, d fs.DirEntry, err error) error {
		log := filepath.ToSlash(strings.TrimPrefix(path, below+string(filepath.Separator)))
		if err != nil || d.IsDir() || !names.OfThreads(log) {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines := bytes.Split(bytes.TrimSuffix(src, []byte{'\n'}), []byte{'\n'})
		at := s.sent[log]
		if at == len(lines) {
			return nil
		}
		s.sent[log] = len(lines)
		return s.to.extend(ctx, log, at, lines[at:])
	})
}

// compile fetches what a workspace lacks, and compiles the thread's context there.
func (s *source) compile(ctx context.Context, dir string) (took time.Duration, err error) {
	var got []byte
	took, err = clock(func() error {
		upstream, err := s.to.fetch(ctx, dir)
		if err != nil {
			return err
		}
		threads, err := openThreads(dir, upstream)
		if err != nil {
			return err
		}
		defer threads.Close()
		got, err = s.bundle(threads)
		return err
	})
	if err != nil {
		return took, err
	}
	want, err := s.bundle(s.threads)
	return took, check(got, want, err)
}

func (s *source) bundle(threads *thread.Store) ([]byte, error) {
	none := func(artifact.ID) ([]byte, error) { return nil, errors.New("it has no artifacts") }
	made, err := compile.Compile(compile.FromStore(threads, none), compile.Request{ThreadID: s.id, Base: true, ActorID: "user", Origin: "bench"})
	if err != nil {
		return nil, err
	}
	return made.Bundle.Bytes(), nil
}

// compileRows measure a compile in a workspace that lacks all of the thread, and in one
// that lacks its last message.
func compileRows(ctx context.Context, posts, times int) []row {
	sources := map[client]*source{}
	of := func(c client) (*source, error) {
		if s := sources[c]; s != nil {
			return s, nil
		}
		s, err := newSource(ctx, c.(threadClient), posts)
		sources[c] = s
		return s, err
	}
	last := func(i int, s *source) {
		if i == times-1 {
			s.close()
		}
	}
	return []row{
		{fmt.Sprintf("compile, a thread of %d messages missing", posts), times, func(c client, i int) (time.Duration, error) {
			s, err := of(c)
			if err != nil {
				return 0, err
			}
			dir := filepath.Join(s.dir, fmt.Sprint("new-", i))
			defer os.RemoveAll(dir)
			return s.compile(ctx, dir)
		}},
		{"compile, one message missing", times, func(c client, i int) (time.Duration, error) {
			s := sources[c]
			defer last(i, s)
			if i == 0 {
				if _, err := s.compile(ctx, s.copy); err != nil {
					return 0, err
				}
			}
			if err := s.post(ctx); err != nil {
				return 0, err
			}
			return s.compile(ctx, s.copy)
		}},
	}
}

// extend implements [threadClient].
func (o ours) extend(ctx context.Context, log string, at int, lines [][]byte) error {
	return o.threads.Append(ctx, engine.Batch{Log: log, Expected: uint64(at), Records: lines})
}

// fetch is that of [threadClient]: as at the start of a command.
func (o ours) fetch(ctx context.Context, dir string) (func(string) journal.Upstream, error) {
	r := replica.New(o.threads, replica.Folder{Root: nofollow.Root(dir), Dir: filepath.Join(dir, ".handoff"), Owns: names.OfThreads}, nil)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return r.Upstream, r.Sync(ctx)
}
