package handoffs

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"strings"

	"handoff/agents/past"
	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/internal/file/regular"
	"handoff/surface/command"
)

const exporter = transcript.Exporter

// isExported reports whether a query names a session of OpenCode by its id.
func isExported(q sessions.Query) bool {
	return q.Transcript == "" && (strings.HasPrefix(q.Session, "ses_") || q.Session != "" && strings.HasPrefix(q.Agent, exporter))
}

// exportFacts runs `opencode export` and reads what it prints.
func exportFacts(ctx context.Context, w *command.Process, id string) (*facts.Facts, error) {
	out, err := past.Export(ctx, w.Dir, id)
	if err != nil {
		return nil, err
	}
	f, err := facts.Read(out, exporter)
	if err == nil && f.Session == "" {
		err = facts.ErrFormat
	}
	if err != nil {
		err = fmt.Errorf("`opencode export %s`: %w", id, err)
	}
	return f, err
}

// readExport reads a transcript that is an export of OpenCode, once: finding the session
// takes as long as reading everything. It returns nil for anything else.
func readExport(q sessions.Query) *facts.Facts {
	if q.Transcript == "" || q.Agent != "" && q.Agent != exporter {
		return nil
	}
	src, err := regular.Open(q.Transcript)
	if err != nil {
		return nil
	}
	defer src.Close()
	from := bufio.NewReader(src)
	if head, _ := from.Peek(exportHead); transcript.Detect(head) != "" || !bytes.Contains(head, []byte(`"info"`)) {
		return nil
	}
	f, err := facts.Read(from, "")
	if err != nil || f.Format != exporter {
		return nil
	}
	return f
}

// exportHead is how much of an export shows that it is one.
const exportHead = 1 << 10
