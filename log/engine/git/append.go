package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/log/engine"
)

// maxLog is the most bytes of a log. Each commit holds all of it.
const maxLog = 16 << 20

// Append adds records by one push: a commit for each log, all or none. The remote
// refuses it if a ref is not what was read.
func (e *Engine) Append(ctx context.Context, batches ...engine.Batch) error {
	if err := engine.Check(batches...); err != nil {
		return err
	}
	refs := make([]string, len(batches))
	for i, b := range batches {
		refs[i] = refOf(b.Log)
	}
	now, err := e.expected(ctx, refs, batches)
	if err != nil {
		return err
	}
	args := []string{"push", "--porcelain", "--no-verify", "--quiet"}
	if len(batches) > 1 {
		args = append(args, "--atomic")
	}
	var specs []string
	for i, b := range batches {
		commit, err := e.commit(ctx, now[b.Log], b)
		if err != nil {
			return err
		}
		args = append(args, "--force-with-lease="+refs[i]+":"+now[b.Log].commit)
		specs = append(specs, commit+":"+refs[i])
	}
	out, err := e.run(ctx, job{args: append(append(args, "--", e.url), specs...)})
	if err == nil {
		return nil
	}
	return e.refused(ctx, refs, batches, out, err)
}

// expected reads the logs, and compares their lengths.
func (e *Engine) expected(ctx context.Context, refs []string, batches []engine.Batch) (map[string]state, error) {
	now, err := e.states(ctx, refs)
	if err != nil {
		return nil, err
	}
	for _, b := range batches {
		if f := now[b.Log].foreign; f != nil {
			return nil, engine.About(e.Name(), f)
		}
		if n := now[b.Log].len(); n != b.Expected {
			return nil, &engine.ConflictError{Log: b.Log, Expected: b.Expected, Len: n}
		}
	}
	return now, nil
}

// commit makes the commit of a log with more records.
func (e *Engine) commit(ctx context.Context, was state, b engine.Batch) (string, error) {
	text := bytes.Clone(was.text)
	for _, record := range b.Records {
		text = append(append(text, record...), '\n')
	}
	if len(text) > maxLog {
		return "", fmt.Errorf("%s: %s would have %d bytes, more than %d: %w", e.Name(), b.Log, len(text), maxLog, engine.ErrTooLarge)
	}
	blob, err := e.run(ctx, job{in: text, args: []string{"hash-object", "-w", "--stdin", "--no-filters"}})
	if err != nil {
		return "", err
	}
	tree, err := e.run(ctx, job{in: []byte("100644 blob " + line(blob) + "\t" + file + "\n"), args: []string{"mktree"}})
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", line(tree), "-m", b.Log}
	if was.commit != "" {
		args = append(args, "-p", was.commit)
	}
	commit, err := e.run(ctx, job{args: args, env: identity(e.o.Now())})
	return line(commit), err
}

// identity is the author of all commits: who appended is in the records, and the
// user's name is not ours to publish.
func identity(now time.Time) (env []string) {
	for _, who := range []string{"GIT_AUTHOR_", "GIT_COMMITTER_"} {
		env = append(env, who+"NAME=handoff", who+"EMAIL=handoff@localhost", fmt.Sprintf("%sDATE=@%d +0000", who, now.Unix()))
	}
	return env
}

// refused explains why a push failed. If git reported on the refs, nothing was
// written; otherwise the outcome is unknown.
func (e *Engine) refused(ctx context.Context, refs []string, batches []engine.Batch, out []byte, err error) error {
	why, answered := rejection(out)
	if !answered {
		if denied(err) {
			return &engine.ForbiddenError{Store: e.Name(), Why: err.Error()}
		}
		return fmt.Errorf("%s: %w: %w", e.Name(), engine.ErrUnknown, err)
	}
	if _, conflict := e.expected(ctx, refs, batches); conflict != nil {
		return conflict
	}
	// The logs are as they were: the remote was busy with another push, or it forbids this one.
	for _, busy := range []string{"cannot lock ref", "failed to update ref", "incorrect old value", "stale info", "fetch first", "failed to lock", "atomic"} {
		if strings.Contains(why, busy) {
			return fmt.Errorf("%s: %w: %s", e.Name(), engine.ErrUnavailable, why)
		}
	}
	if f := (*failure)(nil); errors.As(err, &f) && f.remote != "" {
		why += ": " + f.remote
	}
	return &engine.ForbiddenError{Store: e.Name(), Why: why}
}

// rejection finds the reason in the output of push --porcelain: "!", FROM:TO,
// SUMMARY (REASON).
func rejection(out []byte) (why string, ok bool) {
	for l := range strings.Lines(string(out)) {
		if fields := strings.SplitN(strings.TrimSpace(l), "\t", 3); fields[0] == "!" && len(fields) == 3 {
			return fields[2], true
		}
	}
	return "", false
}

// denied reports whether git failed before it began to push.
func denied(err error) bool {
	for _, s := range []string{"denied", "Authentication failed", "could not read Username", "could not read Password", "not allowed", "error: 403", "error: 401", "read-only", "read only", "not enabled"} {
		if strings.Contains(err.Error(), s) {
			return true
		}
	}
	return false
}
