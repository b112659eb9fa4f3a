// Package bub knows where Bub keeps its tapes: the folder that BUB_HOME names.
// They are read and appended to there, beside a Bub that does the same, and
// converted to and from the tapes of a store.
//
// Bub has had four forms of tape. All are read, and the youngest is written,
// which the older ones read as well. What it does not do is lock: two programs
// that append at once may give an id twice, which every reader of both takes.
//
//	tapes/WS__SESSION.jsonl                  since Bub 0.3: 16 hex digits each
//	tapes/WS__SESSION__sidecar__NAME.jsonl   what Bub spills, since 0.4
//	tapes/WORKSPACE__NAME.jsonl              before: 32 hex digits, NAME escaped
//	tapes/….jsonl.20260221T120000Z.bak       what was archived
//
// Beside them stand, for tapes that were read or appended to here, the files of
// [handoff/internal/journal]; Bub passes over them.
package bub

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/tape"
)

// Home is a home of Bub: what it names BUB_HOME, ~/.bub by custom. Any number
// of goroutines and processes may use it.
type Home struct {
	folder string
	now    func() time.Time
	store  *tape.Store
}

// Open opens a home. Nothing is read or made yet: one that is not there has no
// tapes. Of the options, the name of the workspace means nothing here.
func Open(folder string, o tape.Options) (*Home, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	o.Root = filepath.Join(folder, "tapes") // which may be a link: it is the user's
	o.StateMessages = true                  // Bub's model does not see anchors
	if o.Now == nil {
		o.Now = time.Now
	}
	store, err := tape.Open(folder, o)
	if err != nil {
		return nil, err
	}
	return &Home{folder: filepath.Join(folder, "tapes"), now: o.Now, store: store}, nil
}

// Close lets go of all files.
func (h *Home) Close() error { return h.store.Close() }

// Tape is the tape in the file STEM.jsonl, which need not be there yet: an
// append makes it, bare, and [tape.Tape.Ensure] makes it as Bub begins a tape.
func (h *Home) Tape(stem string) (*tape.Tape, error) {
	if err := checkStem(stem); err != nil {
		return nil, err
	}
	return h.store.File(h.path(stem))
}

func (h *Home) path(stem string) string { return filepath.Join(h.folder, stem+suffix) }

// root is the trusted folder of what is written beside the tapes.
func (h *Home) root() nofollow.Root { return nofollow.Root(h.folder) }

const suffix = ".jsonl"

// checkStem keeps a name within the folder. Bub takes names as they are, also
// those that lead out of it.
func checkStem(stem string) error {
	if stem == "" || stem[0] == '.' || strings.ContainsAny(stem, "/\\\x00") || !filepath.IsLocal(stem+suffix) || len(stem) > 200 {
		return fmt.Errorf("%.60q is not the name of a tape of Bub: want a file name without its suffix: %w", stem, handoff.ErrInvalid)
	}
	return nil
}
