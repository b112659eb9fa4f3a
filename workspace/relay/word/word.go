// Package word keeps what an agent says to the relay that runs it, and the question for which a
// relay waits. Each is a small file beside the relay's journal, `ID.word` and `ID.asks`.
//
// What an agent says is its word and nothing more: the relay decides what is true. So an agent of
// a relay does not record by itself that the work is done.
package word

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/kept"
	"handoff/internal/file/regular"
	"handoff/internal/state"
	"handoff/workspace"
)

// Said is what the agent of a link has said.
type Said struct {
	Done  []Done  `json:"done,omitempty"`
	Other []Other `json:"other,omitempty"`
}

// Done is the word that the work on a handoff is done.
type Done struct {
	Handoff string    `json:"handoff"` // below the root; "" for an objective
	At      time.Time `json:"at"`
}

// Other is a handoff that an agent wrote for another task than that of its relay.
type Other struct {
	Handoff string `json:"handoff"` // that it works on
	Path    string `json:"path"`    // that it wrote
}

// Of reports whether the work on a handoff is said to be done.
func (s Said) Of(handoff string) bool {
	return slices.ContainsFunc(s.Done, func(d Done) bool { return d.Handoff == handoff })
}

// Elsewhere returns the last handoff that was written for another task while the agent
// worked on this one; "" for none.
func (s Said) Elsewhere(handoff string) (path string) {
	for _, o := range s.Other {
		if o.Handoff == handoff {
			path = o.Path
		}
	}
	return path
}

// Book is what is said to one relay.
type Book struct {
	ws   *workspace.Workspace
	file kept.File[Said]
	path string // without its ending
}

// maxFile is the most bytes of a file that are read.
const maxFile = 1 << 20

// To returns the book of a relay. ok is false if the workspace has no such relay: an id in an
// environment may be of another one.
func To(ws *workspace.Workspace, id string) (b *Book, ok bool) {
	if !named(id) {
		return nil, false
	}
	path := filepath.Join(folder(ws), id)
	if regular.KindOf(path+".jsonl") != regular.File {
		return nil, false
	}
	return &Book{ws: ws, path: path, file: kept.File[Said]{Root: ws.Trusted(), Path: path + ".word", Max: maxFile, Mode: 0o644, Aside: true}}, true
}

func folder(ws *workspace.Workspace) string { return filepath.Join(ws.Root, state.Dir, state.Relays) }

// named reports whether an id can be a part of a path.
func named(id string) bool {
	return id != "" && len(id) <= 64 && !strings.ContainsFunc(id, func(c rune) bool {
		return c != '-' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
}

// Read returns what was said so far.
func (b *Book) Read() (Said, error) { return b.file.Read() }

// SayDone records that the work on a handoff is said to be done; "" for an objective.
func (b *Book) SayDone(ctx context.Context, handoff string, at time.Time) error {
	return b.change(ctx, func(s *Said) {
		if !s.Of(handoff) {
			s.Done = append(s.Done, Done{handoff, at.UTC()})
		}
	})
}

// TakeBack forgets that word: the agent works again.
func (b *Book) TakeBack(ctx context.Context, handoff string) error {
	return b.change(ctx, func(s *Said) {
		s.Done = slices.DeleteFunc(s.Done, func(d Done) bool { return d.Handoff == handoff })
	})
}

// SayOther records a handoff that was written for another task.
func (b *Book) SayOther(ctx context.Context, handoff, path string) error {
	return b.change(ctx, func(s *Said) { s.Other = append(s.Other, Other{handoff, path}) })
}

func (b *Book) change(ctx context.Context, edit func(*Said)) error {
	_, err := b.file.Change(ctx, func(s *Said) bool { edit(s); return true })
	return err
}

// Asks is the question for which a relay waits.
type Asks struct {
	Relay    string    `json:"relay"`
	Task     int       `json:"task"`
	Slug     string    `json:"slug,omitempty"`
	Agent    string    `json:"agent"`
	Question string    `json:"question"`
	At       time.Time `json:"at"`
}

// Ask publishes the question of a relay.
func (b *Book) Ask(a Asks) error {
	src, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return atomicfile.Write(b.ws.Trusted(), b.path+".asks", append(src, '\n'), 0o644)
}

// Settle removes the question, which is answered or of no use any longer.
func (b *Book) Settle() error {
	err := b.ws.Trusted().Remove(b.path + ".asks")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Questions returns the questions of all relays, the oldest first. A file that cannot be read is
// left out: the relay's journal has the question, too.
func Questions(ws *workspace.Workspace) (list []Asks) {
	entries, _ := os.ReadDir(folder(ws)) // without the folder there are no relays
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".asks")
		if !ok || !named(id) {
			continue
		}
		var a Asks
		src, err := ws.Trusted().ReadUnlinked(filepath.Join(folder(ws), e.Name()), maxFile)
		if err == nil && json.Unmarshal(src, &a) == nil && a.Relay == id && a.Task > 0 && a.Question != "" {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b Asks) int { return a.At.Compare(b.At) })
	return list
}
