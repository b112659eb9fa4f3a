package documents

import (
	"path/filepath"
	"slices"

	"handoff/internal/file/regular"
	"handoff/internal/state"
)

// add keeps what a task shows.
func (x *index) add(s sight) {
	if x == nil {
		return
	}
	if s.git {
		if s.head, s.alone = x.head(), !x.several; s.head == "" || s.alone && !x.whole {
			return
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.seen, x.effort = append(x.seen, s), x.effort+1+len(s.paths)
}

// save writes the index if enough was read that it is worth it. all are the tasks that there are. It need not
// succeed: a tree that cannot be written is read again.
func (x *index) save(all []string) {
	if x == nil || x.effort < worth || x.keyed() == "" || !x.begin() {
		return
	}
	fresh := make(map[string]sight, len(x.seen))
	for _, s := range x.seen {
		fresh[s.dir] = s
	}
	list, tail := packer{}, packer{}
	n := 0
	for _, dir := range all {
		if one, others := x.packed(dir, fresh); one != "" {
			n++
			list.text(one)
			list.count(len(others))
			tail.b = append(tail.b, others...)
		}
	}
	x.write(n, list.b, tail.b)
}

// write writes a list of things with their texts, and the tail.
func (x *index) write(n int, list, tail []byte) {
	if len(tail) > indexMax {
		return
	}
	p := packer{}
	p.text(x.form)
	p.text(x.keyed())
	p.time(x.w.Now())
	p.int(x.until)
	p.count(n)
	p.b = append(p.b, list...)
	beginning := packer{}
	beginning.fixed(int64(checksum(string(p.b))))
	beginning.fixed(int64(len(p.b)))
	beginning.fixed(int64(checksum(string(tail))))
	_ = x.file.Replace(slices.Concat(beginning.b, p.b, tail))
}

// begin finds a place for the index, and until when what was changed can be relied on: when the first file was read, by
// the clock of the file system. Readers make no folder in the workspace.
func (x *index) begin() bool {
	dir := filepath.Dir(x.file.Path)
	if filepath.Base(dir) == state.Dir && regular.KindOf(dir) != regular.Dir || x.file.Replace(nil) != nil {
		return false
	}
	folder, err := regular.OpenFolder(dir)
	if err != nil {
		return false
	}
	defer folder.Close()
	mine, _, here := folder.Look(filepath.Base(x.file.Path))
	now := x.w.Now()
	took := max(now.Sub(x.began), now.Round(0).Sub(x.began.Round(0))) // one of them has the time that the machine slept
	specs, _, known := x.tree.Look(".")
	x.device, x.until = specs.Device, mine.ChangeTime-int64(took+unsure)
	return known && here && specs.Device == mine.Device && folder.Local()
}

// packed is what is kept of a task; "" for nothing. What was not looked at now must be beyond doubt, because the
// new index is later than the last one.
func (x *index) packed(dir string, fresh map[string]sight) (one, others string) {
	if s, ok := fresh[dir]; ok {
		p, tail := packer{}, packer{}
		p.text(dir)
		if !x.stamp(&p, &tail, s) {
			return "", ""
		}
		if !s.only {
			p.sight(s)
		}
		return string(p.b), string(tail.b)
	}
	i, there := x.at[dir]
	if !there {
		return "", ""
	}
	old := &x.sights[i]
	if !old.used && x.same(&unpacker{rest: old.text}, old, false) < 0 {
		return "", ""
	}
	if others, there = x.others(old); !there {
		return "", ""
	}
	return old.text, others
}
