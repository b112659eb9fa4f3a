// Package state has the table of every file and folder that the tool keeps below .handoff and
// in git folders: what it is called, which package owns it, whether git gets it, and who may
// delete it. The .gitignore that we write, what is checked before a first write, what gc and
// doctor look at, and docs/state.md come from it. A path that is not in the table fails the
// tests: add its row first.
//
// The package knows names only. It reads nothing, and does not know what is in a file.
package state

import (
	"path"
	"slices"
	"strings"
)

// The folders, with forward slashes: that of a workspace, that in a git folder, and that of the
// artifacts of a workspace.
const (
	Dir       = ".handoff"
	InGit     = "handoff"
	Artifacts = ".rip"
)

// Where a file is.
type Where int

// The places.
const (
	Tree   Where = iota // in .handoff of the workspace
	Shared              // in the git folder that all worktrees share; without git in .handoff
	Own                 // in the git folder of the worktree; without git in .handoff
	Both                // in both of these: what belongs to an agent's session is shared
	Git                 // in the git folder that all worktrees share, and nowhere else
)

// Sharing is what git gets, of what is in .handoff.
type Sharing int

// The kinds.
const (
	Private  Sharing = iota // never
	Threads                 // with `share: [threads]`
	Tapes                   // with `share: [tapes]`
	Unlisted                // what the user decides: the .gitignore does not name it
	Yours                   // written by people, for git
)

// Deletion is what is lost when a file is deleted.
type Deletion int

// The kinds.
const (
	Derived Deletion = iota // nothing: it is made again
	Running                 // nothing, once no process of handoff runs that uses it
	Cached                  // time, or a repetition: Row.Note says which
	Record                  // what only this file has: Row.Note says what
)

// Row is a file or folder, or all that have such a name.
type Row struct {
	Name  string // below the folder, a pattern for path.Match; a folder ends in "/", and with "/**" all below it is covered
	Where Where
	Owner string // import path below the module
	Holds string // what is in it, and in which form
	Share Sharing
	Lost  Deletion
	Note  string // what is lost if it is deleted, and who deletes it when
	Refs  bool   // it may name artifacts
}

// Folder reports whether the row is of a folder.
func (r Row) Folder() bool { return strings.HasSuffix(r.Name, "/") || strings.HasSuffix(r.Name, "/**") }

// base returns what the row is called, without the marks of a folder.
func (r Row) base() string { return strings.TrimSuffix(strings.TrimSuffix(r.Name, "/**"), "/") }

// fits reports whether a path is that of the row.
func (r Row) fits(name string) bool {
	if ok, _ := path.Match(r.base(), name); ok {
		return true
	}
	below, all := strings.CutSuffix(r.Name, "/**")
	return all && strings.HasPrefix(name, below+"/")
}

// Find returns the row of a path below the folder in a workspace, or in a git folder. Files
// beside logs and locks of a file have the row of that file.
func Find(name string, inGit bool) (Row, bool) {
	name = strings.TrimSuffix(name, "/")
	for _, r := range Table {
		if (!inGit || r.Where != Tree) && (inGit || r.Where != Git) && r.fits(name) {
			return r, true
		}
	}
	for _, b := range beside {
		if stem, ok := b.stem(name); ok {
			return Find(stem, inGit)
		}
	}
	return Row{}, false
}

// side is what may be beside any file of the table.
type side struct {
	mark   string   // what follows the name of the file
	more   bool     // followed by something else
	ignore []string // the lines for it in the .gitignore
}

// beside is what journals, locks and atomic writes keep beside a file.
var beside = []side{
	{".idx/", true, []string{"*.idx/"}}, {".idx", false, nil}, {".lock", false, []string{"*.jsonl.lock", "*.json.lock"}},
	{".handoff-saved-", true, nil}, // what an exchange found there and could not put back: for a person
	{".torn-", true, []string{"*.jsonl.torn-*"}}, {".aside-", true, []string{"*.jsonl.aside-*", "*.json.aside-*"}},
}

// stem returns the name of the file that a name is beside.
func (s side) stem(name string) (stem string, ok bool) {
	i := strings.LastIndex(name, s.mark)
	if s.mark == ".idx/" {
		i = strings.Index(name, s.mark)
	}
	if i <= 0 || !s.more && i+len(s.mark) != len(name) {
		return "", false
	}
	return name[:i], true
}

// Ignored returns the lines of the .gitignore for files that git does not get, in the order of
// the table. What is in a folder is covered by its line.
func Ignored(shares ...Sharing) (lines []string) {
	for _, r := range Table {
		if r.Where == Git || !slices.Contains(shares, r.Share) {
			continue
		}
		top, _, _ := strings.Cut(r.base(), "/")
		if folder, ok := Find(top, false); ok && folder.Name != r.Name && folder.Share == r.Share {
			continue
		}
		line := "/" + r.base()
		if r.Folder() {
			line += "/"
		}
		lines = append(lines, line)
	}
	if slices.Contains(shares, Private) {
		for _, b := range beside {
			lines = append(lines, b.ignore...)
		}
	}
	return lines
}

// Checked returns the folders, and then the files, below a workspace that are checked before
// its first write, so that no operation fails after half of its files were written.
func Checked() (folders, files []string) {
	folders = []string{Dir}
	for _, r := range Table {
		switch name := Dir + "/" + r.base(); {
		case r.Where != Tree || r.Share == Yours || strings.ContainsAny(r.Name, "*") && !strings.HasSuffix(r.Name, "/**"):
		case r.Folder():
			folders = append(folders, name)
		case r.Lost == Derived && strings.Contains(r.Name, "/"):
			files = append(files, name)
		}
	}
	return folders, files
}

// Of returns the paths below a workspace of the files that a package owns.
func Of(owner string) (files []string) {
	for _, r := range Table {
		if r.Owner == owner && r.Where == Tree {
			files = append(files, Dir+"/"+r.base())
		}
	}
	return files
}

// Outside returns the folders that may be in a git folder and have files that may name
// artifacts.
func Outside() (folders []string) {
	for _, r := range Table {
		top, _, _ := strings.Cut(r.Name, "/")
		if r.Refs && r.Where != Tree && !slices.Contains(folders, top) {
			folders = append(folders, top)
		}
	}
	return folders
}

// Keeps reports whether a folder of a workspace, by its first name, is one of ours.
func Keeps(name string) bool { return name == Dir || name == Artifacts }

// IsYours reports whether a path below .handoff is that of a file that people write.
func IsYours(name string) bool {
	r, ok := Find(name, false)
	return ok && r.Share == Yours
}
