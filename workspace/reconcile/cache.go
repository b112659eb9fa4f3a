package reconcile

import (
	"sync"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/log/artifact"
	"handoff/parse"
)

const (
	manyDocuments = 32              // documents in a folder from which on it is cached
	keptBytes     = 8 << 20         // of the sources of cached documents; parsed they take about twice that
	racy          = 2 * time.Second // the coarsest file time of any file system (FAT)
	keptFor       = 5 * time.Minute // age after which a document is read again even if its file looks the same
)

// Cache keeps the parsed documents of folders with many of them, for callers
// that load a folder after each change. A document is read again if the size, a
// time or the inode of its file has changed; if the file was changed so shortly
// before it was read that a later change may have the same time; and after five
// minutes, which bounds how long a wrong file time can hide a change.
//
// Nothing is cached on systems without inodes and their change times. A Cache
// is safe for concurrent use. The zero value needs a clock.
type Cache struct {
	Now func() time.Time

	mu    sync.Mutex
	tasks map[string]map[string]*kept // by folder of documents, by name
	size  int                         // of all sources
	read  int                         // how many documents were read; tests count them
}

// kept is a parsed document with the state of its file at that time.
type kept struct {
	doc   *handoff.Document // never changed
	name  handoff.Name
	id    artifact.ID   // of its bundle; zero if that depends on more than the document
	stamp regular.Stamp // taken before the file was read
	read  time.Time
}

// keeps reports whether a folder with so many entries is cached.
func (c *Cache) keeps(entries int) bool { return c != nil && entries >= manyDocuments }

// fresh is a cached document whose file has not changed.
func (c *Cache) fresh(dir, name string, now regular.Stamp) *kept {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.tasks[dir][name]
	if k == nil || k.stamp != now || now.Changed().After(k.read.Add(-racy)) || !c.Now().Before(k.read.Add(keptFor)) {
		return nil
	}
	return k
}

// parse parses a document for the cache. path is that of its file below the
// workspace.
func (c *Cache) parse(m *Loader, path string, src []byte, stamp regular.Stamp, at time.Time) *kept {
	k := &kept{doc: m.adapted(parse.Document(src)), name: handoff.ParseName(path), stamp: stamp, read: at}
	d := Document{Path: path, Name: k.name, Doc: k.doc}
	if b, absolute := bundleIn(d, nil); len(absolute) == 0 && unlinkable(k.doc) == nil {
		k.id = b.ID()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read++
	return k
}

// replace caches the documents of a folder instead of those cached before. It
// drops other folders to make room, and does not cache what exceeds the limit.
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

// drop removes a folder from the cache.
func (c *Cache) drop(dir string) {
	for _, k := range c.tasks[dir] {
		c.size -= len(k.doc.Source)
	}
	delete(c.tasks, dir)
}

// manyDocuments reads the documents of a large folder, each only if its file
// may have changed. It reports false if the system cannot report changes.
func (l *loader) manyDocuments(dir string, folder *regular.Folder, entries []regular.Entry) bool {
	now := make(map[string]*kept, len(entries))
	for _, e := range entries {
		path := dir + "/" + e.Name
		if e.Kind != regular.File {
			l.document(l.listed(path, e.Kind)) // a symlink: its target may change without it
			continue
		}
		k, known := l.keptDocument(dir, folder, e.Name)
		if !known {
			return false
		}
		if k == nil { // deleted or unreadable
			l.document(l.read(path))
			continue
		}
		now[e.Name] = k
		l.Documents = append(l.Documents, Document{Path: path, Name: k.name, Doc: k.doc, kept: k})
	}
	l.cache.replace(dir, now)
	return true
}

// keptDocument is a cached document, read if necessary. It is nil if it cannot
// be read. known is false if the system cannot report whether the file changed.
func (l *loader) keptDocument(dir string, folder *regular.Folder, name string) (k *kept, known bool) {
	stamp, ok, err := folder.Stamp(name)
	if err != nil || !ok {
		return nil, err != nil
	}
	if k = l.cache.fresh(dir, name, stamp); k != nil {
		return k, true
	}
	at := l.cache.Now()
	err = folder.Read(name, maxSize, func(src []byte) { k = l.cache.parse(l.memory, dir+"/"+name, src, stamp, at) })
	if err != nil {
		return nil, true
	}
	return k, true
}

// document adds a document that is not cached.
func (l *loader) document(f File) {
	if f.Src != nil {
		doc := l.memory.parse(len(l.Documents), f.Src)
		l.Documents = append(l.Documents, Document{Path: f.Path, Name: handoff.ParseName(f.Path), Doc: doc})
	}
}
