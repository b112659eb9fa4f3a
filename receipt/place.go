package receipt

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// Place is the folder with the receipts of a workspace: in the common git folder
// of its repository, which all its worktrees share, else in the workspace.
type Place struct {
	Root   nofollow.Root // trusted: the git folder, or the workspace
	Dir    string        // absolute
	prefix string        // of the workspace in the working tree: "" or "sub/"

	// Own is the trusted folder, and OwnDir the folder in it, of what concerns this working
	// tree alone: in the git folder that it does not share, else in the workspace.
	Own    nofollow.Root
	OwnDir string
}

// Path is the name of a handoff, by its path in the workspace: its path in the
// working tree of the repository. So it is the same in all worktrees.
func (p Place) Path(inWorkspace string) string { return p.prefix + inWorkspace }

// InGit reports whether the place is in the git folder of a repository.
func (p Place) InGit() bool { return filepath.Base(filepath.Dir(p.Dir)) == path.Dir(folder) }

// InWorkspace is the path in the workspace of a handoff that Path named. ok is
// false for a handoff of another workspace of the repository.
func (p Place) InWorkspace(name string) (inWorkspace string, ok bool) {
	return strings.CutPrefix(name, p.prefix)
}

// folder is where receipts are, below a git folder.
const folder = "handoff/receipts"

// Locate finds the place for the workspace with a root. It runs no git. A file
// ".git" is followed only if the git folder that it names points back to it,
// because in an untrusted tree it could name any folder.
func Locate(root string) (Place, error) {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return Place{}, err
	}
	for up := range regular.Project(real) {
		own, common, err := gitDirs(up)
		if err != nil {
			return Place{}, err
		}
		if common != "" {
			p := Place{Root: nofollow.Root(common), Dir: filepath.Join(common, filepath.FromSlash(folder)),
				Own: nofollow.Root(own), OwnDir: filepath.Join(own, path.Dir(folder))}
			if below, _ := filepath.Rel(up, real); below != "." {
				p.prefix = filepath.ToSlash(below) + "/"
			}
			return p, nil
		}
	}
	state := filepath.Join(root, ".handoff")
	return Place{Root: nofollow.Root(root), Dir: filepath.Join(state, path.Base(folder)), Own: nofollow.Root(root), OwnDir: state}, nil
}

// gitDirs are the git folder of the working tree at dir and the one that it shares with
// others, "" if there is none.
func gitDirs(dir string) (own, common string, err error) {
	dot := filepath.Join(dir, ".git")
	st, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", nil
	case err != nil:
		return "", "", err
	case st.Mode().IsRegular():
		return linkedDirs(dir, dot)
	case st.IsDir() && regular.IsGitDir(dot):
		return dot, dot, nil
	case st.Mode()&fs.ModeSymlink != 0:
		return "", "", fmt.Errorf("%s: is a symbolic link, which is not followed: receipts have no safe place", dot)
	}
	return "", "", nil // git does not call that a repository either
}

// linkedDirs are the git folders that a file .git leads to: that of a linked worktree, or
// of a submodule.
func linkedDirs(dir, dot string) (git, common string, err error) {
	text, err := readLine(dot)
	if err != nil {
		return "", "", err
	}
	to, ok := strings.CutPrefix(text, "gitdir: ")
	if !ok {
		return "", "", nil
	}
	git = absolute(dir, to)
	common, back := git, ""
	if text, err := readLine(filepath.Join(git, "commondir")); err == nil {
		common = absolute(git, text)
		if back, err = readLine(filepath.Join(git, "gitdir")); err == nil {
			back = absolute(git, back)
		}
		if !sameFile(back, dot) {
			return "", "", fmt.Errorf("%s: names %s, which does not point back (`git worktree repair` fixes that)", dot, git)
		}
	} else if back = worktreeOf(git); back == "" || !sameFile(absolute(git, back), dir) {
		return "", "", fmt.Errorf("%s: names %s, which does not point back (`git config core.worktree %q` fixes that)", dot, git, dir)
	}
	git, err = filepath.EvalSymlinks(git)
	if err != nil {
		return "", "", err
	}
	common, err = filepath.EvalSymlinks(common)
	if err == nil && !regular.IsGitDir(common) {
		err = fmt.Errorf("%s: names %s, which is not a git folder", dot, common)
	}
	return git, common, err
}

func absolute(dir, p string) string {
	p = filepath.FromSlash(p)
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(dir, p)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(x, y)
}

const maxGitFile = 1 << 20

// readLine is a file of git that holds one line.
func readLine(file string) (string, error) {
	src, err := regular.ReadUnlinked(file, nil, maxGitFile)
	return string(bytes.TrimRight(src, "\r\n")), err
}

// worktreeOf is core.worktree in the configuration of a git folder, "" for none.
func worktreeOf(git string) (worktree string) {
	src, err := regular.ReadUnlinked(filepath.Join(git, "config"), nil, maxGitFile)
	if err != nil {
		return ""
	}
	section := ""
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = strings.ToLower(line)
			continue
		}
		key, value, ok := strings.Cut(line, "=")
		if ok && section == "[core]" && strings.EqualFold(strings.TrimSpace(key), "worktree") {
			worktree = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "").Replace(strings.TrimSpace(value))
		}
	}
	return worktree
}
