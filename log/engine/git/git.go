// Package git keeps logs in refs of a git remote, for teams whose only server is that
// remote. Each log is a ref below refs/handoff/logs. Each append is a commit on it that
// holds the whole log as a file. A push succeeds only if the ref has not moved since it
// was read, so of two concurrent appends one wins. It takes seconds where JetStream
// takes milliseconds, and needs nothing but git.
//
// The package runs the installed git in a bare repository of its own. That has no refs,
// only objects, so that any number of processes may use it at once and a killed one
// leaves nothing locked. From the user's repository it only reads the URL of the remote
// and how to sign in there.
//
// It stores no blobs.
package git

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/file/nofollow"
	"handoff/log/engine"
)

// prefix of all refs with logs.
const prefix = "refs/handoff/logs/"

// Options describe how to reach a remote.
type Options struct {
	// Timeout limits each run of git; 30 s if it is 0.
	Timeout time.Duration
	// Poll is the time between two looks of a watch; 2 s if it is 0.
	Poll time.Duration
	// Now is the time of commits; time.Now if it is nil.
	Now func() time.Time
}

// Engine is the logs of a remote.
type Engine struct {
	engine.NoBlobs
	o      Options
	remote string   // as the user named it
	url    string   // what git calls it
	dir    string   // of the repository with our objects
	config []string // settings of the user's repository: key=value
}

var _ engine.Engine = (*Engine)(nil)

// Open prepares the engine for a remote of the repository that contains the folder
// root: its name, such as "origin", or a URL. Objects are kept in cache, a folder
// below a trusted one that is created and may be deleted at any time. Nothing is sent yet.
func Open(ctx context.Context, root, remote string, trusted nofollow.Root, cache string, o Options) (*Engine, error) {
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.Poll == 0 {
		o.Poll = 2 * time.Second
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	e := &Engine{o: o, remote: remote, dir: cache}
	if err := e.locate(ctx, root); err != nil {
		return nil, err
	}
	return e, e.prepare(ctx, trusted)
}

// Name is "git:REMOTE".
func (e *Engine) Name() string { return "git:" + e.remote }

// Close does nothing: no connection is kept.
func (e *Engine) Close() error { return nil }

// locate finds the URL of the remote and the settings for reaching it.
func (e *Engine) locate(ctx context.Context, root string) error {
	if isURL(e.remote) {
		e.url = e.remote
	} else {
		out, err := e.run(ctx, job{dir: root, args: []string{"remote", "get-url", "--", e.remote}})
		if err != nil {
			if f := (*failure)(nil); errors.As(err, &f) && strings.HasPrefix(f.talk, "No such remote") {
				err = errors.New("the repository has no such remote") // the caller names it
			}
			return err
		}
		e.url = line(out)
	}
	if !filepath.IsAbs(e.url) && !isURL(e.url) { // a folder, relative to the repository
		e.url = filepath.Join(root, e.url)
	}
	// It fails if nothing is set.
	out, _ := e.run(ctx, job{dir: root, args: []string{"config", "--local", "--null", "--get-regexp", `^(credential|http|url|ssh)\.|^core\.sshcommand$`}})
	e.config = settings(out)
	return nil
}

// prepare creates the repository for the objects.
func (e *Engine) prepare(ctx context.Context, trusted nofollow.Root) error {
	if complete(e.dir) {
		return nil
	}
	if err := atomicfile.MkdirAll(trusted, filepath.Dir(e.dir), 0o700); err != nil {
		return err
	}
	unlock, err := lockfile.Lock(ctx, trusted, e.dir+".lock")
	if err != nil {
		return err
	}
	return errors.Join(e.create(ctx, trusted), unlock())
}

// create creates the repository beside its place, and then gives it its name: git leaves
// half of one if it is killed. What killed processes have left is removed, since it is only
// a cache. The caller has locked it.
func (e *Engine) create(ctx context.Context, trusted nofollow.Root) error {
	if complete(e.dir) {
		return nil
	}
	made := e.dir + ".new"
	if err := errors.Join(trusted.RemoveAll(e.dir), trusted.RemoveAll(made)); err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(trusted, made, 0o700); err != nil {
		return err
	}
	if _, err := e.run(ctx, job{dir: made, args: []string{"init", "--quiet", "--bare", "--template="}}); err != nil {
		return err
	}
	if !complete(made) {
		return fmt.Errorf("%s: git init created no repository there", made)
	}
	if err := trusted.Rename(made, e.dir); err != nil {
		return err
	}
	return trusted.Sync(filepath.Dir(e.dir))
}

// complete reports whether a folder has all that git needs of a repository. A killed git
// init, or a power failure after it, leaves less.
func complete(dir string) bool {
	for _, name := range []string{"HEAD", "config"} {
		if st, err := os.Lstat(filepath.Join(dir, name)); err != nil || !st.Mode().IsRegular() || st.Size() == 0 {
			return false
		}
	}
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Lstat(filepath.Join(dir, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// Len is the number of records of a log.
func (e *Engine) Len(ctx context.Context, log string) (uint64, error) {
	if err := engine.CheckLog(log); err != nil {
		return 0, err
	}
	state, err := e.state(ctx, log)
	return state.len(), err
}

// Read returns the records of a log.
func (e *Engine) Read(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := engine.CheckLog(log); err != nil {
			yield(engine.Record{}, err)
			return
		}
		state, err := e.state(ctx, log)
		if err != nil {
			yield(engine.Record{}, err)
			return
		}
		state.records(from, yield)
	}
}

// Watch returns the records of a log, and looks for new ones every [Options.Poll].
func (e *Engine) Watch(ctx context.Context, log string, from uint64) iter.Seq2[engine.Record, error] {
	return func(yield func(engine.Record, error) bool) {
		if err := engine.CheckLog(log); err != nil {
			yield(engine.Record{}, err)
			return
		}
		answered := time.Now()
		for {
			state, err := e.state(ctx, log)
			switch {
			case err == nil:
				answered = time.Now()
			case ctx.Err() != nil || !errors.Is(err, engine.ErrUnavailable) || time.Since(answered) > patience:
				yield(engine.Record{}, err)
				return
			}
			if !state.records(from, yield) {
				return
			}
			from = max(from, state.len())
			select {
			case <-ctx.Done():
				yield(engine.Record{}, ctx.Err())
				return
			case <-time.After(e.o.Poll):
			}
		}
	}
}

// patience is how long a watch waits for a remote that does not answer.
const patience = 10 * time.Minute

// List returns the logs whose names begin with a prefix.
func (e *Engine) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return func(yield func(engine.Info, error) bool) {
		all, err := e.list(ctx, prefix)
		if err != nil {
			yield(engine.Info{}, err)
			return
		}
		for _, one := range all {
			if !yield(one.Info, one.foreign) {
				return
			}
		}
	}
}
