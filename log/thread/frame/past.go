package frame

import "bytes"

// Past is what a thread has up to an event.
type Past struct {
	ThreadID    string
	UpTo        uint64
	Origin      Event // the frame with the thread's parent, the zero value for none
	Messages    uint64
	Checkpoints bool // whether it has any
	References  bool // to other threads
}

// Begun is the past of a thread from the beginning of its file; false if that does not reach the event, or is damaged before it.
func Begun(src []byte, id string, upTo uint64) (p Past, ok bool) {
	p = Past{ThreadID: id, UpTo: upTo}
	next := uint64(0)
	for line := range bytes.Lines(src) {
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		if e, err := Parse(line); whole && err == nil && e.Seq == next && e.StreamID == id && (!e.Known() || e.Kind() == Continuity) {
			p.add(e)
		} else {
			return p, false
		}
		if next++; next > upTo {
			return p, true
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

// branched is the cut that the thread continues as a branch, nil for none.
func (p Past) branched() *Branched {
	b, _ := p.Origin.Payload.(*Branched)
	return b
}
