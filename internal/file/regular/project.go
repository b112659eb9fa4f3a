package regular

import (
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Project yields a folder and those above it that belong to the same project, the nearest
// first. All that looks for files of a project asks here, so that there is one answer to
// where it is. The project ends, as for git,
//
//   - at the top of a working tree, which is the last folder that is yielded;
//   - before a folder of another user, unless that is the user of this process: he would
//     decide what is read here;
//   - before a folder that GIT_CEILING_DIRECTORIES names;
//   - before another file system, unless GIT_DISCOVERY_ACROSS_FILESYSTEM is set.
func Project(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		same := boundary(dir)
		for up := range Above(dir) {
			if up != dir && !same(up) || !yield(up) || HasGit(up) {
				return
			}
		}
	}
}

// boundary returns whether a folder above another one can belong to the same project.
func boundary(dir string) func(up string) bool {
	owner, owned := Owner(dir)
	disk, known := device(dir)
	if across := strings.ToLower(os.Getenv("GIT_DISCOVERY_ACROSS_FILESYSTEM")); across != "" && across != "0" && across != "false" && across != "no" && across != "off" {
		known = false
	}
	ceilings := ceilings()
	return func(up string) bool {
		if len(ceilings) > 0 {
			// A folder that does not exist is none of them: an editor asks about files that are not saved.
			if st, err := os.Stat(up); err == nil && slices.ContainsFunc(ceilings, func(c os.FileInfo) bool { return os.SameFile(c, st) }) {
				return false
			}
		}
		if uid, ok := Owner(up); owned && ok && uid != owner && uid != User() {
			return false
		}
		on, ok := device(up)
		return !known || !ok || on == disk
	}
}

// ceilings are the folders that git does not go up into to find a repository. One that does
// not exist is none.
func ceilings() (list []os.FileInfo) {
	for _, dir := range filepath.SplitList(os.Getenv("GIT_CEILING_DIRECTORIES")) {
		if st, err := os.Stat(dir); err == nil && filepath.IsAbs(dir) {
			list = append(list, st)
		}
	}
	return list
}

// GitTop returns the top of the working tree of git that contains a folder; "" if none
// does.
func GitTop(dir string) string {
	for up := range Project(dir) {
		if HasGit(up) {
			return up
		}
	}
	return ""
}

// HasGit reports whether a folder is the top of a working tree by git's own rules: its .git is
// the folder of a repository, or a file that names one. An empty folder .git is nothing.
func HasGit(dir string) bool {
	dot := filepath.Join(dir, ".git")
	st, err := os.Stat(dot)
	switch {
	case err != nil:
		return false
	case st.IsDir():
		return IsGitDir(dot)
	}
	text, ok := line(dot)
	to, named := strings.CutPrefix(text, "gitdir: ")
	return ok && named && IsGitDir(from(dir, to))
}

// IsGitDir reports whether a folder is that of a repository, or of a linked working tree,
// whose objects are in the folder that its file commondir names. It is the test that git
// itself makes.
func IsGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := dir
	if text, ok := line(filepath.Join(dir, "commondir")); ok {
		common = from(dir, text)
	}
	for _, name := range []string{"objects", "refs"} {
		if st, err := os.Stat(filepath.Join(common, name)); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// maxGitFile is the most bytes of a file of git that names a folder.
const maxGitFile = 1 << 20

// line is the content of a file of git that has one line.
func line(path string) (text string, ok bool) {
	src, err := ReadUnlinked(path, nil, maxGitFile)
	return strings.TrimRight(string(src), "\r\n"), err == nil
}

// from is a path in a file of git: absolute, or relative to a folder.
func from(dir, path string) string {
	if path = filepath.FromSlash(path); filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}
