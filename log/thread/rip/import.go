package rip

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"handoff/document/handoff"
	"handoff/log/artifact"
	"handoff/log/thread"
)

// pendingBytes is how much of a log is held in memory before it is written.
const pendingBytes = 32 << 20

// Import imports all streams of a store of RIP, with titles, defaults and the
// artifacts that they refer to. It does not change existing data, so an import
// can be repeated. A bad line, an event of a type that RIP does not know, or a
// stream that has other events here is a problem in the report: that stream is
// imported up to that point. All others are imported completely, except the runs
// of the part that is left out and threads that continue from it.
func Import(ctx context.Context, s *thread.Store, blobs *artifact.Store, from Place) (Report, error) {
	im := &importer{store: s, from: from, streams: map[key]*incoming{}, lost: map[string]string{}}
	if err := im.log(ctx); err != nil {
		return im.report, err
	}
	if err := im.snapshots(ctx); err != nil {
		return im.report, err
	}
	if err := im.index(ctx); err != nil {
		return im.report, err
	}
	if blobs != nil {
		if err := im.blobs(ctx, blobs); err != nil {
			return im.report, err
		}
	}
	return im.finish(), nil
}

type importer struct {
	store   *thread.Store
	from    Place
	streams map[key]*incoming
	pending int // bytes
	named   refs
	needed  refs              // of named, those that an event depends on
	of      []string          // the workspaces that threads name
	lost    map[string]string // runs of left-out parts of threads, with the thread
	report  Report
}

// incoming is a stream, as far as the log was read.
type incoming struct {
	key
	lines [][]byte
	needs []string // artifacts that the lines depend on
	next  uint64   // the number of its next event
	here  uint64   // how many of its events are here
	added int
	bad   bool // the rest of it is left out
}

// leftOut records the run that a left-out event of a thread starts.
func (im *importer) leftOut(e thread.Event) {
	if p, ok := e.Payload.(*thread.RunSpawned); ok {
		im.lost[p.RunSessionID] = e.StreamID
	}
}

func (im *importer) log(ctx context.Context) error {
	here := unchanged{im.store, map[string]*page{}}
	err := scanLines(im.from.events(), func(l line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := l.err
		if k, ok := here.next(l.text); err == nil && ok {
			err = im.takeSame(k, l.text)
		} else {
			l.parse()
			err = im.take(l)
		}
		if err != nil {
			im.report.problem(im.from.events(), l.number, err)
		}
		if im.pending > pendingBytes {
			return im.flush(ctx, false)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return im.flush(ctx, true)
}

// take adds a line to its stream. The error is a problem.
func (im *importer) take(l line) error {
	if l.err != nil && l.torn && !errors.Is(l.err, errUnknownType) {
		return fmt.Errorf("the last line is incomplete, or is still being written: %w", l.err)
	}
	if l.err != nil && !errors.Is(l.err, errUnknownType) {
		return l.err
	}
	in := im.stream(key{l.event.Kind(), l.event.StreamID})
	switch {
	case in.bad:
		im.leftOut(l.event)
		return nil // it is already reported
	case l.err != nil:
		in.bad = true
		return l.err
	case l.event.Seq != in.next:
		in.bad = true
		return fmt.Errorf("event %d of %s %s found where event %d is expected: an event is missing or was written twice", l.event.Seq, in.kind, in.id, in.next)
	}
	if err := thread.CheckID(in.id); err != nil {
		in.bad = true
		return err
	}
	in.next++
	im.namedBy(in, l.event)
	in.lines = append(in.lines, bytes.Clone(l.text))
	im.pending += len(l.text)
	return nil
}

// namedBy records the workspace and the artifact that an event names.
func (im *importer) namedBy(in *incoming, e thread.Event) {
	if p, ok := e.Payload.(*thread.Created); ok && !slices.Contains(im.of, p.Workspace) {
		im.of = append(im.of, p.Workspace)
	}
	if name := e.Artifact(); name != "" {
		in.needs = append(in.needs, name)
	}
}

func (im *importer) stream(k key) *incoming {
	in := im.streams[k]
	if in == nil {
		in = &incoming{key: k}
		im.streams[k] = in
	}
	return in
}

// sorted are the streams, by kind and id.
func (im *importer) sorted() []*incoming {
	return slices.SortedFunc(maps.Values(im.streams), func(a, b *incoming) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id)) })
}

// flush writes what was read: threads before runs, and parents before children. A
// stream of one event waits for its second, which names a thread's parent.
func (im *importer) flush(ctx context.Context, last bool) error {
	im.pending = 0
	for _, in := range im.sorted() {
		if len(in.lines) == 0 || !last && in.next == 1 {
			continue
		}
		if err := im.flushStream(ctx, in); err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) flushStream(ctx context.Context, in *incoming) error {
	lines, needs := in.lines, in.needs
	in.lines, in.needs = nil, nil // cleared first: a thread may be its own ancestor
	refused, err := im.refused(ctx, in, lines)
	if err != nil {
		return err
	}
	if refused == nil {
		var added int
		added, refused = im.store.Import(ctx, in.kind, in.id, lines)
		in.added += added
	}
	switch diverged := (*thread.DivergedError)(nil); {
	case refused == nil:
		in.here = in.next
		for _, l := range lines {
			im.named.find(l)
		}
		for _, name := range needs {
			im.needed.need(name)
		}
		return nil
	case errors.Is(refused, errLeftOut): // reported with its thread
	case errors.As(refused, &diverged):
		in.here = diverged.Seq
		fallthrough
	case errors.Is(refused, fs.ErrExist), errors.Is(refused, handoff.ErrInvalid):
		im.report.problem(im.from.events(), 0, refused)
	default:
		return refused
	}
	in.bad = true
	for _, l := range lines {
		if e, err := thread.Parse(l); err == nil && e.Seq >= in.here {
			im.leftOut(e)
		}
	}
	return nil
}

// errLeftOut: a run belongs to a left-out part of a thread.
var errLeftOut = errors.New("belongs to a part of a thread that is left out")

// refused is why a stream that begins with these lines is left out: the part of
// its parent that it continues was left out.
func (im *importer) refused(ctx context.Context, in *incoming, lines [][]byte) (refused, err error) {
	if uint64(len(lines)) != in.next { // its start was flushed before
		return nil, nil
	}
	if in.kind == thread.Session && im.lost[in.id] != "" && !im.store.HasStream(in.kind, in.id) {
		return errLeftOut, nil
	}
	from := parentOf(lines)
	if in.kind != thread.Continuity || from == nil {
		return nil, nil
	}
	parent := im.streams[key{thread.Continuity, from.ThreadID}]
	if parent == nil {
		return nil, nil
	}
	if len(parent.lines) > 0 {
		if err := im.flushStream(ctx, parent); err != nil {
			return nil, err
		}
	}
	if parent.bad && parent.here <= from.Seq {
		return fmt.Errorf("thread %s continues from event %d of thread %s, whose events from %d on are left out: it is left out as well: %w",
			in.id, from.Seq, from.ThreadID, parent.here, handoff.ErrInvalid), nil
	}
	return nil, nil
}

// parentOf is the cut that a thread continues, by its second line, nil for none.
func parentOf(lines [][]byte) *thread.Parent {
	if len(lines) < 2 {
		return nil
	}
	e, _ := thread.Parse(lines[1]) // it was parsed before
	return thread.ParentOf(e)
}

// leftOutRuns reports how many runs are left out with their threads.
func (im *importer) leftOutRuns() {
	count := map[string]int{}
	for run, of := range im.lost {
		if in := im.streams[key{thread.Session, run}]; in != nil && in.bad && in.here == 0 {
			count[of]++
		}
	}
	for _, of := range slices.Sorted(maps.Keys(count)) {
		im.report.problem(im.from.events(), 0, fmt.Errorf("thread %s: runs of its left-out part are left out as well: %d", of, count[of]))
	}
}

func (im *importer) finish() Report {
	im.leftOutRuns()
	for _, in := range im.sorted() {
		if in.added > 0 {
			im.report.Streams = append(im.report.Streams, Moved{in.kind, in.id, in.added})
		} else if !in.bad {
			im.report.Same++
		}
	}
	return im.report
}
