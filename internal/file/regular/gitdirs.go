package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// GitDirs are the git folder of the working tree whose top is dir and the one that it
// shares with the other worktrees of its repository, without symlinks; "" if dir is not the
// top of one. It runs no git.
//
// A tree from elsewhere could have a file .git that names any folder, or bring a folder that
// names the repository of somebody else as the shared one. So a file is followed only if what
// it names points back to it and, if that shares a folder, is one of the worktrees there.
func GitDirs(dir string) (own, common string, err error) {
	dot := filepath.Join(dir, ".git")
	st, err := os.Lstat(dot)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", "", nil
	case err != nil:
		return "", "", err
	case st.Mode().IsRegular():
		return linkedDirs(dir, dot)
	case st.IsDir() && IsGitDir(dot):
		own, err = filepath.EvalSymlinks(dot)
		return own, own, err
	case st.Mode()&fs.ModeSymlink != 0:
		return "", "", fmt.Errorf("%s: is a symbolic link, which is not followed", dot)
	}
	return "", "", nil // git does not call that a repository either
}

// linkedDirs are the git folders that a file .git leads to: that of a linked worktree, or
// of a submodule.
func linkedDirs(dir, dot string) (own, common string, err error) {
	src, err := ReadUnlinked(dot, nil, maxGitFile)
	to, ok := strings.CutPrefix(strings.TrimRight(string(src), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return "", "", err
	}
	own = from(dir, to)
	common = own
	shared := lineOf(filepath.Join(own, "commondir"))
	if shared != "" {
		common = from(own, shared)
		if back := lineOf(filepath.Join(own, "gitdir")); back == "" || !sameFile(from(own, back), dot) {
			return "", "", fmt.Errorf("%s: names %s, which does not point back (`git worktree repair` fixes that)", dot, own)
		}
	} else if back := worktreeOf(own); back == "" || !sameFile(from(own, back), dir) {
		return "", "", fmt.Errorf("%s: names %s, which does not point back (`git config core.worktree %q` fixes that)", dot, own, dir)
	}
	if own, err = filepath.EvalSymlinks(own); err == nil {
		common, err = filepath.EvalSymlinks(common)
	}
	switch {
	case err != nil:
		return "", "", err
	case !IsGitDir(common):
		return "", "", fmt.Errorf("%s: names %s, which is not a git folder", dot, common)
	case shared != "" && filepath.Dir(own) != filepath.Join(common, "worktrees"):
		return "", "", fmt.Errorf("%s: names %s, which is not one of the worktrees of %s", dot, own, common)
	}
	return own, common, nil
}

// lineOf is the content of a file of git that has one line, "" if it cannot be read.
func lineOf(path string) string {
	text, _ := line(path)
	return text
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	y, other := os.Stat(b)
	return err == nil && other == nil && os.SameFile(x, y)
}

// worktreeOf is core.worktree in the configuration of a git folder, "" for none.
func worktreeOf(git string) (worktree string) {
	src, err := ReadUnlinked(filepath.Join(git, "config"), nil, maxGitFile)
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
