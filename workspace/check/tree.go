package check

import (
	"bytes"
	"path/filepath"
	"strings"
	"sync"

	"handoff"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/task"
	"handoff/workspace"
)

// tree is a part of the file system under one configuration.
type tree struct {
	workspace.Config
	root string // absolute; what paths in documents are relative to; "" when unknown
}

// trees finds the tree of a folder and reads each configuration once.
type trees struct {
	names    []string          // the rules a configuration may name
	fixed    *workspace.Config // in place of what is found; nil: look
	override func(*lint.Settings)

	mu   sync.Mutex
	seen map[[2]string]*tree // by configuration file and root
}

// above is the tree a folder of documents lies in. The configuration is looked
// for from the folder above the task on: a task has none of its own.
func (ts *trees) above(dir string) (*tree, error) {
	root, from := workspace.RootAbove(dir), dir
	if filepath.Base(dir) == handoff.Folder {
		if above := filepath.Dir(dir); task.Named(filepath.Base(above)) {
			from = filepath.Dir(above)
		}
	}
	path, ok := workspace.FindConfig(from)
	if !ok {
		return ts.get("", root)
	}
	if root == "" {
		root = filepath.Dir(path)
	}
	return ts.get(path, root)
}

// get is the tree with that configuration file, "" for none, and that root.
func (ts *trees) get(config, root string) (*tree, error) {
	if ts.fixed != nil {
		config = ""
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	key := [2]string{config, root}
	if t := ts.seen[key]; t != nil {
		return t, nil
	}
	t := &tree{Config: workspace.DefaultConfig(), root: root}
	var err error
	if ts.fixed != nil {
		t.Config = *ts.fixed
	} else if config != "" {
		if t.Config, err = workspace.LoadFound(root, config, ts.names); err != nil {
			return nil, err
		}
	}
	if ts.override != nil {
		ts.override(&t.Settings)
	}
	if ts.seen == nil {
		ts.seen = make(map[[2]string]*tree)
	}
	ts.seen[key] = t
	return t, nil
}

// kindOf is what an absolute folder is that somebody named, wherever it is.
func kindOf(dir string) task.Kind {
	base, inSpecs := filepath.Base(dir), workspace.RootAbove(dir) != ""
	switch {
	case base == handoff.Folder:
		return task.Documents
	case base == handoff.Root:
		return task.Specs
	case inSpecs && task.Named(base):
		return task.Task
	case inSpecs:
		return task.Group
	}
	return task.Outside
}

// looker answers what stands at a path of a workspace and remembers it.
type Looker struct {
	Root string
	here workspace.WorkingDir
	seen map[string]lint.Facts
	long map[string]int // lines of those files that were counted
	buf  []byte

	within func(abs string) (string, bool) // see [regular.Within]; made when it is first needed
}

// remembered bounds what a looker keeps, so that a tree of any size takes the
// same memory.
const remembered = 1 << 12

func (l *Looker) Look(path string) lint.Facts {
	if f, ok := l.seen[path]; ok {
		return f
	}
	if l.seen == nil || len(l.seen) >= remembered {
		l.seen, l.long = make(map[string]lint.Facts), make(map[string]int)
	}
	f := l.ask(path)
	l.seen[strings.Clone(path)] = f // path is a piece of a document, which would stay with it
	return f
}

// ask looks at the disk. A path that leaves the workspace is not followed:
// what is out there is none of a document's business, so it passes for there.
func (l *Looker) ask(path string) lint.Facts {
	local := filepath.FromSlash(path)
	if filepath.IsAbs(local) {
		if l.within == nil {
			l.within = regular.Within(l.Root)
		}
		if below, ok := l.within(local); ok {
			local = filepath.FromSlash(below)
		}
	}
	if !filepath.IsLocal(local) {
		return lint.Facts{Exists: true}
	}
	full := l.here.Near(l.Root + string(filepath.Separator) + local)
	exists, isFolder := regular.Look(full)
	f := lint.Facts{Exists: exists, Folder: isFolder}
	if exists && !isFolder {
		f.Lines = func() int { return l.lines(l.Root + string(filepath.Separator) + local) }
	}
	return f
}

func (l *Looker) lines(path string) int {
	n, ok := l.long[path]
	if !ok {
		n = l.count(path)
		l.long[path] = n
	}
	return n
}

func (l *Looker) count(path string) int {
	const most = 16 << 20 // larger files are not source that a line is looked up in
	real, err := nofollow.Root(l.Root).Inside(path)
	if err != nil {
		return 0
	}
	src, err := regular.Read(l.here.Near(real), l.buf, most)
	if err != nil {
		return 0
	}
	l.buf = src
	n := bytes.Count(src, []byte{'\n'})
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}
