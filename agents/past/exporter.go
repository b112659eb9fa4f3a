package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"handoff/agents/transcript"
	"handoff/internal/text/visible"
)

// exportTimeout is how long OpenCode gets to print what it keeps in its database, which only it can read.
const exportTimeout = 30 * time.Second

// maxExport is the most bytes that it may print.
const maxExport = 256 << 20

// Export runs `opencode export` in a folder, and returns what it prints.
func Export(ctx context.Context, dir, id string) (*bytes.Buffer, error) {
	if strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != "" {
		return nil, fmt.Errorf("%s is no id of a session of OpenCode", visible.Text(id))
	}
	out, err := AskExporter(ctx, dir, "export", id)
	if errors.Is(err, exec.ErrNotFound) {
		err = fmt.Errorf("OpenCode keeps its sessions in a database, and %s is not in PATH: run `opencode export %s > session.json` where it is, then `handoff draft --transcript session.json`", transcript.Exporter, id)
	}
	return out, err
}

// AskExporter runs the exporter in a folder, and returns what it prints.
func AskExporter(ctx context.Context, dir string, args ...string) (*bytes.Buffer, error) {
	ctx, cancel := context.WithTimeout(ctx, exportTimeout)
	defer cancel()
	line := transcript.Exporter + " " + strings.Join(args, " ")
	var out bounded
	var talk bytes.Buffer
	cmd := exec.CommandContext(ctx, transcript.Exporter, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = dir, &out, &talk, time.Second
	switch err := cmd.Run(); {
	case errors.Is(err, exec.ErrNotFound):
		return nil, err
	case ctx.Err() != nil:
		return nil, fmt.Errorf("`%s` printed nothing within %s", line, exportTimeout)
	case err != nil:
		return nil, fmt.Errorf("`%s`: %w: %s", line, err, visible.Text(lastLine(talk.String())))
	case out.over:
		return nil, fmt.Errorf("`%s` prints more than %d MB", line, maxExport>>20)
	}
	return &out.Buffer, nil
}

// bounded keeps at most maxExport bytes.
type bounded struct {
	bytes.Buffer
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		b.over = true
		return len(p), nil
	}
	return b.Buffer.Write(p)
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
