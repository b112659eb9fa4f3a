package frame

import (
	"encoding/json"

	"handoff/internal/json/jsontext"
	"handoff/log/bundle"
)

// aboveField is the field of the frame of a deep branch with its [Above]. RIP ignores it.
const aboveField = "handoff_above"

// apart is how many ancestors are looked at one by one: a branch with more has an [Above].
const apart = 32

// Above tells a deep branch which of its ancestors a context may need beside their messages, so that not each has to be
// looked at. It never becomes untrue: what a branch inherits does not change.
type Above struct {
	Next Stop `json:"next"` // the nearest ancestor with a checkpoint or a reference, or End
	End  Stop `json:"end"`  // the last ancestor, which is no branch
}

// Stop is an ancestor.
type Stop struct {
	ThreadID string `json:"thread_id"`
	Seq      uint64 `json:"seq"`      // the last event that is inherited
	Child    string `json:"child"`    // the thread that branches off there
	Threads  uint64 `json:"threads"`  // the ancestors that come before it, the parent first
	Messages uint64 `json:"messages"` // that these have up to their cuts
}

// AboveOf is what the frame of a branch tells of its ancestors, false if it does not.
func AboveOf(e Event) (a Above, ok bool) {
	for _, f := range e.Extra {
		if f.Name == aboveField {
			return a, json.Unmarshal(f.Value, &a) == nil
		}
	}
	return a, false
}

// field cannot fail: texts and numbers can always be written.
func (a Above) field() bundle.Field {
	raw, _ := jsontext.Marshal(a)
	return bundle.Field{Name: aboveField, Value: raw}
}

// Climb looks at the ancestors of a branch, and returns the fields for its frame: none if few have to be looked at, or if
// one cannot be read.
func Climb(child string, b *Branched, look func(id string, upTo uint64) (Past, bool)) []bundle.Field {
	var a Above
	at, seen := Stop{Child: child}, map[string]bool{child: true}
	for looked := 1; ; looked++ {
		at.ThreadID, at.Seq = b.ParentThreadID, b.ParentSeq
		past, ok := look(at.ThreadID, at.Seq)
		if !ok || seen[at.ThreadID] {
			return nil
		}
		seen[at.ThreadID] = true
		b = past.branched()
		if a.Next.Child == "" && (b == nil || past.Checkpoints || past.References) {
			a.Next = at
		}
		beyond := Stop{Child: at.ThreadID, Threads: at.Threads + 1, Messages: at.Messages + past.Messages}
		known, ok := AboveOf(past.Origin)
		switch {
		case b == nil:
			a.End = at
		case ok:
			a.End = beyond.then(known.End)
			if a.Next.Child == "" {
				a.Next = beyond.then(known.Next)
			}
		default:
			at = beyond
			continue
		}
		if looked <= apart {
			return nil
		}
		return []bundle.Field{a.field()}
	}
}

// then is a stop of the ancestors above.
func (s Stop) then(above Stop) Stop {
	above.Threads += s.Threads
	above.Messages += s.Messages
	return above
}
