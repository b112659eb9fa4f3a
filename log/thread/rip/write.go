package rip

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/regular"
	"handoff/log/thread"
)

// write writes the new log and then the snapshots. RIP's caches are deleted
// first: RIP prefers a cache to a newer log, without a warning.
func (ex *exporter) write(ctx context.Context) error {
	var m merge
	for _, out := range ex.streams {
		if out.there >= out.count {
			ex.report.Same++
			continue
		}
		m = append(m, &reader{store: ex.store, key: out.key, next: out.there})
		ex.report.Streams = append(ex.report.Streams, Moved{out.kind, out.id, int(out.count - out.there)})
		if out.kind == thread.Continuity {
			if err := ex.to.dropCaches(out.id); err != nil {
				return err
			}
		}
	}
	if len(m) > 0 {
		if err := ex.log(ctx, m); err != nil {
			return err
		}
	}
	return ex.snapshots()
}

// dropCaches removes RIP's sidecar files of a thread, which RIP creates again.
func (p Place) dropCaches(id string) error {
	dir := p.path("continuity_streams")
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), id+".") {
			if err := p.root().Remove(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// log writes the old log and the new events.
func (ex *exporter) log(ctx context.Context, m merge) error {
	p, err := atomicfile.Begin(ex.to.root(), ex.to.events(), 0o644)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(p, 256<<10)
	err = copyLog(w, ex.to.events())
	if err == nil {
		err = m.each(ctx, func(line []byte) error {
			w.Write(line)
			return w.WriteByte('\n')
		})
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		p.Abort()
		return err
	}
	return p.Commit()
}

// copyLog copies a valid log, and adds the newline that its last line may lack.
func copyLog(w *bufio.Writer, path string) error {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := io.Copy(w, f)
	if err != nil || n == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, n-1); err != nil || last[0] == '\n' {
		return err
	}
	return w.WriteByte('\n')
}

// snapshots writes a snapshot of each run that has ended, as RIP does.
func (ex *exporter) snapshots() error {
	for _, out := range ex.streams {
		path := ex.to.snapshotPath(out.key)
		if out.kind != thread.Session || !out.ended || out.there > out.count {
			continue
		}
		if _, err := os.Stat(path); err == nil && out.there == out.count {
			continue
		}
		var lines [][]byte
		for line, err := range ex.store.Lines(out.kind, out.id) {
			if err != nil {
				return err
			}
			lines = append(lines, line.Text)
		}
		data, err := snapshotOf(lines)
		if err == nil {
			err = ex.to.root().MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = atomicfile.Write(ex.to.root(), path, data, 0o644)
		}
		if err != nil {
			return err
		}
		ex.report.Snapshots++
	}
	return nil
}

// index adds the threads to RIP's list, with their titles and archived flags.
func (ex *exporter) index(x index) error {
	changed := false
	var infos []thread.Info
	for _, out := range ex.streams {
		if out.kind == thread.Continuity {
			infos = append(infos, out.info)
		}
	}
	slices.SortFunc(infos, func(a, b thread.Info) int {
		return cmp.Or(cmp.Compare(a.CreatedAtMS, b.CreatedAtMS), cmp.Compare(a.ThreadID, b.ThreadID))
	})
	for _, info := range infos {
		changed = x.list(info) || changed
		id, err := ex.store.Default(info.Workspace)
		if err != nil {
			return err
		}
		if _, ok := get(x.workspaces, info.Workspace); !ok && id == info.ThreadID {
			x.workspaces = set(x.workspaces, info.Workspace, `"`+id+`"`)
			changed = true
		}
	}
	if !changed {
		return nil
	}
	data, err := x.bytes()
	if err == nil {
		err = ex.to.root().MkdirAll(filepath.Dir(ex.to.indexPath()), 0o755)
	}
	if err != nil {
		return err
	}
	return atomicfile.Write(ex.to.root(), ex.to.indexPath(), data, 0o644)
}
