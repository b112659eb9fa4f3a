package command

import (
	"context"
	"strings"
	"sync"
	"time"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/past"
	"handoff/agents/sessions"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/unreported"
)

// AgentNamed is the agent of that name in a table, or of its file: see [AgentEntry].
func AgentNamed(table []agents.Agent, name string) (agents.Agent, error) {
	base, _ := AgentEntry(name)
	return agents.Among(table, base)
}

// AgentEntry returns the name of the agent that a user names by itself or by its file, .handoff/agents/NAME.yaml. named
// is true for the file.
func AgentEntry(name string) (base string, named bool) {
	base, named = strings.CutPrefix(name, sessions.Overrides+"/")
	return strings.TrimSuffix(base, ".yaml"), named
}

// LeftIn reads how many tokens a session has left, from its transcript on this machine. root is that of the workspace.
func LeftIn(getenv func(string) string, root string) func(name, session string) (int, bool) {
	table, _ := sessions.Table(root) // an entry that cannot be read is reported by `handoff agents`
	return func(name, session string) (int, bool) {
		s, err := sessions.Find(table, sessions.Query{Session: session, Agent: name, Dirs: []string{root}, Getenv: getenv})
		if err != nil {
			return 0, false
		}
		r := s.Read(0, sessions.Progress{}, getenv)
		return r.Left, r.Limit > 0 && r.Used > 0
	}
}

// SessionsIn are the sessions of the repository of a workspace, without the one that runs this.
func SessionsIn(ctx context.Context, w *Process, ws *workspace.Workspace, bounds unreported.Bounds, exported ...past.Session) (unreported.Found, error) {
	table, err := sessions.Table(ws.Root)
	if table == nil {
		return unreported.Found{}, err
	}
	w.Complain(err)
	name, id, _ := host.Here(w.Getenv)
	return unreported.Find(ctx, ws, unreported.Options{Table: table, Getenv: w.Getenv, Own: receipt.Session{Host: name, ID: id}, Bounds: bounds, Git: true, More: exported}), ctx.Err()
}

// diedAgain is how long a screen shows which session died before transcripts are read again: nothing
// reports changes of them.
const diedAgain = time.Minute

// DiedIn returns the session that ended last in the middle of its work, for screens that show it all the
// time; nil for none.
func DiedIn(w *Process, ws *workspace.Workspace) func(context.Context) *unreported.Session {
	var mu sync.Mutex
	var read time.Time
	var last *unreported.Session
	bounds := unreported.Bounds{Names: 5000, Heads: 200, Ends: 40, Bytes: 256 << 10}
	return func(ctx context.Context) *unreported.Session {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now(); now.Sub(read) >= diedAgain || now.Before(read) {
			last, read = nil, now
			if f, err := SessionsIn(ctx, w, ws, bounds); err == nil {
				if best, ok := f.Best(); ok {
					last = &best
				}
			}
		}
		return last
	}
}
