package workspace

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/task"
)

// folder is a folder of documents.
type folder struct {
	shown   string   // as findings print it
	dir     string   // absolute
	names   []string // base names of its documents, sorted
	regular bool     // all of them are regular files: the listing said so
	tree    *tree
}

// list fills in the names of all documents of the folder but those that the
// configuration ignores. A folder that is not there has none.
func (f *folder) list(here workingDir) error {
	names, regular, err := f.documents(here)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	f.names, f.regular = f.tree.keep(f.dir, names), regular
	return err
}

// inTask is the path of the documents of a task.
func inTask(dir string) string { return dir + string(filepath.Separator) + handoff.Folder }

// walk finds what is below the specs folder; a workspace without one has
// nothing. A folder that cannot be listed is passed to failed.
func (w *Workspace) Walk(ctx context.Context, visit func(task.Found) error, failed func(path string, err error) error) error {
	if err := w.CheckSpecs(); err != nil {
		return err
	}
	if !IsDir(w.Specs()) {
		return nil
	}
	walker := task.Walker{Root: w.Root, Visit: visit,
		Failed: func(f task.Found, err error) error { return failed(f.Path, err) }}
	return walker.Walk(ctx, task.Found{Path: handoff.Root, Kind: task.Specs})
}

// documentNames lists what a handoffs folder holds, sorted: every Markdown
// file, whatever its name.
func documentNames(root nofollow.Root, dir string) ([]string, error) {
	f := folder{dir: dir, tree: &tree{root: string(root)}}
	names, _, err := f.documents("")
	return names, err
}

// documents lists the names of all documents of the folder, sorted, and says
// whether they can be read as regular files in it: neither the folder nor one
// of them is a link, and the folders above it were listed or looked at.
func (f *folder) documents(here workingDir) (names []string, plain bool, err error) {
	plain = true
	dir, err := regular.OpenFolder(here.near(f.dir))
	if errors.Is(err, regular.ErrLink) {
		plain = false
		var real string
		if real, err = f.trusted().Inside(f.dir); err == nil {
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

// workingDir is the folder that the process runs in; "" when it is not known.
type workingDir string

func here() workingDir {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	return workingDir(dir)
}

// near is the shorter way to an absolute path that lies below the folder the
// process runs in. The kernel then does not look up all folders above that one
// for every file.
func (d workingDir) near(path string) string {
	rest, ok := strings.CutPrefix(path, string(d))
	switch {
	case !ok || d == "":
		return path
	case rest == "":
		return "."
	case !os.IsPathSeparator(rest[0]):
		return path // a folder whose name begins alike; or the root of all
	}
	return rest[1:]
}

// join appends a name to a path as it is shown; "." is left out.
func join(shown, name string) string {
	if shown == "." || shown == "" {
		return name
	}
	if os.IsPathSeparator(shown[len(shown)-1]) {
		return shown + name
	}
	return shown + string(filepath.Separator) + name
}
