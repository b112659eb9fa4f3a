package rip

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"maps"
	"slices"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/log/artifact"
	"handoff/log/thread"
)

// ExportOptions select what is exported.
type ExportOptions struct {
	// Threads are the ids of threads, which are exported with the threads that
	// they continue and with their runs. nil means all streams of the store.
	Threads []string
	// Now is the clock, time.Now if nil.
	Now func() time.Time
}

// Export adds the streams of a store to a store of RIP, which is created if there
// is none. A stream that RIP's store already has is extended if it has the same
// events so far; otherwise it is a problem in the report, like a stream that RIP
// could not read. Nothing is added to a log that RIP cannot read.
//
// The log is replaced atomically, so a crash leaves the old one or the new one.
// If a running server uses the store, the error is [*LiveError].
func Export(ctx context.Context, s *thread.Store, blobs *artifact.Store, to Place, o ExportOptions) (report Report, err error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := to.live(ctx); err != nil {
		return Report{}, err
	}
	ex := &exporter{store: s, to: to}
	if err := ex.choose(ctx, o.Threads); err != nil {
		return ex.report, err
	}
	if err := to.root().MkdirAll(to.Data, 0o755); err != nil {
		return ex.report, err
	}
	unlock, err := to.lock(ctx, o.Now())
	if err != nil {
		return ex.report, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if err := ex.known(ctx); err != nil {
		return ex.report, err
	}
	list, err := to.readIndex()
	if err != nil {
		return ex.report, Problem{Path: to.indexPath(), Err: err}
	}
	if blobs != nil && to.Workspace != "" {
		if err := ex.blobs(ctx, blobs); err != nil {
			return ex.report, err
		}
	}
	if err := ex.write(ctx); err != nil {
		return ex.report, err
	}
	return ex.report, ex.index(list)
}

type exporter struct {
	store   *thread.Store
	to      Place
	streams []*outgoing // sorted
	named   refs
	needed  refs     // of named, those that an event depends on
	ended   []string // runs that threads report as ended
	report  Report
}

// missingRuns reports the runs whose output is lost.
func (ex *exporter) missingRuns() {
	for _, id := range ex.ended {
		if !ex.store.HasStream(thread.Session, id) {
			ex.report.problem("session "+id, 0, fmt.Errorf("its output is missing: %w", fs.ErrNotExist))
		}
	}
}

// outgoing is a stream to export.
type outgoing struct {
	key
	count uint64 // of its events here
	there uint64 // of its events in RIP's log
	same  hash.Hash
	ended bool
	info  thread.Info // of a thread
}

// choose finds the streams and checks that RIP could read each.
func (ex *exporter) choose(ctx context.Context, threads []string) error {
	chosen, err := ex.threads(ctx, threads)
	if err != nil {
		return err
	}
	runs := map[string]bool{}
	for _, id := range chosen {
		if err := ex.add(ctx, key{thread.Continuity, id}, runs); err != nil {
			return err
		}
	}
	ex.missingRuns()
	for _, kind := range [...]thread.StreamKind{thread.Session, thread.Task} {
		ids, err := ex.store.Streams(kind)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if threads != nil && !(kind == thread.Session && runs[id]) {
				continue
			}
			if err := ex.add(ctx, key{kind, id}, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// threads are the ids of the threads to export, with those that they continue.
func (ex *exporter) threads(ctx context.Context, ids []string) ([]string, error) {
	if ids == nil {
		return ex.store.Streams(thread.Continuity)
	}
	chosen := map[string]bool{}
	for _, id := range ids {
		for id != "" && !chosen[id] {
			info, err := ex.store.Get(ctx, id)
			if len(chosen) > 0 && errors.Is(err, fs.ErrNotExist) && !slices.Contains(ids, id) {
				break // a deleted parent
			}
			if err != nil {
				return nil, err
			}
			chosen[id] = true
			if id = ""; info.Parent != nil {
				id = info.Parent.ThreadID
			}
		}
	}
	return slices.Sorted(maps.Keys(chosen)), nil
}

// add reads a stream to its end. One that RIP could not read is a problem.
func (ex *exporter) add(ctx context.Context, k key, runs map[string]bool) (err error) {
	out := &outgoing{key: k, same: sha256.New()}
	for e, err := range ex.store.StreamEvents(k.kind, k.id, 0) {
		if err = errors.Join(err, ctx.Err()); err == nil {
			err = fit(e)
		}
		if err != nil && ctx.Err() == nil {
			ex.report.problem(fmt.Sprintf("%s %s", k.kind, k.id), int(out.count)+1, err)
			return nil
		}
		if err != nil {
			return err
		}
		switch p := e.Payload.(type) {
		case *thread.RunSpawned:
			if runs != nil {
				runs[p.RunSessionID] = true
			}
		case *thread.RunEnded:
			if !slices.Contains(thread.NeverBegun, p.Reason) {
				ex.ended = append(ex.ended, p.RunSessionID)
			}
		case *thread.SessionEnded:
			out.ended = true
		}
		line, _ := e.Line() // as it was read
		ex.named.find(line)
		if name := e.Artifact(); name != "" {
			ex.needed.need(name)
		}
		out.count++
	}
	if k.kind == thread.Continuity {
		if out.info, err = ex.store.Get(ctx, k.id); err != nil {
			return err
		}
	}
	ex.streams = append(ex.streams, out)
	return nil
}

// fit checks that RIP could read and index an event.
func fit(e thread.Event) error {
	if _, planned := e.Payload.(*thread.ThreadReferenced); planned || !e.Known() {
		return fmt.Errorf("%q: %w", e.Payload.Type(), errUnknownType)
	}
	if _, ok := e.Payload.(*thread.Message); ok && !isUUID(e.ID) {
		return fmt.Errorf("the message id %q is not a UUID, which RIP requires", e.ID)
	}
	return nil
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i] | 0x20
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (s[i] == '-') || !dash && (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

// known reads RIP's log: what it has of the streams to export, and whether RIP can
// read it.
func (ex *exporter) known(ctx context.Context) error {
	ours := map[key]*outgoing{}
	for _, out := range ex.streams {
		ours[out.key] = out
	}
	next := map[key]uint64{}
	err := scan(ex.to.events(), func(l line) error {
		if err := errors.Join(l.err, ctx.Err()); err != nil {
			return fmt.Errorf("%s:%d: RIP cannot read its log, nothing was added: %w: %w", ex.to.events(), l.number, err, handoff.ErrInvalid)
		}
		k := key{l.event.Kind(), l.event.StreamID}
		if l.event.Seq != next[k] {
			return fmt.Errorf("%s:%d: RIP cannot read its log, nothing was added: event %d of %s found where event %d is expected: %w",
				ex.to.events(), l.number, l.event.Seq, k.id, next[k], handoff.ErrInvalid)
		}
		next[k]++
		if out := ours[k]; out != nil {
			if out.there++; out.there <= out.count {
				digest(out.same, l.text)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return ex.differ()
}

func digest(h hash.Hash, line []byte) {
	h.Write(line)
	h.Write([]byte("\n"))
}

// differ leaves out the streams that have other events in RIP's log.
func (ex *exporter) differ() error {
	kept := ex.streams[:0]
	for _, out := range ex.streams {
		ours := sha256.New()
		for line, err := range ex.store.Lines(out.kind, out.id) {
			if err != nil {
				return err
			}
			if line.Seq == min(out.there, out.count) {
				break
			}
			digest(ours, line.Text)
		}
		if bytes.Equal(ours.Sum(nil), out.same.Sum(nil)) {
			kept = append(kept, out)
			continue
		}
		ex.report.problem(ex.to.events(), 0, fmt.Errorf("%s %s has different events there than here: %w", out.kind, out.id, fs.ErrExist))
	}
	ex.streams = kept
	return nil
}

// blobs copies the artifacts that the streams refer to.
func (ex *exporter) blobs(ctx context.Context, from *artifact.Store) error {
	if err := nofollow.Root(ex.to.Workspace).MkdirAll(ex.to.Workspace, 0o755); err != nil {
		return err
	}
	to, err := artifact.Open(ex.to.Workspace)
	if err != nil {
		return err
	}
	defer to.Close()
	ex.report.Blobs, err = copyBlobs(ctx, ex.named, []*artifact.Store{from}, to, func(_ artifact.ID, err error) {
		ex.report.problem(ex.to.Workspace, 0, err)
	})
	if err != nil {
		return err
	}
	ex.report.Missing = to.Missing(ex.needed.all)
	if err := missingBlobs(ex.report.Missing, []string{"this workspace"}, "; `handoff verify` shows which events refer to them"); err != nil {
		ex.report.problem(ex.to.Workspace, 0, err)
	}
	return nil
}
