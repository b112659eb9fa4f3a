package unreported

import (
	"context"
	"fmt"
	"time"

	"handoff/agents"
	"handoff/agents/transcript/outcome"
	"handoff/internal/text/inert"
	"handoff/internal/text/say"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/notes"
)

// Brief are bounds for a hook, which a host waits for: the last few sessions of each agent.
var Brief = Bounds{Names: 2000, Heads: 20, Ends: 4, Bytes: 64 << 10}

const (
	fresh    = 3 * 24 * time.Hour // older sessions are not named to new ones
	mostTold = 3                  // nor is one that so many were told of
)

// Name says in one line which session ended in the middle of its work without a handoff, and what to type,
// for a session that starts; "" for none. A session is named at most three times. No text of a session is in
// the line: an agent reads it.
func Name(ctx context.Context, ws *workspace.Workspace, own receipt.Session, getenv func(string) string) (string, error) {
	bounds := Brief
	bounds.After = ws.Now().Add(-fresh)
	f := Find(ctx, ws, Options{Table: agents.Keeping(), Getenv: getenv, Own: own, Bounds: bounds})
	best, ok := f.Best()
	if !ok || !inert.Safe(best.ID) || best.calls == 0 {
		return "", nil
	}
	book, err := notes.Open(ws)
	if err != nil {
		return "", err
	}
	told, err := book.Change(ctx, best.Agent, best.ID, func(p *notes.Past) bool {
		p.Named++
		return p.Named <= mostTold
	})
	if !told || err != nil {
		return "", err
	}
	return fmt.Sprintf("A session of %s ended here %s (%s) and left no handoff%s. If this session is to continue its work: `%s` writes one from its transcript.\n",
		best.Agent, say.Ago(ws.Now().Sub(best.At)), inWords[best.Cause], best.changed(), best.Command), nil
}

// inWords are the causes, for a line that has no text of the session.
var inWords = map[outcome.Cause]string{
	outcome.Limit: "usage limit", outcome.TooLong: "its context was too long", outcome.Failed: "an error", outcome.Stopped: "a person stopped it", outcome.Killed: "killed",
}

// changed counts the files that the session changed.
func (s *Session) changed() string {
	if len(s.Files) == 0 {
		return ""
	}
	return ", after it changed " + say.Count(len(s.Files), "file")
}
