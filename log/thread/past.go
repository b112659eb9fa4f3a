package thread

import (
	"errors"
	"iter"
	"os"
	"path/filepath"

	"handoff/internal/file/nofollow"
	"handoff/log/bundle"
	"handoff/log/thread/frame"
)

// maxBegun is how much of a thread is read at once, in bytes: if the cut is not in it, the
// thread is asked through its index.
const maxBegun = 32 << 10

// Past is [frame.Past].
type Past = frame.Past

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

func past(folder *nofollow.Dir, begun []byte, id string, upTo uint64) (Past, bool) {
	f, err := folder.OpenFile(id+suffix, os.O_RDONLY, 0)
	if err != nil {
		return Past{}, false
	}
	defer f.Close()
	n, err := f.Read(begun)
	if err != nil {
		return Past{}, false
	}
	return frame.Begun(begun[:n], id, upTo)
}

// above are the fields of a branch's frame that tell which ancestors matter.
func (s *Store) above(child string, p Payload) []bundle.Field {
	branch, ok := p.(*Branched)
	if !ok {
		return nil
	}
	return frame.Climb(child, branch, func(id string, upTo uint64) (Past, bool) {
		for p := range s.Pasts(id, upTo) {
			return p, true
		}
		p, err := s.pastByIndex(id, upTo)
		return p, err == nil
	})
}

// pastByIndex is the past of a thread that is too long to be read at once.
func (s *Store) pastByIndex(id string, upTo uint64) (Past, error) {
	origin, err := s.Event(id, min(upTo, 1))
	_, cutErr := s.Event(id, upTo)
	messages, messagesErr := s.MessagesUpTo(id, upTo)
	checkpoint, checkpointErr := s.CheckpointUpTo(id, upTo, upTo, "")
	references, referencesErr := s.References(id, upTo, 1)
	p := Past{ThreadID: id, UpTo: upTo, Origin: origin, Messages: messages, Checkpoints: checkpoint != nil, References: len(references) > 0}
	return p, errors.Join(err, cutErr, messagesErr, checkpointErr, referencesErr)
}

// Mistold reports whether the frame of a branch tells of its ancestors what is not so, as far as they can be read.
func (s *Store) Mistold(e Event) bool {
	told, tells := frame.AboveOf(e)
	is, known := frame.AboveOf(Event{Extra: s.above(e.StreamID, e.Payload)})
	return tells && known && told != is
}
