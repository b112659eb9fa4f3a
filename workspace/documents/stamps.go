package documents

import (
	"cmp"
	"slices"
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
	isAlone // HEAD was asked about this task alone
)

func (s sight) flags(metadata bool) (flags int64) {
	for i, is := range [...]bool{s.finished, s.only, s.git, metadata, s.found.Waits, s.found.Row.Path != "", s.ahead, s.led, s.plain(), s.alone} {
		if is {
			flags |= 1 << i
		}
	}
	return flags
}

// stampSize is how many bytes put writes.
const stampSize = 4 * 8

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
	below, ok := strings.CutPrefix(cmp.Or(dir, name), x.under)
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
	if flags&hasMetadata == 0 {
		if _, kind, known := x.look(dir, handoff.MetadataFile); !known || kind != regular.Nothing {
			return -1
		}
	} else if !x.unchanged(u, dir, handoff.MetadataFile, regular.File) {
		return -1
	}
	if flags&isOnly != 0 || brief && flags&isFinished != 0 {
		return flags
	}
	if !x.unchanged(u, dir, handoff.Folder, regular.Dir) {
		return -1
	}
	n := u.count()
	if u.first = ""; n > 0 {
		if u.first = u.text(); u.bad || !x.unchanged(u, "", u.first, regular.File) {
			return -1
		}
	}
	if !brief || flags&isLed == 0 {
		others, known := x.rest(u, one, flags)
		if !known || n > 1+len(others.rest) {
			return -1
		}
		u.paths = append(make([]string, 0, n), u.first)[:min(n, 1)]
		for range n - 1 {
			path := others.text()
			if others.bad || !x.unchanged(others, "", path, regular.File) {
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

// unchanged reads a stamp, and reports whether a file is the same, and that can be relied on.
func (x *index) unchanged(u *unpacker, dir, name string, kind regular.Kind) bool {
	was := regular.Stamp{Size: u.fixed(), Inode: uint64(u.fixed()), Device: x.device, ModTime: u.fixed(), ChangeTime: u.fixed()}
	now, is, known := x.look(dir, name)
	return known && is == kind && now == was && was.ChangeTime < x.before
}

// rest is where the documents after the first one are: in the tail if names alone decide what waits.
func (x *index) rest(u *unpacker, one *packedSight, flags int64) (*unpacker, bool) {
	if flags&isLed == 0 {
		return u, true
	}
	tail, known := x.others(one)
	return &unpacker{rest: tail}, known
}

// names returns the names of the documents of a task, sorted, while their folder is the same. What a file contains does
// not matter, and no file becomes a link or a folder in its place.
func (x *index) names(dir string) (names []string, known bool) {
	if x == nil {
		return nil, false
	}
	i, there := x.at[dir]
	if !there {
		return nil, false
	}
	one := &x.sights[i]
	u := &unpacker{rest: one.text}
	u.text()
	flags := u.int()
	if flags&hasMetadata != 0 {
		u.skip(stampSize)
	}
	if flags&isOnly != 0 || !x.unchanged(u, dir, handoff.Folder, regular.Dir) {
		return nil, false
	}
	n := u.count()
	for i := range n {
		at := u.text()
		names = append(names, at[strings.LastIndexByte(at, '/')+1:])
		if u.skip(stampSize); u.bad {
			return nil, false
		}
		if i == 0 {
			if u, known = x.rest(u, one, flags); !known {
				return nil, false
			}
		}
	}
	slices.Sort(names)
	return names, true
}
