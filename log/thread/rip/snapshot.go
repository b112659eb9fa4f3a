package rip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/internal/json/jsontext"
	"handoff/log/thread"
)

// snapshotFolders are where RIP keeps copies of streams that have ended.
var snapshotFolders = [...]struct {
	kind   thread.StreamKind
	folder string
}{{thread.Session, "snapshots"}, {thread.Task, "task_snapshots"}}

// maxSnapshot is the maximum size of a snapshot that is read, in bytes.
const maxSnapshot = 64 << 20

// snapshots imports runs of which only a snapshot exists, and compares the other
// snapshots with the log. RIP itself would prefer the snapshot.
func (im *importer) snapshots(ctx context.Context) error {
	for _, f := range snapshotFolders {
		entries, err := os.ReadDir(im.from.path(f.folder))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, e := range entries {
			id, ok := strings.CutSuffix(e.Name(), ".json")
			if !ok || !e.Type().IsRegular() || thread.CheckID(id) != nil {
				continue
			}
			path := im.from.path(f.folder, e.Name())
			err := im.readSnapshot(ctx, key{f.kind, id}, path)
			if errors.Is(err, handoff.ErrInvalid) || errors.Is(err, fs.ErrExist) {
				im.report.problem(path, 0, err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

func (im *importer) readSnapshot(ctx context.Context, k key, path string) error {
	src, err := readFile(path)
	if err != nil || im.streams[k] != nil && im.sameSnapshot(k, src) {
		return err
	}
	lines, err := linesOf(src)
	if err != nil {
		return err
	}
	return im.snapshot(ctx, k, lines)
}

func (im *importer) snapshot(ctx context.Context, k key, lines [][]byte) error {
	if im.streams[k] != nil {
		return im.compare(k, lines)
	}
	for _, l := range lines {
		im.named.find(l)
	}
	in := im.stream(k)
	added, err := im.store.Import(ctx, k.kind, k.id, lines)
	in.added = added
	in.bad = err != nil
	return err
}

// compare compares a snapshot with the log.
func (im *importer) compare(k key, lines [][]byte) error {
	n := 0
	for line, err := range im.store.Lines(k.kind, k.id) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // the stream was left out, which is already reported
		}
		if err != nil {
			return err
		}
		if n == len(lines) || !sameEvent(line.Text, lines[n]) {
			return fmt.Errorf("differs from the log at event %d; the log was used: %w", n, handoff.ErrInvalid)
		}
		n++
	}
	if n < len(lines) {
		return fmt.Errorf("has %d events more than the log; the log was used: %w", len(lines)-n, handoff.ErrInvalid)
	}
	return nil
}

// sameEvent compares two lines by content: older logs lack fields that a snapshot
// has.
func sameEvent(a, b []byte) bool {
	return bytes.Equal(a, b) || bytes.Equal(canonical(a), canonical(b))
}

func canonical(line []byte) []byte {
	e, err := thread.Parse(line)
	if err != nil {
		return line
	}
	made := thread.Event{ID: e.ID, StreamID: e.StreamID, TimestampMS: e.TimestampMS, Seq: e.Seq, Payload: e.Payload}
	text, err := made.Line()
	if err != nil {
		return line
	}
	return text
}

func readFile(path string) ([]byte, error) {
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if st.Size() > maxSnapshot {
		return nil, fmt.Errorf("has %d bytes, at most %d are read: %w", st.Size(), maxSnapshot, handoff.ErrInvalid)
	}
	return regular.Read(path, nil, maxSnapshot)
}

// linesOf reads an array of events as compact lines.
func linesOf(src []byte) ([][]byte, error) {
	items, err := jsontext.Strict.Array(string(src))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
	}
	lines := make([][]byte, len(items))
	for i, item := range items {
		var b bytes.Buffer
		if err := json.Compact(&b, []byte(item)); err != nil {
			return nil, fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
		}
		lines[i] = b.Bytes()
	}
	return lines, nil
}

// snapshotOf returns the array that RIP writes.
func snapshotOf(lines [][]byte) ([]byte, error) {
	var b bytes.Buffer
	err := json.Indent(&b, append(append([]byte("["), bytes.Join(lines, []byte(","))...), ']'), "", "  ")
	return b.Bytes(), err
}

// snapshotPath is "" for a stream of which RIP keeps no snapshot.
func (p Place) snapshotPath(k key) string {
	for _, f := range snapshotFolders {
		if f.kind == k.kind {
			return filepath.Join(p.Data, f.folder, k.id+".json")
		}
	}
	return ""
}
