package handoffs

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"handoff/agents/sessions"
	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/internal/file/regular"
	"handoff/internal/text/visible"
	"handoff/surface/command"
)

// OpenCode keeps its sessions in a database that only it can read, and prints one of them
// on request. It does that for a session that was killed, too.
const (
	exporter      = transcript.Exporter
	exportTimeout = 30 * time.Second
)

// isExported reports whether a query names a session of OpenCode by its id.
func isExported(q sessions.Query) bool {
	return q.Transcript == "" && (strings.HasPrefix(q.Session, "ses_") || q.Session != "" && strings.HasPrefix(q.Agent, exporter))
}

// exportFacts runs `opencode export` and reads what it prints.
func exportFacts(ctx context.Context, w *command.Process, id string) (*facts.Facts, error) {
	if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return nil, fmt.Errorf("%s is no id of a session of OpenCode", command.Plain(id))
	}
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	var out bounded
	var talk bytes.Buffer
	cmd := exec.CommandContext(ctx, exporter, "export", id)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = w.Dir, &out, &talk, time.Second
	switch err := cmd.Run(); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("OpenCode keeps its sessions in a database, and %s is not in PATH: run `opencode export %s > session.json` where it is, then `handoff draft --transcript session.json`", exporter, id)
	case ctx.Err() != nil:
		return nil, fmt.Errorf("`opencode export %s` printed nothing within %s", id, exportTimeout)
	case err != nil:
		return nil, fmt.Errorf("`opencode export %s`: %w: %s", id, err, visible.Text(lastLine(talk.String())))
	case out.over:
		return nil, fmt.Errorf("`opencode export %s` prints more than %d MB", id, command.MaxTranscript>>20)
	}
	f, err := facts.Read(&out.Buffer, exporter)
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

// bounded keeps at most as many bytes as a transcript may have.
type bounded struct {
	bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > command.MaxTranscript {
		b.over = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
