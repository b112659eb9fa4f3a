package documents

import (
	"encoding/binary"
	"time"

	"handoff/document/handoff"
	"handoff/workspace/reconcile"
)

// packer writes the binary form of an index: numbers as varints, texts and lists after their lengths.
type packer struct{ b []byte }

func (p *packer) int(n int64)       { p.b = binary.AppendVarint(p.b, n) }
func (p *packer) count(n int)       { p.b = binary.AppendUvarint(p.b, uint64(n)) }
func (p *packer) fixed(n int64)     { p.b = binary.LittleEndian.AppendUint64(p.b, uint64(n)) }
func (p *packer) text(s string)     { p.count(len(s)); p.b = append(p.b, s...) }
func (p *packer) time(t time.Time)  { p.int(t.Unix()); p.int(int64(t.Nanosecond())) }
func (p *packer) texts(ss []string) { pack(p, ss, p.text) }

func (p *packer) flag(is bool) {
	n := int64(0)
	if is {
		n = 1
	}
	p.int(n)
}

func pack[T any](p *packer, list []T, one func(T)) {
	p.count(len(list))
	for _, v := range list {
		one(v)
	}
}

func (p *packer) moment(m handoff.Moment) {
	p.flag(m != (handoff.Moment{}))
	if m != (handoff.Moment{}) {
		p.time(m.Time)
		name, offset := m.Time.Zone()
		p.text(name)
		p.int(int64(offset))
		p.int(int64(m.Unit))
		p.flag(m.Zoned)
	}
}

// sight packs what is known beside flags and paths. It begins with what decides whether a caller passes over the task.
func (p *packer) sight(s sight) {
	first := ""
	if len(s.paths) > 0 {
		first = s.paths[0]
	}
	path := func(at string) { // "" for the first one, as in most tasks
		if at == first {
			at = ""
		}
		p.text(at)
	}
	pack(p, s.asked, func(a answer) {
		path(a.path)
		p.flag(a.Taken)
		p.flag(a.Done)
		p.flag(a.Again)
		p.time(a.Since)
	})
	p.text(s.head)
	if s.found.Row.Path != "" {
		p.moment(s.found.At)
		path(s.found.Row.Path)
	}
	p.text(s.found.Doubt)
	p.text(s.status.Status)
	p.text(s.status.Stage)
	p.int(int64(s.status.Completed))
	p.int(int64(s.status.Phases))
	p.flag(s.status.Review)
	p.text(s.status.Problem)
	p.moment(s.lastAt)
	path(s.last.Path)
	p.row(s.last)
	if s.found.Row.Path == "" {
		return
	}
	if s.found.Row.Path != s.last.Path { // else it is the same row
		p.row(s.found.Row)
	}
	p.refused(s.found.Refused)
}

func (p *packer) refused(r *handoff.UndeliverableError) {
	p.flag(r != nil)
	if r != nil {
		p.int(int64(r.Conflict.First))
		p.int(int64(r.Conflict.Last))
		p.text(r.NotText)
	}
}

// row packs what a row has beside what its path says.
func (p *packer) row(r Row) {
	p.flag(r.Time != nil)
	if r.Time != nil {
		p.moment(*r.Time)
	}
	p.text(string(r.TimeFrom))
	p.text(r.NextAction)
	p.text(r.NextFrom)
	p.text(r.Unproved)
	p.texts(r.WaitingFor)
	p.texts(r.UnderstandFirst)
	p.texts(r.LeftRunning)
	p.text(r.Problem)
}

// unpacker reads what a packer wrote. After anything else it is bad.
type unpacker struct {
	rest  string
	bad   bool
	paths []string
	first string // of the paths
}

func (u *unpacker) fail() { u.rest, u.bad = "", true }

func (u *unpacker) count() int {
	var n, shift uint64
	for i := 0; i < len(u.rest) && i < binary.MaxVarintLen64; i++ {
		b := u.rest[i]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			u.rest = u.rest[i+1:]
			if n > indexMax {
				break
			}
			return int(n)
		}
		shift += 7
	}
	u.fail()
	return 0
}

func (u *unpacker) int() int64 {
	n, size := binary.Varint([]byte(u.rest[:min(len(u.rest), binary.MaxVarintLen64)]))
	if size <= 0 {
		u.fail()
		return 0
	}
	u.rest = u.rest[size:]
	return n
}

func (u *unpacker) fixed() (n int64) {
	if len(u.rest) < 8 {
		u.fail()
		return 0
	}
	for i := range 8 {
		n |= int64(u.rest[i]) << (8 * i)
	}
	u.rest = u.rest[8:]
	return n
}

func (u *unpacker) text() (s string) {
	n := u.count()
	if n > len(u.rest) {
		u.fail()
		return ""
	}
	s, u.rest = u.rest[:n], u.rest[n:]
	return s
}

func (u *unpacker) skip(n int) {
	if n > len(u.rest) {
		u.fail()
		return
	}
	u.rest = u.rest[n:]
}

// path reads the path of a document of a task.
func (u *unpacker) path() string {
	if at := u.text(); at != "" {
		return at
	}
	return u.first
}

func (u *unpacker) flag() bool { return u.int() == 1 }

func (u *unpacker) time() time.Time { return time.Unix(u.int(), u.int()).UTC() }

func (u *unpacker) texts() []string { return unpack(u, u.text) }

// unpack reads a list; nil if it is empty.
func unpack[T any](u *unpacker, one func() T) (list []T) {
	for range u.count() {
		if u.bad {
			return nil
		}
		list = append(list, one())
	}
	return list
}

func (u *unpacker) moment() (m handoff.Moment) {
	if u.flag() {
		at, name, offset := u.time(), u.text(), int(u.int())
		if name != "UTC" {
			at = at.In(time.FixedZone(name, offset))
		}
		m = handoff.Moment{Time: at, Unit: time.Duration(u.int()), Zoned: u.flag()}
	}
	return m
}

func (u *unpacker) sight(dir string, flags int64) (s sight) {
	s = sight{dir: dir, paths: u.paths, git: flags&isGit != 0, ahead: flags&isAhead != 0, alone: flags&isAlone != 0}
	s.asked = unpack(u, func() answer {
		return answer{u.path(), reconcile.Receipt{Taken: u.flag(), Done: u.flag(), Again: u.flag(), Since: u.time()}}
	})
	s.head = u.text()
	at, path := handoff.Moment{}, ""
	if flags&hasRow != 0 {
		at, path = u.moment(), u.path()
	}
	s.found = Waiting{Dir: dir, Waits: flags&mayWait != 0, At: at, Doubt: u.text()}
	s.status = reconcile.Status{Status: u.text(), Stage: u.text(), Completed: int(u.int()), Phases: int(u.int()), Review: u.flag(), Problem: u.text()}
	s.lastAt = u.moment()
	var last Entry
	s.last, last = u.row(u.path())
	if flags&hasRow == 0 {
		return s
	}
	s.found.Row, s.found.Entry = s.last, last
	if path != s.last.Path {
		s.found.Row, s.found.Entry = u.row(path)
	}
	s.found.Refused = u.refused(s.found.Row.Path)
	return s
}

func (u *unpacker) refused(path string) *handoff.UndeliverableError {
	if !u.flag() {
		return nil
	}
	return &handoff.UndeliverableError{Path: path, Conflict: handoff.Lines{First: int(u.int()), Last: int(u.int())}, NotText: u.text()}
}

func (u *unpacker) row(path string) (r Row, e Entry) {
	if path != "" { // else the task has no documents
		e = Entry{Path: path, Name: handoff.ParseName(path)}
		r = named(e)
	}
	return u.said(r), e
}

// said adds to a row what it has beside what its path says.
func (u *unpacker) said(r Row) Row {
	if r.Time = nil; u.flag() {
		m := u.moment()
		r.Time = &m
	}
	r.TimeFrom = handoff.Source(u.text())
	r.NextAction, r.NextFrom, r.Unproved = u.text(), u.text(), u.text()
	r.WaitingFor, r.UnderstandFirst, r.LeftRunning = u.texts(), u.texts(), u.texts()
	r.Problem = u.text()
	return r
}
