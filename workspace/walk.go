package workspace

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"handoff"
	"handoff/internal/nofollow"
	"handoff/internal/regular"
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

// walker finds the folders of documents below a folder, in the order of their
// paths. It goes into no symbolic link, no hidden folder and no node_modules;
// below a specs folder it goes straight from a task to its handoffs. A link out
// of the workspace in the place of a specs folder or a task is reported.
type walker struct {
	ctx   context.Context
	trees *trees
	found func(folder) error                 // not listed yet: it may not even be there
	fail  func(path string, err error) error // an unreadable folder: passed over, unless fail says no

	places bool // something was passed that handoffs belong in, even if it holds none
}

func (w *walker) walk(shown, dir string, t *tree, inSpecs bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	if filepath.Base(dir) == handoff.Folder {
		w.places = true
		return w.found(folder{shown: shown, dir: dir, tree: t})
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.places = true // as far as anybody can tell
		return w.fail(shown, err)
	}
	for _, e := range entries {
		if e.Name() == ConfigFile && !e.IsDir() {
			w.places = true
			root := dir
			if inSpecs { // its paths are those of the folder above specs
				root = t.root
			}
			if t, err = w.trees.get(filepath.Join(dir, ConfigFile), root); err != nil {
				return err
			}
		}
	}
	for _, e := range entries {
		name := e.Name()
		if e.Type()&fs.ModeSymlink != 0 {
			if err := w.link(join(shown, name), filepath.Join(dir, name), t, inSpecs); err != nil {
				return err
			}
			continue
		}
		if !e.IsDir() || name[0] == '.' || name == "node_modules" {
			continue
		}
		below, path := join(shown, name), filepath.Join(dir, name)
		switch _, width, _ := handoff.ParseTask(name); {
		case inSpecs && width > 0:
			err = w.found(folder{shown: join(below, handoff.Folder), dir: path + string(filepath.Separator) + handoff.Folder, tree: t})
		case name == handoff.Root:
			w.places = true
			var rooted *tree
			if rooted, err = w.trees.get(t.Path, dir); err == nil {
				err = w.walk(below, path, rooted, true)
			}
		default:
			err = w.walk(below, path, t, inSpecs)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// link reports a symbolic link that leads out of the workspace and is in the
// place of a specs folder or of a task.
func (w *walker) link(shown, path string, t *tree, inSpecs bool) error {
	root := nofollow.Root(t.root)
	switch {
	case inSpecs && isTask(path):
	case !inSpecs && filepath.Base(path) == handoff.Root:
		root = nofollow.Root(filepath.Dir(path))
	default:
		return nil
	}
	if err := leadsOut(root, path); err != nil {
		w.places = true
		return w.fail(shown, err)
	}
	return nil
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
	entries, err := dir.List(isDocument)
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

func isDocument(name []byte) bool { return name[0] != '.' && bytes.HasSuffix(name, []byte(".md")) }

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
