//go:build unix

package histories

import (
	"path"
	"strings"
)

// gitState is what git says of the files of a tree.
type gitState struct {
	tracked map[string]bool
	dirty   map[string]bool // untracked or not as in the index
}

func (s shell) gitState() gitState {
	g := gitState{map[string]bool{}, map[string]bool{}}
	for _, p := range strings.Split(s.look("git ls-files -z"), "\x00") {
		g.tracked[p] = true
	}
	for _, line := range strings.Split(s.look("git status --porcelain -z --untracked-files=all --no-renames"), "\x00") {
		if len(line) > 3 && line[1] != ' ' { // what is staged and unchanged since is as git has it
			g.dirty[line[3:]] = true
		}
	}
	return g
}

// clean reports whether the metadata of a task and all its documents are as git has them.
func (g gitState) clean(dir string, files tree) bool {
	as := func(p string) bool { return g.tracked[p] && !g.dirty[p] }
	for _, document := range files.documents(dir) {
		if !as(document) {
			return false
		}
	}
	_, exists := files[path.Join(dir, metadataName)]
	return !exists || as(path.Join(dir, metadataName))
}
