//go:build unix

package histories

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// tree is the content of files by path.
type tree map[string]string

// readTree reads all files below a folder, without git's and handoff's own folders.
func readTree(root string) tree {
	files := tree{}
	filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		switch {
		case err != nil:
			return nil // removed meanwhile
		case e.IsDir() && slices.Contains([]string{".git", ".handoff", ".rip"}, rel):
			return filepath.SkipDir
		case e.IsDir():
			return nil
		}
		if b, err := os.ReadFile(p); err == nil {
			files[filepath.ToSlash(rel)] = string(b)
		}
		return nil
	})
	return files
}

// differences lists the paths at which two trees differ.
func (t tree) differences(other tree) (paths []string) {
	for p, text := range t {
		if o, ok := other[p]; !ok || o != text {
			paths = append(paths, p)
		}
	}
	for p := range other {
		if _, ok := t[p]; !ok {
			paths = append(paths, p)
		}
	}
	slices.Sort(paths)
	return paths
}

var documentPath = regexp.MustCompile(`^(.+)/handoffs/phase-(\d+)-handoff-(\d{8}T\d{6}Z)\.md$`)

const metadataName = ".return-meta.json"

// taskOf is the folder of the task that a metadata, progress or handoff file belongs to.
func taskOf(p string) (dir string, ok bool) {
	switch {
	case path.Base(p) == metadataName:
		return path.Dir(p), true
	case documentPath.MatchString(p), strings.Contains(p, "/progress/phase-"):
		return path.Dir(path.Dir(p)), true
	}
	return "", false
}

// tasks are the folders of all tasks.
func (t tree) tasks() []string {
	dirs := map[string]bool{}
	for p := range t {
		if dir, ok := taskOf(p); ok {
			dirs[dir] = true
		}
	}
	return slices.Sorted(maps.Keys(dirs))
}

// documents are the handoffs of a task, oldest first by their names.
func (t tree) documents(task string) (paths []string) {
	for p := range t {
		if m := documentPath.FindStringSubmatch(p); m != nil && m[1] == task {
			paths = append(paths, p)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return strings.Compare(documentPath.FindStringSubmatch(a)[3], documentPath.FindStringSubmatch(b)[3])
	})
	return paths
}

func (t tree) newest(task string) string {
	if docs := t.documents(task); len(docs) > 0 {
		return docs[len(docs)-1]
	}
	return ""
}
