package workspace

import (
	"errors"
	"os"
	"slices"
	"strings"

	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
)

// NamesIn lists the documents in a handoffs folder, sorted: every Markdown
// file, whatever its name. plain is true if neither the folder nor one of them is a
// symlink. A link is followed if it stays below root.
func NamesIn(root nofollow.Root, folder string, here WorkingDir) (names []string, plain bool, err error) {
	plain = true
	dir, err := regular.OpenFolder(here.Near(folder))
	if errors.Is(err, regular.ErrLink) {
		plain = false
		var real string
		if real, err = root.Inside(folder); err == nil {
			dir, err = regular.OpenFolder(real)
		}
	}
	if err != nil {
		return nil, false, err
	}
	defer dir.Close()
	entries, err := dir.List(task.IsDocument[[]byte])
	if err != nil {
		return nil, false, err
	}
	names = make([]string, 0, len(entries))
	for _, e := range entries {
		if e.Kind != regular.Dir {
			names = append(names, e.Name)
			plain = plain && e.Kind == regular.File
		}
	}
	slices.Sort(names)
	return names, plain, nil
}

// WorkingDir is the folder that the process runs in; "" if it is unknown.
type WorkingDir string

// Here returns the working directory.
func Here() WorkingDir {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return WorkingDir(dir)
}

// Near makes an absolute path below the working directory relative, so that the kernel
// does not look up all parent folders again for every file.
func (d WorkingDir) Near(path string) string {
	rest, ok := strings.CutPrefix(path, string(d))
	switch {
	case !ok || d == "":
		return path
	case rest == "":
		return "."
	case !os.IsPathSeparator(rest[0]):
		return path // a folder whose name only starts the same, or the file system's root
	}
	return rest[1:]
}
