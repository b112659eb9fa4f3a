package hooks

import (
	"cmp"
	"context"
	"os"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/agents/transcript/gauge"
	"handoff/agents/transcript/tail"
	"handoff/workspace/notes"
)

// transcript opens a transcript of the host, once. ok is false for a host that no agent of
// the table is for; a transcript that cannot be read is empty.
func (r *run) transcript(path string) (s sessions.Session, ok bool) {
	if s, ok = r.opened[path]; ok {
		return s, true
	}
	a, ok := sessions.One(r.ws.Root, r.host.Name)
	if !ok {
		return s, false
	}
	s = sessions.Session{Agent: a, File: &tail.File{}}
	if path != "" {
		if f, err := tail.Open(path, a.Transcripts.Format); err == nil {
			s.File = f
		}
	}
	if r.opened == nil {
		r.opened = map[string]sessions.Session{}
	}
	r.opened[path] = s
	return s, true
}

// reading reads the gauge of a transcript, or of the input alone, and keeps what the host reports about the window.
func (r *run) reading(ctx context.Context, path string) (g gauge.Reading, ok bool) {
	s, ok := r.transcript(path)
	if !ok {
		return g, false
	}
	t := &s.File.Session
	if t.Used == 0 && t.Compactions == 0 {
		t.Used = r.in.Used
	}
	t.ID = cmp.Or(t.ID, r.in.Session)
	sessions.Reported(t, r.in.Window, r.in.Model)
	_ = sessions.Learn(ctx, s.Agent, t, r.Getenv) // the note is right all the same; doctor reports a damaged file
	return s.Read(0, r.progress(ctx), r.Getenv), true
}

// manyTasks is how many tasks a tree has in which a hook does not look at all of them each time.
const manyTasks = 200

// progress is how far the objectives are: by the progress file of the workspace that was changed last, in a tree of many
// tasks by the one of the task that had it within the last minute.
func (r *run) progress(ctx context.Context) sessions.Progress {
	if dir, ok := r.desk.Objectives(); ok {
		p, _ := sessions.ProgressIn(r.ws.Root, dir)
		return p
	}
	dirs, looked := sessions.ProgressFolders(r.ws.Root)
	p, dir := sessions.ProgressIn(r.ws.Root, dirs...)
	if looked > manyTasks {
		_ = r.desk.SawObjectives(ctx, dir, true) // else the next hook looks again
	}
	return p
}

// longTranscript is how many bytes a transcript has that is not read after each call of a
// tool, because that costs more than all else that a hook does.
const longTranscript = 512 << 10

// note is the gauge's note in the middle of a turn, once for each reason. A subagent
// has a context of its own, which the transcript of the session does not show.
func (r *run) note(ctx context.Context) (string, error) {
	if r.in.Agent != "" || r.in.Session == "" || r.desk.Relay {
		return "", nil
	}
	book, err := notes.Open(r.ws)
	if err != nil {
		return "", err
	}
	size := sizeOf(r.in.Transcript)
	if size >= longTranscript {
		done := r.progress(ctx).Done
		if quiet, err := book.Quiet(r.host.Name, r.in.Session, size, done); quiet || err != nil {
			return "", err
		}
	}
	g, ok := r.reading(ctx, r.in.Transcript)
	if !ok {
		return "", nil
	}
	seen := notes.Seen{}
	if size >= longTranscript {
		seen = notes.Seen{Size: size, Room: int64(g.Room())}
	}
	kind, due, err := book.Step(ctx, r.host.Name, r.in.Session, g, seen)
	if err != nil || !due {
		return "", err
	}
	owes, err := r.desk.Owes(ctx)
	if !owes {
		return "", err
	}
	return g.Text(kind) + "\n", err
}

// sizeOf is the size of a transcript; 0 if there is none.
func sizeOf(path string) int64 {
	if st, err := os.Lstat(path); path != "" && err == nil && st.Mode().IsRegular() {
		return st.Size()
	}
	return 0
}

// ask delays the end of a turn once in each context, if it is time for a handoff and
// none was saved. An agent that continues because a hook asked it is not asked again.
func (r *run) ask(ctx context.Context) (string, error) {
	session, path := r.in.Session, r.in.Transcript
	if r.Event == host.SubagentStop {
		session, path = session+" "+r.in.Agent, r.in.AgentTranscript
		if lost, err := r.desk.Lost(); err != nil || lost || r.in.Agent == "" || r.in.AgentType == "" || path == "" {
			return "", err // some hosts compact a session with a subagent, which must end
		}
	}
	if r.in.Again || r.in.Session == "" || r.hook.Form == host.Silent || r.desk.Relay {
		return "", nil
	}
	g, ok := r.reading(ctx, path)
	if !ok || g.Saved {
		return "", nil
	}
	// Nothing was reported before, so every reason that applies now is new.
	_, kind, due := gauge.State{Begun: true, Done: g.Done, Compactions: g.Compactions - 1}.Step(g)
	if !due || kind != gauge.Mark && kind != gauge.Compacted {
		return "", nil
	}
	if owes, err := r.desk.Owes(ctx); !owes {
		return "", err
	}
	book, err := notes.Open(r.ws)
	if err != nil {
		return "", err
	}
	first, err := book.Change(ctx, r.host.Name, session, func(p *notes.Past) bool {
		ok := p.Asked <= g.Compactions
		p.Asked = g.Compactions + 1
		return ok
	})
	if err != nil || !first {
		return "", err
	}
	return g.Text(kind) + " No handoff was saved in this context so far. This is asked once: the turn can end without one.\n", nil
}
