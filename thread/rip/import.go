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

	"handoff"
	"handoff/artifact"
	"handoff/thread"
)

// pendingBytes is how much of a log is held in memory before it is written.
const pendingBytes = 32 << 20

// Import takes all streams of a store of RIP over, with titles, defaults and
// the blobs that they name. What is there already is left alone, so that it
// can be done again. A bad line, an event of a type that RIP does not know, or
// a stream that has become another one here is a problem of the report: that
// stream is taken up to it, and all others whole, but for its runs after that
// and for threads that go on from a part of it that is not here.
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
	needed  refs              // of named, those that an event cannot be understood without
	of      []string          // the workspaces that threads say they are of
	lost    map[string]string // runs of parts of threads that are left out, with the thread
	report  Report
}

// incoming is a stream as far as the log was read.
type incoming struct {
	key
	lines [][]byte
	needs []string // artifacts that the lines cannot be understood without
	next  uint64   // the number of its next event
	here  uint64   // how many of its events are here
	added int
	bad   bool // the rest of it is left out
}

// leftOut notes the runs that a left out event of a thread tells of.
func (im *importer) leftOut(e thread.Event) {
	if p, ok := e.Payload.(*thread.RunSpawned); ok {
		im.lost[p.RunSessionID] = e.StreamID
	}
}

func (im *importer) problem(path string, line int, err error) {
	im.report.Problems = append(im.report.Problems, Problem{path, line, err})
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
			im.problem(im.from.events(), l.number, err)
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
		return nil // that was told
	case l.err != nil:
		in.bad = true
		return l.err
	case l.event.Seq != in.next:
		in.bad = true
		return fmt.Errorf("event %d of %s %s is in the place of event %d: an event is missing or was written twice", l.event.Seq, in.kind, in.id, in.next)
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

// namedBy notes the workspace and the artifact that an event names.
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

// sorted are the streams, in an order that does not depend on chance.
func (im *importer) sorted() []*incoming {
	var all []*incoming
	for _, in := range im.streams {
		all = append(all, in)
	}
	slices.SortFunc(all, func(a, b *incoming) int { return cmp.Or(cmp.Compare(a.kind, b.kind), cmp.Compare(a.id, b.id)) })
	return all
}

// flush writes what was read: threads before runs, and parents before their
// children. A stream of one event waits for the second, which says where a
// thread comes from.
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
	in.lines, in.needs = nil, nil // also against threads that come from themselves
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
	case errors.Is(refused, errLeftOut): // that was told of its thread
	case errors.As(refused, &diverged):
		in.here = diverged.Seq
		fallthrough
	case errors.Is(refused, fs.ErrExist), errors.Is(refused, handoff.ErrInvalid):
		im.problem(im.from.events(), 0, refused)
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

// errLeftOut says that a run belongs to a part of a thread that is left out.
var errLeftOut = errors.New("belongs to a part of a thread that is left out")

// refused is why a stream that begins with these lines is left out: the thread
// that it comes from is another one here up to there.
func (im *importer) refused(ctx context.Context, in *incoming, lines [][]byte) (refused, err error) {
	if uint64(len(lines)) != in.next { // it has begun before
		return nil, nil
	}
	if in.kind == thread.Session && im.lost[in.id] != "" && !im.store.HasStream(in.kind, in.id) {
		return errLeftOut, nil
	}
	parentID, cut, ok := parentOf(lines)
	parent := im.streams[key{thread.Continuity, parentID}]
	if in.kind != thread.Continuity || !ok || parent == nil {
		return nil, nil
	}
	if len(parent.lines) > 0 {
		if err := im.flushStream(ctx, parent); err != nil {
			return nil, err
		}
	}
	if parent.bad && parent.here <= cut {
		return fmt.Errorf("thread %s continues from event %d of thread %s, whose events from %d on are left out: it is left out as well: %w",
			in.id, cut, parentID, parent.here, handoff.ErrInvalid), nil
	}
	return nil, nil
}

// parentOf is the cut that a thread goes on from, by its second line.
func parentOf(lines [][]byte) (id string, cut uint64, ok bool) {
	if len(lines) < 2 {
		return "", 0, false
	}
	e, _ := thread.Parse(lines[1]) // it was parsed before
	switch p := e.Payload.(type) {
	case *thread.Branched:
		return p.ParentThreadID, p.ParentSeq, true
	case *thread.HandedOff:
		return p.FromThreadID, p.FromSeq, true
	}
	return "", 0, false
}

// leftOutRuns says how many runs are left out with their threads.
func (im *importer) leftOutRuns() {
	count := map[string]int{}
	for run, of := range im.lost {
		if in := im.streams[key{thread.Session, run}]; in != nil && in.bad && in.here == 0 {
			count[of]++
		}
	}
	for _, of := range slices.Sorted(maps.Keys(count)) {
		im.problem(im.from.events(), 0, fmt.Errorf("thread %s: runs of its left-out part are left out as well: %d", of, count[of]))
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
