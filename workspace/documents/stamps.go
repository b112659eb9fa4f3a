package documents

import (
	"cmp"
	"strings"

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
	isLed   // for what waits the first document is enough
	isPlain // see [sight.plain]
)

func (s sight) flags(metadata bool) (flags int64) {
	for i, is := range [...]bool{s.finished, s.only, s.git, metadata, s.found.Waits, s.found.Row.Path != "", s.ahead, s.led, s.plain()} {
		if is {
			flags |= 1 << i
		}
	}
	return flags
}

// stamp packs what the files of a task are like now. It need not be before they were read: what is
// changed from then on is later than the index can rely on. ok is false if that cannot be told, or they are not
// what was read.
func (x *index) stamp(p, tail *packer, s sight) (ok bool) {
	metadata, kind, known := x.look(s.dir, handoff.MetadataFile)
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
	folder, kind, known := x.look(s.dir, handoff.Folder)
	if !known || kind != regular.Dir || !x.put(p, folder) {
		return false
	}
	p.count(len(s.paths))
	for _, path := range s.paths {
		p.text(path)
		if stamp, kind, known := x.look("", path); !known || kind != regular.File || !x.put(p, stamp) {
			return false
		}
		if s.led {
			p = tail // all but the first
		}
	}
	return true
}

// look looks at a file in a folder of the workspace; its path for "".
func (x *index) look(dir, name string) (s regular.Stamp, k regular.Kind, known bool) {
	below, ok := strings.CutPrefix(cmp.Or(dir, name), handoff.Root+"/")
	switch {
	case !ok:
		return s, k, false
	case dir == "":
		return x.tree.Look(below)
	}
	return x.tree.LookBelow(below, name)
}

func (x *index) put(p *packer, s regular.Stamp) bool {
	p.fixed(s.Size)
	p.fixed(int64(s.Inode))
	p.fixed(s.ModTime)
	p.fixed(s.ChangeTime)
	return s.Device == x.device
}

// same reads what stamp wrote, and returns the flags if all files are the same, and their stamps can be relied on; else
// -1. If brief, of a finished task only the metadata counts, and of one whose names show what waits no document but that.
func (x *index) same(u *unpacker, one *packedSight, brief bool) (flags int64) {
	dir := u.text()
	flags = u.int()
	same := func(u *unpacker, dir, name string, kind regular.Kind) bool {
		was := regular.Stamp{Size: u.fixed(), Inode: uint64(u.fixed()), Device: x.device, ModTime: u.fixed(), ChangeTime: u.fixed()}
		now, is, known := x.look(dir, name)
		return known && is == kind && now == was && was.ChangeTime < x.before
	}
	if flags&hasMetadata == 0 {
		if _, kind, known := x.look(dir, handoff.MetadataFile); !known || kind != regular.Nothing {
			return -1
		}
	} else if !same(u, dir, handoff.MetadataFile, regular.File) {
		return -1
	}
	if flags&isOnly != 0 || brief && flags&isFinished != 0 {
		return flags
	}
	if !same(u, dir, handoff.Folder, regular.Dir) {
		return -1
	}
	n := u.count()
	if u.first = ""; n > 0 {
		if u.first = u.text(); u.bad || !same(u, "", u.first, regular.File) {
			return -1
		}
	}
	if !brief || flags&isLed == 0 {
		others := u
		if flags&isLed != 0 {
			tail, known := x.others(one)
			if !known {
				return -1
			}
			others = &unpacker{rest: tail}
		}
		if n > 1+len(others.rest) {
			return -1
		}
		u.paths = append(make([]string, 0, n), u.first)[:min(n, 1)]
		for range n - 1 {
			path := others.text()
			if others.bad || !same(others, "", path, regular.File) {
				return -1
			}
			u.paths = append(u.paths, path)
		}
	}
	if u.bad {
		return -1
	}
	return flags
}
