package reconcile

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/parse"
)

// maxSize is the most bytes of one file that are read.
const maxSize = 1 << 20

// Loader loads one task after another into the same memory. The zero value is
// ready; a nil Loader uses new memory.
type Loader struct {
	Cache *Cache // of the documents of large folders; nil for none
	Brief bool   // to look at many tasks: read only what [State.Wait] needs, no progress files and no plan
	// Added returns when git got the documents of all tasks, by path below the root; nil to ask
	// git for each task whose order is unclear.
	Added func() map[string]time.Time
	// Adapt changes what the headings of a parsed document mean; nil for what they mean in any workspace.
	Adapt func(*handoff.Document)

	readers [usualDocuments]parse.Reader
	disk    gitindex.Disk // of the files that tasks name
	entered string        // the folder of the last task of a Brief loader, if no symlink leads there
}

// usualDocuments is how many documents of a task are parsed into reused memory.
// Most tasks have fewer.
const usualDocuments = 4

// parse reads the i-th document of a task.
func (m *Loader) parse(i int, src []byte) *handoff.Document {
	if i >= len(m.readers) {
		return m.adapted(parse.Document(src))
	}
	return m.adapted(m.readers[i].Document(src))
}

func (m *Loader) adapted(doc *handoff.Document) *handoff.Document {
	if m.Adapt != nil {
		m.Adapt(doc)
	}
	return doc
}

// Load reads a task. root is the workspace, dir the task folder below it with
// forward slashes. A file that cannot be read is a problem of the state; the
// error means that the folder cannot be read. The state is valid until the next
// call. ctx also ends what the state asks git later: then git has nothing.
func (m *Loader) Load(ctx context.Context, root string, store *artifact.Store, dir string) (State, error) {
	if m == nil {
		m = new(Loader)
	}
	l := loader{root: root, memory: m, cache: m.Cache, State: State{Dir: dir}}
	if err := l.enter(); err != nil {
		return State{}, err
	}
	if !l.documents() { // otherwise the folder exists
		if st, err := os.Stat(l.full(dir)); err != nil {
			return State{}, err
		} else if !st.IsDir() {
			return State{}, &fs.PathError{Op: "load", Path: dir, Err: errors.New("not a folder")}
		}
	}
	l.Metadata = l.read(dir + "/" + handoff.MetadataFile)
	if !m.Brief {
		l.progress()
		l.Plan = l.newestPlan()
	}
	if l.exhausted != nil {
		return State{}, l.exhausted
	}
	l.Local, l.facts = regular.Within(root), new(facts)
	l.World = World{Exists: func(p string) bool { return m.disk.HasFile(ctx, root, p) }, Modified: l.modified, Added: m.Added, Committed: func() time.Time { return committed(ctx, l.full(dir)) }}
	if m.Added == nil {
		l.World.Added = func() map[string]time.Time { return added(ctx, l.full(dir), dir) }
	}
	l.World.lookIn(store)
	return l.State, nil
}

func (l *loader) modified(p string) time.Time {
	st, err := os.Lstat(l.full(p))
	if err != nil {
		return time.Time{}
	}
	return st.ModTime()
}

// lookIn answers questions about blobs from a store.
func (w *World) lookIn(store *artifact.Store) {
	var failed error
	w.Failed = func() error { return failed }
	w.Missing = func(ids []artifact.ID) []artifact.ID { // without reading bytes; only verify reads them
		missing, err := store.Lacks(ids)
		failed = cmp.Or(failed, err)
		return missing
	}
	w.Blob = func(id artifact.ID) []byte {
		data, err := store.Get(id)
		if regular.Unavailable(err) {
			failed = cmp.Or(failed, err)
		}
		if err != nil {
			return nil
		}
		return data
	}
}

// gitTime is how long git may take to list a task's documents.
const gitTime = 5 * time.Second

// added asks git when it got the documents of a task. It is called only if they
// cannot be ordered without git: it takes as long as loading a hundred tasks.
func added(ctx context.Context, full, dir string) map[string]time.Time {
	if !inRepository(full) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	names, err := gitindex.Added(ctx, filepath.Join(full, handoff.Folder))
	if err != nil {
		return nil // no git or no repository: order the documents without it
	}
	paths := make(map[string]time.Time, len(names))
	for name, at := range names {
		paths[dir+"/"+handoff.Folder+"/"+name] = at
	}
	return paths
}

// committed asks git when it last got the metadata of a task.
func committed(ctx context.Context, full string) time.Time {
	if !inRepository(full) {
		return time.Time{}
	}
	ctx, cancel := context.WithTimeout(ctx, gitTime)
	defer cancel()
	at, err := gitindex.Changed(ctx, full, handoff.MetadataFile)
	if err != nil {
		return time.Time{} // as if it were not committed
	}
	return at
}

// inRepository reports whether a parent folder has .git, without starting a
// program.
func inRepository(full string) bool {
	full, err := filepath.Abs(full)
	return err == nil && regular.GitTop(full) != ""
}

type loader struct {
	root   string
	memory *Loader
	cache  *Cache
	State
	exhausted error // why no file can be opened any longer; usually nil
}

func (l *loader) full(p string) string {
	return l.root + string(filepath.Separator) + filepath.FromSlash(p)
}

// read returns a file. Src is nil if the file is missing. It is also nil if the
// file cannot be read or is a symlink out of the workspace; both are problems.
func (l *loader) read(p string) File {
	src, err := regular.ReadUnlinked(l.full(p), nil, maxSize)
	if errors.Is(err, regular.ErrLink) {
		var target string
		if target, err = l.follow(p); err == nil {
			src, err = regular.ReadUnlinked(target, nil, maxSize)
		}
	}
	switch {
	case err == nil && src == nil:
		src = []byte{} // it exists and is empty
	case errors.Is(err, fs.ErrNotExist):
		src = nil
	case err != nil:
		l.problem(p, err)
		return File{Path: p, Unreadable: true}
	}
	return File{Path: p, Src: src}
}

func (l *loader) problem(p string, err error) {
	if regular.Exhausted(err) { // the next file would fail, too
		l.exhausted = err
	}
	var pe *fs.PathError
	var link *nofollow.LinkError
	if errors.As(err, &link) {
		err = errors.New(link.What())
	} else if errors.As(err, &pe) {
		err = pe.Err
	}
	l.Problems = append(l.Problems, Problem{Path: p, Text: err.Error() + ": left alone"})
}

// documents reads all documents. It reports whether there are any.
func (l *loader) documents() bool {
	dir := l.Dir + "/" + handoff.Folder
	folder, entries := l.entries(dir)
	if folder != nil {
		defer folder.Close()
	}
	problems := l.Problems
	if !l.cache.keeps(len(entries)) || !l.manyDocuments(dir, folder, entries) {
		l.Documents, l.Problems = nil, problems
		l.files(dir, folder, entries, l.document)
	}
	slices.SortFunc(l.Documents, func(a, b Document) int { return a.Name.Compare(b.Name) })
	return len(l.Documents) > 0
}

// progress reads the progress files of the phases that have a document, and of those that had
// one: see [counts].
func (l *loader) progress() {
	dir := l.Dir + "/" + path.Dir(handoff.ProgressFile(1))
	switch regular.KindOf(l.full(dir)) {
	case regular.Nothing:
		return
	case regular.Link:
		if _, err := l.follow(dir); err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				l.problem(dir, err)
			}
			return
		}
	}
	l.Progress = map[int]File{}
	for _, d := range l.Documents {
		if d.Name.Plain() {
			l.progressOf(d.Name.Phase)
		}
	}
	folder, err := l.open(dir)
	if err != nil || len(l.Problems) > 0 { // a document that cannot be read is not gone
		return
	}
	defer folder.Close()
	entries, _ := folder.List(func(name []byte) bool { return bytes.HasSuffix(name, []byte("-progress.json")) })
	for _, e := range entries {
		if phase := number(e.Name); handoff.ProgressFile(phase) == path.Base(dir)+"/"+e.Name {
			l.progressOf(phase)
		}
	}
}

func (l *loader) progressOf(phase int) {
	if _, ok := l.Progress[phase]; !ok {
		l.Progress[phase] = l.read(l.Dir + "/" + handoff.ProgressFile(phase))
	}
}

// markdown reads those of a folder's Markdown files that choose selects from
// the sorted list. Their content is valid only during emit.
func (l *loader) markdown(dir string, choose func([]regular.Entry) []regular.Entry, emit func(File)) {
	folder, entries := l.entries(dir)
	if folder != nil {
		defer folder.Close()
	}
	l.files(dir, folder, choose(entries), emit)
}

// entries lists the Markdown files of a folder, sorted; none if there is no
// folder.
func (l *loader) entries(dir string) (folder *regular.Folder, entries []regular.Entry) {
	folder, err := l.open(dir)
	if err == nil {
		entries, err = folder.List(isMarkdown)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		l.problem(dir, err)
	}
	entries = slices.DeleteFunc(entries, func(e regular.Entry) bool { return e.Kind == regular.Dir })
	slices.SortFunc(entries, func(a, b regular.Entry) int { return strings.Compare(a.Name, b.Name) })
	return folder, entries
}

// files reads files of a folder.
func (l *loader) files(dir string, folder *regular.Folder, entries []regular.Entry, emit func(File)) {
	for _, e := range entries {
		if e.Kind == regular.File { // the listing shows that it is a regular file, so there is no symlink to resolve
			use := func(src []byte) { emit(File{Path: dir + "/" + e.Name, Src: src}) }
			if folder.Read(e.Name, maxSize, use) == nil {
				continue
			}
		}
		emit(l.listed(dir+"/"+e.Name, e.Kind))
	}
}

var errNowhere = errors.New("a symbolic link to a file that does not exist")

// listed is read for a file that a listing has: a link to nothing is a problem there.
func (l *loader) listed(p string, kind regular.Kind) File {
	f := l.read(p)
	if f.Src == nil && !f.Unreadable && kind == regular.Link {
		l.problem(p, errNowhere)
		f.Unreadable = true
	}
	return f
}

// open opens a folder of the task. It follows a symlink within the workspace.
func (l *loader) open(dir string) (*regular.Folder, error) {
	f, err := regular.OpenFolder(l.full(dir))
	if !errors.Is(err, regular.ErrLink) {
		return f, err
	}
	target, err := l.follow(dir)
	if err != nil {
		return nil, err
	}
	return regular.OpenFolder(target)
}

func isMarkdown(name []byte) bool { return name[0] != '.' && bytes.HasSuffix(name, []byte(".md")) }

// newestPlan is the plan with the highest number in its name:
// implementation-002.md, 03_rewrite.md. There is none if the names do not show
// which one is newest.
func (l *loader) newestPlan() (plan File) {
	l.markdown(l.Dir+"/plans", newestNumbered, func(f File) {
		plan = f
		plan.Src = bytes.Clone(f.Src)
	})
	return plan
}

// newestNumbered returns the entry with the highest number. It returns none if
// another entry has the same number, or a number in another form.
func newestNumbered(all []regular.Entry) []regular.Entry {
	if len(all) < 2 {
		return all
	}
	newest := slices.MaxFunc(all, func(a, b regular.Entry) int { return number(a.Name) - number(b.Name) })
	ahead, _ := cutNumber(newest.Name)
	for _, e := range all {
		before, ok := cutNumber(e.Name)
		if e.Name != newest.Name && (!ok || before != ahead || number(e.Name) == number(newest.Name)) {
			return nil
		}
	}
	return []regular.Entry{newest}
}

// cutNumber returns what is before the first number in a name.
func cutNumber(name string) (before string, ok bool) {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return name, false
	}
	return name[:at], true
}

// number is the first number in a name, 0 when there is none.
func number(name string) int {
	at := strings.IndexAny(name, "0123456789")
	if at < 0 {
		return 0
	}
	n := 0
	for ; at < len(name) && '0' <= name[at] && name[at] <= '9' && n < 1<<20; at++ {
		n = n*10 + int(name[at]-'0')
	}
	return n
}
