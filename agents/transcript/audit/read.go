package audit

import (
	"bytes"

	"handoff/agents/transcript"
)

// Read returns the compactions of a session. src is its whole transcript, format one of package transcript. ok is false if the
// format is not known.
func Read(src []byte, format string, o Options) (found []Compaction, ok bool) {
	read := transcript.Formats[format]
	if read == nil {
		return nil, false
	}
	a := auditor{Options: o, always: newLeft(o.Always)}
	for line := range bytes.Lines(src) {
		a.lines = append(a.lines, line)
		if r, ok := read(line); ok {
			a.add(&r)
		}
	}
	return a.result(), true
}
