// Package seen remembers which handoff documents a working tree has had, so that every
// process, and every start of one, agrees which documents are news: written by an agent or
// a person since the tree is known. Only for those is missing metadata created, and only
// those are newer than all others whatever their names say.
//
// A document that git wrote is no news, nor is one that was edited, renamed, moved, copied or
// taken out of an archive. File times and the memory of a process decide nothing.
//
// The package does not know what follows from news, and reads no metadata.
package seen

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/fnv"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"handoff"
	"handoff/internal/file/gitindex"
	"handoff/reconcile"
)

// Book is what is remembered of a working tree. Any number of goroutines and processes may
// use it; what one records, the others see.
type Book struct {
	root string // of the workspace
	top  string // path of the workspace below the top of the working tree: "" or "sub/"
	file file
	tree *gitindex.Tree // nil without git

	mu     sync.Mutex
	keys   map[uint64]time.Time // of what was seen, with the first time: see keys
	drafts map[string]bool      // paths of drafts that were not finished when they were recorded
	begun  time.Time            // since when the tree is known; zero if it is not
	looked time.Time            // the last look
	noted  map[string][]line    // what to record of a task once its plan is carried out
}

// Open opens the book of the workspace with a root. Nothing is created before something is
// recorded.
func Open(root string) *Book {
	b := &Book{root: root, keys: map[uint64]time.Time{}, drafts: map[string]bool{}, noted: map[string][]line{}}
	b.file = locate(root)
	if tree, ok := gitindex.OpenTree(root); ok {
		b.tree = tree
		if real, err := filepath.EvalSymlinks(root); err == nil {
			if rel, err := filepath.Rel(tree.Top(), real); err == nil && rel != "." {
				b.top = filepath.ToSlash(rel) + "/"
			}
		}
	}
	return b
}

// Tree is the working tree of git that the workspace is in; nil for none.
func (b *Book) Tree() *gitindex.Tree { return b.tree }

// A Look is a question about the documents of a task.
type Look struct {
	Now time.Time
	// Written are documents that the caller saw being written: they are news unless they
	// are known.
	Written []string
	// Ready reports whether a document can be presented. One that is still being written, is a
	// draft to be filled in, or has a merge conflict is news once it can.
	Ready func(d reconcile.Document, written bool) bool
}

// News returns the documents of a task that are news, and those that nobody has seen and
// that are not ready. Before the tree is known nothing is news, but for drafts and documents
// that the caller saw being written.
//
// Record remembers what News returned: call it when that was acted on.
func (b *Book) News(ctx context.Context, s reconcile.State, l Look) (news, unready []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	delete(b.noted, s.Dir)
	var note []line
	for _, d := range s.Documents {
		one := lineOf(l.Now, kindSeen, d)
		draft, written := b.drafts[d.Path], slices.Contains(l.Written, d.Path)
		switch {
		case !draft && (b.named(one) || !written && b.copied(one, d)):
			if _, ok := b.keys[one.keys()[0]]; !ok { // it was edited: a copy of it will not be news
				note = append(note, one)
			}
			continue
		case !l.Ready(d, written):
			if unready = append(unready, d.Path); !written || draft {
				continue
			}
			one.kind = kindDraft
		case draft, written, b.isNews(ctx, d):
			news = append(news, d.Path)
		}
		note = append(note, one)
	}
	b.looked = l.Now
	if len(note) > 0 {
		b.noted[s.Dir] = note
	}
	return news, unready
}

// named reports whether a document is known by its name.
func (b *Book) named(l line) bool {
	return slices.ContainsFunc(l.keys()[1:], func(k uint64) bool { _, ok := b.keys[k]; return ok })
}

// copied reports whether a document is a copy of another one.
func (b *Book) copied(l line, d reconcile.Document) bool {
	first, ok := b.keys[l.keys()[0]]
	if !ok {
		return false
	}
	at := b.modified(d)
	return at.Sub(first) > atOnce || at.Sub(d.Name.Time).Abs() > recent || !d.Name.Class.HasClock()
}

// Agents that work side by side may write the same words in one second, under a name of that
// second. That is no copy.
const (
	atOnce = time.Second
	recent = 5 * time.Minute // a clock may be wrong, but then the second agent's is as well
)

// isNews decides about a document that nobody has seen.
func (b *Book) isNews(ctx context.Context, d reconcile.Document) bool {
	if b.begun.IsZero() || d.Name.Archived() {
		return false
	}
	modified := b.modified(d)
	if modified.Before(b.begun) {
		return false // moved here from elsewhere
	}
	return b.tree == nil || !b.tree.Brought(ctx, b.top+d.Path, []byte(d.Doc.Source), modified, b.since())
}

// since is from when on a commit may have been made of a document that nobody has seen.
func (b *Book) since() time.Time {
	since := b.looked.Add(-slack)
	if known := b.begun.Truncate(time.Second).Add(time.Second); known.After(since) { // commits have no fractions of a second
		return known
	}
	return since
}

// slack is how much earlier than the last look a commit may have been made of a document
// that this look is the first to find: other tasks may have been looked at since.
const slack = time.Minute

// modified is when a document was changed; zero if it is gone.
func (b *Book) modified(d reconcile.Document) time.Time {
	if at := d.Modified(); !at.IsZero() {
		return at
	}
	st, err := os.Lstat(filepath.Join(b.root, filepath.FromSlash(d.Path)))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// Record remembers the documents of a task as the last call of News found them.
func (b *Book) Record(dir string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	note := b.noted[dir]
	delete(b.noted, dir)
	return b.write(note...)
}

// Known reports whether the tree is known: a look at all of it was recorded.
func (b *Book) Known() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	return !b.begun.IsZero()
}

// Start is called before a look at the whole tree, and returns what to call after it: from
// then on the tree is known, and documents can be news. For a tree that is known both do
// nothing.
func (b *Book) Start() (done func() error, err error) {
	if b.Known() {
		return func() error { return nil }, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.write(line{kind: kindStart}); err != nil || b.file.path == "" {
		return nil, err
	}
	st, err := os.Lstat(b.file.path) // the time by the clock of the file system, which may be another machine's
	if err != nil {
		return nil, err
	}
	return func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.write(line{at: st.ModTime(), kind: kindBegun})
	}, nil
}

// keys are the keys under which a document is known. The first is its content with its name,
// which a copy keeps wherever it is; the content alone does not count, because short documents
// can be the same. The others are its path, and its name with the number of the task, whose
// slug may change. The slug with another number does not count: agents that work side by side
// write documents of one name. Agents write different handoffs under a name without a time of
// day, one after the other; what comes next tells them apart.
func (l line) keys() []uint64 {
	base, task := path.Base(l.path), path.Dir(path.Dir(l.path))
	keys := []uint64{key("content", l.content, base), key("path", l.path, l.action)}
	if number, width, _ := handoff.ParseTask(path.Base(task)); width > 0 {
		keys = append(keys, key("number", strconv.Itoa(number), base, l.action))
	}
	return keys
}

// contentOf is the hash of a text as it is recorded.
func contentOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// actionOf is the hash of the next action of a document whose name does not have a time of
// day; "-" for others.
func actionOf(d reconcile.Document) string {
	if d.Name.Class.HasClock() {
		return "-"
	}
	step, _ := d.Doc.NextStep()
	return contentOf(strings.Join(strings.Fields(step.Text), " "))
}

func lineOf(at time.Time, kind string, d reconcile.Document) line {
	return line{at: at, kind: kind, content: contentOf(d.Doc.Source), action: actionOf(d), path: d.Path}
}

func key(parts ...string) uint64 {
	h := fnv.New64a()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return h.Sum64()
}
