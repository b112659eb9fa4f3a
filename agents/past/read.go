package past

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"handoff/agents/transcript"
	"handoff/agents/transcript/outcome"
	"handoff/internal/file/regular"
)

// End is how the session of a transcript ended.
type End struct {
	outcome.End
	Format   string
	Modified time.Time // of the file
	Partial  bool      // what was before is not known: files that were changed, and what was saved
}

// Time is when the session ended: when its last record was written, or else its file.
func (e *End) Time() time.Time {
	if e.At.IsZero() {
		return e.Modified
	}
	return e.At
}

const (
	headEnd  = 64 << 10 // of the beginning, which names the session and its folder
	document = 32 << 20 // bytes of an export, which is read as a whole
)

// Read reads how a session ended from at most so many bytes at the end of its transcript, and from
// the beginning what the end does not repeat: the session, its folder and, if nothing later was read,
// what was asked. format may be "": then the file decides.
func Read(path, format string, most int64) (end End, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return end, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err == nil {
		end.Modified, end.Format = st.ModTime(), format
		err = end.read(f, st.Size(), most)
	}
	if err != nil {
		return end, fmt.Errorf("%s: %w", path, err)
	}
	return end, nil
}

var errFormat = errors.New("not a transcript that handoff knows (`handoff agents` lists them)")

func (e *End) read(f *os.File, size, most int64) error {
	head, err := readAt(f, 0, min(size, headEnd))
	if err != nil {
		return err
	}
	found := transcript.Detect(head)
	if e.Format == "" || found == "acp" { // any agent's stream over ACP has that format
		e.Format = found
	}
	if found == "" && (e.Format == "" || e.Format == transcript.Exporter) && bytes.Contains(head, []byte(`"info"`)) {
		return e.export(io.NewSectionReader(f, 0, document))
	}
	format := transcript.Formats[e.Format]
	if format == nil {
		return errFormat
	}
	from := max(0, size-most)
	src, err := readAt(f, from, size-from)
	if err != nil {
		return err
	}
	var first outcome.End
	if e.Partial = from > 0; e.Partial {
		src = src[bytes.IndexByte(src, '\n')+1:]
		add(&first, format, head[:bytes.LastIndexByte(head, '\n')+1])
	}
	add(&e.End, format, src)
	e.Begins(&first)
	e.At = lastTime(src)
	return nil
}

// export reads a session that is one JSON value, which `opencode export` prints.
func (e *End) export(src io.Reader) error {
	x := transcript.ReadExport(src, func(_ int, r transcript.Record) { e.Add(&r) })
	if x.Session == "" {
		return errFormat
	}
	e.Format = transcript.Exporter
	return nil
}

// add adds lines. Those of a subagent count only in a transcript that has no others.
func add(e *outcome.End, format transcript.Format, src []byte) {
	var side outcome.End
	for line := range bytes.Lines(src) {
		r, ok := format(line)
		switch {
		case !ok: // torn, or not of a transcript
		case r.Side:
			side.Add(&r)
		default:
			e.Add(&r)
		}
	}
	if !e.Recorded() && side.Recorded() {
		side.Sub = true
		*e = side
	}
}

// lastTime is the time of the last lines that have one, zero if they have none.
func lastTime(src []byte) (at time.Time) {
	const lines = 20
	for range lines {
		src = bytes.TrimRight(src, "\n")
		begin := bytes.LastIndexByte(src, '\n') + 1
		var probe struct {
			Timestamp time.Time `json:"timestamp"`
		}
		if json.Unmarshal(src[begin:], &probe) == nil && !probe.Timestamp.IsZero() {
			return probe.Timestamp
		}
		src = src[:begin]
	}
	return at
}

func readAt(f *os.File, at, n int64) ([]byte, error) {
	src := make([]byte, n)
	read, err := f.ReadAt(src, at)
	if errors.Is(err, io.EOF) { // it was cut meanwhile
		err = nil
	}
	return src[:read], err
}
