package author

import (
	"path/filepath"
	"strings"

	"handoff/agents/transcript/audit"
	"handoff/agents/transcript/facts"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/workspace"
)

// MaxTranscript is the most bytes of a transcript that is read as a whole.
const MaxTranscript = 256 << 20

// Audit returns the compactions of the session that a transcript of a format records, with what each dropped.
func Audit(ws *workspace.Workspace, path, format string, o audit.Options) ([]audit.Compaction, error) {
	src, err := regular.Read(path, nil, MaxTranscript)
	if err != nil {
		return nil, err
	}
	o.Always = alwaysShown(ws)
	found, ok := audit.Read(src, format, o)
	if !ok {
		return nil, facts.ErrFormat
	}
	return found, nil
}

// shownAlways are the files of a project that hosts show the model again after a compaction.
var shownAlways = []string{"CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md", "AGENTS.md", "GEMINI.md"}

// alwaysShown is the text of those files.
func alwaysShown(ws *workspace.Workspace) string {
	const most = 1 << 20
	var b strings.Builder
	for _, name := range shownAlways {
		src, _ := nofollow.Root(ws.Root).ReadFile(filepath.Join(ws.Root, filepath.FromSlash(name)), most) // most projects have one of them
		b.Write(src)
		b.WriteByte('\n')
	}
	return b.String()
}
