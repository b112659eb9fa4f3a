package check

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/internal/file/regular"
	"handoff/lint"
	"handoff/workspace"
	"handoff/workspace/config"
)

// tree is a part of the file system under one configuration.
type tree struct {
	config.Config
	root string // absolute; paths in documents are relative to it; "" if unknown
}

// trees finds the tree of a folder and reads each configuration once.
type trees struct {
	names    []string       // rules that a configuration may name
	fixed    *config.Config // used for every tree; nil: search for the nearest one
	override func(*lint.Settings)
	say      func(string) // gets a line about rules that a file switches off; may be nil

	mu     sync.Mutex
	seen   map[[2]string]*tree // by configuration file and root
	places map[string]string   // see placesAbove
}

// above returns the tree that contains a folder of documents. The search for a
// configuration starts above the task folder, because a task has none of its own.
func (ts *trees) above(dir string) (*tree, error) {
	root, from := workspace.RootAbove(dir), dir
	if filepath.Base(dir) == handoff.Folder {
		if above := filepath.Dir(dir); task.Named(filepath.Base(above)) {
			from = filepath.Dir(above)
		}
	}
	path, ok := config.Find(from)
	if !ok {
		if root == "" {
			root = ts.placesAbove(from)
		}
		return ts.get("", root)
	}
	if root == "" {
		root = filepath.Dir(path)
	}
	return ts.get(path, root)
}

// placesAbove is [workspace.PlacesAbove], which looks once for each folder.
func (ts *trees) placesAbove(dir string) string {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	root, ok := ts.places[dir]
	if !ok {
		if ts.places == nil {
			ts.places = make(map[string]string)
		}
		root = workspace.PlacesAbove(dir)
		ts.places[dir] = root
	}
	return root
}

// get returns the tree with this root and this configuration file; "" for none.
func (ts *trees) get(file, root string) (*tree, error) {
	if ts.fixed != nil {
		file = ""
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	key := [2]string{file, root}
	if t := ts.seen[key]; t != nil {
		return t, nil
	}
	t := &tree{Config: config.Default(), root: root}
	var err error
	if ts.fixed != nil {
		t.Config = *ts.fixed
	} else if file != "" {
		if t.Config, err = config.LoadFound(root, file, ts.names); err != nil {
			return nil, err
		}
		if off := t.SwitchedOff(); len(off) > 0 && ts.say != nil { // a clone must not do that unnoticed
			shown := file
			if root != "" {
				shown = nofollow.Root(root).Rel(file)
			}
			ts.say(fmt.Sprintf("%s switches off %s: such text in its documents is not reported", shown, strings.Join(off, ", ")))
		}
	}
	t.Config = workspace.WithPlaces(root, t.Config)
	if ts.override != nil {
		t.Override(ts.override)
	}
	if ts.seen == nil {
		ts.seen = make(map[[2]string]*tree)
	}
	ts.seen[key] = t
	return t, nil
}

// kindOf returns the kind of a folder that the user named, by its absolute path.
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

// Looker reports what exists at a path of a workspace, and caches the answers. It is
// for one goroutine. The zero value needs a Root.
type Looker struct {
	Root string
	here workspace.WorkingDir
	seen map[string]lint.Facts
	long map[string]int // number of lines, by path of a file whose lines were counted
	buf  []byte

	within func(abs string) (string, bool) // see [regular.Within]; nil until first needed
}

// remembered bounds the cache of a Looker, so that its memory does not grow with the
// size of the tree.
const remembered = 1 << 12

// Look reports what exists at a path from a document: relative to Root with forward
// slashes, or absolute.
func (l *Looker) Look(path string) lint.Facts {
	if f, ok := l.seen[path]; ok {
		return f
	}
	if l.seen == nil || len(l.seen) >= remembered {
		l.seen, l.long = make(map[string]lint.Facts), make(map[string]int)
	}
	f := l.ask(path)
	l.seen[strings.Clone(path)] = f // path is a substring of a document, which the cache would otherwise keep in memory
	return f
}

// ask looks at the disk. A path that leaves the workspace is reported as existing
// without a look, because findings must not depend on files outside the workspace.
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
	const most = 16 << 20 // bytes; larger files are not source code in which a reader looks up a line
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
