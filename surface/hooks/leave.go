package hooks

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"handoff/agents/host"
	"handoff/internal/file/regular"
	"handoff/workspace/delivery"
)

// leave saves what it can of a session that ends, or whose turn failed.
func (r *run) leave(ctx context.Context) error {
	what := "its turn failed"
	if r.Event == host.SessionEnd {
		what = "its session ended"
	}
	e := delivery.Ending{
		Why: what + ": " + cmp.Or(r.in.Error, "the host gave no reason"), Over: r.Event == host.SessionEnd,
		Transcript: func() (string, bool, error) { return endOf(r.in.Transcript) },
	}
	if s, ok := r.transcript(""); ok && r.in.Transcript != "" {
		e.Format = s.Agent.Transcripts.Format
	}
	if err := r.desk.Leave(ctx, e); err != nil {
		return fmt.Errorf("saving the session: %w", err)
	}
	return nil
}

// maxEnd is the most bytes of a transcript that a draft is made from.
const maxEnd = 4 << 20

// endOf is the end of a transcript, in whole lines, and whether that is all of it.
func endOf(path string) (text string, whole bool, err error) {
	f, err := regular.Open(path)
	if err != nil {
		return "", false, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", false, err
	}
	begin := max(0, st.Size()-maxEnd)
	src, err := io.ReadAll(io.NewSectionReader(f, begin, maxEnd))
	text = string(src)
	if begin > 0 {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text, begin == 0, err
}
