package jetstream

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// changesMost is the most messages that are read to find out what changed. If there are
// more, listing all logs may be faster.
const changesMost = 5 * directMost

// revision is the last message of the logs with a prefix. Its time distinguishes it from
// a message with the same number in a stream restored from a backup.
type revision struct {
	seq  uint64
	time string // as the server wrote it, without the zeros that it may leave out
}

func (r revision) String() string { return fmt.Sprintf("%d@%s", r.seq, r.time) }

func parseRevision(text string) (r revision) {
	if n, _ := fmt.Sscanf(text, "%d@%s", &r.seq, &r.time); n != 2 {
		return revision{}
	}
	return r
}

// stamp is a time in one spelling.
func stamp(text string) string {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// Changes returns the logs with messages after a revision: the messages are read, up to
// the last one that the leader has. If they are too many, or a node does not have all
// of them yet, all logs are listed.
func (e *Engine) Changes(ctx context.Context, prefix, since string) (changed []engine.Info, now string, err error) {
	last, err := e.revision(ctx, prefix)
	if err != nil || last.seq == 0 {
		return nil, "", err
	}
	all, known := growth{logs: map[string]*grown{}}, parseRevision(since)
	if known == last {
		return nil, since, nil
	}
	if known.seq > 0 && known.seq < last.seq && e.changes(ctx, prefix, known, last.seq, &all) {
		all.before(ctx, e, known.seq)
		return all.infos(), last.String(), nil
	}
	for info, err := range e.List(ctx, prefix) {
		if engine.Foreign(err) != nil {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		changed = append(changed, info)
	}
	return changed, last.String(), nil
}

// revision asks the leader for the last message of all logs with a prefix, and of some
// more.
func (e *Engine) revision(ctx context.Context, prefix string) (r revision, err error) {
	var s stored
	err = e.api(ctx, "STREAM.MSG.GET", get{Last: e.filter(prefix)}, &s)
	switch {
	case code(err) == codeNoMessage:
		return r, nil
	case err != nil:
		return r, fmt.Errorf("%s: %w", e.Name(), err)
	}
	return revision{s.Message.Seq, stamp(s.Message.Time)}, nil
}

// changes adds the logs that have messages after a known one, up to the last. ok: it saw
// the known message, and all after it.
func (e *Engine) changes(ctx context.Context, prefix string, known revision, last uint64, all *growth) (ok bool) {
	seen := uint64(0)
	add := func(m *nats.Msg) (bool, error) {
		seq := sent(m)
		if seen == 0 && (revision{seq, stamp(m.Header.Get("Nats-Time-Stamp"))}) != known {
			return true, nil
		}
		if seen > 0 {
			parsed, err := parse(seq, m.Header, m.Data)
			if err != nil {
				return true, err
			}
			if log, ok := e.logOf(m.Header.Get("Nats-Subject")); ok && strings.HasPrefix(log, prefix) {
				all.add(log, parsed)
			}
		}
		seen = seq
		return seen >= last, nil
	}
	for range changesMost / directMost {
		before, from := seen, max(known.seq, seen+1)
		request := get{Next: e.filter(prefix), Seq: from, Batch: directMost, MaxBytes: 8 << 20}
		if e.many(ctx, "$JS.API.DIRECT.GET."+e.o.Stream, request, directMost+1, add) != nil || seen == before {
			return false
		}
		if seen >= last {
			return true
		}
	}
	return false
}
