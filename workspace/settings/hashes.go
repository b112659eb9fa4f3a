// Package settings finds out whether an agent has changed what the next one would run or
// obey: settings of hosts, of git and of handoff itself. An agent below the level all may
// edit files, and the program of the next agent runs what its settings say, with the rights
// of the user.
package settings

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"handoff/agents"
	"handoff/internal/file/regular"
)

// Hashes are what the settings of a workspace contain, by their path. A path below .git is
// of the git folder, wherever that is.
type Hashes map[string]string

// maxFile is the most bytes of a file that is read: settings are small, and a larger file
// can be compared by its size alone.
const maxFile = 8 << 20

// git are the settings in the git folder.
var git = agents.List{"config", "config.worktree", "hooks/", "info/attributes"}

// content is what was read.
type content map[string][]byte

// hashes reads the settings of the workspace and of its git folder, "" for none.
func hashes(root, gitDir string) (Hashes, content, error) {
	h, c := Hashes{}, content{}
	all := agents.AllSettings()
	err := collect(root, "", all, h, c)
	if err == nil && gitDir != "" {
		err = collect(gitDir, ".git/", agents.Settings{Files: git}, h, c)
	}
	return h, c, err
}

// collect reads the settings in a folder, whose paths get a prefix.
func collect(dir, prefix string, s agents.Settings, h Hashes, c content) error {
	for _, pattern := range s.Files {
		found, err := fs.Glob(os.DirFS(dir), strings.TrimSuffix(pattern, "/"))
		if err != nil {
			return fmt.Errorf("settings: %s: %w", pattern, err)
		}
		for _, name := range found {
			if err := walk(dir, prefix, name, s.Own, h, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// walk reads a file, or all files of a folder. A link counts with its target and with
// what it leads to, because hosts follow it.
func walk(dir, prefix, name string, own agents.List, h Hashes, c content) error {
	if isOwn(name, own) {
		return nil
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	link, mark := "", ""
	if to, err := os.Readlink(full); err == nil {
		link, mark = to, "link "+to
	}
	st, err := os.Stat(full)
	switch {
	case errors.Is(err, fs.ErrNotExist) && link == "":
		return nil
	case err != nil || !st.IsDir() && !st.Mode().IsRegular():
		h[prefix+name] = strings.TrimSpace(mark + " not a file")
		return nil
	case !st.IsDir():
		return file(full, prefix+name, mark, st, h, c)
	}
	if link != "" {
		h[prefix+name] = mark
	}
	if link != "" && strings.Count(name, "/") > 0 {
		return nil // a folder below: it may lead back
	}
	entries, err := os.ReadDir(full)
	for _, e := range entries {
		if err == nil {
			err = walk(dir, prefix, path.Join(name, e.Name()), own, h, c)
		}
	}
	return err
}

func isOwn(name string, own agents.List) bool {
	return slices.ContainsFunc(own, func(o string) bool { return name == strings.TrimSuffix(o, "/") })
}

// file hashes one file.
func file(full, name, mark string, st fs.FileInfo, h Hashes, c content) error {
	src, err := regular.Read(full, nil, maxFile)
	if large := (*regular.TooLargeError)(nil); errors.As(err, &large) {
		h[name] = fmt.Sprintf("%s %d bytes", mark, large.Size)
		return nil
	}
	if err != nil {
		return err
	}
	sum := sha256.Sum256(src)
	h[name] = strings.TrimSpace(mark + " " + hex.EncodeToString(sum[:]))
	if st.Mode()&0o111 != 0 {
		h[name] += " x" // git runs only such hooks
	}
	if mark == "" {
		c[name] = src
	}
	return nil
}

// changed are the paths that differ, sorted.
func (before Hashes) changed(now Hashes) (names []string) {
	for name, hash := range before {
		if now[name] != hash {
			names = append(names, name)
		}
	}
	for name := range now {
		if _, known := before[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
