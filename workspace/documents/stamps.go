package documents

import (
	"handoff/document/handoff"
	"handoff/internal/file/regular"
)

// What an index says first of a task: flags, and the stamps of its files, with the paths of the documents.
const (
	isFinished = 1 << iota // nothing is left to do
	isOnly                 // nothing else is known: there is the stamp of the metadata alone
	isGit                  // HEAD was asked
	hasMetadata
	mayWait
	hasRow
	isAhead
	isLed // for what waits the first document is enough
)

func (s sight) flags(metadata bool) (flags int64) {
	for i, is := range [...]bool{s.finished, s.only, s.git, metadata, s.found.Waits, s.found.Row.Path != "", s.ahead, s.led} {
		if is {
			flags |= 1 << i
		}
	}
	return flags
}

// stamp packs what the files of a task are like now. It need not be before they were read: what is
// changed from then on is later than the index can rely on. ok is false if that cannot be told, or they are not
// what was read.
func (x *index) stamp(p *packer, s sight) (ok bool) {
	metadata, kind, known := x.tree.Look(s.dir + "/" + handoff.MetadataFile)
	if !known || (kind == regular.File) != s.metadata || kind != regular.File && kind != regular.Nothing {
		return false
	}
	p.int(s.flags(s.metadata))
	if s.metadata && !x.put(p, metadata) {
		return false
	}
	if s.only {
		return true
	}
	folder, kind, known := x.tree.Look(s.dir + "/" + handoff.Folder)
	if !known || kind != regular.Dir || !x.put(p, folder) {
		return false
	}
	p.count(len(s.paths))
	for _, path := range s.paths {
		p.text(path)
		if stamp, kind, known := x.tree.Look(path); !known || kind != regular.File || !x.put(p, stamp) {
			return false
		}
	}
	return true
}

// stampSize is how many bytes put writes.
const stampSize = 4 * 8

func (x *index) put(p *packer, s regular.Stamp) bool {
	p.fixed(s.Size)
	p.fixed(int64(s.Inode))
	p.fixed(s.ModTime)
	p.fixed(s.ChangeTime)
	return s.Device == x.device
}

// same reads what stamp wrote, and returns the flags if all files are the same, and their stamps can be relied on; else
// -1. If brief, of a finished task only the metadata counts, and of one whose names show what waits no document but that.
func (x *index) same(u *unpacker, brief bool) (flags int64) {
	dir := u.text()
	flags = u.int()
	same := func(path string, kind regular.Kind) bool {
		was := regular.Stamp{Size: u.fixed(), Inode: uint64(u.fixed()), Device: x.device, ModTime: u.fixed(), ChangeTime: u.fixed()}
		now, is, known := x.tree.Look(path)
		return known && is == kind && now == was && was.ChangeTime < x.before
	}
	if flags&hasMetadata == 0 {
		if _, kind, known := x.tree.Look(dir + "/" + handoff.MetadataFile); !known || kind != regular.Nothing {
			return -1
		}
	} else if !same(dir+"/"+handoff.MetadataFile, regular.File) {
		return -1
	}
	if flags&isOnly != 0 || brief && flags&isFinished != 0 {
		return flags
	}
	if !same(dir+"/"+handoff.Folder, regular.Dir) {
		return -1
	}
	led := brief && flags&isLed != 0
	if n := u.count(); !led {
		u.paths = make([]string, n)
		for i := range u.paths {
			u.paths[i] = u.text()
			if u.bad || !same(u.paths[i], regular.File) {
				return -1
			}
		}
	} else if !same(u.text(), regular.File) {
		return -1
	} else {
		for range n - 1 {
			u.text()
			u.skip(stampSize)
		}
	}
	if u.bad {
		return -1
	}
	return flags
}
