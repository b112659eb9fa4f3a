package check

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/internal/file/nofollow"
	"handoff/lint"
	"handoff/workspace"
	"handoff/workspace/config"
)

// tree is a part of the file system under one configuration.
type tree struct {
	config.Config
	root string // absolute; paths in documents are relative to it; "" if unknown
	past *history
}

// trees finds the tree of a folder and reads each configuration once.
type trees struct {
	names    []string       // rules that a configuration may name
	fixed    *config.Config // used for every tree; nil: search for the nearest one
	override func(*lint.Settings)
	say      func(string) // gets a line about rules that a file switches off; may be nil
	options  workspace.Options

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
	t.past = &history{tree: t, options: ts.options}
	if ts.override != nil {
		t.Override(ts.override)
	}
	if ts.seen == nil {
		ts.seen = make(map[[2]string]*tree)
	}
	ts.seen[key] = t
	return t, nil
}

// close closes what was opened for the histories of trees.
func (ts *trees) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.seen {
		if t.past.close != nil {
			t.past.close()
		}
	}
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
