package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"handoff/internal/journal"
)

// rawThreads is what the subjects of the logs of threads begin with.
const rawThreads = "raw.threads."

func rawSubject(log string) string { return rawThreads + strings.ReplaceAll(log, ".", "_") }

// extend implements [threadClient].
func (r *raw) extend(ctx context.Context, log string, _ int, lines [][]byte) error {
	ack, err := r.js.Publish(ctx, rawSubject(log), bytes.Join(lines, []byte{'\n'}), jetstream.WithExpectLastSequencePerSubject(r.ends[log]))
	if err == nil {
		r.ends[log] = ack.Sequence
	}
	return err
}

// fetch implements [threadClient]. It asks for the end of each log, and appends what the
// file lacks: one message after the other, or many with a consumer.
func (r *raw) fetch(ctx context.Context, dir string) (func(string) journal.Upstream, error) {
	have := r.have[dir]
	if have == nil {
		have = map[string]uint64{}
		r.have[dir] = have
	}
	for log := range r.ends {
		last, err := r.threads.GetLastMsgForSubject(ctx, rawSubject(log))
		if err == nil && last.Sequence > have[log] {
			err = r.missing(ctx, filepath.Join(dir, ".handoff", filepath.FromSlash(log)), log, have[log], last)
		}
		if err != nil {
			return nil, err
		}
		have[log] = last.Sequence
	}
	return nil, nil
}

func (r *raw) missing(ctx context.Context, path, log string, have uint64, last *jetstream.RawStreamMsg) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	var text bytes.Buffer
	add := func(data []byte) { text.Write(data); text.WriteByte('\n') }
	if have == 0 {
		err := r.read(ctx, "raw-threads", rawSubject(log), 1, last.Sequence, func(m jetstream.Msg) error { add(m.Data()); return nil })
		if err != nil {
			return err
		}
	}
	for at := have; have > 0 && at < last.Sequence; {
		m, err := r.threads.GetMsg(ctx, at+1, jetstream.WithGetMsgSubject(rawSubject(log)))
		if err != nil {
			return err
		}
		add(m.Data)
		at = m.Sequence
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text.Bytes())
	return errors.Join(err, f.Close())
}

// lead has the leader of a stream lead another one too. Otherwise the clients, which are
// connected to the same node, would differ by a hop in the cluster.
func (r *raw) lead(ctx context.Context, of, stream string) error {
	for until := time.Now().Add(30 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		leader, err := r.leader(ctx, of)
		if err != nil || leader == "" { // a single node
			return err
		}
		now, err := r.leader(ctx, stream)
		if err == nil && now == leader {
			return nil
		}
		if time.Now().After(until) {
			return fmt.Errorf("%s is led by %s, not by %s: %w", stream, now, leader, err)
		}
		request, err := json.Marshal(map[string]any{"placement": map[string]any{"preferred": leader}})
		if err != nil {
			return err
		}
		if _, err := r.nc.RequestWithContext(ctx, "$JS.API.STREAM.LEADER.STEPDOWN."+stream, request); err != nil {
			return err
		}
		time.Sleep(time.Second)
	}
}

func (r *raw) leader(ctx context.Context, stream string) (string, error) {
	s, err := r.js.Stream(ctx, stream)
	if err != nil {
		return "", err
	}
	if c := s.CachedInfo().Cluster; c != nil {
		return c.Leader, nil
	}
	return "", nil
}
