// Package bub reads and appends to the tapes of Bub in Bub's own folder, while Bub
// may do the same, and converts them to and from the tapes of a store.
//
// Bub has had four formats of tape. All are read, and the latest is written, which
// older versions read as well. Bub takes no lock, so two programs that append at
// once may use an id twice. All readers of both accept that.
//
//	tapes/WS__SESSION.jsonl                  since Bub 0.3: 16 hex digits each
//	tapes/WS__SESSION__sidecar__NAME.jsonl   large results, since 0.4
//	tapes/WORKSPACE__NAME.jsonl              before: 32 hex digits, NAME escaped
//	tapes/….jsonl.20260221T120000Z.bak       archives
//
// Tapes that were read or appended to here also have the files of
// [handoff/internal/journal], which Bub ignores.
package bub

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/internal/file/nofollow"
	"handoff/log/tape"
)

// Home is the folder that Bub calls BUB_HOME, usually ~/.bub. Any number of
// goroutines and processes may use it.
type Home struct {
	folder string
	now    func() time.Time
	store  *tape.Store
}

// Open opens a home. It reads and creates nothing yet: a home that does not exist
// has no tapes. Options.Workspace is not used.
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

// Close closes all files.
func (h *Home) Close() error { return h.store.Close() }

// Tape is the tape in the file STEM.jsonl, which need not exist: an append creates
// it without a first anchor, [tape.Tape.Ensure] with one, as Bub does.
func (h *Home) Tape(stem string) (*tape.Tape, error) {
	if err := checkStem(stem); err != nil {
		return nil, err
	}
	return h.store.File(h.path(stem))
}

func (h *Home) path(stem string) string { return filepath.Join(h.folder, stem+suffix) }

// root is the trusted folder of the files that are written.
func (h *Home) root() nofollow.Root { return nofollow.Root(h.folder) }

const suffix = ".jsonl"

// checkStem refuses names outside the folder, which Bub accepts.
func checkStem(stem string) error {
	if stem == "" || stem[0] == '.' || strings.ContainsAny(stem, "/\\\x00") || !filepath.IsLocal(stem+suffix) || len(stem) > 200 {
		return fmt.Errorf("%.60q is not the name of a tape of Bub: want a file name without its suffix: %w", stem, handoff.ErrInvalid)
	}
	return nil
}
