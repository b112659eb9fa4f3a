package thread

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"handoff/internal/journal"
)

// finish starts and ends a run in one write.
func (w *fixture) finish(id, input string) {
	w.t.Helper()
	if _, err := w.StartSession(ctx, id, input, &OutputDelta{Delta: "ack: " + input}, &SessionEnded{Reason: "completed"}); err != nil {
		w.t.Fatal(err)
	}
}

func (w *fixture) lines(id string) (lines [][]byte) {
	w.t.Helper()
	for e, err := range w.StreamEvents(Session, id, 0) {
		if err != nil {
			w.t.Fatal(err)
		}
		line, err := e.Line()
		if err != nil {
			w.t.Fatal(err)
		}
		lines = append(lines, line)
	}
	return lines
}

// TestFinishedRuns: runs that had ended before they were written share a file, and
// are read like those with their own file, also by other processes.
func TestFinishedRuns(t *testing.T) {
	w := newFixture(t)
	if _, err := w.StartSession(ctx, "open", "x"); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() { w.finish(fmt.Sprintf("r%02d", i), fmt.Sprintf("é %d", i)) })
	}
	all.Wait()
	long := strings.Repeat("long ", maxFinished/5)
	w.finish("long", long)
	names, err := w.names(Session)
	if want := []string{"long", "open"}; !slices.Equal(names, want) || err != nil {
		t.Errorf("files of their own: %v, %v, want %v", names, err, want)
	}
	for name, s := range map[string]*fixture{"this store": w, "another": openFixture(t, w.root, new(atomic.Uint64))} {
		if ids, err := s.Streams(Session); len(ids) != 66 || ids[0] != "long" || err != nil {
			t.Errorf("%s: %v, %v", name, ids, err)
		}
		for id, input := range map[string]string{"r07": "é 7", "r63": "é 63", "long": long} {
			if ended, ok, err := s.SessionEnded(id); !ok || err != nil || ended.Reason != "completed" {
				t.Errorf("%s: %s: %+v, %v", name, id, ended, err)
			}
			if text, more, err := s.SessionText(id, 1<<20); text != "ack: "+input || more || err != nil {
				t.Errorf("%s: %s says %.20q, %v, %v", name, id, text, more, err)
			}
			lines := s.lines(id)
			if text, err := s.Chunk(Session, id, 0, 1<<20); len(lines) != 3 || !bytes.Equal(text, asFile(lines)) || err != nil {
				t.Errorf("%s: %s: %d lines, chunk %.40q, %v", name, id, len(lines), text, err)
			}
			if n, err := s.Import(ctx, Session, id, lines); n != 0 || err != nil {
				t.Errorf("%s: import of %s as it is here: %d new, %v", name, id, n, err)
			}
		}
		if text, more, err := s.SessionText("r09", 6); text != "ack: " || !more || err != nil { // é is two bytes
			t.Errorf("%s: cut: %q, %v, %v", name, text, more, err)
		}
		if text, err := s.Chunk(Session, "r09", 1<<20, 10); len(text) != 0 || err != nil {
			t.Errorf("%s: after the end: %q, %v", name, text, err)
		}
		if !s.HasStream(Session, "r09") || s.HasStream(Session, "r64") || s.HasStream(Continuity, "r09") {
			t.Errorf("%s: has what it has not", name)
		}
		wantKind(t, name+": of no run", second(s.Chunk(Session, "r64", 0, 1)), fs.ErrNotExist)
	}
}

// TestFinishedRunImported: an import for a finished run is compared with it.
func TestFinishedRunImported(t *testing.T) {
	w, other := newFixture(t), newFixture(t)
	w.finish("r", "one")
	other.finish("r", "another")
	lines := w.lines("r")
	_, err := w.Import(ctx, Session, "r", other.lines("r"))
	if diverged := (*DivergedError)(nil); !errors.As(err, &diverged) {
		t.Errorf("another run of the same id: %v", err)
	}
	line, err := Event{ID: "e", StreamID: "r", Seq: 3, Payload: &OutputDelta{Delta: "late"}}.Line()
	if err != nil {
		t.Fatal(err)
	}
	if n, err := w.Import(ctx, Session, "r", append(lines, line)); n != 1 || err != nil {
		t.Errorf("%d were new, %v", n, err)
	}
	if got := w.lines("r"); len(got) != 4 || !bytes.Equal(asFile(got[:3]), asFile(lines)) {
		t.Errorf("%s", got)
	}
}

// TestFinishedRunFollowed: a follower gets all events, and then waits until it is
// cancelled or the store is closed.
func TestFinishedRunFollowed(t *testing.T) {
	w := newFixture(t)
	w.finish("r", "hello")
	follow := func(ctx context.Context, from uint64, last func()) (seqs []uint64, end error) {
		for line, err := range w.FollowLines(ctx, Session, "r", from) {
			if err != nil {
				return seqs, err
			}
			if seqs = append(seqs, line.Seq); line.Seq == 2 {
				last()
			}
		}
		return seqs, nil
	}
	reader, away := context.WithCancel(ctx)
	if seqs, err := follow(reader, 0, away); !slices.Equal(seqs, []uint64{0, 1, 2}) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", seqs, err)
	}
	if seqs, err := follow(ctx, 2, func() { w.Close() }); !slices.Equal(seqs, []uint64{2}) || !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%v, %v", seqs, err)
	}
}

// TestDamagedRuns reads all runs in one pass: a damaged one is reported with its
// line, those after it are read, and one with its own file is not reported.
func TestDamagedRuns(t *testing.T) {
	w := newFixture(t)
	for err := range w.DamagedRuns(ctx) {
		t.Errorf("of a store without runs: %v", err)
	}
	for i := range 5 {
		w.finish(fmt.Sprint("r", i), "x")
	}
	if err := w.unpack(t.Context(), Session, "r3"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.folder, FinishedFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	lines[0] = []byte("no run\n")
	for _, i := range []int{1, 3, 4} {
		lines[i] = bytes.Replace(lines[i], []byte(`"seq":2`), []byte(`"seq":3`), 1)
	}
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	w = openFixture(t, w.root, new(atomic.Uint64))
	var damaged []int64
	for err := range w.DamagedRuns(ctx) {
		damage := (*journal.DamageError)(nil)
		if !errors.As(err, &damage) {
			t.Fatal(err)
		}
		damaged = append(damaged, damage.Line)
	}
	if !slices.Equal(damaged, []int64{2, 5}) {
		t.Errorf("damage in the lines %v, want 2 and 5", damaged)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	for err := range w.DamagedRuns(stopped) {
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	for err := range w.DamagedRuns(ctx) {
		_ = err
		break // a reader that has seen enough
	}
}

// TestFinishedRunsDamaged: a bad line hides only its own run, and a deleted file is
// created again.
func TestFinishedRunsDamaged(t *testing.T) {
	w := newFixture(t)
	path := filepath.Join(w.folder, "sessions.jsonl")
	for i := range 4 {
		w.finish(fmt.Sprint("r", i), "x")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte{'\n'})
	lines[1] = bytes.Replace(lines[1], []byte(`"seq":2`), []byte(`"seq":3`), 1)
	lines[2] = lines[2][:40]
	if err := os.WriteFile(path, bytes.Join(lines, nil), 0o644); err != nil { // the line of r2 also contains that of r3
		t.Fatal(err)
	}
	w = openFixture(t, w.root, new(atomic.Uint64))
	w.finish("r4", "x")
	for _, id := range []string{"r0", "r4"} {
		if n := len(w.lines(id)); n != 3 {
			t.Errorf("%s has %d lines", id, n)
		}
	}
	if _, _, err := w.SessionEnded("r1"); err == nil || !strings.Contains(err.Error(), "frame 2 has the number 3") {
		t.Error(err)
	}
	if _, err := w.Chunk(Session, "r2", 0, 1); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("r2 is damaged: %v", err)
	}
	wantKind(t, "its beginning is gone", second(w.Chunk(Session, "r3", 0, 1)), fs.ErrNotExist)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	w.finish("r5", "x")
	if ids, err := w.Streams(Session); !slices.Equal(ids, []string{"r5"}) || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
}
