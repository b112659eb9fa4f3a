// Package author reads the record of the session in which a command runs: what its agent ran to check the work, and what that
// says of a handoff that it writes. A session is read only if the environment names it: the newest one in a folder may be that
// of another agent.
package author

import (
	"context"
	"sync"

	"handoff/agents/host"
	"handoff/agents/sessions"
	"handoff/agents/transcript/facts"
	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/document/seen"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/workspace"
	"handoff/workspace/prove"
)

// Session returns what the record of the session shows: the zero value if there is none here, or it cannot be read.
func Session(getenv func(string) string, ws *workspace.Workspace) (none seen.Session) {
	name, id, ok := host.Here(getenv)
	if !ok {
		return none
	}
	table, _ := sessions.Table(ws.Root) // an entry that cannot be read is reported by `handoff agents`
	s, err := sessions.Find(table, sessions.Query{Session: id, Agent: name, Dirs: []string{ws.Root}, Getenv: getenv})
	if err != nil {
		return none
	}
	f, err := Facts(s)
	if err != nil {
		return none
	}
	return f.Seen(ws.Root, ws.Keeps)
}

// Facts reads the whole record of a session.
func Facts(s sessions.Session) (*facts.Facts, error) {
	src, err := regular.Open(s.File.Path)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return facts.Read(src, s.File.Format)
}

// Marks returns what marks the claims of a new document: see [claims.Mark]; and what subagents were asked that
// reported back without having called a tool.
func Marks(ctx context.Context, getenv func(string) string, ws *workspace.Workspace) (mark func(*handoff.Document) string, idle []string) {
	s := Session(getenv, ws)
	commit := sync.OnceValue(func() string { return wholeCommit(ctx, ws) })
	return func(doc *handoff.Document) string { return claims.Mark(doc, s, commit) }, s.Idle
}

// wholeCommit is the last commit, if it has everything that is in the working tree, else "".
func wholeCommit(ctx context.Context, ws *workspace.Workspace) string {
	const digits = 10
	now, err := gitindex.Current(ctx, ws.Root)
	if err != nil || now.Commit == "" || len(prove.Uncommitted(now)) > 0 {
		return ""
	}
	return now.Commit[:min(digits, len(now.Commit))]
}
