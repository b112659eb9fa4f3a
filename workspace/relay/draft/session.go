package draft

import (
	"context"
	"path/filepath"
	"slices"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/transcript"
	"handoff/workspace"
)

// Session is one that no relay runs, and whose agent left no handoff.
type Session struct {
	Agent      string
	Handoff    string // path of the report that it continued
	Format     string // of its transcript: see package transcript
	Transcript string // or its end
	Why        string // how it ended

	did *deeds
}

// Worked reports whether the transcript shows that the agent wrote files of the
// workspace. A draft of anything less would only repeat the report before.
func (s *Session) Worked(ws *workspace.Workspace) bool {
	s.did = &deeds{}
	if format := transcript.Formats[s.Format]; format != nil {
		s.did.read(format, s.Transcript)
	}
	return slices.ContainsFunc(s.did.files, func(file string) bool { return !filepath.IsAbs(file) || nofollow.Within(ws.Root, file) })
}

// Idle reports whether the transcript shows that the agent called no tool. The session is one
// of which [Session.Worked] is known.
func (s *Session) Idle() bool { return s.did.records > 0 && s.did.calls == 0 }

// Write writes a draft for a session that has [Session.Worked], in the task of the
// report that it continued.
func (s *Session) Write(ctx context.Context, ws *workspace.Workspace) (path string, err error) {
	place := handoff.ParseName(s.Handoff)
	o := origin{agent: s.Agent, from: "transcript", command: "handoff hook", task: place.Task, phase: place.Phase, handoff: s.Handoff, why: s.Why}
	return write(ctx, ws, values(ws, o, s.did), "")
}
