package settings

import (
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

	"handoff/document/handoff"
	"handoff/internal/file/atomicfile"
	"handoff/internal/file/kept"
	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/log/receipt"
	"handoff/workspace"
)

// ChangedError names the settings that an agent has changed. Nothing is started before a
// person has looked at them.
type ChangedError struct {
	By    string   `json:"by"` // the agent, for people
	Files []string `json:"files"`
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("%s changed what other programs run or obey: %s. Look at it, then repeat the command with --keep-settings, or with --restore-settings", e.By, strings.Join(e.Files, ", "))
}

// Choice is what a person decided about settings that were changed.
type Choice int

// The choices.
const (
	Stop Choice = iota
	Keep
	Restore
)

// Book keeps the settings of a workspace as they were, in the git folder or in .handoff.
type Book struct {
	ws    *workspace.Workspace
	place receipt.Place
	git   string // the git folder, "" for none
}

// Open finds the place.
func Open(ws *workspace.Workspace) (*Book, error) {
	place, err := receipt.Locate(ws.Root)
	b := &Book{ws: ws, place: place}
	if place.InGit() {
		b.git = string(place.Root)
	}
	return b, err
}

// Take reads the settings, and keeps their contents for [Book.Check].
func (b *Book) Take() (Hashes, error) {
	now, c, err := hashes(b.ws.Root, b.git)
	for name, src := range c {
		if err == nil {
			err = b.keep(now[name], src)
		}
	}
	return now, err
}

// record is what a change leaves for later commands.
type record struct {
	By     string `json:"by"`
	Before Hashes `json:"before"` // of the files that were changed, "" for one that was not there
	After  Hashes `json:"after"`
}

// Aside is the folder with what agents wrote into settings that were restored.
func (b *Book) Aside() string { return b.place.Apart(state.Settings, "aside") }

// Check compares the settings with those before an agent worked, and restores them if that
// is the choice. With [Stop], the error is a [ChangedError], also of [Book.Begin] later.
func (b *Book) Check(before Hashes, by string, c Choice) (restored []string, err error) {
	now, contents, err := hashes(b.ws.Root, b.git)
	if err != nil {
		return nil, err
	}
	files := before.changed(now)
	if len(files) == 0 || c == Keep {
		return nil, nil
	}
	if c == Restore {
		return files, b.restore(files, before, contents)
	}
	r := record{By: by, Before: Hashes{}, After: Hashes{}}
	for _, name := range files {
		r.Before[name], r.After[name] = before[name], now[name]
	}
	return nil, errors.Join(&ChangedError{By: by, Files: files}, b.file().Write(&r))
}

// Begin returns the [ChangedError] of an earlier agent, unless its changes are gone or the
// choice settles them.
func (b *Book) Begin(c Choice) (restored []string, err error) {
	r, err := b.file().Read()
	if err != nil || r == nil {
		return nil, err
	}
	now, contents, err := hashes(b.ws.Root, b.git)
	if err != nil {
		return nil, err
	}
	var files []string
	for name, hash := range r.After {
		if now[name] == hash {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	switch {
	case len(files) > 0 && c == Stop:
		return nil, &ChangedError{By: r.By, Files: files}
	case len(files) > 0 && c == Restore:
		if err := b.restore(files, r.Before, contents); err != nil {
			return nil, err
		}
		restored = files
	}
	return restored, b.file().Remove()
}

// Seal records a value where agents do not write, beside the settings.
func (b *Book) Seal(name, value string) error {
	return b.write(b.sealed(name), []byte(value), 0o600)
}

// Sealed reports whether a value is the one that was sealed under a name.
func (b *Book) Sealed(name, value string) bool {
	src, err := b.place.Own.ReadFile(b.sealed(name), maxFile)
	return err == nil && string(src) == value
}

func (b *Book) sealed(name string) string {
	return b.place.Apart(state.Settings, "sealed", name)
}

// file has the changes that no person has looked at; nil for none.
func (b *Book) file() kept.File[*record] {
	return kept.File[*record]{Root: b.place.Own, Path: b.place.Apart(state.Changed), Max: maxFile, Mode: 0o600, Dir: 0o700,
		Fix: "look at the settings of agents, then delete the file"}
}

// keep stores the content of a file by its hash.
func (b *Book) keep(hash string, src []byte) error {
	file := b.kept(hash)
	if _, err := os.Lstat(file); err == nil {
		return nil
	}
	return b.write(file, src, 0o600)
}

func (b *Book) kept(hash string) string {
	sum, _, _ := strings.Cut(hash, " ")
	return b.place.Apart(state.Settings, sum)
}

func (b *Book) write(file string, src []byte, mode fs.FileMode) error {
	if err := atomicfile.MkdirAll(b.place.Own, filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(b.place.Own, file, src, mode)
}

// restore puts files back as they were. What the agent wrote is kept aside first.
func (b *Book) restore(files []string, before Hashes, now content) error {
	aside := filepath.Join(b.Aside(), b.ws.Now().UTC().Format(time.RFC3339))
	for _, name := range files {
		if src, ok := now[name]; ok {
			if err := b.write(filepath.Join(aside, filepath.FromSlash(name)), src, 0o600); err != nil {
				return err
			}
		}
		if err := b.restoreOne(name, before[name]); err != nil {
			return fmt.Errorf("%s: %w: restore it yourself, then repeat the command with --keep-settings", name, err)
		}
	}
	return nil
}

func (b *Book) restoreOne(name, hash string) error {
	root := nofollow.Root(b.ws.Root)
	full := filepath.Join(b.ws.Root, filepath.FromSlash(name))
	if below, ok := strings.CutPrefix(name, ".git/"); ok {
		root, full = nofollow.Root(b.git), filepath.Join(b.git, filepath.FromSlash(below))
	}
	if strings.HasPrefix(hash, "link ") || strings.HasSuffix(hash, " bytes") {
		return fmt.Errorf("%w: it was no plain file", handoff.ErrInvalid)
	}
	runs := strings.HasSuffix(hash, " x")
	if st, err := os.Lstat(full); err == nil && (hash == "" || !st.Mode().IsRegular() || runs != (st.Mode()&0o111 != 0)) {
		if err := root.Remove(full); err != nil {
			return err
		}
	}
	if hash == "" {
		return nil
	}
	src, err := b.place.Own.ReadFile(b.kept(hash), maxFile)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(src); hex.EncodeToString(sum[:]) != strings.TrimSuffix(hash, " x") {
		return fmt.Errorf("%w: what was kept of it has changed, too", handoff.ErrInvalid)
	}
	mode := fs.FileMode(0o644)
	if runs {
		mode = 0o755
	}
	if err := atomicfile.MkdirAll(root, filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return atomicfile.Write(root, full, src, mode)
}
