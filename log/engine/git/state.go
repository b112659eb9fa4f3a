package git

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"handoff/log/engine"
)

// file is the name of the file with a log's records, in the tree of its commits.
const file = "log"

// state is a log as a commit holds it.
type state struct {
	commit  string // "" if there is no such log
	text    []byte // a record a line
	foreign *engine.ForeignError
}

func (s state) len() uint64 { return uint64(bytes.Count(s.text, []byte("\n"))) }

// records calls yield for the records from a number on, until it returns false.
func (s state) records(from uint64, yield func(engine.Record, error) bool) bool {
	var n uint64
	for l := range bytes.Lines(s.text) {
		if n >= from && !yield(engine.Record{Number: n, Data: bytes.Clone(bytes.TrimSuffix(l, []byte("\n")))}, nil) {
			return false
		}
		n++
	}
	return true
}

// state asks the remote for a log.
func (e *Engine) state(ctx context.Context, log string) (state, error) {
	all, err := e.states(ctx, []string{refOf(log)})
	if f := all[log].foreign; f != nil {
		return state{}, engine.About(e.Name(), f)
	}
	return all[log], err
}

// listed is a log, and why it is not one of ours.
type listed struct {
	engine.Info
	foreign error
}

// list is all logs whose names begin with a prefix, by name.
func (e *Engine) list(ctx context.Context, begin string) ([]listed, error) {
	all, err := e.states(ctx, []string{prefix + "*"})
	if err != nil {
		return nil, err
	}
	var infos []listed
	for _, log := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(log, begin) {
			one := listed{Info: engine.Info{Log: log, Len: all[log].len()}}
			if log == engine.IdentityLog { // it is asked for after each list
				all[log].records(0, func(r engine.Record, _ error) bool { one.Tail = append(one.Tail, r); return true })
			}
			if f := all[log].foreign; f != nil {
				one.foreign = f
			}
			infos = append(infos, one)
		}
	}
	return infos, nil
}

// states asks the remote for the logs whose refs match patterns, and fetches the
// missing ones. If a ref moves between the two, it asks again. A commit that was fetched
// and has no log is not one of ours: it is not asked for again.
func (e *Engine) states(ctx context.Context, patterns []string) (map[string]state, error) {
	damaged := map[string]error{} // by commit
	for fetched := map[string]bool{}; ; {
		tips, err := e.tips(ctx, patterns)
		if err != nil || len(tips) == 0 {
			return nil, err
		}
		all, missing, err := e.local(ctx, tips)
		if err != nil {
			return all, err
		}
		missing = slices.DeleteFunc(missing, func(ref string) bool {
			log, _ := logOf(ref)
			if why := damaged[tips[log]]; why != nil {
				all[log] = state{foreign: &engine.ForeignError{Log: log, Why: fmt.Sprintf("commit %s of %s is damaged at the remote: %v", tips[log], ref, why)}}
				return true
			}
			if again := fetched[tips[log]]; !again {
				fetched[tips[log]] = true
				return false
			}
			all[log] = state{foreign: &engine.ForeignError{Log: log, Why: "commit " + tips[log] + " of " + ref + " was not written by handoff: it has no file " + file}}
			return true
		})
		if len(missing) == 0 {
			return all, nil
		}
		if err := e.fetch(ctx, missing); err != nil {
			if err := e.fetchEach(ctx, missing, tips, damaged); err != nil {
				return nil, err
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// tips are the commits of logs at the remote.
func (e *Engine) tips(ctx context.Context, patterns []string) (map[string]string, error) {
	out, err := e.run(ctx, job{args: append([]string{"ls-remote", "--quiet", "--refs", "--", e.url}, patterns...)})
	if err != nil {
		return nil, e.away(ctx, err)
	}
	tips := map[string]string{}
	for l := range strings.Lines(string(out)) {
		commit, ref, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if log, ok := logOf(ref); ok {
			tips[log] = commit
		}
	}
	return tips, nil
}

// away is the error for a remote that was not reached, so that nothing was written.
func (e *Engine) away(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%s: %w: %w", e.Name(), engine.ErrUnavailable, err)
}

// local reads logs from local commits; missing lists the refs of the others.
func (e *Engine) local(ctx context.Context, tips map[string]string) (all map[string]state, missing []string, err error) {
	logs := slices.Sorted(maps.Keys(tips))
	var in bytes.Buffer
	for _, log := range logs {
		fmt.Fprintf(&in, "%s:%s\n", tips[log], file)
	}
	out, err := e.run(ctx, job{in: in.Bytes(), args: []string{"cat-file", "--batch"}})
	if err != nil {
		return nil, nil, err
	}
	all = map[string]state{}
	for _, log := range logs {
		kind, text, rest, ok, err := object(out)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: %w", e.Name(), log, err)
		}
		out = rest
		if !ok {
			missing = append(missing, refOf(log))
			continue
		}
		if why := notLog(kind, text); why != "" {
			all[log] = state{foreign: &engine.ForeignError{Log: log, Why: "commit " + tips[log] + " was not written by handoff: " + why}}
			continue
		}
		all[log] = state{commit: tips[log], text: text}
	}
	return all, missing, nil
}

// object takes one answer from the output of cat-file --batch: "ID TYPE SIZE", the
// content and a newline, or "NAME missing".
func object(out []byte) (kind string, text, rest []byte, ok bool, err error) {
	head, rest, found := bytes.Cut(out, []byte("\n"))
	if !found {
		return "", nil, nil, false, fmt.Errorf("git cat-file ended early")
	}
	if bytes.HasSuffix(head, []byte(" missing")) {
		return "", nil, rest, false, nil
	}
	var id string
	var size int
	if _, err := fmt.Sscanf(string(head), "%s %s %d", &id, &kind, &size); err != nil || size+1 > len(rest) {
		return "", nil, nil, false, fmt.Errorf("git cat-file answered %.80q", head)
	}
	return kind, rest[:size], rest[size+1:], true, nil
}

// notLog is why an object is not the file of a log, "" if it is.
func notLog(kind string, text []byte) string {
	switch {
	case kind != "blob":
		return file + " is a " + kind
	case len(text) > 0 && text[len(text)-1] != '\n':
		return "the last record has no line end"
	}
	return ""
}

// fetchEach gets refs one by one, after they could not be fetched together: one that is
// damaged at the remote must not hide the others. It is one that the remote still lists
// after it could not be fetched.
func (e *Engine) fetchEach(ctx context.Context, refs []string, tips map[string]string, damaged map[string]error) error {
	for _, ref := range refs {
		err := e.fetch(ctx, []string{ref})
		if err == nil {
			continue
		}
		if _, away := e.tips(ctx, []string{ref}); away != nil {
			return err
		}
		log, _ := logOf(ref)
		damaged[tips[log]] = err
	}
	return nil
}

// fetch gets the commits of refs, without a ref of our own for them.
func (e *Engine) fetch(ctx context.Context, refs []string) error {
	_, err := e.run(ctx, job{in: []byte(strings.Join(refs, "\n") + "\n"),
		args: []string{"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--refmap=", "--stdin", "--", e.url}})
	if err != nil && strings.Contains(err.Error(), "couldn't find remote ref") {
		return nil // deleted in the meantime
	}
	if err != nil {
		return e.away(ctx, err)
	}
	return nil
}
