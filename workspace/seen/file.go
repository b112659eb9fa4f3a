package seen

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/log/receipt"
)

// The file has a line for each thing that is remembered, and only grows:
//
//	KIND TIME CONTENT ACTION PATH
//
// CONTENT and ACTION are the first 16 hex digits of a SHA-256; "-" for none. A line that a
// killed process left half written is skipped.

const (
	kindStart = "start" // a look at all of them begins
	kindBegun = "begun" // all documents of the tree were looked at
	kindSeen  = "seen"
	kindNews  = "news"  // it was news, and its task was brought up to date; TIME is when it was written
	kindDraft = "draft" // it is news once it can be presented
	// see also kindOwed
)

type line struct {
	at              time.Time
	kind            string
	content, action string
	path            string
}

func (l line) String() string {
	or := func(s string) string {
		if s == "" {
			return "-"
		}
		return s
	}
	return strings.Join([]string{l.kind, l.at.UTC().Format(time.RFC3339Nano), or(l.content), or(l.action), l.path}, " ") + "\n"
}

func parseLine(text string) (l line, ok bool) {
	f := strings.SplitN(text, " ", 5)
	if len(f) != 5 {
		return l, false
	}
	at, err := time.Parse(time.RFC3339Nano, f[1])
	return line{at: at, kind: f[0], content: f[2], action: f[3], path: f[4]}, err == nil
}

// file is where a book is: in the git folder of the working tree, where neither git clean
// nor a commit finds it, else in the workspace.
type file struct {
	root nofollow.Root
	path string // absolute; "" if there is no safe place
	size int64  // of what was read
	info os.FileInfo
}

func locate(root string) file {
	place, err := receipt.Locate(root)
	if err != nil {
		return file{}
	}
	return file{root: place.Own, path: place.Apart(state.Seen)}
}

// read takes in what this and other processes have recorded since it was called last. The
// caller has the lock. A file that cannot be read, or is gone, adds nothing.
func (b *Book) read() {
	f := &b.file
	if f.path == "" {
		return
	}
	if st, err := os.Lstat(f.path); err != nil || f.info != nil && os.SameFile(st, f.info) && st.Size() == f.size {
		return
	}
	src, err := f.root.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	defer src.Close()
	st, err := src.Stat()
	if err != nil {
		return
	}
	if f.info == nil || !os.SameFile(st, f.info) || st.Size() < f.size {
		f.size = 0
		if b.looked.IsZero() {
			b.looked = st.ModTime()
		}
	}
	text, err := io.ReadAll(io.NewSectionReader(src, f.size, st.Size()-f.size))
	if err != nil {
		return
	}
	whole := strings.LastIndexByte(string(text), '\n') + 1
	f.size, f.info = f.size+int64(whole), st
	for one := range strings.Lines(string(text[:whole])) {
		if l, ok := parseLine(strings.TrimSuffix(one, "\n")); ok {
			b.take(l)
		}
	}
}

// take takes in a line.
func (b *Book) take(l line) {
	switch l.kind {
	case kindBegun:
		if b.begun.IsZero() {
			b.begun = l.at
		}
	case kindDraft:
		b.drafts[l.path] = true
	case kindOwed, kindSettled:
		b.takeOwed(l)
	case kindSeen, kindNews:
		delete(b.drafts, l.path)
		for _, k := range l.keys() {
			if _, ok := b.keys[k]; !ok {
				b.keys[k] = origin{l.path, l.at, !b.begun.IsZero()}
			}
			if _, ok := b.news[k]; !ok && l.kind == kindNews {
				b.news[k] = l.at
			}
		}
	}
}

// write appends lines in one write, and takes them in. They are not fsynced: a power failure
// loses at most that a document was seen, which matters only if a lead deleted its metadata
// within these seconds. The caller has the lock.
func (b *Book) write(lines ...line) error {
	if len(lines) == 0 {
		return nil
	}
	if b.file.path == "" { // for this process only
		for _, l := range lines {
			b.take(l)
		}
		return nil
	}
	b.read()
	f := &b.file
	if err := f.root.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	out, err := f.root.OpenFile(f.path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	var text strings.Builder
	if st, err := out.Stat(); err == nil && st.Size() > f.size { // behind half a line of a killed process
		text.WriteByte('\n')
	}
	for _, l := range lines {
		text.WriteString(l.String())
		b.take(l)
	}
	_, err = out.WriteString(text.String())
	return errors.Join(err, out.Close())
}
