package thread

import (
	"bytes"
	"iter"
	"os"
	"path/filepath"

	"handoff/internal/file/nofollow"
)

// maxBegun is how much of a thread is read at once, in bytes: if the cut is not in it, the
// thread is asked through its index.
const maxBegun = 32 << 10

// Past is what a thread has up to an event.
type Past struct {
	ThreadID    string
	UpTo        uint64
	Origin      Event // the frame with the thread's parent, the zero value for none
	Messages    uint64
	Checkpoints bool // whether it has any
	References  bool // to other threads
}

// Pasts yields a thread up to an event, then the thread that it branched off, up to the cut,
// and so on. The beginning of each is read at once, which costs a fraction of opening it: a
// long chain of branches has many threads of which a context needs nothing. It ends before a
// thread that is damaged or not here, or whose cut is not in the beginning: the methods for
// one thread answer for that. A Past is valid until the next one.
func (s *Store) Pasts(id string, upTo uint64) iter.Seq[Past] {
	return func(yield func(Past) bool) {
		if s.options.Upstream != nil {
			return
		}
		folder, err := s.root().Dir(filepath.Dir(s.path(Continuity, "")))
		if err != nil {
			return
		}
		defer folder.Close()
		begun := make([]byte, maxBegun)
		for CheckID(id) == nil {
			p, ok := past(folder, begun, id, upTo)
			if !ok || !yield(p) {
				return
			}
			branch, ok := p.Origin.Payload.(*Branched)
			if !ok {
				return
			}
			id, upTo = branch.ParentThreadID, branch.ParentSeq
		}
	}
}

func past(folder *nofollow.Dir, begun []byte, id string, upTo uint64) (p Past, ok bool) {
	p = Past{ThreadID: id, UpTo: upTo}
	f, err := folder.OpenFile(id+suffix, os.O_RDONLY, 0)
	if err != nil {
		return p, false
	}
	n, err := f.Read(begun)
	f.Close()
	next := uint64(0)
	for line := range bytes.Lines(begun[:n]) {
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		if e, err := Parse(line); whole && err == nil && e.Seq == next && e.StreamID == id && (!e.Known() || e.Kind() == Continuity) {
			p.add(e)
		} else {
			return p, false
		}
		if next++; next > upTo {
			return p, err == nil
		}
	}
	return p, false
}

func (p *Past) add(e Event) {
	switch e.Payload.(type) {
	case *Message:
		p.Messages++
	case *CheckpointCreated:
		p.Checkpoints = true
	case *ThreadReferenced:
		p.References = true
	case *Branched, *HandedOff:
		if e.Seq == 1 {
			p.Origin = e
		}
	}
}
