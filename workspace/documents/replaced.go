package documents

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"time"

	"handoff/document/handoff"
	"handoff/workspace"
)

// Replaced are the documents that were kept when a new one replaced them at a path,
// the oldest first.
func Replaced(w *workspace.Workspace, at string) (list []Entry, err error) {
	names, _, err := workspace.NamesIn(w.Trusted(), w.Full(Previous), "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, base := range names { // they end with the time, so they are sorted by it
		if p := Previous + "/" + base; replacedAt(w, p) == at {
			list = append(list, EntryAt(w, p))
		}
	}
	return list, err
}

// replacedAt is the path that a document had before a new one replaced it; any other
// path is returned unchanged.
func replacedAt(w *workspace.Workspace, p string) string {
	dir, base := path.Split(p)
	if dir != Previous+"/" {
		return p
	}
	for _, l := range w.Config.Documents {
		if !l.Replaces || len(l.Names) == 0 {
			continue
		}
		stamp, ok := strings.CutPrefix(base, keptStem(l.Names[0])+"-")
		if _, err := time.Parse(handoff.Stamp+".md", stamp); ok && err == nil {
			return l.Names[0]
		}
	}
	return p
}
