package hooks

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/internal/file/regular"
	"handoff/workspace"
	"handoff/workspace/delivery"
)

// leave saves what it can of a session that ends, or whose turn failed.
func (r *run) leave(ctx context.Context) error {
	what := "its turn failed"
	if r.Event == host.SessionEnd {
		what = "its session ended"
	}
	var e delivery.Ending
	if r.in.Transcript != "" {
		e = r.ending(r.host.Name, r.in.Transcript)
	}
	e.Why, e.Over = what+": "+cmp.Or(r.in.Error, "the host gave no reason"), r.Event == host.SessionEnd
	task := r.desk.Task(ctx) // before the handoff is given back
	err := r.desk.Leave(ctx, e)
	if err != nil {
		err = fmt.Errorf("saving the session: %w", err)
	}
	_, unkept := r.ws.KeepWork(ctx, workspace.WorkOf{Task: task, By: string(r.Event)})
	return errors.Join(err, unkept)
}

// Ended is a session that got a handoff, and ended without leaving one.
type Ended struct {
	Agent      string
	Handoff    string // path of the report that it continued
	Format     string // of its transcript: see package transcript
	Path       string // of its transcript
	Transcript string // its text, or the end of it
	Before     int    // lines of the transcript before that
	Why        string // how it ended
}

// ending drafts from the transcript of a session of a host.
func (r *run) ending(host, transcript string) (e delivery.Ending) {
	a, ok := sessions.One(r.ws.Root, host)
	if !ok || a.Transcripts.Format == "" {
		return e
	}
	e.Draft = func(got, why string) (func(context.Context) error, error) {
		text, before, err := endOf(transcript)
		if err != nil {
			return nil, err
		}
		return r.Draft(r.ws, Ended{Agent: host, Handoff: got, Format: a.Transcripts.Format, Path: transcript, Transcript: text, Before: before, Why: why}), nil
	}
	return e
}

// maxEnd is the most bytes of a transcript that a draft is made from.
const maxEnd = 4 << 20

// endOf is the end of a transcript, in whole lines, and how many lines are before it.
func endOf(path string) (text string, before int, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	begin := max(0, st.Size()-maxEnd)
	if before, err = countLines(io.NewSectionReader(f, 0, begin)); err != nil {
		return "", 0, err
	}
	src, err := io.ReadAll(io.NewSectionReader(f, begin, maxEnd))
	text = string(src)
	if begin > 0 {
		_, text, _ = strings.Cut(text, "\n")
		before++
	}
	return text, before, err
}

// countLines counts the ends of lines. A transcript of 50 MB takes 20 ms.
func countLines(src io.Reader) (n int, err error) {
	buf := make([]byte, 256<<10)
	for {
		k, err := src.Read(buf)
		n += bytes.Count(buf[:k], []byte("\n"))
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
