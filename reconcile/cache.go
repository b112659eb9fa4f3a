package reconcile

import (
	"sync"
	"time"

	"handoff"
	"handoff/artifact"
	"handoff/internal/file/regular"
	"handoff/parse"
)

const (
	manyDocuments = 32              // in a folder, from which on they are kept
	keptBytes     = 8 << 20         // of the sources of documents that are kept; parsed they take about twice that
	racy          = 2 * time.Second // the coarsest time that a file system has for a file (FAT)
	keptFor       = 5 * time.Minute // after which a document is read again whatever its file looks like
)

// Cache keeps the documents of folders that have many, for those who look at a
// folder after each change: all others are as they were. A document is read
// again when the size, a time or the inode of its file is another, when it was
// changed so shortly before it was read that a later change may have the same
// time, and after five minutes. So a file system whose times are wrong delays a
// change by that, and never hides it.
//
// Where the system does not tell inodes and the times at which they changed,
// nothing is kept. Any goroutine may use a Cache. The zero value with a clock is
// ready.
type Cache struct {
	Now func() time.Time

	mu    sync.Mutex
	tasks map[string]map[string]*kept // by folder of documents, by name
	size  int                         // of all sources
	read  int                         // how many documents were read; tests count them
}

// kept is a document as it was when its file looked like that.
type kept struct {
	doc   *handoff.Document // nobody changes it
	name  handoff.Name
	id    artifact.ID   // of its bundle; zero where that depends on more than the document
	stamp regular.Stamp // taken before the file was read
	read  time.Time
}

// keeps reports whether the documents of a folder are kept.
func (c *Cache) keeps(entries int) bool { return c != nil && entries >= manyDocuments }

// fresh is a document whose file still looks as it did when it was read.
func (c *Cache) fresh(dir, name string, now regular.Stamp) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.tasks[dir][name]
	if k == nil || k.stamp != now || now.Changed().After(k.read.Add(-racy)) || !c.Now().Before(k.read.Add(keptFor)) {
		return nil
	}
	return k
}

// parse reads a document to be kept. path is that of its file below the workspace.
func (c *Cache) parse(path string, src []byte, stamp regular.Stamp, at time.Time) *kept {
	k := &kept{doc: parse.Document(src), name: handoff.ParseName(path), stamp: stamp, read: at}
	d := Document{Path: path, Name: k.name, Doc: k.doc}
	if b, absolute := bundleIn(d, nil); len(absolute) == 0 && unlinkable(k.doc) == nil {
		k.id = b.ID()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read++
	return k
}

// replace keeps the documents that a folder has now, and no others of it. What is
// kept of other folders gives way; what is too much is not kept.
func (c *Cache) replace(dir string, now map[string]*kept) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(dir)
	size := 0
	for name, k := range now {
		if size+len(k.doc.Source) > keptBytes {
			delete(now, name)
			continue
		}
		size += len(k.doc.Source)
	}
	for other := range c.tasks {
		if c.size+size <= keptBytes {
			break
		}
		c.drop(other)
	}
	if c.tasks == nil {
		c.tasks = map[string]map[string]*kept{}
	}
	c.tasks[dir] = now
	c.size += size
}

// drop forgets a folder.
func (c *Cache) drop(dir string) {
	for _, k := range c.tasks[dir] {
		c.size -= len(k.doc.Source)
	}
	delete(c.tasks, dir)
}

// manyDocuments reads the documents of a folder that has many, each only if its
// file may be another than it was. It reports false where that is unclear.
func (l *loader) manyDocuments(dir string, folder *regular.Folder, entries []regular.Entry) bool {
	now := make(map[string]*kept, len(entries))
	for _, e := range entries {
		path := dir + "/" + e.Name
		if e.Kind != regular.File {
			l.document(l.read(path)) // a link: what it leads to may change by itself
			continue
		}
		k, known := l.keptDocument(dir, folder, e.Name)
		if !known {
			return false
		}
		if k == nil { // gone, or it cannot be read
			l.document(l.read(path))
			continue
		}
		now[e.Name] = k
		l.Documents = append(l.Documents, Document{Path: path, Name: k.name, Doc: k.doc, kept: k})
	}
	l.cache.replace(dir, now)
	return true
}

// keptDocument is a document as it is kept, read if need be. It is nil where it
// cannot be read. known is false where the system does not tell enough.
func (l *loader) keptDocument(dir string, folder *regular.Folder, name string) (k *kept, known bool) {
	stamp, ok, err := folder.Stamp(name)
	if err != nil || !ok {
		return nil, err != nil
	}
	if k = l.cache.fresh(dir, name, stamp); k != nil {
		return k, true
	}
	at := l.cache.Now()
	err = folder.Read(name, maxSize, func(src []byte) { k = l.cache.parse(dir+"/"+name, src, stamp, at) })
	if err != nil {
		return nil, true
	}
	return k, true
}

// document takes in a document that is not kept.
func (l *loader) document(f File) {
	if f.Src != nil {
		doc := l.memory.parse(len(l.Documents), f.Src)
		l.Documents = append(l.Documents, Document{Path: f.Path, Name: handoff.ParseName(f.Path), Doc: doc})
	}
}
