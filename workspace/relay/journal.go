package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/lockfile"
	"handoff/internal/journal"
	"handoff/thread"
	"handoff/workspace"
)

// folder is that of the journals, below the folder of the tool's own files.
const folder = "relays"

// maxFile is the most bytes of a journal that are read: thousands of links.
const maxFile = 16 << 20

func pathOf(ws *workspace.Workspace, id, ending string) string {
	return filepath.Join(ws.Root, workspace.StateDir, folder, id+ending)
}

// book is the journal of a relay whose lock this process holds.
type book struct {
	ws     *workspace.Workspace
	file   *journal.Journal
	next   uint64
	unlock func() error
}

// ErrRunning is the kind of errors about a relay that another process runs.
var ErrRunning = errors.New("another process runs it")

// lock takes the lock of a relay, without waiting.
func lock(ws *workspace.Workspace, id string) (*book, error) {
	if _, err := ws.CreateStateDir(); err != nil {
		return nil, err
	}
	path := pathOf(ws, id, ".lock")
	if err := atomicfile.MkdirAll(ws.Trusted(), filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	unlock, ok, err := lockfile.Try(ws.Trusted(), path)
	if err == nil && !ok {
		err = fmt.Errorf("relay %s: %w", id, ErrRunning)
	}
	return &book{ws: ws, unlock: unlock}, err
}

func (b *book) options() journal.Options { return journal.Options{Root: b.ws.Trusted()} }

// create writes the first fact.
func (b *book) create(id string, f Fact) (err error) {
	line, err := f.line()
	if err == nil {
		b.file, err = journal.Create(pathOf(b.ws, id, ".jsonl"), format, b.options(), journal.Lines([][]byte{line}))
	}
	b.next = 1
	return err
}

// open reads all facts, and continues after them.
func (b *book) open(id string) (s State, err error) {
	if b.file, err = journal.Open(pathOf(b.ws, id, ".jsonl"), format, b.options()); err != nil {
		return s, err
	}
	s, b.next, err = fold(b.ws, id)
	return s, err
}

// add appends a fact and returns once it is on the disk.
func (b *book) add(f Fact) error {
	_, err := b.file.Append(context.Background(), journal.At(b.next), func(uint64) ([]journal.Line, error) {
		line, err := f.line()
		return journal.Lines([][]byte{line}), err
	})
	if err == nil {
		b.next++
	}
	return err
}

func (b *book) close() error {
	var err error
	if b.file != nil {
		err = b.file.Close()
	}
	return errors.Join(err, b.unlock())
}

// fold reads the facts of a relay. Like the journal it leaves out a torn last line,
// which nothing has acted on.
func fold(ws *workspace.Workspace, id string) (s State, next uint64, err error) {
	path := pathOf(ws, id, ".jsonl")
	src, err := ws.Trusted().ReadUnlinked(path, maxFile)
	if err != nil {
		return s, 0, err
	}
	for len(src) > 0 {
		line, rest, whole := bytes.Cut(src, []byte("\n"))
		if !whole || len(rest) == 0 && !json.Valid(line) {
			break
		}
		f, err := parseFact(line)
		switch {
		case err != nil:
		case f.Seq != next:
			err = fmt.Errorf("damaged: has number %d, want %d", f.Seq, next)
		case (f.Kind == Started) != (next == 0) || f.Kind == Started && (f.Plan == nil || len(f.Plan.Agents) == 0) || f.Kind == Looked && f.Left == nil:
			err = fmt.Errorf("damaged: incomplete fact %q", f.Kind)
		}
		if err != nil {
			return s, next, fmt.Errorf("%s:%d: %w", path, next+1, err)
		}
		s.Apply(f)
		next++
		src = rest
	}
	if next == 0 {
		err = fmt.Errorf("%s: no complete fact: start a new relay", path)
	}
	return s, next, err
}

// Summary is a relay in a list. Its keys are the JSON of `handoff relay --list`.
type Summary struct {
	ID            string    `json:"id"`
	At            time.Time `json:"at"`
	Task          int       `json:"task"`
	Link          int       `json:"link"`
	Continuations int       `json:"max_continuations"`
	Agent         string    `json:"agent"`
	State         string    `json:"state"` // running, stopped, killed or ended
	Reason        Reason    `json:"reason,omitempty"`
	Why           string    `json:"why,omitempty"`
	Objective     string    `json:"objective"`
}

// List lists all relays, the newest first. The error names the journals that cannot
// be read.
func List(ws *workspace.Workspace) (list []Summary, err error) {
	entries, err := os.ReadDir(filepath.Dir(pathOf(ws, "x", "")))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".jsonl")
		if !ok || thread.CheckID(id) != nil {
			continue
		}
		s, _, unread := fold(ws, id)
		if unread != nil {
			err = errors.Join(err, unread)
			continue
		}
		list = append(list, Summary{ID: id, At: s.At, Task: s.Plan.Task, Link: s.Link, Continuations: s.Plan.Continuations,
			Agent: s.Agent, State: condition(ws, id, &s), Reason: s.Over, Why: s.OverWhy, Objective: s.Plan.Objective})
	}
	slices.SortStableFunc(list, func(a, b Summary) int { return b.At.Compare(a.At) })
	return list, err
}

// condition is whether a relay has ended, runs, or can be resumed.
func condition(ws *workspace.Workspace, id string, s *State) string {
	if s.Over != "" {
		return "ended"
	}
	unlock, free, err := lockfile.Try(ws.Trusted(), pathOf(ws, id, ".lock"))
	if err == nil && free {
		unlock()
		if s.Stopped != "" {
			return "stopped"
		}
		return "killed"
	}
	return "running"
}

// Find finds a relay: by its id, the beginning of it, or "latest".
func Find(ws *workspace.Workspace, ref string) (id string, err error) {
	list, err := List(ws)
	var found []string
	for _, r := range list {
		if r.ID == ref || ref == "latest" {
			return r.ID, nil
		}
		if ref != "" && strings.HasPrefix(r.ID, ref) {
			found = append(found, r.ID)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("%w: several relays begin with %q: `handoff relay --list` shows them", handoff.ErrInvalid, ref)
	case err != nil:
		return "", err
	}
	return "", fmt.Errorf("no relay %q: `handoff relay --list` shows them: %w", ref, fs.ErrNotExist)
}
