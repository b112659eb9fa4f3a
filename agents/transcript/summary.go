package transcript

import (
	"bytes"
	"encoding/json"
	"time"
)

// Summary is what a host wrote instead of a context that it compacted.
type Summary struct {
	Line int // of the transcript, from 1
	Text string
}

// Summaries are those of a transcript, in their order. Only Claude Code and Codex record
// them. ok is false if the format of the transcript is not known.
func Summaries(src []byte) (list []Summary, ok bool) {
	format := Formats[Detect(src[:min(len(src), headSize)])]
	if format == nil {
		return nil, false
	}
	n := 0
	for line := range bytes.Lines(src) {
		n++
		if r, ok := format(line); ok && r.Summary != "" && !r.Side {
			list = append(list, Summary{n, r.Summary})
		}
	}
	return list, true
}

// headSize is how much of a transcript shows its format.
const headSize = 256 << 10

// Time is when the host wrote a line of a transcript, in UTC; the zero time if it does not record that.
func Time(line []byte) (at time.Time) {
	var l struct {
		At time.Time `json:"timestamp"`
	}
	if err := json.Unmarshal(line, &l); err == nil {
		at = l.At.UTC()
	}
	return at
}
