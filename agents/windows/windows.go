// Package windows keeps the sizes of models' contexts as hosts last reported them, so that
// a program that gets no such report, as a hook does, counts with what another one has read: the
// status line, or the output of an agent that `handoff` started.
//
// The reports are in one file in the user's state folder, because the window belongs to a host and
// a model, whatever the repository. A report is believed before the table of agents, which ages,
// so it is checked: see [Report.Believed]. The package reads no transcripts, and no clock.
package windows

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"handoff/agents/transcript"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/userstate"
)

// Report is what a host reported about the context of a model.
type Report struct {
	Agent   string `json:"agent"`
	Session string `json:"session,omitempty"` // in which it was reported; "" for that of any session
	Model   string `json:"model,omitempty"`   // as the host names it there
	Window  int    `json:"window"`            // tokens
}

// The limits of what is believed.
const (
	least   = 1_000      // tokens: no agent works in less
	most    = 20_000_000 // twice the largest context that a model has
	maxName = 200        // bytes
)

// Believed reports whether a report can be true: its window has a size that contexts have, and holds what
// is in the context, of which hosts report some more tokens than a model counts.
func (r Report) Believed(used int) bool {
	return r.Window >= least && r.Window <= most && used <= r.Window+r.Window/10
}

// storable reports whether a report is kept for other programs.
func (r Report) storable() bool {
	name := func(s string) bool { return len(s) <= maxName && fits(s) }
	return r.Agent != "" && r.Model != "" && name(r.Agent) && name(r.Session) && name(r.Model)
}

func fits(name string) bool {
	return !slices.ContainsFunc([]byte(name), func(c byte) bool { return c < ' ' || c > '~' })
}

// Source is where a window is known from.
type Source string

// The sources, the best first.
const (
	Session Source = "session" // the session reported it
	Host    Source = "host"    // the host reported it for this model, in another session
	Table   Source = "table"   // the table of agents has it
	Unknown Source = ""
)

// maxReports is how many reports are kept, of sessions and of models each: the newest.
const maxReports = 200

// maxFile is the most bytes of the file.
const maxFile = 1 << 20

// book is the file.
type book struct {
	Models   []Report `json:"models"`   // the newest last
	Sessions []Report `json:"sessions"` // the same
}

// file is its path; "" if the user has no place for it.
func file(getenv func(string) string) string {
	if state := userstate.Dir(getenv); state != "" {
		return filepath.Join(state, "windows.json")
	}
	return ""
}

// Last is what the host last reported for a session, or for its model; Unknown without a report. A
// file that cannot be read has none: the gauge works without it.
func Last(getenv func(string) string, agent, session, model string) (window int, from Source) {
	if getenv == nil {
		return 0, Unknown
	}
	b, _ := read(file(getenv))
	is := func(r Report) bool { return r.Agent == agent && r.Session == session }
	if i := slices.IndexFunc(b.Sessions, is); i >= 0 && session != "" && (model == "" || transcript.SameModel(b.Sessions[i].Model, model)) {
		return b.Sessions[i].Window, Session
	}
	of := func(r Report) bool { return r.Agent == agent && transcript.SameContext(r.Model, model) }
	if i := slices.IndexFunc(b.Models, of); i >= 0 && model != "" {
		return b.Models[i].Window, Host
	}
	return 0, Unknown
}

// Check returns an error if the reports cannot be read.
func Check(getenv func(string) string) error {
	_, err := read(file(getenv))
	return err
}

// bookIn is the file at a path. Its folder is trusted.
func bookIn(path string) kept.File[book] {
	return kept.File[book]{Root: nofollow.Root(filepath.Dir(path)), Path: path, Max: maxFile, Mode: 0o600, Fix: "delete the file to start again", Decode: decode, Encode: kept.Lines[book]}
}

func read(path string) (b book, err error) {
	if path == "" {
		return b, nil
	}
	return bookIn(path).Read()
}

// decode leaves out what cannot be true.
func decode(src []byte) (b book, err error) {
	err = json.Unmarshal(src, &b)
	damaged := func(r Report) bool { return !r.Believed(0) || !r.storable() }
	b.Models, b.Sessions = slices.DeleteFunc(b.Models, damaged), slices.DeleteFunc(b.Sessions, damaged)
	return b, err
}

// Keep keeps a report of a session that used has so many tokens in its context, unless it is known or not
// believed. Without a place for it, it is forgotten.
func Keep(ctx context.Context, getenv func(string) string, r Report, used int) error {
	path := file(getenv)
	if path == "" || !r.Believed(used) || !r.storable() {
		return nil
	}
	b, err := read(path)
	if err != nil || !b.add(r) {
		return err // as in most calls: no lock and no write
	}
	dir := filepath.Dir(path)
	if err := nofollow.Named.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(nofollow.Root(filepath.Dir(dir)), dir, 0o700); err != nil {
		return err
	}
	_, err = bookIn(path).Change(ctx, func(b *book) bool { return b.add(r) }) // another process may have been faster
	return err
}

// add adds a report of a session, and with it that of the model. It reports whether the
// file changes: a session that repeats its report does not take back what another one has
// reported since.
func (b *book) add(r Report) (changed bool) {
	if r.Session != "" && slices.Contains(b.Sessions, r) {
		return false
	}
	put := func(list []Report, one Report, same func(Report) bool) []Report {
		if slices.Contains(list, one) {
			return list
		}
		changed = true
		list = append(slices.DeleteFunc(list, same), one)
		return list[max(0, len(list)-maxReports):]
	}
	any := r
	any.Session = ""
	b.Models = put(b.Models, any, func(o Report) bool { return o.Agent == r.Agent && transcript.SameContext(o.Model, r.Model) })
	if r.Session != "" {
		b.Sessions = put(b.Sessions, r, func(o Report) bool { return o.Agent == r.Agent && o.Session == r.Session })
	}
	return changed
}
