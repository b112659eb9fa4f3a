// Package unreported finds the sessions of agents, and their subagents, that worked in a repository and
// ended without a handoff: when, why, what they were asked, and what of their work is on the disk. A
// repository in which handoff was just set up has many of them, because the machine keeps them.
//
// It reads transcripts, the notes about sessions and git, and writes only notes: which session was drafted, and
// which was named to others.
package unreported

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"handoff/agents"
	"handoff/agents/past"
	"handoff/agents/transcript/outcome"
	"handoff/internal/file/regular"
	"handoff/log/receipt"
	"handoff/workspace"
	"handoff/workspace/notes"
)

// Running is the cause of a session that may still run: what was recorded last is as after a kill, but
// not long ago.
const Running outcome.Cause = "running"

// Session is one that was found.
type Session struct {
	Agent      string        `json:"agent"`
	ID         string        `json:"session"`
	Subagent   bool          `json:"subagent,omitempty"`
	Parent     string        `json:"parent,omitempty"` // the session that started the subagent
	Cause      outcome.Cause `json:"cause"`
	Why        string        `json:"why"` // in words
	At         time.Time     `json:"at"`  // when it ended
	Dir        string        `json:"dir"` // in which it worked; "" if only its hash is recorded
	Asked      string        `json:"asked"`
	Files      []File        `json:"files"`   // that it changed
	Handoff    bool          `json:"handoff"` // it left one, or one was drafted from it
	Partial    bool          `json:"partial"` // only its end was read: it may have changed more files
	Transcript string        `json:"transcript"`
	Command    string        `json:"command"` // drafts a handoff from it
	Short      string        `json:"-"`       // as much of the id as names it here
	Draft      []string      `json:"-"`       // Command in words

	calls int // of tools
}

// Middle reports whether the session ended in the middle of its work without a report.
func (s *Session) Middle() bool { return !s.Handoff && s.Cause.Middle() && s.Cause != Running }

// Bounds are how much is read.
type Bounds = past.Bounds

// Options are what to look for.
type Options struct {
	Table  []agents.Agent // of which the transcripts are read
	Getenv func(string) string
	Own    receipt.Session // the caller's, which runs
	Bounds Bounds
	Git    bool           // ask git which files are not committed
	More   []past.Session // that an agent listed itself
}

// Whole are bounds for a command: what a person has patience for.
var Whole = Bounds{Names: 20_000, Heads: 3000, Ends: 200, Bytes: 1 << 20}

// Found are sessions, the one that ended last first.
type Found struct {
	Sessions []Session `json:"sessions"`
	More     int       `json:"more,omitempty"` // transcripts that were not read, because there are too many
}

// Find finds the sessions of the repository of a workspace, in all its working trees.
func Find(ctx context.Context, ws *workspace.Workspace, o Options) (f Found) {
	dirs := Trees(ws)
	list, more := past.List(o.Table, dirs, o.Bounds, o.Getenv)
	f = Found{Sessions: []Session{}, More: more}
	signs := signsIn(ws)
	for _, s := range slices.SortedStableFunc(slices.Values(append(list, o.More...)), func(a, b past.Session) int { return b.Time().Compare(a.Time()) }) {
		if s.Agent.Name != o.Own.Host || s.ID != o.Own.ID {
			f.Sessions = append(f.Sessions, session(ws, s, signs))
		}
	}
	f.shorten()
	if o.Git {
		f.git(ctx)
	}
	return f
}

// Trees are the folders of the working trees of the repository, or that of a workspace without one.
func Trees(ws *workspace.Workspace) []string {
	dirs := []string{ws.Root}
	if top := regular.GitTop(ws.Root); top != "" {
		dirs = []string{top}
	}
	if _, common, err := regular.GitDirs(dirs[0]); err == nil && common != "" {
		for _, top := range regular.Worktrees(common) {
			if !slices.Contains(dirs, top) {
				dirs = append(dirs, top)
			}
		}
	}
	slices.Sort(dirs)
	return dirs
}

// signsIn are what hooks noted about the lives of sessions; nothing without a place for notes.
func signsIn(ws *workspace.Workspace) func(receipt.Session) notes.Sign {
	book, err := notes.Open(ws)
	if err != nil {
		return func(receipt.Session) (s notes.Sign) { return s }
	}
	return book.Signs()
}

func session(ws *workspace.Workspace, p past.Session, signs func(receipt.Session) notes.Sign) Session {
	sign := signs(receipt.Session{Host: p.Agent.Name, ID: p.ID})
	s := Session{Agent: p.Agent.Name, ID: p.ID, Subagent: p.Sub, Parent: p.Parent, Cause: p.Cause, At: p.Time().UTC().Truncate(time.Second), Dir: p.Dir,
		Asked: line(p.Asked), Partial: p.Partial, Transcript: p.Path, calls: p.Calls}
	s.Files = filesOf(ws, &p)
	s.Handoff = p.Saved && (p.After == 0 || p.Cause == outcome.Ended) ||
		sign.Drafted && (sign.DraftedAt.IsZero() || !p.Modified.After(sign.DraftedAt))
	if p.Cause == outcome.Killed && runs(ws.Now(), &p, sign) {
		s.Cause = Running
	}
	s.Why = why(&p, s.Cause)
	return s
}

// thinking is how long a model may take to answer before its session counts as dead.
const thinking = 10 * time.Minute

// ahead is how far the clock of a file may be ahead. What is later is of another clock.
const ahead = 2 * time.Minute

// runs reports whether a session may still run. A command may take longer than an answer.
func runs(now time.Time, p *past.Session, sign notes.Sign) bool {
	last, patience := p.Modified, thinking
	if sign.At.After(last) {
		last = sign.At
	}
	if len(p.Calling()) > 0 {
		patience = notes.Quiet
	}
	quiet := now.Sub(last)
	return sign.Over.IsZero() && quiet < patience && quiet > -ahead
}

// Middle are the sessions that ended in the middle of their work.
func (f *Found) Middle() (list []Session) {
	for _, s := range f.Sessions {
		if s.Middle() {
			list = append(list, s)
		}
	}
	return list
}

// Best is the session whose work a successor should continue: the one that ended last in the middle, if
// possible no subagent, whose work its session knows, and one that did something. ok is false if none did.
func (f *Found) Best() (best Session, ok bool) {
	rank := func(s Session) (n int) {
		if !s.Subagent {
			n += 2
		}
		if s.calls > 0 {
			n++
		}
		return n
	}
	for _, s := range f.Middle() {
		if !ok || rank(s) > rank(best) {
			best, ok = s, true
		}
	}
	return best, ok
}

// leastID is how many characters of an id name a session.
const leastID = 4

// Named are the sessions whose id begins with some characters. The name of a subagent's transcript may
// be without the word that all have.
func (f *Found) Named(id string) (list []Session) {
	if len(id) < leastID {
		return nil
	}
	for _, s := range f.Sessions {
		if s.begins(id) {
			list = append(list, s)
		}
		if s.ID == id {
			return []Session{s}
		}
	}
	return list
}

// Drafted records that a handoff was drafted from a session, which is then not named again unless it
// goes on.
func Drafted(ctx context.Context, ws *workspace.Workspace, s receipt.Session) error {
	book, err := notes.Open(ws)
	if err != nil || s.ID == "" {
		return err
	}
	_, err = book.Change(ctx, s.Host, s.ID, func(p *notes.Past) bool {
		p.Drafted, p.DraftedAt = true, ws.Now().UTC()
		return true
	})
	return err
}

func filesIn(dir, file string) string {
	if filepath.IsAbs(file) || dir == "" {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, filepath.FromSlash(file))
}
