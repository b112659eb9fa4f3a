package bub

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// File is a tape in a home.
type File struct {
	Stem string `json:"stem"` // the file's name without its suffix
	// Name is Bub's name for the tape: the stem, or before 0.3 the name that is
	// escaped in it.
	Name string `json:"name"`
	// Workspace is the hash in the file's name: 16 hex digits, 32 before 0.3,
	// "" if it has none.
	Workspace string `json:"workspace,omitempty"`
	Old       bool   `json:"old,omitempty"` // named as before 0.3
	// Sidecar is the file's name as a sidecar of the tape Of, "" if it is not one.
	Sidecar string `json:"sidecar,omitempty"`
	Of      string `json:"of,omitempty"`
	// Hidden tapes are not in Bub's own lists: unfinished forks before 0.3,
	// sidecars, and files with other names.
	Hidden bool `json:"hidden,omitempty"`
	// Link is the target of a symbolic link, "" for a file. Bub follows it; here it
	// is listed, but neither read nor written.
	Link     string    `json:"link,omitempty"`
	Bytes    int64     `json:"bytes"`
	Modified time.Time `json:"modified"`
	Archives []string  `json:"archives,omitempty"` // paths, the oldest first
}

// List is the tapes of a workspace, or of all if that is "", sorted by stem and
// including hidden ones.
func (h *Home) List(workspace string) (files []File, err error) {
	hash := ""
	if workspace != "" {
		if hash, err = workspaceHash(workspace); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(h.folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	archives := h.archives(entries)
	for _, e := range entries {
		stem, ok := strings.CutSuffix(e.Name(), suffix)
		if !ok || checkStem(stem) != nil {
			continue
		}
		f := fileOf(stem)
		if hash != "" && f.Workspace != hash && f.Workspace != hash[:16] {
			continue
		}
		st, err := os.Lstat(h.path(stem))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !isTape(st) {
			continue
		}
		if err == nil && st.Mode()&fs.ModeSymlink != 0 {
			f.Link, err = os.Readlink(h.path(stem))
		}
		if err != nil {
			return nil, err
		}
		f.Bytes, f.Modified, f.Archives = st.Size(), st.ModTime(), archives[stem]
		files = append(files, f)
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Stem, b.Stem) })
	return files, nil
}

// isTape reports whether a file may be a tape for Bub, which follows links.
func isTape(st fs.FileInfo) bool { return st.Mode().IsRegular() || st.Mode()&fs.ModeSymlink != 0 }

// fileOf is what a stem contains.
func fileOf(stem string) File {
	f := File{Stem: stem, Name: stem, Hidden: strings.Count(stem, "__") != 1}
	hash, rest, _ := strings.Cut(stem, "__")
	if name, ok := unquote(rest); ok && isHex(hash, 32) {
		f.Name, f.Workspace, f.Old = name, hash, true
		f.Hidden = strings.Contains(rest, "__")
		return f
	}
	if isHex(hash, 16) {
		f.Workspace = hash
	}
	if of, name, ok := strings.Cut(stem, sidecarMark); ok {
		f.Of, f.Sidecar = of, name
	}
	return f
}

// archives is the archived files by the stem of their tape, the oldest first, as
// their names end with a date.
func (h *Home) archives(entries []fs.DirEntry) map[string][]string {
	found := map[string][]string{}
	dated := regexp.MustCompile(`^(.+)\.jsonl\.\d{8}T\d{6}Z\.bak$`)
	for _, e := range entries {
		if m := dated.FindStringSubmatch(e.Name()); m != nil {
			found[m[1]] = append(found[m[1]], filepath.Join(h.folder, e.Name()))
		}
	}
	return found
}

// Find is the stem of the tape that a user names: by its stem, its session, or
// the name of the tape or session in Bub before 0.3, in this order. If there is
// none it is fs.ErrNotExist: [SessionName] is the name for a new session.
func (h *Home) Find(workspace, name string) (stem string, err error) {
	session, err := SessionName(workspace, name)
	if err != nil {
		return "", err
	}
	old, err := OldName(workspace, name)
	if err != nil {
		return "", err
	}
	oldSession, err := OldName(workspace, OldSession(name))
	if err != nil {
		return "", err
	}
	for _, stem := range []string{name, session, old, oldSession} {
		if checkStem(stem) != nil {
			continue
		}
		st, err := os.Lstat(h.path(stem))
		if err == nil && isTape(st) {
			return stem, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s has no tape or session %q of the workspace %s (its file would be %s%s): %w", h.folder, name, workspace, session, suffix, fs.ErrNotExist)
}
