package rip

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
// stream is taken up to it, all others whole.
func Import(ctx context.Context, s *thread.Store, blobs *artifact.Store, from Place) (Report, error) {
	im := &importer{store: s, from: from, streams: map[key]*incoming{}}
	if err := im.log(ctx); err != nil {
		return im.report, err
	}
	if err := im.snapshots(ctx); err != nil {
		return im.report, err
	}
	if err := im.index(ctx); err != nil {
		return im.report, err
	}
	if from.Workspace != "" && blobs != nil {
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
	report  Report
}

// incoming is a stream as far as the log was read.
type incoming struct {
	key
	lines [][]byte
	next  uint64 // the number of its next event
	added int
	bad   bool // the rest of it is left out
}

func (im *importer) problem(path string, line int, err error) {
	im.report.Problems = append(im.report.Problems, Problem{path, line, err})
}

func (im *importer) log(ctx context.Context) error {
	err := scan(im.from.events(), func(l line) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := im.take(l); err != nil {
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
		return fmt.Errorf("the last line is not whole, or is being written: %w", l.err)
	}
	if l.err != nil && !errors.Is(l.err, errUnknownType) {
		return l.err
	}
	in := im.stream(key{l.event.Kind(), l.event.StreamID})
	switch {
	case in.bad:
		return nil // that was told
	case l.err != nil:
		in.bad = true
		return l.err
	case l.event.Seq != in.next:
		in.bad = true
		return fmt.Errorf("event %d of %s %s comes where %d should: an event is missing or was written twice", l.event.Seq, in.kind, in.id, in.next)
	}
	if err := thread.CheckID(in.id); err != nil {
		in.bad = true
		return err
	}
	in.next++
	in.lines = append(in.lines, bytes.Clone(l.text))
	im.pending += len(l.text)
	return nil
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

// flush writes what was read. A stream of one event waits for the second,
// which says where a thread comes from.
func (im *importer) flush(ctx context.Context, last bool) error {
	im.pending = 0
	for _, in := range im.sorted() {
		if len(in.lines) == 0 || !last && in.next == 1 {
			continue
		}
		for _, l := range in.lines {
			im.named.find(l)
		}
		added, err := im.store.Import(ctx, in.kind, in.id, in.lines)
		in.lines = nil
		in.added += added
		if errors.Is(err, fs.ErrExist) || errors.Is(err, handoff.ErrInvalid) {
			in.bad = true
			im.problem(im.from.events(), 0, err)
		} else if err != nil {
			return err
		}
	}
	return nil
}

func (im *importer) finish() Report {
	for _, in := range im.sorted() {
		if in.added > 0 {
			im.report.Streams = append(im.report.Streams, Moved{in.kind, in.id, in.added})
		} else if !in.bad {
			im.report.Same++
		}
	}
	return im.report
}
