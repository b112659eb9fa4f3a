package unreported

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/agents/past"
	"handoff/internal/file/gitindex"
	"handoff/internal/file/regular"
	"handoff/internal/text/secret"
	"handoff/workspace"
)

// The states of a file.
const (
	Uncommitted = "uncommitted" // it differs from the last commit, or is new
	Clean       = "clean"       // git reports no change of it
	Gone        = "gone"        // there is no such file now
	There       = "there"       // it exists; git was not asked, or does not answer
)

// File is a file that a session changed.
type File struct {
	Path  string `json:"path"`  // below the folder of the session, else absolute
	State string `json:"state"` // uncommitted, clean, gone, there

	full string
}

// filesOf are the files that a session changed, without those of handoff, the last one at the end.
func filesOf(ws *workspace.Workspace, p *past.Session) []File {
	files := []File{}
	for _, file := range p.End.Files() {
		f := File{Path: file, State: There, full: filesIn(cmp.Or(p.Dir, ws.Root), file)}
		if rel, err := filepath.Rel(p.Dir, f.full); p.Dir != "" && err == nil && filepath.IsLocal(rel) {
			f.Path = filepath.ToSlash(rel)
		}
		if _, err := os.Lstat(f.full); err != nil {
			f.State = Gone
		}
		if f.Path = secret.MaskLine(f.Path, maxLine); !workspace.OwnFile(f.Path) {
			files = append(files, f)
		}
	}
	return files
}

// gitLimit is how long git may take for all working trees.
const gitLimit = 5 * time.Second

// git asks git which of the files are not committed. A working tree that it cannot read, or is too slow
// for, is left out.
func (f *Found) git(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	changed := map[string][]string{}
	for i := range f.Sessions {
		for k := range f.Sessions[i].Files {
			file := &f.Sessions[i].Files[k]
			if file.State != There {
				continue
			}
			top := regular.GitTop(filepath.Dir(file.full))
			if _, known := changed[top]; !known && top != "" {
				changed[top] = changesIn(ctx, top)
			}
			if list := changed[top]; list != nil {
				file.State = stateIn(top, file.full, list)
			}
		}
	}
}

// changesIn are the changed files of a working tree; nil if git does not answer.
func changesIn(ctx context.Context, top string) []string {
	state, err := gitindex.Current(ctx, top)
	if err != nil {
		return nil
	}
	return append([]string{}, state.Changed...)
}

// stateIn is the state of a file among the changed ones, of which a new folder is named alone.
func stateIn(top, full string, changed []string) string {
	rel, err := filepath.Rel(top, full)
	if err != nil {
		return There
	}
	rel = filepath.ToSlash(rel)
	if slices.ContainsFunc(changed, func(c string) bool { return c == rel || strings.HasSuffix(c, "/") && strings.HasPrefix(rel, c) }) {
		return Uncommitted
	}
	return Clean
}

// Uncommitted counts the files that are not committed.
func (s *Session) Uncommitted() (n int) {
	for _, f := range s.Files {
		if f.State == Uncommitted {
			n++
		}
	}
	return n
}
