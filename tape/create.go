package tape

import (
	"bufio"
	"path/filepath"
	"slices"

	"handoff/internal/file/atomicfile"
)

// create makes a tape of these entries; fs.ErrExist if it is there.
func (t *Tape) create(entries []Entry) ([]Entry, error) {
	lines, numbered, err := t.lines(lineFormat.First, entries)
	if err != nil {
		return nil, err
	}
	if err := t.store.rootOf(t.path).MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return nil, err
	}
	// The journal is not opened: it may be deleted again in this moment.
	return numbered, atomicfile.Create(t.store.rootOf(t.path), t.path, asFile(lines), 0o644)
}

// createFrom is create for entries that may not fit into memory: write adds
// them one after the other. The tape exists with all of them or not at all.
func (t *Tape) createFrom(write func(add func(...Entry) error) error) error {
	root := t.store.rootOf(t.path)
	if err := root.MkdirAll(filepath.Dir(t.path), 0o755); err != nil {
		return err
	}
	p, err := atomicfile.BeginNew(root, t.path, 0o644)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(p, 256<<10)
	n := numbering{lineFormat.First, t.store.now()}
	err = write(func(entries ...Entry) error {
		for i := range entries {
			line, err := n.line(&entries[i])
			if err != nil {
				return err
			}
			if _, err := out.Write(append(line, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		p.Abort()
		return err
	}
	return p.CommitNew()
}

// asFile are lines as a file has them.
func asFile(lines [][]byte) (data []byte) {
	for _, l := range lines {
		data = append(append(data, l...), '\n')
	}
	return data
}

// lines numbers entries and writes them.
func (t *Tape) lines(next uint64, entries []Entry) (lines [][]byte, numbered []Entry, err error) {
	n := numbering{next, t.store.now()}
	numbered = slices.Clone(entries)
	for i := range numbered {
		line, err := n.line(&numbered[i])
		if err != nil {
			return nil, nil, err
		}
		lines = append(lines, line)
	}
	return lines, numbered, nil
}

// numbering gives entries their ids, and a date where they have none.
type numbering struct {
	next uint64
	now  string
}

// line writes the next entry, which then is as it will be read.
func (n *numbering) line(e *Entry) ([]byte, error) {
	if e.ID = int64(n.next); e.Date == "" {
		e.Date = n.now
	}
	line, err := e.Line()
	if err == nil && len(line) > maxEntry {
		err = invalid("%s: an entry of %d bytes, at most %d are allowed: store it as an artifact instead", e.Kind, len(line), maxEntry)
	}
	if err != nil {
		return nil, err
	}
	text := string(line)
	back, _, err := parseEntry(text)
	if err != nil {
		return nil, err
	}
	back.line = text
	*e = back
	n.next++
	return line, nil
}
