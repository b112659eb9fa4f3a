package check

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/parse"
	"handoff/workspace"
)

// folder is a folder of documents.
type folder struct {
	shown   string   // as findings print it
	dir     string   // absolute
	names   []string // base names of its documents, sorted
	regular bool     // the listing shows that all of them are regular files
	tree    *tree
}

// list sets the names of the documents in the folder, without those that the
// configuration ignores. A folder that does not exist has none.
func (f *folder) list(here workspace.WorkingDir) error {
	names, regular, err := workspace.NamesIn(f.trusted(), f.dir, here)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil
	}
	f.names, f.regular = f.tree.Keep(f.dir, names), regular
	if len(f.tree.Documents) > 0 && f.tree.root != "" {
		below := nofollow.Root(f.tree.root).Rel(f.dir)
		f.names = slices.DeleteFunc(slices.Clone(f.names), func(n string) bool { return f.layout(below+"/"+n) != nil }) // see elsewhere
	}
	return err
}

// layout is the layout of a document, by its path below the root of the tree; nil for
// our own, and outside of a workspace.
func (f *folder) layout(below string) *task.Layout {
	if f.tree.root == "" {
		return nil
	}
	return f.tree.Documents.Of(strings.TrimPrefix(below, "./"))
}

// parser parses the text of a document.
func (f *folder) parser(below string) func([]byte) *handoff.Document {
	l := f.layout(below)
	if l == nil && (f.tree.root == "" || f.tree.Documents.Own() == nil) {
		return parse.Document
	}
	return func(src []byte) *handoff.Document {
		return f.tree.Documents.Parse(strings.TrimPrefix(below, "./"), src, parse.Document)
	}
}

// inTask is the path of the documents of a task.
func inTask(dir string) string { return dir + string(filepath.Separator) + handoff.Folder }

// join appends a name to a path as findings print it; "." is left out.
func join(shown, name string) string {
	if shown == "." || shown == "" {
		return name
	}
	if shown[len(shown)-1] == '/' {
		return shown + name
	}
	return shown + "/" + name
}
