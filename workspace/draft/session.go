package draft

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents/transcript"
	"handoff/agents/transcript/facts"
	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/text/secret"
	"handoff/workspace"
)

// Session is one that no relay runs, and whose agent left no handoff.
type Session struct {
	Agent      string
	Handoff    string // path of the report that it continued
	Format     string // of its transcript: see package transcript
	Path       string // of its transcript
	Transcript string // its text, or the end of it
	Before     int    // lines of the transcript before that
	Why        string // how it ended

	did *facts.Facts
}

// Worked reports whether the transcript shows that the agent wrote files of the
// workspace, or committed. A draft of anything less would only repeat the report before.
func (s *Session) Worked(ws *workspace.Workspace) bool {
	var c facts.Collector
	c.Skip(s.Before)
	if transcript.Formats[s.Format] != nil {
		_ = c.Read(strings.NewReader(s.Transcript), s.Format) // a text in memory of a known format
	}
	s.did = c.Facts()
	return slices.ContainsFunc(s.did.Written, func(f facts.File) bool { return !filepath.IsAbs(f.Path) || nofollow.Within(ws.Root, f.Path) }) ||
		slices.ContainsFunc(s.did.Commands, func(c facts.Command) bool { return transcript.Commits(c.Text) })
}

// maxWhy is the most bytes of the reason.
const maxWhy = 300

// Write writes a draft for a session that has [Session.Worked], in the task of the
// report that it continued.
func (s *Session) Write(ctx context.Context, ws *workspace.Workspace) (path string, err error) {
	place := handoff.ParseName(s.Handoff)
	made, _, err := Write(ctx, ws, Origin{
		Agent: s.Agent, Source: s.Path, Why: secret.MaskLine(s.Why, maxWhy), Before: s.Handoff,
		Command: "handoff draft --transcript " + s.Path + " --all", Task: place.Task, Phase: place.Phase,
	}, s.did, "")
	return made.Path, err
}
