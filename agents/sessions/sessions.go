// Package sessions finds the sessions of agents on this machine and reads their
// gauge: it finds the files in the places that the table of agents lists. It
// only reads, and starts no program.
package sessions

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/agents"
	"handoff/agents/host"
	"handoff/agents/transcript"
	"handoff/agents/transcript/gauge"
	"handoff/agents/transcript/tail"
	"handoff/agents/windows"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
)

// Overrides is the folder of a workspace with its own entries of the table.
const Overrides = state.Dir + "/" + state.Agents

// maxEntry is the most bytes of an entry that are read.
const maxEntry = 64 << 10

// Table is the table of agents of a workspace, by name: the built-in ones,
// changed by the files of [Overrides], and those that only it has. A file that
// cannot be read leaves the built-in entry, and is part of the error.
func Table(root string) (table []agents.Agent, problems error) {
	byName := map[string]agents.Agent{}
	for _, name := range agents.Names() {
		a, err := agents.Builtin(name)
		if err != nil {
			return nil, err
		}
		byName[name] = a
	}
	dir := filepath.Join(root, filepath.FromSlash(Overrides))
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = err
	}
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".yaml")
		if !ok {
			continue
		}
		a, err := overridden(root, name, byName[name])
		if err == nil {
			byName[name] = a
		}
		problems = errors.Join(problems, err)
	}
	for _, a := range byName {
		table = append(table, a)
	}
	slices.SortFunc(table, func(a, b agents.Agent) int { return cmp.Compare(a.Name, b.Name) })
	return table, problems
}

// One is the entry of one agent in the table of a workspace. ok is false if there is
// none. A file of the workspace that cannot be read leaves the built-in entry.
func One(root, name string) (a agents.Agent, ok bool) {
	a, err := agents.Builtin(name)
	if own, bad := overridden(root, name, a); bad == nil {
		return own, true
	}
	return a, err == nil
}

// overridden is an entry as a file of the workspace changes it.
func overridden(root, name string, a agents.Agent) (agents.Agent, error) {
	file := Overrides + "/" + name + ".yaml"
	src, err := nofollow.Root(root).ReadFile(filepath.Join(root, filepath.FromSlash(file)), maxEntry)
	if err != nil {
		return a, err
	}
	if a, err = agents.Read(file, src, a); err != nil {
		return a, err
	}
	a.Overridden = true
	built, _ := agents.Builtin(name) // none for an agent that only the workspace has
	if p := a.Outside(built); p != "" {
		return a, fmt.Errorf("%s: setup and doctor: %q is a file of the user: an entry of a repository may name only files of the repository", file, p)
	}
	return a, nil
}

// HasOwn reports whether a workspace has a file for the entry of a host.
func HasOwn(root, name string) bool {
	if !agents.IsName(name) {
		return false
	}
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(Overrides), name+".yaml"))
	return err == nil
}

// Own is a host as a file of the workspace describes it, alone or over the built-in entry. The
// caller has asked whether the user trusts the workspace.
func Own(root, name string) (host.Host, error) {
	a, _ := agents.Builtin(name) // none for a host that only the workspace has
	a, err := overridden(root, name, a)
	if err == nil && !a.IsHost() {
		err = fmt.Errorf("%s/%s.yaml: has no hooks: the agent is not a host", Overrides, name)
	}
	if err != nil {
		return host.Host{}, err
	}
	return a.Host(), nil
}

// Session is one that was found.
type Session struct {
	Agent agents.Agent
	File  *tail.File
}

// Query selects the session. The most specific member decides.
type Query struct {
	Transcript string   // path of a transcript or of a saved stream
	Session    string   // the host's id
	Agent      string   // only this one's sessions; also which agent wrote Transcript
	Dirs       []string // else the newest session that works in one of these folders, absolute
	Getenv     func(string) string
}

// Find finds the session. If none is meant explicitly, it is the one that the
// caller itself runs in, as the environment names it.
func Find(table []agents.Agent, q Query) (Session, error) {
	if q.Agent != "" {
		a, err := agents.Among(table, q.Agent)
		if err != nil {
			return Session{}, err
		}
		table = []agents.Agent{a}
	}
	switch {
	case q.Transcript != "":
		return open(table, q)
	case q.Session != "":
		if s, ok := newest(table, q, q.Session, nil); ok {
			return s, nil
		}
		return Session{}, fmt.Errorf("no transcript of session %s: check the id, or name the file with --transcript", q.Session)
	}
	for _, a := range table {
		if a.SessionEnv == "" || q.Getenv(a.SessionEnv) == "" {
			continue
		}
		if s, ok := newest([]agents.Agent{a}, q, q.Getenv(a.SessionEnv), nil); ok {
			return s, nil
		}
	}
	if len(q.Dirs) == 0 {
		return Session{}, errors.New("no session is named: name one with --session ID or --transcript FILE")
	}
	if s, ok := newest(table, q, "", q.Dirs); ok {
		return s, nil
	}
	return Session{}, fmt.Errorf("no agent's session in %s: name one with --session ID or --transcript FILE", q.Dirs[0])
}

// open opens a transcript by name. If the caller does not name the agent, the
// format decides.
func open(table []agents.Agent, q Query) (Session, error) {
	format := ""
	if q.Agent != "" {
		format = cmp.Or(table[0].Transcripts.Format, table[0].Stream)
	}
	f, err := tail.Open(q.Transcript, format)
	if err != nil {
		return Session{}, err
	}
	for _, a := range table {
		if q.Agent != "" || a.Name == f.Format {
			return Session{a, f}, nil
		}
	}
	return Session{}, fmt.Errorf("%s: no agent writes %s: name it with --agent", q.Transcript, f.Format)
}

// candidate is a transcript that may be the one that is meant.
type candidate struct {
	agent    agents.Agent
	path     string
	modified time.Time
}

// tries is how many transcripts are opened to find one of a folder, newest
// first: each costs milliseconds.
const tries = 50

// newest is the newest transcript of a session, or of any that works in one of
// the folders.
func newest(table []agents.Agent, q Query, session string, dirs []string) (Session, bool) {
	var found []candidate
	folders := dirs
	if len(folders) == 0 {
		folders = []string{""} // any
	}
	for _, a := range table {
		for _, dir := range folders {
			pattern, ok := a.Transcripts.Glob(session, dir, q.Getenv)
			if !ok {
				continue
			}
			paths, _ := filepath.Glob(pattern) // an invalid pattern matches nothing
			if len(paths) == 0 && len(session) >= leastID {
				paths = beginning(a, session, dir, q.Getenv)
			}
			for _, path := range paths {
				if st, err := os.Stat(path); err == nil {
					found = append(found, candidate{a, path, st.ModTime()})
				}
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return b.modified.Compare(a.modified) })
	for _, c := range found[:min(tries, len(found))] {
		f, err := tail.Open(c.path, c.agent.Transcripts.Format)
		if err != nil {
			continue // removed just now, or of a form that is not known
		}
		if session != "" && (f.Session.ID == "" || strings.HasPrefix(f.Session.ID, session)) || session == "" && worksIn(f, dirs) {
			return Session{c.agent, f}, true
		}
	}
	return Session{}, false
}

// leastID is how many characters of an id name a session.
const leastID = 6

// beginning are the transcripts of sessions whose id begins with some characters.
func beginning(a agents.Agent, session, dir string, getenv func(string) string) (paths []string) {
	pattern, _ := a.Transcripts.Glob("", dir, getenv)
	all, _ := filepath.Glob(pattern)
	for _, path := range all {
		if strings.Contains(path, session) {
			paths = append(paths, path)
		}
	}
	return paths
}

// worksIn reports whether a session works in one of the folders, or below it.
func worksIn(f *tail.File, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool {
		if hash := f.Session.DirHash; hash != "" {
			sum := sha256.Sum256([]byte(dir))
			return hash == hex.EncodeToString(sum[:])
		}
		rest, ok := strings.CutPrefix(f.Session.Dir, dir)
		return ok && (rest == "" || os.IsPathSeparator(rest[0]))
	})
}

// Read reads the gauge of the session. at is the number of tokens at which it
// is compacted, 0 for the table's value; p is the progress of its objectives.
func (s Session) Read(at int, p Progress, getenv func(string) string) gauge.Reading {
	return ReadGauge(s.Agent, &s.File.Session, at, p, getenv)
}

// ReadGauge is [Session.Read] for a session that is read from a stream.
func ReadGauge(a agents.Agent, t *transcript.Session, at int, p Progress, getenv func(string) string) gauge.Reading {
	reported, from := window(a, t, getenv)
	tokens, size := a.Context.Limit(agents.Facts{Model: t.Model, Window: reported, Used: t.Used, Getenv: getenv})
	if at > 0 {
		tokens = at
	}
	if from == windows.Unknown && size > 0 {
		from = windows.Table
	}
	return gauge.Read(t.Use(), gauge.Limit{Tokens: tokens, Window: size, From: string(from)}, p.Done, p.Objectives)
}

// window is the window of a session as its host reported it: in the session, else for the same
// model in another one. A report that cannot be true counts as none.
func window(a agents.Agent, t *transcript.Session, getenv func(string) string) (int, windows.Source) {
	believed := func(n int) bool { return windows.Report{Window: n}.Believed(t.Used) }
	if believed(t.Window) {
		return t.Window, windows.Session
	}
	if n, from := windows.Last(getenv, a.Name, t.ID, t.Model); believed(n) {
		return n, from
	}
	return 0, windows.Unknown
}

// Reported adds the window that a host passes beside the transcript, unless it cannot be true. model is
// how the host names the model with it, "" if it does not.
func Reported(t *transcript.Session, window int, model string) {
	t.Model = cmp.Or(t.Model, model)
	if (windows.Report{Window: window}).Believed(t.Used) {
		t.Window, t.WindowOf = window, cmp.Or(model, t.Model)
	}
}

// Learn keeps what a session has reported about its window, for programs that get no such report. Only
// what the host itself passed or printed may be learned: an agent with a level could have made up what it passes to a
// hook, and `handoff` reads what such an agent prints itself. A program that a file of the workspace names
// speaks for itself alone.
func Learn(ctx context.Context, a agents.Agent, t *transcript.Session, getenv func(string) string) error {
	if a.Overridden || t.Window == 0 || getenv(agents.LevelVar) != "" {
		return nil
	}
	r := windows.Report{Agent: a.Name, Session: t.ID, Model: cmp.Or(t.WindowOf, t.Model), Window: t.Window}
	return windows.Keep(ctx, getenv, r, t.Used)
}
