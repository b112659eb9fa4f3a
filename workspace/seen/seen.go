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
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/workspace/reconcile"
)

// Book is what is remembered of a working tree. Any number of goroutines and processes may
// use it; what one records, the others see.
type Book struct {
	root string // of the workspace
	top  string // path of the workspace below the top of the working tree: "" or "sub/"
	file file
	tree *gitindex.Tree // nil without git

	mu      sync.Mutex
	keys    map[uint64]origin              // of what was seen: see keys
	last    map[uint64]place               // where a content was at the last look of this process
	news    map[uint64]time.Time           // when documents that were news had been written, by their keys
	drafts  map[string]bool                // paths of drafts that were not finished when they were recorded
	owed    map[string]time.Time           // debts that are not settled, by path
	begun   time.Time                      // since when the tree is known; zero if it is not
	first   time.Time                      // when this process began the look at the whole tree after which it is known
	looked  time.Time                      // the last look
	looking map[string]map[string][]uint64 // keys of the documents of a task until Record, which take long to make
	large   map[string]map[string]settled  // by folder and path
	noted   map[string][]line              // what to record of a task once its plan is carried out
	hurries bool                           // a git command took too long, or was killed: it is not waited for again
}

// origin is when a document was seen first.
type origin struct {
	path string
	at   time.Time
	came bool // into a tree that was known
}

// place is where a document is, and the time of its file.
type place struct {
	path     string
	modified time.Time
}

// Open opens the book of the workspace with a root. Nothing is created before something is
// recorded.
func Open(root string) *Book {
	b := &Book{root: root, keys: map[uint64]origin{}, last: map[uint64]place{}, news: map[uint64]time.Time{}, drafts: map[string]bool{}, owed: map[string]time.Time{}, noted: map[string][]line{}, looking: map[string]map[string][]uint64{},
		large: map[string]map[string]settled{}}
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
	// Copied reports whether a document is known to have come with a copy of the folder of
	// another task. Then those beside it whose content is known came with it.
	Copied func(d reconcile.Document) bool
}

// News returns the documents of a task that are news. Before the tree is known nothing is
// news, but for drafts, documents that the caller saw being written, and those that were
// written while the look goes on that [Book.Start] began.
//
// Record remembers what News returned: call it when that was acted on.
func (b *Book) News(ctx context.Context, s reconcile.State, l Look) (news []string) {
	var found []sighting
	for _, d := range b.unsettled(s) { // without the lock: this takes most of the time
		one := lineOf(l.Now, kindSeen, d)
		found = append(found, sighting{d, one, one.keys(), b.modified(d), false})
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read()
	b.looked = l.Now
	delete(b.noted, s.Dir)
	looking, large := make(map[string][]uint64, len(found)), b.large[s.Dir]
	folder := slices.ContainsFunc(found, func(f sighting) bool { return l.Copied(f.Document) })
	for _, f := range found {
		f.came = folder && (l.Copied(f.Document) || b.knows(f.keys[:1]) > 0)
		kind := b.kindOf(ctx, f, l)
		if kind == kindNews {
			news = append(news, f.Path)
			if !f.modified.IsZero() {
				f.line.at = f.modified
			}
		}
		if f.line.kind = kind; kind != "" {
			b.noted[s.Dir] = append(b.noted[s.Dir], f.line)
		} else if large != nil && b.knows(f.keys) == len(f.keys) {
			large[f.Path] = settled{f.Doc, b.known(f.keys)}
		}
		looking[f.Path] = f.keys
	}
	for _, f := range found {
		b.last[f.keys[0]] = place{f.Path, f.modified}
	}
	b.looking[s.Dir] = looking
	return news
}

// sighting is a document as a look finds it.
type sighting struct {
	reconcile.Document
	line     line
	keys     []uint64 // of the line
	modified time.Time
	came     bool // with a copy of the folder of another task
}

// settled is a document of a large folder that is known, and was in memory at an earlier look:
// if it still is, it has not changed.
type settled struct {
	doc   *handoff.Document
	known reconcile.Known
}

// unsettled returns the documents of a task that must be looked at.
func (b *Book) unsettled(s reconcile.State) []reconcile.Document {
	if len(s.Documents) == 0 || s.Documents[0].Modified().IsZero() {
		return s.Documents // only those of large folders stay in memory
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	before := b.large[s.Dir]
	if before == nil || len(before) > 2*len(s.Documents) { // most of them are gone
		before = map[string]settled{}
		b.large[s.Dir] = before
	}
	var list []reconcile.Document
	for _, d := range s.Documents {
		if before[d.Path].doc != d.Doc {
			list = append(list, d)
		}
	}
	return list
}

// kindOf is as what a document is recorded; "" for nothing.
func (b *Book) kindOf(ctx context.Context, f sighting, l Look) string {
	draft, written := b.drafts[f.Path], slices.Contains(l.Written, f.Path)
	switch {
	case !draft && (b.knows(f.keys[1:]) > 0 || !written && (f.came || b.copied(f))):
		if b.knows(f.keys) < len(f.keys) { // it was edited, moved or copied
			return kindSeen
		}
		return ""
	case !l.Ready(f.Document, written):
		if written && !draft {
			return kindDraft
		}
		return ""
	case draft, written, b.isNews(ctx, f):
		return kindNews
	}
	return kindSeen
}

// Known is since when a document is known: when it was written if it was news, or is a copy of
// one that was, else when it was seen first.
func (b *Book) Known(d reconcile.Document) reconcile.Known {
	b.mu.Lock()
	defer b.mu.Unlock()
	if at, ok := b.large[d.Name.Dir][d.Path]; ok && at.doc == d.Doc {
		return at.known
	}
	b.read()
	for _, l := range b.noted[d.Name.Dir] { // by the look that is going on: nothing was written after it
		if l.path == d.Path && l.kind != kindNews {
			return reconcile.Known{Came: !b.begun.IsZero()}
		}
	}
	keys := b.looking[d.Name.Dir][d.Path]
	if keys == nil {
		keys = lineOf(time.Time{}, kindNews, d).keys()
	}
	return b.known(keys)
}

// known is Known by the keys of a document.
func (b *Book) known(keys []uint64) (k reconcile.Known) {
	for _, key := range slices.Concat(keys[1:], keys[:1]) { // its own time before that of another one with its content
		if at, ok := b.news[key]; ok {
			return reconcile.Known{Since: at, News: true}
		}
		if was, ok := b.keys[key]; ok && k.Since.IsZero() {
			k.Since, k.Came = was.at, was.came
		}
	}
	return k
}

// knows is how many of some keys are known.
func (b *Book) knows(keys []uint64) (n int) {
	for _, k := range keys {
		if _, ok := b.keys[k]; ok {
			n++
		}
	}
	return n
}

// copied reports whether a document is another one that was moved or copied. Agents that work
// side by side may write the same words under one name, which has the second, even at the same
// tick of the clock. So a copy was made some time after both, or it has the very time of a
// file that is gone, or that no agent wrote.
func (b *Book) copied(f sighting) bool {
	k := f.keys[0]
	first, ok := b.keys[k]
	if !ok {
		return false
	}
	if f.modified.Sub(first.at) > sideBySide && f.modified.Sub(f.Name.Time).Abs() > sideBySide {
		return true
	}
	_, news := b.news[k]
	for _, other := range []place{{first.path, first.at}, b.last[k]} {
		same := f.modified.Equal(other.modified) && other.path != f.Path
		if same && (!news || !b.exists(other.path)) {
			return true
		}
	}
	return false
}

func (b *Book) exists(path string) bool {
	_, err := os.Lstat(filepath.Join(b.root, filepath.FromSlash(path)))
	return err == nil
}

const sideBySide = 10 * time.Second

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
	delete(b.looking, dir)
	return b.write(note...)
}

// Start is called before a look at the whole tree, and returns what to call after it: from
// then on the tree is known, and documents can be news. For a tree that is known both do
// nothing.
func (b *Book) Start() (done func() error, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.read(); !b.begun.IsZero() {
		return func() error { return nil }, nil
	}
	at := time.Now()
	if err := b.write(line{kind: kindStart}); err != nil {
		return nil, err
	}
	if st, err := os.Lstat(b.file.path); err == nil {
		at = st.ModTime() // by the clock of the file system, which may be another machine's
	}
	b.first = at
	return func() error {
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.write(line{at: at, kind: kindBegun})
	}, nil
}

// keys are the keys under which a document is known. The first is its content with its name,
// which a copy keeps; alone it proves nothing, because agents that work side by side may write
// the same words under the same name. The others are its path, and its name with the number of
// the task, whose slug may change. Agents write different handoffs under a name without a time
// of day, one after the other; what comes next tells them apart.
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
	const offset, prime = 14695981039346656037, 1099511628211 // FNV-1a, without the calls of hash/fnv
	h := uint64(offset)
	for _, p := range parts {
		for i := range len(p) {
			h = (h ^ uint64(p[i])) * prime
		}
		h *= prime
	}
	return h
}
